/**
 * Submissions with a key and without a response yet, by their key. Not a `Map`: V8 replaces its tables as entries come and go,
 * and each references the next one, so that entries with a response would stay in memory until a full garbage collection.
 */
import { randomInt } from 'node:crypto';
import type { Waiting } from '#writer/port/waiting-submission.ts';

/** In the order of the number of pending submissions, so that few share a slot. */
const PLACE_BITS = 13;
/** How many words of a digest select the slot. */
const WORDS = 4;

export class PendingKeys {
  /** Submissions in the same slot are chained. */
  readonly #first: (Waiting | undefined)[] = new Array(1 << PLACE_BITS).fill(undefined);
  /** Secret, so that clients cannot choose keys that collide. */
  readonly #multipliers = Int32Array.from({ length: WORDS }, () => randomInt(2 ** 31) * 2 + 1);

  find(keyDigest: Uint8Array): Waiting | undefined {
    let waiting = this.#first[this.#placeOf(keyDigest)];
    while (waiting !== undefined && !isOf(waiting, keyDigest)) waiting = waiting.next;
    return waiting;
  }

  /** The key must not be present. */
  add(keyDigest: Uint8Array, waiting: Waiting): void {
    const place = this.#placeOf(keyDigest);
    waiting.next = this.#first[place];
    this.#first[place] = waiting;
  }

  remove(keyDigest: Uint8Array, waiting: Waiting): void {
    const place = this.#placeOf(keyDigest);
    const { next } = waiting;
    waiting.next = undefined;
    if (this.#first[place] === waiting) {
      this.#first[place] = next;
      return;
    }
    let before = this.#first[place];
    while (before !== undefined && before.next !== waiting) before = before.next;
    if (before !== undefined) before.next = next;
  }

  #placeOf(keyDigest: Uint8Array): number {
    let hash = 0;
    for (let word = 0; word < WORDS; word += 1) {
      const at = word * 4;
      const value = keyDigest[at]! | (keyDigest[at + 1]! << 8) | (keyDigest[at + 2]! << 16) | (keyDigest[at + 3]! << 24);
      hash = (hash + Math.imul(value, this.#multipliers[word]!)) | 0;
    }
    return hash >>> (32 - PLACE_BITS);
  }
}

function isOf(waiting: Waiting, keyDigest: Uint8Array): boolean {
  return Buffer.compare(waiting.submission.idempotency!.keyDigest, keyDigest) === 0;
}
