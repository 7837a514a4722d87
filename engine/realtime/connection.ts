/**
 * One client of the realtime service. What waits to be sent to it is bounded: who reads too slowly is spared books and tickers that
 * newer ones replace, and is cut off with a reason before anything else would be lost. Nobody else waits for it.
 */
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { CLOSE_CODES, type CloseReason, type RealtimeLimits } from '#contract/realtime-limits.ts';
import type { TicketAccess } from '#identity/socket-tickets.ts';
import type { SteadyClock } from '#writer/clock.ts';
import { pongFrame, textFrame } from './frame-bytes.ts';
import type { Network } from './networks.ts';
import { TokenBucket } from './token-bucket.ts';
import type { Topic } from './topic.ts';

/** How long a client has to take its close frame before the line is cut. */
const FAREWELL_MS = 2_000;

/** What all connections together have sent, and why they were closed. */
export interface ConnectionTally {
  framesSent: number;
  readonly closed: Record<CloseReason, number>;
}

/** Whole frames, one after the other. */
export interface Outgoing {
  readonly bytes: Buffer;
  readonly frames: number;
}

export class Connection {
  /** By their keys. */
  readonly subscriptions = new Map<string, Topic>();
  /** That it comes from. */
  readonly network: Network;
  /** Once it is authenticated. */
  access: TicketAccess | undefined;
  /** Hears that nothing waits to be sent any more. */
  onDrained = () => {};
  readonly #socket: WebSocket;
  readonly #line: Duplex;
  readonly #limits: RealtimeLimits;
  readonly #tally: ConnectionTally;
  /** What goes out with the flush under way. */
  #batch: Outgoing[] = [];
  /** Topics whose newest state it was spared. */
  readonly #owed = new Set<Topic>();
  readonly #steadyClock: SteadyClock;
  readonly #frameTokens: TokenBucket;
  #heardAtMs: number;
  #farewell: NodeJS.Timeout | undefined;

  constructor(
    { socket, line, network }: { readonly socket: WebSocket; readonly line: Duplex; readonly network: Network },
    limits: RealtimeLimits,
    tally: ConnectionTally,
    steadyClock: SteadyClock,
  ) {
    this.network = network;
    this.#socket = socket;
    this.#line = line;
    this.#limits = limits;
    this.#tally = tally;
    this.#steadyClock = steadyClock;
    this.#frameTokens = new TokenBucket({ burst: limits.frameBurst, perSecond: limits.framesPerSecond }, steadyClock);
    this.#heardAtMs = steadyClock.elapsedMs();
    line.on('drain', () => {
      this.#payOwed();
      if (this.isDrained) this.onDrained();
    });
    socket.on('close', () => clearTimeout(this.#farewell));
  }

  /** After the farewell nothing is written any more, whoever said it. */
  get isOpen(): boolean {
    return this.#farewell === undefined && this.#socket.readyState === WebSocket.OPEN;
  }

  /** Whether what was written is on its way, or nearly all of it. */
  get isDrained(): boolean {
    return !this.#line.writableNeedDrain;
  }

  send(frame: object): void {
    this.write({ bytes: textFrame(JSON.stringify(frame)), frames: 1 });
  }

  write({ bytes, frames }: Outgoing): void {
    if (!this.isOpen) return;
    if (this.#line.writableLength > this.#limits.maxQueuedBytes) this.close('slow_consumer');
    else {
      this.#line.write(bytes);
      this.#tally.framesSent += frames;
    }
  }

  /** Notes what is to go out with the flush; true for the first of it. */
  add(outgoing: Outgoing): boolean {
    return this.#batch.push(outgoing) === 1;
  }

  /** Notes the newest state of a topic, or spares it, where so much waits that the line will say when it is sent. */
  addNewest(topic: Topic, outgoing: Outgoing): 'first' | 'added' | 'spared' {
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
      this.write(batch[0]!);
      return;
    }
    this.#line.cork();
    for (const outgoing of batch) this.write(outgoing);
    this.#line.uncork();
  }

  /** Forgets that a topic's newest state is owed. */
  forget(topic: Topic): void {
    this.#owed.delete(topic);
  }

  /** Notes a frame from the client. False when it sends more than it may: it is then cut off. */
  hears(): boolean {
    this.#heardAtMs = this.#steadyClock.elapsedMs();
    if (this.#frameTokens.take(1)) return true;
    this.close('too_many_frames');
    return false;
  }

  /** Answers a ping of WebSocket itself. */
  pong(data: Buffer): void {
    this.write({ bytes: pongFrame(data), frames: 0 });
  }

  /** Asks for a sign of life, or cuts the client off when there was none for too long. */
  checkIdle(): void {
    if (this.#steadyClock.elapsedMs() - this.#heardAtMs >= this.#limits.idleMs) this.close('idle');
    else if (this.isOpen) this.#socket.ping();
  }

  close(reason: CloseReason): void {
    if (this.#farewell !== undefined) return;
    this.#tally.closed[reason] += 1;
    this.#socket.close(CLOSE_CODES[reason].code, reason);
    this.#farewell = setTimeout(() => this.#socket.terminate(), FAREWELL_MS);
  }

  #payOwed(): void {
    for (const topic of this.#owed) {
      this.#owed.delete(topic);
      if (topic.newest !== undefined) this.write(topic.newest);
    }
  }
}
