/**
 * Which client order ids accounts have used lately: each is taken for 24 hours, whatever became of its order, and of one
 * account at most a published number is kept. Only 64-bit digests are kept; they are seeded with a number that the
 * account does not know, so that nobody can choose ids that collide.
 */
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { DigestTable } from './digest-table.ts';

/** How long a client order id stays taken. */
export const CLIENT_ORDER_ID_RETENTION_MS = 86_400_000;
/** How many of an account's client order ids are remembered; a further one frees the oldest. */
export const CLIENT_ORDER_IDS_PER_ACCOUNT = 100_000;

/** How many entries that are over their time leave with each new one: more than come, and bounded in a turn. */
const MAX_EVICTED_PER_TAKE = 4;
const NEVER = Number.MAX_SAFE_INTEGER;

/** Entries lie in pages; those of ids that are free again are used anew, so that there are as many as ever were at once. */
const PAGE_BITS = 14;
const PAGE_ENTRIES = 1 << PAGE_BITS;
const NONE = 0;
/** The words of an entry: its digest, its account, that account's next entry; then order and time, each a wide number. */
const ENTRY_BITS = 3;
const HIGH = 0;
const LOW = 1;
const ACCOUNT = 2;
const NEXT = 3;
/** The same memory as wide numbers, of which an entry has four. */
const WIDE_BITS = 2;
const ORDER = 2;
const TIME = 3;
/** The neighbours of an entry in the order in which all came; unused entries are chained by the younger. */
const AGE_BITS = 1;
const OLDER = 0;
const NEWER = 1;
/** The words of an owner. */
const OWNER_BITS = 2;
const COUNT = 0;
const OLDEST = 1;
const NEWEST = 2;

interface Page {
  readonly words: Int32Array;
  readonly wide: Float64Array;
  readonly ages: Int32Array;
}

/** Whose id it is, and what its ids are digested with. */
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
  /** By account, four words apart: how many entries it has, its oldest and its newest. Entry 0 is none. */
  #owners = new Int32Array(256);
  /** The oldest entry of all and the newest, how many there are, the highest that ever was, and those that are unused. */
  #start = NONE;
  #end = NONE;
  #size = 0;
  #highest = 0;
  #unused = NONE;
  #oldestExpiresAt = NEVER;
  /** The digest of the id that was asked for last. */
  #cachedText: string | undefined;
  #cachedSeed = 0;
  #cachedHigh = 0;
  #cachedLow = 0;

  /** The order that took the account's id, or `undefined` where it is free now. */
  orderOf(owner: IdOwner, clientOrderId: string, now: EpochMs): OrderOrdinal | undefined {
    this.#digest(clientOrderId, owner.digestSeed);
    const entry = this.#table.find(this.#cachedHigh, this.#cachedLow, owner.ordinal);
    if (entry === NONE) return undefined;
    const { wide } = this.#pageOf(entry);
    if (wide[wideAt(entry, TIME)]! + CLIENT_ORDER_ID_RETENTION_MS <= now) return undefined;
    return wide[wideAt(entry, ORDER)]! as OrderOrdinal;
  }

  /** Takes an id that is free for this order. */
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
    for (let entry = this.#start; entry !== NONE; entry = this.#ageOf(entry, NEWER)) {
      const { words, wide } = this.#pageOf(entry);
      bytes.u32(words[at(entry, ACCOUNT)]!);
      bytes.u32(words[at(entry, HIGH)]! >>> 0);
      bytes.u32(words[at(entry, LOW)]! >>> 0);
      bytes.int(wide[wideAt(entry, ORDER)]!);
      bytes.int(wide[wideAt(entry, TIME)]!);
    }
  }

  /** Fills an empty instance with what another has written. */
  read(bytes: ByteReader): void {
    for (let count = bytes.u32(); count > 0; count -= 1) {
      const account = bytes.u32() as AccountOrdinal;
      const [high, low] = [bytes.u32() | 0, bytes.u32() | 0];
      this.#append(account, high, low, bytes.int(), bytes.int());
    }
  }

  /** Two multiplicative hashes with unrelated constants, mixed once more at the end so that low bits depend on all. */
  #digest(text: string, seed: number): void {
    // A placement asks for its id and then takes it.
    if (text === this.#cachedText && seed === this.#cachedSeed) return;
    this.#cachedText = text;
    this.#cachedSeed = seed;
    let high = 0x1b873593 ^ seed;
    let low = 0x2127599b ^ text.length ^ Math.imul(seed, 0x27d4eb2f);
    // Two characters at a time; behind the last of an odd number stands none.
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
    words[at(entry, NEXT)] = NONE;
    wide[wideAt(entry, ORDER)] = order;
    wide[wideAt(entry, TIME)] = now;
    // An older entry of the same id is over its time: it leaves when its turn comes.
    this.#table.set(high, low, account, entry);
    this.#linkNewest(account, entry);
    this.#setAge(entry, OLDER, this.#end);
    this.#setAge(entry, NEWER, NONE);
    if (this.#end === NONE) this.#begin(entry);
    else this.#setAge(this.#end, NEWER, entry);
    this.#end = entry;
  }

  /** One that is unused, or one more. */
  #takeEntry(): number {
    this.#size += 1;
    const entry = this.#unused;
    if (entry === NONE) {
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

  /** From now on that one is the oldest of all. */
  #begin(entry: number): void {
    this.#start = entry;
    this.#oldestExpiresAt =
      entry === NONE ? NEVER : this.#pageOf(entry).wide[wideAt(entry, TIME)]! + CLIENT_ORDER_ID_RETENTION_MS;
  }

  /** Frees an entry, which is its account's oldest: another id may have it. */
  #free(entry: number): void {
    const { words } = this.#pageOf(entry);
    const own = words[at(entry, ACCOUNT)]! << OWNER_BITS;
    const next = words[at(entry, NEXT)]!;
    this.#owners[own | OLDEST] = next;
    if (next === NONE) this.#owners[own | NEWEST] = NONE;
    this.#owners[own | COUNT]! -= 1;
    this.#table.drop(words[at(entry, LOW)]!, entry);
    const older = this.#ageOf(entry, OLDER);
    const newer = this.#ageOf(entry, NEWER);
    if (older === NONE) this.#begin(newer);
    else this.#setAge(older, NEWER, newer);
    if (newer === NONE) this.#end = older;
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
