/**
 * The client order ids that accounts used lately. An id is taken for 24 hours, whatever its order's outcome; the number per
 * account is limited, and published. Only 64-bit digests are stored. Their seed is secret, so clients cannot construct collisions.
 */
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { DigestTable } from './digest-table.ts';

/** How long a client order id stays taken. */
export const CLIENT_ORDER_ID_RETENTION_MS = 86_400_000;
/** The maximum number of ids stored per account. A further one evicts the oldest. */
export const CLIENT_ORDER_IDS_PER_ACCOUNT = 100_000;

/** The maximum number of expired entries that each new one evicts: more than are added, and bounded per turn. */
const MAX_EVICTED_PER_TAKE = 4;
const NEVER = Number.MAX_SAFE_INTEGER;

/** Entries are stored in pages. Freed entries are reused, so memory is bounded by the peak number of stored ids. */
const PAGE_BITS = 14;
const PAGE_ENTRIES = 1 << PAGE_BITS;
const NO_ENTRY = 0;
/** The words of an entry: its digest, its account, that account's next entry; then order and time, each a 64-bit float. */
const ENTRY_BITS = 3;
const HIGH = 0;
const LOW = 1;
const ACCOUNT = 2;
const NEXT = 3;
/** The same memory as 64-bit floats, four per entry. */
const WIDE_BITS = 2;
const ORDER = 2;
const TIME = 3;
/** An entry's neighbours in order of insertion. Unused entries are chained by `NEWER`. */
const AGE_BITS = 1;
const OLDER = 0;
const NEWER = 1;
/** The words of an account in `#owners`. */
const OWNER_BITS = 2;
const COUNT = 0;
const OLDEST = 1;
const NEWEST = 2;

interface Page {
  readonly words: Int32Array;
  readonly wide: Float64Array;
  readonly ages: Int32Array;
}

/** The account that owns an id, and the seed of its digests. */
export interface IdOwner {
  readonly ordinal: AccountOrdinal;
  readonly digestSeed: number;
}

