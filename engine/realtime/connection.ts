/**
 * One client of the realtime service, with a bounded send queue. Books and tickers are conflated for a slow reader. If anything
 * else would be lost, the connection is closed with a reason. Other clients never wait for it.
 */
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { CLOSE_CODES, type CloseReason, type RealtimeLimits } from '#contract/realtime-limits.ts';
import type { TicketAccess } from '#identity/socket-tickets.ts';
import type { SteadyClock } from '#time/clock.ts';
import type { Timer, Timers } from '#time/timers.ts';
import { TokenBucket } from '#time/token-bucket.ts';
import type { FrameBudget, FrameSource } from './frame-budget.ts';
import { pongFrame, textFrame } from './frame-bytes.ts';
import type { Network } from './networks.ts';
import type { PrivateBytes } from './private-bytes.ts';
import { SendQueue } from './send-queue.ts';
import type { Outgoing, Topic } from './topic.ts';

/** How long a client may take to read its close frame before the socket is destroyed. */
const CLOSE_GRACE_MS = 2_000;

/** Part of every auth frame. */
const AUTH = Buffer.from('"auth"');

/** Totals over all connections: frames sent, and closes by reason. */
export interface ConnectionTally {
  framesSent: number;
  readonly closed: Record<CloseReason, number>;
}

export type ConnectionTopic = Topic<Connection>;

export interface ConnectionPorts {
  readonly limits: RealtimeLimits;
  readonly tally: ConnectionTally;
  readonly privateBytes: PrivateBytes;
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
  /** Receives an internal error in what is sent to these connections, and closes them. */
  readonly onSendError: (connections: Iterable<Connection>, error: unknown) => void;
}

export class Connection {
  /** By topic key. */
  readonly subscriptions = new Map<string, ConnectionTopic>();
  readonly network: Network;
  /** Set by authentication. */
  access: TicketAccess | undefined;
  /** Called when nothing waits to be sent any more. */
  onDrained = () => {};
  readonly #socket: WebSocket;
  readonly #sendQueue: SendQueue;
  readonly #limits: RealtimeLimits;
  readonly #tally: ConnectionTally;
  /** The frames of the flush in progress. */
  #batch: Outgoing[] = [];
  /** Conflated topics, whose newest state is sent when the queue has drained. */
  readonly #pendingTopics = new Set<ConnectionTopic>();
  readonly #steadyClock: SteadyClock;
  readonly #timers: Timers;
  readonly #frameTokens: TokenBucket;
  /** Its frames that wait for their turn. */
  readonly #frames: FrameSource;
  #budget: FrameBudget;
  #receivedAtMs: number;
  #closeTimer: Timer | undefined;
  readonly #private: PrivateBytes;
  /** The part of the private bytes that replays queue. */
  #replayBytes = 0;
  /** How many of the written bytes the system has taken, and when that number last grew. */
  #drainedBytes = 0;
  #drainedAtMs: number;

