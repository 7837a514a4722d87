/**
 * One client of the realtime service. What waits to be sent to it is bounded: a client that reads too slowly is cut off
 * with a reason, so that it knows that it missed something, and nobody else waits for it.
 */
import type { WebSocket } from 'ws';
import type { ServerFrame } from '#contract/realtime.ts';
import type { RealtimeLimits } from './ports.ts';

/** Close codes of ours; the reason in words goes with them. */
export const CLOSE_CODES = {
  slow_consumer: 4001,
  too_many_frames: 4002,
  idle: 4003,
  venue_stops: 1001,
} as const;
export type CloseReason = keyof typeof CLOSE_CODES;

/** What all connections together have sent, and why they were closed. */
export interface ConnectionTally {
  framesSent: number;
  readonly closed: Record<CloseReason, number>;
}

/** How long a client has to take its close frame before the line is cut. */
const FAREWELL_MS = 2_000;

export class Connection {
  readonly subscriptions = new Set<string>();
  readonly #socket: WebSocket;
  readonly #limits: RealtimeLimits;
  readonly #tally: ConnectionTally;
  #frameTokens: number;
  #filledAtEpochMs: number;
  #heardAtEpochMs: number;
  #farewell: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, limits: RealtimeLimits, tally: ConnectionTally, nowEpochMs: number) {
    this.#tally = tally;
    this.#socket = socket;
    this.#limits = limits;
    this.#frameTokens = limits.frameBurst;
    this.#filledAtEpochMs = nowEpochMs;
    this.#heardAtEpochMs = nowEpochMs;
    socket.on('close', () => clearTimeout(this.#farewell));
  }

  send(frame: ServerFrame): void {
    this.sendText(JSON.stringify(frame));
  }

  /** A frame that was written out once for many clients. */
  sendText(text: string): void {
    if (this.#farewell !== undefined) return;
    if (this.#socket.bufferedAmount > this.#limits.maxQueuedBytes) this.close('slow_consumer');
    else {
      this.#socket.send(text);
      this.#tally.framesSent += 1;
    }
  }

  /** Notes a frame from the client. False when it sends more than it may: it is then cut off. */
  hears(nowEpochMs: number): boolean {
    const { frameBurst, framesPerSecond } = this.#limits;
    const earned = (Math.max(0, nowEpochMs - this.#filledAtEpochMs) / 1_000) * framesPerSecond;
    this.#frameTokens = Math.min(frameBurst, this.#frameTokens + earned) - 1;
    this.#filledAtEpochMs = nowEpochMs;
    this.#heardAtEpochMs = nowEpochMs;
    if (this.#frameTokens >= 0) return true;
    this.close('too_many_frames');
    return false;
  }

  /** Notes a pong: the client is there. */
  isAlive(nowEpochMs: number): void {
    this.#heardAtEpochMs = nowEpochMs;
  }

  /** Asks for a sign of life, or cuts the client off when there was none for too long. */
  checkIdle(nowEpochMs: number): void {
    if (nowEpochMs - this.#heardAtEpochMs >= this.#limits.idleMs) this.close('idle');
    else if (this.#farewell === undefined) this.#socket.ping();
  }

  close(reason: CloseReason): void {
    if (this.#farewell !== undefined) return;
    this.#tally.closed[reason] += 1;
    this.#socket.close(CLOSE_CODES[reason], reason);
    this.#farewell = setTimeout(() => this.#socket.terminate(), FAREWELL_MS);
  }
}
