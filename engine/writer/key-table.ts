/**
 * Finds the entry of a key by 128 bits of its digest: open addressing with linear probing, at most half full. It is
 * split into a thousand small tables that grow on their own, so that no key waits while millions are moved.
 */
import { randomInt } from 'node:crypto';
import { GrowingColumn } from './growing-column.ts';

/** No entry has this number. */
export const NONE = 0;
const WORDS = 4;
const PART_BITS = 10;
const FIRST_SLOT_BITS = 4;

interface Part {
  slots: Uint32Array;
  slotBits: number;
  used: number;
}

export class KeyTable {
  readonly #words = new GrowingColumn((length) => new Uint32Array(length));
  readonly #parts: Part[] = Array.from({ length: 1 << PART_BITS }, () => emptyPart(FIRST_SLOT_BITS));
  /** Unknown outside, so that nobody can choose keys that fall into one place. */
  readonly #multipliers = Array.from({ length: WORDS }, () => randomInt(2 ** 31) * 2 + 1);
  readonly #asked = new Uint32Array(WORDS);

  /** The entry that holds a key, or {@link NONE}. */
  find(keyDigest: Uint8Array): number {
    this.#ask(keyDigest);
    const hash = this.#hashOf(this.#asked);
    const part = this.#partOf(hash);
    return part.slots[this.#slotOfAsked(part, hash)]!;
  }

  /** The key leads to this entry from now on; an older entry of the same key stays behind without it. */
  set(keyDigest: Uint8Array, entry: number): void {
    this.#ask(keyDigest);
    for (const [word, value] of this.#asked.entries()) this.#words.set(entry * WORDS + word, value);
    const hash = this.#hashOf(this.#asked);
    const part = this.#partOf(hash);
    const slot = this.#slotOfAsked(part, hash);
    if (part.slots[slot] === NONE) part.used += 1;
    part.slots[slot] = entry;
    if (part.used * 2 > part.slots.length) this.#grow(part);
  }

  /** Takes an entry out; those behind it that were pushed on by it move up. */
  drop(entry: number): void {
    this.#recall(entry);
    const hash = this.#hashOf(this.#asked);
    const part = this.#partOf(hash);
    const mask = part.slots.length - 1;
    let hole = this.#slotOfAsked(part, hash);
    if (part.slots[hole] !== entry) return; // A younger record of the same key has its place.
    for (let slot = (hole + 1) & mask; part.slots[slot] !== NONE; slot = (slot + 1) & mask) {
      const moved = part.slots[slot]!;
      this.#recall(moved);
      const home = homeOf(part, this.#hashOf(this.#asked));
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      part.slots[hole] = moved;
      hole = slot;
    }
    part.slots[hole] = NONE;
    part.used -= 1;
  }

  #grow(part: Part): void {
    const entries = part.slots.filter((entry) => entry !== NONE);
    Object.assign(part, emptyPart(part.slotBits + 1), { used: part.used });
    const mask = part.slots.length - 1;
    for (const entry of entries) {
      this.#recall(entry);
      let slot = homeOf(part, this.#hashOf(this.#asked));
      while (part.slots[slot] !== NONE) slot = (slot + 1) & mask;
      part.slots[slot] = entry;
    }
  }

  /** The slot that holds the key that is asked for, or the free one where it belongs. */
  #slotOfAsked(part: Part, hash: number): number {
    const mask = part.slots.length - 1;
    let slot = homeOf(part, hash);
    while (part.slots[slot] !== NONE && !this.#isAsked(part.slots[slot]!)) slot = (slot + 1) & mask;
    return slot;
  }

  #isAsked(entry: number): boolean {
    for (let word = 0; word < WORDS; word += 1) if (this.#words.get(entry * WORDS + word) !== this.#asked[word]) return false;
    return true;
  }

  #partOf(hash: number): Part {
    return this.#parts[hash >>> (32 - PART_BITS)]!;
  }

  #hashOf(words: Uint32Array): number {
    let hash = 0;
    for (let word = 0; word < WORDS; word += 1) hash = (hash + Math.imul(words[word]!, this.#multipliers[word]!)) | 0;
    return hash >>> 0;
  }

  #ask(keyDigest: Uint8Array): void {
    new Uint8Array(this.#asked.buffer).set(keyDigest.subarray(0, WORDS * 4));
  }

  #recall(entry: number): void {
    for (let word = 0; word < WORDS; word += 1) this.#asked[word] = this.#words.get(entry * WORDS + word);
  }
}

function emptyPart(slotBits: number): Part {
  return { slots: new Uint32Array(1 << slotBits), slotBits, used: 0 };
}

/** The bits of a hash after those that chose the part. */
function homeOf(part: Part, hash: number): number {
  return (hash << PART_BITS) >>> (32 - part.slotBits);
}