  constructor(
    { socket, tcpSocket, network }: { readonly socket: WebSocket; readonly tcpSocket: Socket; readonly network: Network },
    { limits, tally, privateBytes, steadyClock, timers, onSendError }: ConnectionPorts,
  ) {
    this.network = network;
    this.#socket = socket;
    this.#limits = limits;
    this.#tally = tally;
    this.#private = privateBytes;
    this.#steadyClock = steadyClock;
    this.#timers = timers;
    this.#frameTokens = new TokenBucket({ burst: limits.frameBurst, perSecond: limits.framesPerSecond }, steadyClock);
    const fail = (error: unknown) => onSendError([this], error);
    this.#frames = {
      waiting: [],
      authsWaiting: limits.maxFailedAuths,
      pause: () => socket.pause(),
      resume: () => {
        // What the client sent within its limit during the pause arrives all at once.
        this.#frameTokens.catchUp();
        socket.resume();
      },
      fail,
    };
    this.#budget = network.frames;
    this.#budget.sockets += 1;
    this.#receivedAtMs = steadyClock.elapsedMs();
    this.#drainedAtMs = this.#receivedAtMs;
    const onDrained = () => {
      this.#flushTopics();
      if (this.isDrained) this.onDrained();
    };
    this.#sendQueue = new SendQueue(tcpSocket, onDrained, fail);
  }

  /** False from the close frame on: nothing is written after it. */
  get isOpen(): boolean {
    return this.#closeTimer === undefined && this.#socket.readyState === WebSocket.OPEN;
  }

  /** Whether all or nearly all written bytes are on their way. */
  get isDrained(): boolean {
    return this.#sendQueue.isDrained;
  }

  /** For how many milliseconds the client has read nothing, while bytes wait that a close would free. */
  get stalledMs(): number {
    if (this.#sendQueue.waitingBytes === 0) return 0;
    const now = this.#steadyClock.elapsedMs();
    return now - this.#lastDrained(now);
  }

  /** Sends a frame that only this client gets. Closes the connection if private frames wait and their bound is exceeded. */
  send(frame: object, ...after: readonly Buffer[]): void {
    this.#writePrivate({ bytes: Buffer.concat([textOf(frame), ...after]), frames: 1 + after.length });
  }

  /** Like {@link send}, piece by piece as the client reads. The replay does not count towards the bound of live updates. */
  sendReplay(frame: object, replayed: readonly Buffer[]): void {
    if (!this.#canWriteMore()) return;
    const frames = [textOf(frame), ...replayed];
    const bytes = frames.reduce((sum, { length }) => sum + length, 0);
    this.#private.add(this.network, bytes);
    this.#replayBytes += bytes;
    this.#tally.framesSent += frames.length;
    this.#sendQueue.writeFrames(frames, (taken) => {
      this.#private.add(this.network, -taken);
      this.#replayBytes -= taken;
    });
  }

  /** Adds an update to the flush; true if it is the first. */
  add(outgoing: Outgoing): boolean {
    return this.#batch.push(outgoing) === 1;
  }

  /** Adds the newest state of a topic to the flush. If the send queue has not drained, skips it and sends it then. */
  addNewest(topic: ConnectionTopic, outgoing: Outgoing): 'first' | 'added' | 'conflated' {
    if (!this.isDrained) {
      this.#pendingTopics.add(topic);
      return 'conflated';
    }
    this.#pendingTopics.delete(topic);
    return this.add(outgoing) ? 'first' : 'added';
  }

  /** Sends the added frames in one write. */
  flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    if (batch.length === 1) {
      this.#write(batch[0]!);
      return;
    }
    this.#sendQueue.together(() => {
      for (const outgoing of batch) this.#write(outgoing);
    });
  }

  /** Drops a topic's newest state that waits for the queue to drain. */
  forget(topic: ConnectionTopic): void {
    this.#pendingTopics.delete(topic);
  }

  /**
   * Counts received bytes as a sign of life and against the frame rate. Returns false and closes the connection if it is too
   * fast.
   */
  touch(bytes: number): boolean {
    this.#receivedAtMs = this.#steadyClock.elapsedMs();
    if (this.#frameTokens.take(this.#tokensOf(bytes))) return true;
    this.close('too_many_frames');
    return false;
  }

  /** Calls `take` at once, or when it is the frame's turn; never if the connection closes before. */
  admitFrame(bytes: Buffer, take: () => void): void {
    const { length } = bytes;
    if (!this.isOpen || !this.touch(length)) return;
    const takeIfOpen = () => {
      if (this.isOpen) take();
    };
    const isAuth = this.access === undefined && bytes.includes(AUTH);
    this.#budget.admit(this.#frames, { tokens: this.#tokensOf(length), take: takeIfOpen, isAuth });
  }

  /** From now on its frames count towards its account's budget. */
  joinNetwork(budget: FrameBudget): void {
    this.#budget.leave(this.#frames);
    this.#budget.sockets -= 1;
    this.#budget = budget;
    this.#budget.sockets += 1;
    this.#budget.join(this.#frames);
  }

  /** Whether frames of its network or account took more than their fair share of processing time. */
  get isExpensive(): boolean {
    return this.#budget.isExpensive;
  }

  /** Responds to a WebSocket ping. */
  pong(data: Buffer): void {
    this.#writePrivate({ bytes: pongFrame(data), frames: 0 });
  }

  /** Pings the client. Closes the connection if it was silent for too long, or has read nothing. */
  checkIdle(): void {
    const now = this.#steadyClock.elapsedMs();
    const { idleMs } = this.#limits;
    // While a frame of the client waits, its socket is not read.
    if (this.#frames.waiting.length > 0) this.#receivedAtMs = now;
    if (now - this.#receivedAtMs >= idleMs) this.close('idle');
    else if (now - this.#lastDrained(now) >= idleMs) this.close('slow_consumer');
    else if (this.isOpen) this.#socket.ping();
  }

  /** The socket has closed: drops unsent frames. */
  onClosed(): void {
    this.#closeTimer?.cancel();
    this.#budget.leave(this.#frames);
    this.#budget.sockets -= 1;
    this.#sendQueue.drop();
  }

  close(reason: CloseReason): void {
    if (this.#closeTimer !== undefined) return;
    this.#tally.closed[reason] += 1;
    // Set first: if something below throws, the timer still destroys the socket.
    this.#closeTimer = this.#timers.setTimeout(() => this.#socket.terminate(), CLOSE_GRACE_MS);
    this.#budget.leave(this.#frames);
    if (this.#frames.waiting.splice(0).length > 0) this.#frames.resume();
    this.#socket.close(CLOSE_CODES[reason].code, reason);
    // Only whole frames were sent, so the client resumes after the last of them.
    this.#sendQueue.drop();
  }

  #tokensOf(bytes: number): number {
    return Math.max(1, Math.ceil(bytes / this.#limits.frameBytesPerToken));
  }

  #write(outgoing: Outgoing): void {
    if (this.#canWriteMore()) this.#put(outgoing);
  }

  #writePrivate(outgoing: Outgoing): void {
    const { length } = outgoing.bytes;
    if (!this.isDrained && !this.#private.hasCapacity(this.network, length)) this.close('slow_consumer');
    if (!this.#canWriteMore()) return;
    this.#private.add(this.network, length);
    this.#put(outgoing, () => this.#private.add(this.network, -length));
  }

  /** Closes the connection if too many live bytes wait. False if it is closed. */
  #canWriteMore(): boolean {
    if (this.#sendQueue.queuedBytes - this.#replayBytes > this.#limits.maxQueuedBytes) this.close('slow_consumer');
    return this.isOpen;
  }

  #put({ bytes, frames }: Outgoing, onWritten?: () => void): void {
    this.#sendQueue.write(bytes, onWritten);
    this.#tally.framesSent += frames;
  }

  #lastDrained(nowMs: number): number {
    const { queuedBytes, writtenBytes } = this.#sendQueue;
    if (queuedBytes === 0 || writtenBytes > this.#drainedBytes) this.#drainedAtMs = nowMs;
    this.#drainedBytes = writtenBytes;
    return this.#drainedAtMs;
  }

  #flushTopics(): void {
    for (const topic of this.#pendingTopics) {
      this.#pendingTopics.delete(topic);
      if (topic.newest !== undefined) this.#write(topic.newest);
    }
  }
}

function textOf(frame: object): Buffer {
  return textFrame(JSON.stringify(frame));
}
