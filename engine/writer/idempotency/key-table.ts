/**
 * Finds the entry of a key by 128 bits of its digest: open addressing with linear probing, at most three quarters full. It is
 * split into a thousand small tables that grow on their own, so that no key waits while millions are moved. A slot contains the
 * key's hash beside its entry: probing and growing read nothing else.
 */
import { randomInt } from 'node:crypto';
import { KEY_WORDS, type KeyEntries, NONE } from './key-entries.ts';

const PART_BITS = 10;
/** Hash · entry. */
const SLOT_WORDS = 2;
const FIRST_SLOTS = 16 * SLOT_WORDS;

/** The memory of the table, transferable between threads. */
export interface KeyTableParts {
  readonly multipliers: Uint32Array<ArrayBuffer>;
  /** By part; `undefined` for a part without keys. */
  readonly slots: (Uint32Array<ArrayBuffer> | undefined)[];
  readonly used: Uint32Array<ArrayBuffer>;
}

export class KeyTable {
  readonly #entries: KeyEntries;
  /** Secret, so that clients cannot choose keys that collide. */
  readonly #multipliers: Uint32Array<ArrayBuffer>;
  readonly #slots: (Uint32Array<ArrayBuffer> | undefined)[];
  readonly #used: Uint32Array<ArrayBuffer>;
  readonly #cached = new Uint32Array(KEY_WORDS);

  constructor(entries: KeyEntries, parts: KeyTableParts = emptyParts()) {
    this.#entries = entries;
    this.#multipliers = parts.multipliers;
    this.#slots = parts.slots;
    this.#used = parts.used;
  }