export class ClientOrderIds {
  readonly #pages: Page[] = [];
  readonly #table = new DigestTable((entry, high, account) => {
    const { words } = this.#pageOf(entry);
    return words[at(entry, HIGH)] === high && words[at(entry, ACCOUNT)] === account;
  });
  /** By account, four words apart: the number of its entries, its oldest and its newest entry. 0 is no entry. */
  #owners = new Int32Array(256);
  /** The oldest and the newest entry, the number of entries, the highest entry allocated so far, and the first unused entry. */
  #start = NO_ENTRY;
  #end = NO_ENTRY;
  #size = 0;
  #highest = 0;
  #unused = NO_ENTRY;
  #oldestExpiresAt = NEVER;
  /** The id that was digested last, and its digest. */
  #cachedText: string | undefined;
  #cachedSeed = 0;
  #cachedHigh = 0;
  #cachedLow = 0;

  /** The order that took the account's id, or `undefined` if the id is free. */
  orderOf(owner: IdOwner, clientOrderId: string, now: EpochMs): OrderOrdinal | undefined {
    this.#digest(clientOrderId, owner.digestSeed);
    const entry = this.#table.find(this.#cachedHigh, this.#cachedLow, owner.ordinal);
    if (entry === NO_ENTRY) return undefined;
    const { wide } = this.#pageOf(entry);
    if (wide[wideAt(entry, TIME)]! + CLIENT_ORDER_ID_RETENTION_MS <= now) return undefined;
    return wide[wideAt(entry, ORDER)]! as OrderOrdinal;
  }

  /** Assigns a free id to this order. */
  take(owner: IdOwner, clientOrderId: string, order: OrderOrdinal, now: EpochMs): void {
    this.#digest(clientOrderId, owner.digestSeed);
    for (let count = 0; count < MAX_EVICTED_PER_TAKE && now >= this.#oldestExpiresAt; count += 1) this.#free(this.#start);
    const own = owner.ordinal << OWNER_BITS;
    if (this.#owners[own | COUNT] === CLIENT_ORDER_IDS_PER_ACCOUNT) this.#free(this.#owners[own | OLDEST]!);
    this.#append(owner.ordinal, this.#cachedHigh, this.#cachedLow, order, now);
  }

  /** All entries, the oldest first. */
  write(bytes: ByteWriter): void {
    bytes.u32(this.#size);
    for (let entry = this.#start; entry !== NO_ENTRY; entry = this.#ageOf(entry, NEWER)) {
      const { words, wide } = this.#pageOf(entry);
      bytes.u32(words[at(entry, ACCOUNT)]!);
      bytes.u32(words[at(entry, HIGH)]! >>> 0);
      bytes.u32(words[at(entry, LOW)]! >>> 0);
      bytes.int(wide[wideAt(entry, ORDER)]!);
      bytes.int(wide[wideAt(entry, TIME)]!);
    }
  }

  /** Fills an empty instance from the bytes that `write` has written. */
  read(bytes: ByteReader): void {
    for (let count = bytes.u32(); count > 0; count -= 1) {
      const account = bytes.u32() as AccountOrdinal;
      const [high, low] = [bytes.u32() | 0, bytes.u32() | 0];
      this.#append(account, high, low, bytes.int(), bytes.int());
    }
  }

  /** Two multiplicative hashes with unrelated constants. The final mixing makes the low bits depend on all bits. */
  #digest(text: string, seed: number): void {
    // A placement looks its id up and then takes it.
    if (text === this.#cachedText && seed === this.#cachedSeed) return;
    this.#cachedText = text;
    this.#cachedSeed = seed;
    let high = 0x1b873593 ^ seed;
    let low = 0x2127599b ^ text.length ^ Math.imul(seed, 0x27d4eb2f);
    // Two characters at a time. An odd last character is paired with 0.
    for (let index = 0; index < text.length; index += 2) {
      const second = index + 1 < text.length ? text.charCodeAt(index + 1) : 0;
      const code = text.charCodeAt(index) | (second << 16);
      high = Math.imul(high ^ code, 0x5bd1e995);
      high ^= high >>> 15;
      low = Math.imul(low + code, 0x85ebca6b);
      low ^= low >>> 13;
    }
    this.#cachedHigh = mixed(high ^ seed);
    this.#cachedLow = mixed(low + seed);
  }

  #append(account: AccountOrdinal, high: number, low: number, order: OrderOrdinal, now: EpochMs): void {
    const entry = this.#takeEntry();
    const { words, wide } = this.#pageOf(entry);
    words[at(entry, HIGH)] = high;
    words[at(entry, LOW)] = low;
    words[at(entry, ACCOUNT)] = account;
    words[at(entry, NEXT)] = NO_ENTRY;
    wide[wideAt(entry, ORDER)] = order;
    wide[wideAt(entry, TIME)] = now;
    // An older entry of the same id has expired. It is evicted in order of age.
    this.#table.set(high, low, account, entry);
    this.#linkNewest(account, entry);
    this.#setAge(entry, OLDER, this.#end);
    this.#setAge(entry, NEWER, NO_ENTRY);
    if (this.#end === NO_ENTRY) this.#setOldest(entry);
    else this.#setAge(this.#end, NEWER, entry);
    this.#end = entry;
  }

  /** Returns an unused entry, or allocates one. */
  #takeEntry(): number {
    this.#size += 1;
    const entry = this.#unused;
    if (entry === NO_ENTRY) {
      this.#highest += 1;
      if (pageNumberOf(this.#highest) === this.#pages.length) this.#pages.push(newPage());
      return this.#highest;
    }
    this.#unused = this.#ageOf(entry, NEWER);
    return entry;
  }

  #linkNewest(account: AccountOrdinal, entry: number): void {
    const own = account << OWNER_BITS;
    if (own >= this.#owners.length) this.#growOwners(own);
    const owners = this.#owners;
    const newest = owners[own | NEWEST]!;
    if (newest === 0) owners[own | OLDEST] = entry;
    else this.#pageOf(newest).words[at(newest, NEXT)] = entry;
    owners[own | NEWEST] = entry;
    owners[own | COUNT]! += 1;
  }

  /** Makes an entry the oldest. */
  #setOldest(entry: number): void {
    this.#start = entry;
    this.#oldestExpiresAt =
      entry === NO_ENTRY ? NEVER : this.#pageOf(entry).wide[wideAt(entry, TIME)]! + CLIENT_ORDER_ID_RETENTION_MS;
  }

  /** Frees an entry for reuse. It must be the oldest of its account. */
  #free(entry: number): void {
    const { words } = this.#pageOf(entry);
    const own = words[at(entry, ACCOUNT)]! << OWNER_BITS;
    const next = words[at(entry, NEXT)]!;
    this.#owners[own | OLDEST] = next;
    if (next === NO_ENTRY) this.#owners[own | NEWEST] = NO_ENTRY;
    this.#owners[own | COUNT]! -= 1;
    this.#table.drop(words[at(entry, LOW)]!, entry);
    const older = this.#ageOf(entry, OLDER);
    const newer = this.#ageOf(entry, NEWER);
    if (older === NO_ENTRY) this.#setOldest(newer);
    else this.#setAge(older, NEWER, newer);
    if (newer === NO_ENTRY) this.#end = older;
    else this.#setAge(newer, OLDER, older);
    this.#setAge(entry, NEWER, this.#unused);
    this.#unused = entry;
    this.#size -= 1;
  }

  #pageOf(entry: number): Page {
    return this.#pages[pageNumberOf(entry)]!;
  }

  #ageOf(entry: number, which: number): number {
    return this.#pageOf(entry).ages[ageAt(entry, which)]!;
  }

  #setAge(entry: number, which: number, neighbour: number): void {
    this.#pageOf(entry).ages[ageAt(entry, which)] = neighbour;
  }

  #growOwners(own: number): void {
    const grown = new Int32Array(Math.max(this.#owners.length * 2, own + (1 << OWNER_BITS)));
    grown.set(this.#owners);
    this.#owners = grown;
  }
}

function newPage(): Page {
  const words = new Int32Array(PAGE_ENTRIES << ENTRY_BITS);
  return { words, wide: new Float64Array(words.buffer), ages: new Int32Array(PAGE_ENTRIES << AGE_BITS) };
}

function pageNumberOf(entry: number): number {
  return entry >>> PAGE_BITS;
}

function at(entry: number, word: number): number {
  return ((entry & (PAGE_ENTRIES - 1)) << ENTRY_BITS) | word;
}

function wideAt(entry: number, wide: number): number {
  return ((entry & (PAGE_ENTRIES - 1)) << WIDE_BITS) | wide;
}

function ageAt(entry: number, which: number): number {
  return ((entry & (PAGE_ENTRIES - 1)) << AGE_BITS) | which;
}

function mixed(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  const second = Math.imul(first ^ (first >>> 15), 0x846ca68b);
  return (second ^ (second >>> 16)) | 0;
}
