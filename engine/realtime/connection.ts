/**
 * One client of the realtime service. What waits to be sent to it is bounded: who reads too slowly is spared books and tickers that
 * newer ones replace, and is cut off with a reason before anything else would be lost. Nobody else waits for it.
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
import { OutgoingLine } from './outgoing-line.ts';
import type { PrivateBytes } from './private-bytes.ts';
import type { Outgoing, Topic } from './topic.ts';

/** How long a client has to take its close frame before the line is cut. */
const FAREWELL_MS = 2_000;

/** In every auth frame. */
const AUTH = Buffer.from('"auth"');

/** What all connections together have sent, and why they were closed. */
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
  /** Takes an internal error in what is sent to these connections, and ends them. */
  readonly onSendError: (connections: Iterable<Connection>, error: unknown) => void;
}

export class Connection {
  /** By their keys. */
  readonly subscriptions = new Map<string, ConnectionTopic>();
  /** That it comes from. */
  readonly network: Network;
  /** Once it is authenticated. */
  access: TicketAccess | undefined;
  /** Hears that nothing waits to be sent any more. */
  onDrained = () => {};
  readonly #socket: WebSocket;
  readonly #line: OutgoingLine;
  readonly #limits: RealtimeLimits;
  readonly #tally: ConnectionTally;
  /** What goes out with the flush under way. */
  #batch: Outgoing[] = [];
  /** Topics whose newest state it was spared. */
  readonly #owed = new Set<ConnectionTopic>();
  readonly #steadyClock: SteadyClock;
  readonly #timers: Timers;
  readonly #frameTokens: TokenBucket;
  /** Its frames that wait for their turn. */
  readonly #frames: FrameSource;
  #budget: FrameBudget;
  #heardAtMs: number;
  #farewell: Timer | undefined;
  readonly #private: PrivateBytes;
  /** Of those of its own, what replays have waiting. */
  #replayBytes = 0;
  /** How much of what was written the system has taken, and when that was last more than before. */
  #takenBytes = 0;
  #takenAtMs: number;

