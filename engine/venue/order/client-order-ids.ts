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
const FORGOTTEN_AT_ONCE = 4;
const NEVER = Number.MAX_SAFE_INTEGER;

/** Entries lie in pages, in the order in which they came; a page goes when all of its entries have. */
const PAGE_BITS = 14;
const PAGE_ENTRIES = 1 << PAGE_BITS;
/** Entries are numbered from 1 on and around: there are never nearly as many at a time. */
const NUMBERS = 2 ** 30;
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

interface Page {
  readonly words: Int32Array;
  readonly wide: Float64Array;
}

/** Whose id it is, and what its ids are digested with. */
export interface IdOwner {
  readonly ordinal: AccountOrdinal;
  readonly digestSeed: number;
}

export class ClientOrderIds {
  readonly #pages = new Map<number, Page>();
  readonly #table = new DigestTable((entry, high, account) => {
    const { words } = this.#pageOf(entry);
    return words[at(entry, HIGH)] === high && words[at(entry, ACCOUNT)] === account;
  });
  /** By account: how many entries it has, its oldest and its newest. Entry 0 is none. */
  #counts = new Int32Array(64);
  #oldest = new Int32Array(64);
  #newest = new Int32Array(64);
  /** The oldest entry of all, and the one that comes next. */
  #start = 1;
  #end = 1;
  #oldestExpiresAt = NEVER;
  /** The page that is being filled. */
  #filling: Page = newPage();
  /** The digest of the id that was asked for last. */
  #askedText: string | undefined;
  #askedSeed = 0;
  #askedHigh = 0;
  #askedLow = 0;

  constructor() {
    this.#pages.set(0, this.#filling);
  }

  /** The order that took the account's id, or `undefined` where it is free now. */
  orderOf(owner: IdOwner, clientOrderId: string, now: EpochMs): OrderOrdinal | undefined {
    this.#ask(clientOrderId, owner.digestSeed);
    const entry = this.#table.find(this.#askedHigh, this.#askedLow, owner.ordinal);
    if (entry === 0) return undefined;
    const { wide } = this.#pageOf(entry);
    if (wide[wideAt(entry, TIME)]! + CLIENT_ORDER_ID_RETENTION_MS <= now) return undefined;
    return wide[wideAt(entry, ORDER)]! as OrderOrdinal;
  }

  /** Takes an id that is free for this order. */
  take(owner: IdOwner, clientOrderId: string, order: OrderOrdinal, now: EpochMs): void {
    this.#ask(clientOrderId, owner.digestSeed);
    for (let count = 0; count < FORGOTTEN_AT_ONCE && now >= this.#oldestExpiresAt; count += 1) this.#forgetOldest();
    if (this.#counts[owner.ordinal] === CLIENT_ORDER_IDS_PER_ACCOUNT) this.#free(this.#oldest[owner.ordinal]!);
    this.#append(owner.ordinal, this.#askedHigh, this.#askedLow, order, now);
  }

  /** All entries in order, freed ones too: they take their turn like the others. */
  write(bytes: ByteWriter): void {
    bytes.u32((this.#end - this.#start + NUMBERS - 1) % (NUMBERS - 1));
    for (let entry = this.#start; entry !== this.#end; entry = after(entry)) {
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
  #ask(text: string, seed: number): void {
    // A placement asks for its id and then takes it.
    if (text === this.#askedText && seed === this.#askedSeed) return;
    this.#askedText = text;
    this.#askedSeed = seed;
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

  #append(account: AccountOrdinal, high: number, low: number, order: OrderOrdinal, now: EpochMs): void {
    const entry = this.#end;
    const { words, wide } = this.#filling;
    words[at(entry, HIGH)] = high;
    words[at(entry, LOW)] = low;
    words[at(entry, ACCOUNT)] = account;
    words[at(entry, NEXT)] = 0;
    wide[wideAt(entry, ORDER)] = order;
    wide[wideAt(entry, TIME)] = now;
    // An older entry of the same id is over its time: it leaves when its turn comes.
    if (order !== 0) {
      this.#table.set(high, low, account, entry);
      this.#linkNewest(account, entry);
    }
    if (entry === this.#start) this.#oldestExpiresAt = now + CLIENT_ORDER_ID_RETENTION_MS;
    this.#end = after(entry);
    if (pageNumberOf(this.#end) !== pageNumberOf(entry)) this.#turnPage();
  }

  #linkNewest(account: AccountOrdinal, entry: number): void {
    if (account >= this.#counts.length) this.#growAccounts(account);
    const newest = this.#newest[account]!;
    if (newest === 0) this.#oldest[account] = entry;
    else this.#pageOf(newest).words[at(newest, NEXT)] = entry;
    this.#newest[account] = entry;
    this.#counts[account]! += 1;
  }

  /** Drops the oldest entry of all, freed or not. */
  #forgetOldest(): void {
    const entry = this.#start;
    this.#free(entry);
    this.#start = after(entry);
    if (pageNumberOf(this.#start) !== pageNumberOf(entry)) this.#pages.delete(pageNumberOf(entry));
    const isEmpty = this.#start === this.#end;
    this.#oldestExpiresAt = isEmpty
      ? NEVER
      : this.#pageOf(this.#start).wide[wideAt(this.#start, TIME)]! + CLIENT_ORDER_ID_RETENTION_MS;
  }

  /** Frees an entry, which is its account's oldest; its place in the pages stays until its turn comes. */
  #free(entry: number): void {
    const { words, wide } = this.#pageOf(entry);
    if (wide[wideAt(entry, ORDER)] === 0) return;
    wide[wideAt(entry, ORDER)] = 0;
    const account = words[at(entry, ACCOUNT)]!;
    const next = words[at(entry, NEXT)]!;
    this.#oldest[account] = next;
    if (next === 0) this.#newest[account] = 0;
    this.#counts[account]! -= 1;
    this.#table.drop(words[at(entry, LOW)]!, entry);
  }

  #pageOf(entry: number): Page {
    const number = pageNumberOf(entry);
    return number === pageNumberOf(this.#end) ? this.#filling : this.#pages.get(number)!;
  }

  #turnPage(): void {
    this.#filling = newPage();
    this.#pages.set(pageNumberOf(this.#end), this.#filling);
  }

  #growAccounts(account: number): void {
    const length = Math.max(this.#counts.length * 2, account + 1);
    this.#counts = widened(this.#counts, length);
    this.#oldest = widened(this.#oldest, length);
    this.#newest = widened(this.#newest, length);
  }
}

function newPage(): Page {
  const words = new Int32Array(PAGE_ENTRIES << ENTRY_BITS);
  return { words, wide: new Float64Array(words.buffer) };
}

function widened(from: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const to = new Int32Array(length);
  to.set(from);
  return to;
}

function after(entry: number): number {
  return entry + 1 === NUMBERS ? 1 : entry + 1;
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

function mixed(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  const second = Math.imul(first ^ (first >>> 15), 0x846ca68b);
  return (second ^ (second >>> 16)) | 0;
}
