/**
 * Requests for the rows that can still change. Each is served once the projection has folded the newest record published before
 * it.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Projection } from '#projection/projection.ts';
import { sendLiveRows } from './live-rows-channel.ts';

interface RowRequest {
  readonly sequence: number;
  readonly to: MessagePort;
}

export class RowRequests {
  /** By sequence: the first waits for the oldest record. */
  readonly #waiting: RowRequest[] = [];

  add(sequence: number, to: MessagePort): void {
    this.#waiting.push({ sequence, to });
  }

  /** Whether the oldest request waits for exactly that record. */
  waitsFor(sequence: number): boolean {
    return this.#waiting[0]?.sequence === sequence;
  }

  /** Sends the due rows. Throws if they cannot be read: the next call then sends all of them again. */
  send(projection: Pick<Projection, 'sequence' | 'livePieces'>): void {
    for (let due = this.#waiting[0]; due !== undefined && due.sequence <= projection.sequence; due = this.#waiting[0]) {
      sendLiveRows(due.to, projection.livePieces());
      due.to.close();
      this.#waiting.shift();
    }
  }

  /** The receivers learn that no rows come. */
  close(): void {
    for (const { to } of this.#waiting.splice(0)) to.close();
  }
}