  get parts(): KeyTableParts {
    return { multipliers: this.#multipliers, slots: this.#slots, used: this.#used };
  }

  /** The entry of a key, or {@link NONE}. */
  find(words: Uint32Array): number {
    const hash = this.#hashOf(words);
    const slots = this.#slots[partOf(hash)];
    return slots === undefined ? NONE : slots[this.#placeOf(slots, hash, words) + 1]!;
  }

  /** Maps the key to this entry; an older entry of the same key can no longer be found. */
  set(words: Uint32Array, entry: number): void {
    const hash = this.#hashOf(words);
    const part = partOf(hash);
    this.#slots[part] ??= new Uint32Array(FIRST_SLOTS);
    const slots = this.#slots[part];
    const place = this.#placeOf(slots, hash, words);
    const isNew = slots[place + 1] === NONE;
    slots[place] = hash;
    slots[place + 1] = entry;
    if (!isNew) return;
    this.#used[part]! += 1;
    if (this.#used[part]! * 4 * SLOT_WORDS > slots.length * 3) this.#slots[part] = grown(slots);
  }

  /**
   * Fills an empty table with the oldest entry and all younger ones: of two with the same key the younger is found. Sorts them by
   * part first, so that each part is filled while it is in the processor's cache.
   */
  build(oldest: number, count: number): void {
    const hashes = new Uint32Array(count);
    /** The next place of each part; afterwards the end of the part. */
    const ends = new Uint32Array(this.#slots.length + 1);
    let place = 0;
    for (let entry = oldest; entry !== NONE; entry = this.#entries.newerThan(entry)) {
      this.#entries.cacheDigest(entry, this.#cached);
      hashes[place] = this.#hashOf(this.#cached);
      ends[partOf(hashes[place]!) + 1]! += 1;
      place += 1;
    }
    for (let part = 1; part < ends.length; part += 1) ends[part]! += ends[part - 1]!;
    const sorted = this.#sorted(oldest, hashes, ends);
    for (let part = 0; part < this.#slots.length; part += 1) {
      const from = part === 0 ? 0 : ends[part - 1]!;
      this.#fillPart(part, sorted.subarray(from * SLOT_WORDS, ends[part]! * SLOT_WORDS));
    }
  }

  #sorted(oldest: number, hashes: Uint32Array, ends: Uint32Array): Uint32Array {
    const sorted = new Uint32Array(hashes.length * SLOT_WORDS);
    let place = 0;
    for (let entry = oldest; entry !== NONE; entry = this.#entries.newerThan(entry)) {
      const hash = hashes[place]!;
      const part = partOf(hash);
      sorted[ends[part]! * SLOT_WORDS] = hash;
      sorted[ends[part]! * SLOT_WORDS + 1] = entry;
      ends[part]! += 1;
      place += 1;
    }
    return sorted;
  }

  #fillPart(part: number, sorted: Uint32Array): void {
    if (sorted.length === 0) return;
    let slots = new Uint32Array(FIRST_SLOTS);
    while (sorted.length * 4 > slots.length * 3) slots = new Uint32Array(slots.length * 2);
    const last = slots.length - 1;
    for (let from = 0; from < sorted.length; from += SLOT_WORDS) {
      const hash = sorted[from]!;
      const entry = sorted[from + 1]!;
      let place = bucketOf(slots, hash);
      while (slots[place + 1] !== NONE && !this.#isSameKey(slots, place, hash, entry)) place = (place + SLOT_WORDS) & last;
      if (slots[place + 1] === NONE) this.#used[part]! += 1;
      slots[place] = hash;
      slots[place + 1] = entry;
    }
    this.#slots[part] = slots;
  }

  #isSameKey(slots: Uint32Array, place: number, hash: number, entry: number): boolean {
    if (slots[place] !== hash) return false;
    this.#entries.cacheDigest(entry, this.#cached);
    return this.#entries.isOf(slots[place + 1]!, this.#cached);
  }

  /** Removes an entry and moves up the ones after it that it had displaced. */
  drop(entry: number): void {
    this.#entries.cacheDigest(entry, this.#cached);
    const hash = this.#hashOf(this.#cached);
    const part = partOf(hash);
    const slots = this.#slots[part]!;
    const last = slots.length - 1;
    let hole = this.#placeOf(slots, hash, this.#cached);
    if (slots[hole + 1] !== entry) return; // A younger record of the same key took its slot.
    for (let place = (hole + SLOT_WORDS) & last; slots[place + 1] !== NONE; place = (place + SLOT_WORDS) & last) {
      const home = bucketOf(slots, slots[place]!);
      if (((place - home) & last) < ((place - hole) & last)) continue;
      slots[hole] = slots[place]!;
      slots[hole + 1] = slots[place + 1]!;
      hole = place;
    }
    slots[hole + 1] = NONE;
    this.#used[part]! -= 1;
  }

  /** The offset of the slot with the key, or of the free slot for it. */
  #placeOf(slots: Uint32Array, hash: number, words: Uint32Array): number {
    const last = slots.length - 1;
    let place = bucketOf(slots, hash);
    for (; slots[place + 1] !== NONE; place = (place + SLOT_WORDS) & last) {
      if (slots[place] === hash && this.#entries.isOf(slots[place + 1]!, words)) break;
    }
    return place;
  }

  #hashOf(words: Uint32Array): number {
    let hash = 0;
    for (let word = 0; word < KEY_WORDS; word += 1) hash = (hash + Math.imul(words[word]!, this.#multipliers[word]!)) | 0;
    return hash >>> 0;
  }
}

function emptyParts(): KeyTableParts {
  const count = 1 << PART_BITS;
  return {
    multipliers: Uint32Array.from({ length: KEY_WORDS }, () => randomInt(2 ** 31) * 2 + 1),
    slots: new Array(count).fill(undefined),
    used: new Uint32Array(count),
  };
}

function grown(slots: Uint32Array): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(slots.length * 2);
  const last = wider.length - 1;
  for (let from = 0; from < slots.length; from += SLOT_WORDS) {
    if (slots[from + 1] === NONE) continue;
    let place = bucketOf(wider, slots[from]!);
    while (wider[place + 1] !== NONE) place = (place + SLOT_WORDS) & last;
    wider[place] = slots[from]!;
    wider[place + 1] = slots[from + 1]!;
  }
  return wider;
}

function partOf(hash: number): number {
  return hash >>> (32 - PART_BITS);
}

/** The slot offset from the bits of the hash after those that select the part. */
function bucketOf(slots: Uint32Array, hash: number): number {
  const slotBits = 31 - Math.clz32(slots.length) - 1;
  return ((hash << PART_BITS) >>> (32 - slotBits)) * SLOT_WORDS;
}
