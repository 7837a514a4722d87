/** Buffers idempotency keys that are found while older ones are still being collected, and adds them to the index after those. */

import type { JournalPosition } from '#writer/journal/segment.ts';
import { type IdempotencyIndex, KEY_BYTES } from './idempotency-index.ts';

const PIECE_LENGTH = 4_096;
/** Account · time · position. */
const NUMBERS = 3;

interface Piece {
  readonly digests: Uint8Array;
  readonly numbers: Float64Array;
}

export class KeysInOrder {
  readonly #pieces: Piece[] = [];
  #count = 0;
  #index: IdempotencyIndex | undefined;

  /** Takes the next younger key, whose digest starts at `at` in `bytes`. */
  add(bytes: Uint8Array, at: number, account: number, epochMs: number, position: JournalPosition): void {
    if (this.#index !== undefined) {
      this.#index.addAt(bytes, at, account, epochMs, position);
      return;
    }
    const place = this.#count % PIECE_LENGTH;
    if (place === 0) this.#pieces.push(emptyPiece());
    const { digests, numbers } = this.#pieces.at(-1)!;
    digests.set(bytes.subarray(at, at + KEY_BYTES), place * KEY_BYTES);
    numbers[place * NUMBERS] = account;
    numbers[place * NUMBERS + 1] = epochMs;
    numbers[place * NUMBERS + 2] = position;
    this.#count += 1;
  }

  /** Adds the buffered keys to the index of the older ones; later keys are added directly. */
  join(index: IdempotencyIndex): void {
    for (let key = 0; key < this.#count; key += 1) {
      const { digests, numbers } = this.#pieces[Math.floor(key / PIECE_LENGTH)]!;
      const place = key % PIECE_LENGTH;
      const at = place * NUMBERS;
      index.addAt(digests, place * KEY_BYTES, numbers[at]!, numbers[at + 1]!, numbers[at + 2]!);
    }
    this.#pieces.length = 0;
    this.#count = 0;
    this.#index = index;
  }
}

function emptyPiece(): Piece {
  return { digests: new Uint8Array(PIECE_LENGTH * KEY_BYTES), numbers: new Float64Array(PIECE_LENGTH * NUMBERS) };
}
