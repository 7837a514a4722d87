/**
 * Where the record of an idempotency key lies in the journal. Keys are kept for a time, and only so many of them, in all
 * and per account, oldest out first. Compact, because there may be millions: typed arrays, about 60 bytes a key.
 */
import { randomInt } from 'node:crypto';
import type { RecordKey } from './record.ts';
import type { JournalPosition } from './segment.ts';

export interface IdempotencyLimits {
  /** How long a key is kept, in the journal's time. */
  readonly retentionMs: number;
  readonly maxKeysPerAccount: number;
  readonly maxKeys: number;
}

/** What is published: a key is known for a day, unless its account uses more than this many in that time. */
export const IDEMPOTENCY_LIMITS: IdempotencyLimits = {
  retentionMs: 24 * 60 * 60 * 1000,
  maxKeysPerAccount: 100_000,
  maxKeys: 1_000_000,
};

/** An account's keys form a list from the oldest to the newest. */
interface AccountKeys {
  count: number;
  oldest: number;
  newest: number;
}

/** 128 bits of the digest stand for the key: who looks a key up compares the whole digest with the record's. */
const WORDS = 4;
/** Entry 0 is never used, so that 0 means "none" in every list and in the table. */
const NONE = 0;

export class IdempotencyIndex {
  readonly #limits: IdempotencyLimits;
  readonly #words: Uint32Array;
  readonly #position: Float64Array;
  readonly #epochMs: Float64Array;
  readonly #account: Float64Array;
  /** The next younger key of the same account. */
  readonly #nextOfAccount: Uint32Array;
  /** All keys from the oldest to the newest; unused entries are chained by `#younger` too. */
  readonly #older: Uint32Array;
  readonly #younger: Uint32Array;
  readonly #accounts = new Map<number, AccountKeys>();
  /** Open addressing with linear probing, at most half full. */
  readonly #table: Uint32Array;
  /** Unknown outside, so that nobody can choose keys that fall into one place. */
  readonly #multiplier = randomInt(2 ** 31) * 2 + 1;
  readonly #shift: number;
  readonly #digestWords = new Uint32Array(WORDS);
  #oldest = NONE;
  #newest = NONE;
  #unused = NONE;
  #used = 0;
  #size = 0;

  constructor(limits: IdempotencyLimits) {
    const entries = limits.maxKeys + 1;
    const tableBits = Math.ceil(Math.log2(entries * 2));
    this.#limits = limits;
    this.#words = new Uint32Array(entries * WORDS);
    this.#position = new Float64Array(entries);
    this.#epochMs = new Float64Array(entries);
    this.#account = new Float64Array(entries);
    this.#nextOfAccount = new Uint32Array(entries);
    this.#older = new Uint32Array(entries);
    this.#younger = new Uint32Array(entries);
    this.#table = new Uint32Array(2 ** tableBits);
    this.#shift = 32 - tableBits;
  }

  get size(): number {
    return this.#size;
  }

  /** The place of the key's record, if it is kept at that time. */
  find(keyDigest: Uint8Array, epochMs: number): JournalPosition | undefined {
    const entry = this.#table[this.#slotOf(this.#read(keyDigest))]!;
    return entry === NONE || this.#isExpired(entry, epochMs) ? undefined : this.#position[entry]!;
  }

  /** Adds the youngest key. Times never go back. A key that is known already leads to the younger record from now on. */
  add({ keyDigest, account }: RecordKey, epochMs: number, position: JournalPosition): void {
    while (this.#oldest !== NONE && this.#isExpired(this.#oldest, epochMs)) this.#drop(this.#oldest);
    const keys = this.#accounts.get(account);
    if (keys !== undefined && keys.count >= this.#limits.maxKeysPerAccount) this.#drop(keys.oldest);
    if (this.#size >= this.#limits.maxKeys) this.#drop(this.#oldest);
    const entry = this.#takeEntry();
    const words = this.#read(keyDigest);
    this.#words.set(words, entry * WORDS);
    this.#position[entry] = position;
    this.#epochMs[entry] = epochMs;
    this.#account[entry] = account;
    this.#table[this.#slotOf(words)] = entry;
    this.#linkYoungest(entry, account);
  }

  #isExpired(entry: number, epochMs: number): boolean {
    return this.#epochMs[entry]! + this.#limits.retentionMs < epochMs;
  }

  #takeEntry(): number {
    this.#size += 1;
    const entry = this.#unused;
    if (entry === NONE) {
      this.#used += 1;
      return this.#used;
    }
    this.#unused = this.#younger[entry]!;
    return entry;
  }

  #linkYoungest(entry: number, account: number): void {
    this.#nextOfAccount[entry] = NONE;
    this.#younger[entry] = NONE;
    this.#older[entry] = this.#newest;
    if (this.#newest === NONE) this.#oldest = entry;
    else this.#younger[this.#newest] = entry;
    this.#newest = entry;
    const keys = this.#accounts.get(account);
    if (keys === undefined) {
      this.#accounts.set(account, { count: 1, oldest: entry, newest: entry });
      return;
    }
    this.#nextOfAccount[keys.newest] = entry;
    keys.newest = entry;
    keys.count += 1;
  }

  /** Drops an entry that is the oldest of its account. */
  #drop(entry: number): void {
    const account = this.#account[entry]!;
    const keys = this.#accounts.get(account)!;
    keys.oldest = this.#nextOfAccount[entry]!;
    keys.count -= 1;
    if (keys.count === 0) this.#accounts.delete(account);

    const older = this.#older[entry]!;
    const younger = this.#younger[entry]!;
    if (older === NONE) this.#oldest = younger;
    else this.#younger[older] = younger;
    if (younger === NONE) this.#newest = older;
    else this.#older[younger] = older;

    this.#clearSlot(entry);
    this.#younger[entry] = this.#unused;
    this.#unused = entry;
    this.#size -= 1;
  }

  /** Takes an entry out of the table; those behind it that were pushed on by it move up. */
  #clearSlot(entry: number): void {
    const mask = this.#table.length - 1;
    let hole = this.#slotOf(this.#words.subarray(entry * WORDS, (entry + 1) * WORDS));
    if (this.#table[hole] !== entry) return; // A younger record of the same key has its place.
    for (let slot = (hole + 1) & mask; this.#table[slot] !== NONE; slot = (slot + 1) & mask) {
      const moved = this.#table[slot]!;
      const home = this.#homeOf(this.#words[moved * WORDS]!);
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      this.#table[hole] = moved;
      hole = slot;
    }
    this.#table[hole] = NONE;
  }

  /** The slot that holds the key, or the free one where it belongs. */
  #slotOf(words: Uint32Array): number {
    const mask = this.#table.length - 1;
    let slot = this.#homeOf(words[0]!);
    while (this.#table[slot] !== NONE && !this.#isAt(this.#table[slot]!, words)) slot = (slot + 1) & mask;
    return slot;
  }

  #homeOf(firstWord: number): number {
    return Math.imul(firstWord, this.#multiplier) >>> this.#shift;
  }

  #isAt(entry: number, words: Uint32Array): boolean {
    for (let word = 0; word < WORDS; word += 1) if (this.#words[entry * WORDS + word] !== words[word]) return false;
    return true;
  }

  /** The first words of a digest, in memory that the next call uses again. */
  #read(keyDigest: Uint8Array): Uint32Array {
    new Uint8Array(this.#digestWords.buffer).set(keyDigest.subarray(0, WORDS * 4));
    return this.#digestWords;
  }
}
