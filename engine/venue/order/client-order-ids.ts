/**
 * Which client order ids one account has used lately: each is taken for 24 hours, whatever became of its order, and at
 * most a published number is kept. Only 64-bit digests are kept, in arrays, oldest first; they are seeded with a number
 * that the account does not know, so that nobody can choose ids that collide.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';

/** How long a client order id stays taken. */
export const CLIENT_ORDER_ID_RETENTION_MS = 86_400_000;
/** How many of an account's client order ids are remembered; a further one frees the oldest. */
export const CLIENT_ORDER_IDS_PER_ACCOUNT = 100_000;

const NEVER = Number.MAX_SAFE_INTEGER;

/** How many entries that are over their time leave with each new one: more than come, and bounded in a turn. */
const FORGOTTEN_AT_ONCE = 4;

/** The words of an entry: its digest, then its order and its time as one number each. Together they fill 32 bytes. */
const ENTRY_BITS = 3;
const HIGH = 0;
const LOW = 1;
/** The same memory as wide numbers, of which an entry has four. */
const WIDE_BITS = 2;
const ORDER = 1;
const TIME = 2;

/** Entries lie in a ring in the order in which they came; a table finds them by digest. An entry of order 0 is freed. */
export class ClientOrderIds {
  readonly #seed: number;
  #words: Int32Array;
  #wide: Float64Array;
  /** Pairs of words: the low digest, and the place in the ring plus one. Most searches end without looking at an entry. */
  #table: Int32Array;
  #capacity: number;
  #start = 0;
  #length = 0;
  /** When the oldest entry is over its time. */
  #oldestExpiresAt = NEVER;
  /** The digest of the id that was asked for last. */
  #askedText: string | undefined;
  #askedHigh = 0;
  #askedLow = 0;

  constructor(seed: number, capacity = 16) {
    this.#seed = seed;
    this.#capacity = capacity;
    this.#words = new Int32Array(capacity << ENTRY_BITS);
    this.#wide = new Float64Array(this.#words.buffer);
    this.#table = new Int32Array(capacity * 4);
  }