  constructor(
    { socket, line, network }: { readonly socket: WebSocket; readonly line: Socket; readonly network: Network },
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
      authsAhead: limits.maxFailedAuths,
      pause: () => socket.pause(),
      resume: () => {
        // What the client sent meanwhile, no faster than it may, arrives all at once.
        this.#frameTokens.catchUp();
        socket.resume();
      },
      fail,
    };
    this.#budget = network.frames;
    this.#budget.sockets += 1;
    this.#heardAtMs = steadyClock.elapsedMs();
    this.#takenAtMs = this.#heardAtMs;
    const onDrained = () => {
      this.#payOwed();
      if (this.isDrained) this.onDrained();
    };
    this.#line = new OutgoingLine(line, onDrained, fail);
  }

  /** After the farewell nothing is written any more, whoever said it. */
  get isOpen(): boolean {
    return this.#farewell === undefined && this.#socket.readyState === WebSocket.OPEN;
  }

  /** Whether what was written is on its way, or nearly all of it. */
  get isDrained(): boolean {
    return this.#line.isDrained;
  }

  /** For how long it has taken nothing, where something waits that would be let go of with it. */
  get stalledMs(): number {
    if (this.#line.waitingBytes === 0) return 0;
    const now = this.#steadyClock.elapsedMs();
    return now - this.#lastTaken(now);
  }

  /** What nobody else gets. Where all together wait for too much, who has something waiting is cut off. */
  send(frame: object, ...after: readonly Buffer[]): void {
    this.#writePrivate({ bytes: Buffer.concat([textOf(frame), ...after]), frames: 1 + after.length });
  }

  /** Likewise, as it is taken. What is live may come to as much behind it as behind anything else. */
  sendReplay(frame: object, replayed: readonly Buffer[]): void {
    if (!this.#takesMore()) return;
    const frames = [textOf(frame), ...replayed];
    const bytes = frames.reduce((sum, { length }) => sum + length, 0);
    this.#private.add(this.network, bytes);
    this.#replayBytes += bytes;
    this.#tally.framesSent += frames.length;
    this.#line.writeFrames(frames, (taken) => {
      this.#private.add(this.network, -taken);
      this.#replayBytes -= taken;
    });
  }

  /** Notes what is to go out with the flush; true for the first of it. */
  add(outgoing: Outgoing): boolean {
    return this.#batch.push(outgoing) === 1;
  }

  /** Notes the newest state of a topic, or spares it, where so much waits that the line will say when it is sent. */
  addNewest(topic: ConnectionTopic, outgoing: Outgoing): 'first' | 'added' | 'spared' {
    if (!this.isDrained) {
      this.#owed.add(topic);
      return 'spared';
    }
    this.#owed.delete(topic);
    return this.add(outgoing) ? 'first' : 'added';
  }

  /** Sends what was noted, in one write. */
  flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    if (batch.length === 1) {
      this.#write(batch[0]!);
      return;
    }
    this.#line.together(() => {
      for (const outgoing of batch) this.#write(outgoing);
    });
  }

  /** Forgets that a topic's newest state is owed. */
  forget(topic: ConnectionTopic): void {
    this.#owed.delete(topic);
  }

  /** Notes a sign of life of so many bytes. False when the client sends more than it may: it is then cut off. */
  hears(bytes: number): boolean {
    this.#heardAtMs = this.#steadyClock.elapsedMs();
    if (this.#frameTokens.take(this.#tokensOf(bytes))) return true;
    this.close('too_many_frames');
    return false;
  }

  /** Takes a frame of the client at once, or when it is its turn; not at all when the client is cut off before. */
  takes(bytes: Buffer, take: () => void): void {
    const { length } = bytes;
    if (!this.isOpen || !this.hears(length)) return;
    const takeIfOpen = () => {
      if (this.isOpen) take();
    };
    const isAuth = this.access === undefined && bytes.includes(AUTH);
    this.#budget.admit(this.#frames, { tokens: this.#tokensOf(length), take: takeIfOpen, isAuth });
  }

  /** From now on its frames count with those of its account. */
  joins(budget: FrameBudget): void {
    this.#budget.leave(this.#frames);
    this.#budget.sockets -= 1;
    this.#budget = budget;
    this.#budget.sockets += 1;
    this.#budget.join(this.#frames);
  }

  /** The frames that it sends, with those that they are counted with, take more of the service's time than is fair. */
  get isHeavy(): boolean {
    return this.#budget.isHeavy;
  }

  /** Answers a ping of WebSocket itself. */
  pong(data: Buffer): void {
    this.#writePrivate({ bytes: pongFrame(data), frames: 0 });
  }

  /** Asks for a sign of life, or cuts the client off when there was none for too long, or when it takes nothing. */
  checkIdle(): void {
    const now = this.#steadyClock.elapsedMs();
    const { idleMs } = this.#limits;
    // Nothing is read from it while a frame of it waits.
    if (this.#frames.waiting.length > 0) this.#heardAtMs = now;
    if (now - this.#heardAtMs >= idleMs) this.close('idle');
    else if (now - this.#lastTaken(now) >= idleMs) this.close('slow_consumer');
    else if (this.isOpen) this.#socket.ping();
  }

  /** The socket has closed: what waits to be sent is dropped. */
  ended(): void {
    this.#farewell?.cancel();
    this.#budget.leave(this.#frames);
    this.#budget.sockets -= 1;
    this.#line.drop();
  }

  close(reason: CloseReason): void {
    if (this.#farewell !== undefined) return;
    this.#tally.closed[reason] += 1;
    // First: whatever throws after it, the line is cut.
    this.#farewell = this.#timers.setTimeout(() => this.#socket.terminate(), FAREWELL_MS);
    this.#budget.leave(this.#frames);
    if (this.#frames.waiting.splice(0).length > 0) this.#frames.resume();
    this.#socket.close(CLOSE_CODES[reason].code, reason);
    // Whole frames: the client comes back to where they end.
    this.#line.drop();
  }

  #tokensOf(bytes: number): number {
    return Math.max(1, Math.ceil(bytes / this.#limits.frameBytesPerToken));
  }

  #write(outgoing: Outgoing): void {
    if (this.#takesMore()) this.#put(outgoing);
  }

  #writePrivate(outgoing: Outgoing): void {
    const { length } = outgoing.bytes;
    if (!this.isDrained && !this.#private.hasRoom(this.network, length)) this.close('slow_consumer');
    if (!this.#takesMore()) return;
    this.#private.add(this.network, length);
    this.#put(outgoing, () => this.#private.add(this.network, -length));
  }

  /** Else it is gone, or cut off. */
  #takesMore(): boolean {
    if (this.#line.queuedBytes - this.#replayBytes > this.#limits.maxQueuedBytes) this.close('slow_consumer');
    return this.isOpen;
  }

  #put({ bytes, frames }: Outgoing, onTaken?: () => void): void {
    this.#line.write(bytes, onTaken);
    this.#tally.framesSent += frames;
  }

  #lastTaken(nowMs: number): number {
    const { queuedBytes, takenBytes } = this.#line;
    if (queuedBytes === 0 || takenBytes > this.#takenBytes) this.#takenAtMs = nowMs;
    this.#takenBytes = takenBytes;
    return this.#takenAtMs;
  }

  #payOwed(): void {
    for (const topic of this.#owed) {
      this.#owed.delete(topic);
      if (topic.newest !== undefined) this.#write(topic.newest);
    }
  }
}

function textOf(frame: object): Buffer {
  return textFrame(JSON.stringify(frame));
}