  /** The order that took the id, or `undefined` where it is free now. */
  orderOf(clientOrderId: string, now: EpochMs): OrderOrdinal | undefined {
    this.#ask(clientOrderId);
    const place = this.#find(this.#askedHigh, this.#askedLow);
    if (place < 0 || this.#isExpired(place, now)) return undefined;
    return this.#orderAt(place);
  }

  /** Takes an id that is free for this order. */
  take(clientOrderId: string, order: OrderOrdinal, now: EpochMs): void {
    this.#ask(clientOrderId);
    const high = this.#askedHigh;
    const low = this.#askedLow;
    const expired = this.#find(high, low);
    if (expired >= 0) this.#free(expired);
    for (let count = 0; count < FORGOTTEN_AT_ONCE && now >= this.#oldestExpiresAt; count += 1) this.#shift();
    if (this.#length === CLIENT_ORDER_IDS_PER_ACCOUNT) this.#shift();
    this.#append(high, low, order, now);
  }

  /** The entries in order, for a snapshot; run by a reader it fills an empty instance. */
  layout(io: Cursor): void {
    const length = this.#length;
    const count = io.u32(length);
    for (let index = 0; index < count; index += 1) {
      const place = this.#placeAt(index);
      const isWriting = index < length;
      const high = io.int(isWriting ? this.#words[(place << ENTRY_BITS) | HIGH]! : 0);
      const low = io.int(isWriting ? this.#words[(place << ENTRY_BITS) | LOW]! : 0);
      const order = io.int(isWriting ? this.#orderAt(place) : (0 as OrderOrdinal));
      const time = io.int(isWriting ? this.#timeAt(place) : (0 as EpochMs));
      if (!isWriting) this.#append(high, low, order, time);
    }
  }

  /** Two multiplicative hashes with unrelated constants, mixed once more at the end so that low bits depend on all. */
  #ask(text: string): void {
    // A placement asks for its id and then takes it.
    if (text === this.#askedText) return;
    this.#askedText = text;
    const seed = this.#seed;
    let high = 0x1b873593 ^ seed;
    let low = 0x2127599b ^ text.length ^ Math.imul(seed, 0x27d4eb2f);
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      high = Math.imul(high ^ code, 0x5bd1e995);
      high ^= high >>> 15;
      low = Math.imul(low + code, 0x85ebca6b);
      low ^= low >>> 13;
    }
    this.#askedHigh = mixed(high ^ seed);
    this.#askedLow = mixed(low + seed);
  }

  #isExpired(place: number, now: EpochMs): boolean {
    return this.#timeAt(place) + CLIENT_ORDER_ID_RETENTION_MS <= now;
  }

  #append(high: number, low: number, order: OrderOrdinal, now: EpochMs): void {
    if (this.#length === this.#capacity) this.#grow();
    const place = this.#placeAt(this.#length);
    this.#length += 1;
    this.#words[(place << ENTRY_BITS) | HIGH] = high;
    this.#words[(place << ENTRY_BITS) | LOW] = low;
    this.#wide[(place << WIDE_BITS) | ORDER] = order;
    this.#wide[(place << WIDE_BITS) | TIME] = now;
    if (order !== 0) this.#insertIntoTable(low, place);
    if (this.#length === 1) this.#oldestExpiresAt = now + CLIENT_ORDER_ID_RETENTION_MS;
  }

  /** Forgets the oldest entry. */
  #shift(): void {
    this.#free(this.#start);
    this.#start = (this.#start + 1) & (this.#capacity - 1);
    this.#length -= 1;
    this.#oldestExpiresAt = this.#length === 0 ? NEVER : this.#timeAt(this.#start) + CLIENT_ORDER_ID_RETENTION_MS;
  }

  #free(place: number): void {
    if (this.#orderAt(place) === 0) return;
    this.#removeFromTable(place);
    this.#wide[(place << WIDE_BITS) | ORDER] = 0;
  }

  #placeAt(index: number): number {
    return (this.#start + index) & (this.#capacity - 1);
  }

  /** The place in the ring, or below zero. */
  #find(high: number, low: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    for (let at = homeOf(low, mask); ; at = (at + 2) & mask) {
      const place = table[at + 1]! - 1;
      if (place < 0) return place;
      if (table[at] === low && this.#words[(place << ENTRY_BITS) | HIGH] === high) return place;
    }
  }

  #insertIntoTable(low: number, place: number): void {
    const table = this.#table;
    const mask = table.length - 1;
    let at = homeOf(low, mask);
    while (table[at + 1] !== 0) at = (at + 2) & mask;
    table[at] = low;
    table[at + 1] = place + 1;
  }

  /** Empties the entry's place and moves later entries of the same run back, so that no search ends early. */
  #removeFromTable(place: number): void {
    const table = this.#table;
    const mask = table.length - 1;
    let hole = homeOf(this.#lowAt(place), mask);
    while (table[hole + 1] !== place + 1) hole = (hole + 2) & mask;
    for (let at = (hole + 2) & mask; table[at + 1] !== 0; at = (at + 2) & mask) {
      const home = homeOf(table[at]!, mask);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      table[hole] = table[at]!;
      table[hole + 1] = table[at + 1]!;
      hole = at;
    }
    table[hole + 1] = 0;
  }

  #lowAt(place: number): number {
    return this.#words[(place << ENTRY_BITS) | LOW]!;
  }

  #orderAt(place: number): OrderOrdinal {
    return this.#wide[(place << WIDE_BITS) | ORDER]! as OrderOrdinal;
  }

  #timeAt(place: number): EpochMs {
    return this.#wide[(place << WIDE_BITS) | TIME]! as EpochMs;
  }

  #grow(): void {
    const larger = new ClientOrderIds(this.#seed, this.#capacity * 2);
    for (let index = 0; index < this.#length; index += 1) {
      const place = this.#placeAt(index);
      larger.#append(this.#words[(place << ENTRY_BITS) | HIGH]!, this.#lowAt(place), this.#orderAt(place), this.#timeAt(place));
    }
    this.#words = larger.#words;
    this.#wide = larger.#wide;
    this.#table = larger.#table;
    this.#capacity = larger.#capacity;
    this.#start = 0;
  }
}

/** The pair in which the search for a digest begins. */
function homeOf(low: number, mask: number): number {
  return (low << 1) & mask;
}

function mixed(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  const second = Math.imul(first ^ (first >>> 15), 0x846ca68b);
  return (second ^ (second >>> 16)) | 0;
}
