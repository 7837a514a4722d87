/**
 * Which client order ids an account has used lately: each is taken for 24 hours, whatever became of its order, and an
 * account keeps at most a published number of them. Only 64-bit digests are kept, in arrays, oldest first.
 */
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';

/** How long a client order id stays taken. */
export const CLIENT_ORDER_ID_RETENTION_MS = 86_400_000;
/** How many of an account's client order ids are remembered; a further one frees the oldest. */
export const CLIENT_ORDER_IDS_PER_ACCOUNT = 100_000;

/** One account's entries, oldest to newest, as places in the ring. */
interface Chain {
  oldest: number;
  newest: number;
  count: number;
}

/**
 * Entries lie in a ring in the order in which they came; each leads to the next one of its account. A table finds them
 * by digest. An entry of account 0 was freed before its time and is passed over when the ring's end reaches it.
 */
export class ClientOrderIds {
  #high: Int32Array;
  #low: Int32Array;
  #orders: Float64Array;
  #times: Float64Array;
  #accounts: Int32Array;
  #nextOwn: Int32Array;
  /** Digest → place in the ring, plus one. */
  #table: Int32Array;
  #start = 0;
  #length = 0;
  #chains: (Chain | undefined)[] = [];

  constructor(capacity = 1024) {
    this.#high = new Int32Array(capacity);
    this.#low = new Int32Array(capacity);
    this.#orders = new Float64Array(capacity);
    this.#times = new Float64Array(capacity);
    this.#accounts = new Int32Array(capacity);
    this.#nextOwn = new Int32Array(capacity);
    this.#table = new Int32Array(capacity * 2);
  }

  /** The order that took the id, or `undefined` where it is free now. */
  orderOf(account: AccountOrdinal, clientOrderId: string, now: EpochMs): OrderOrdinal | undefined {
    const place = this.#find(account, digestHigh(clientOrderId), digestLow(clientOrderId));
    if (place < 0 || this.#times[place]! + CLIENT_ORDER_ID_RETENTION_MS <= now) return undefined;
    return this.#orders[place]! as OrderOrdinal;
  }

  /** Takes an id that is free for this order, and forgets what is over its time. */
  take(account: AccountOrdinal, clientOrderId: string, order: OrderOrdinal, now: EpochMs): void {
    this.#forgetExpired(now);
    this.#append(account, digestHigh(clientOrderId), digestLow(clientOrderId), order, now);
    const chain = this.#chains[account]!;
    if (chain.count > CLIENT_ORDER_IDS_PER_ACCOUNT) this.#free(chain.oldest);
  }

  /** The live entries in order, for a snapshot; run by a reader it fills an empty instance. */
  layout(io: Cursor): void {
    let live = 0;
    for (let index = 0; index < this.#length; index += 1) if (this.#accounts[this.#placeAt(index)] !== 0) live += 1;
    const count = io.int(live);
    const length = this.#length;
    if (length === 0) {
      for (let index = 0; index < count; index += 1) {
        this.#append(io.int(0 as AccountOrdinal), io.int(0), io.int(0), io.int(0 as OrderOrdinal), io.int(0 as EpochMs));
      }
      return;
    }
    for (let index = 0; index < length; index += 1) {
      const place = this.#placeAt(index);
      if (this.#accounts[place] === 0) continue;
      io.int(this.#accounts[place]!);
      io.int(this.#high[place]!);
      io.int(this.#low[place]!);
      io.int(this.#orders[place]!);
      io.int(this.#times[place]!);
    }
  }

  #append(account: AccountOrdinal, high: number, low: number, order: OrderOrdinal, now: EpochMs): void {
    if (this.#length === this.#high.length) this.#grow();
    const place = this.#placeAt(this.#length);
    this.#length += 1;
    this.#high[place] = high;
    this.#low[place] = low;
    this.#orders[place] = order;
    this.#times[place] = now;
    this.#accounts[place] = account;
    this.#insertIntoTable(place);
    const chain = this.#chains[account];
    if (chain === undefined || chain.count === 0) {
      this.#chains[account] = { oldest: place, newest: place, count: 1 };
      return;
    }
    this.#nextOwn[chain.newest] = place;
    chain.newest = place;
    chain.count += 1;
  }

  #forgetExpired(now: EpochMs): void {
    while (this.#length > 0) {
      const place = this.#start;
      const isFreed = this.#accounts[place] === 0;
      if (!isFreed && this.#times[place]! + CLIENT_ORDER_ID_RETENTION_MS > now) return;
      // The ring's oldest entry is also the oldest of its account: both are in order of arrival.
      if (!isFreed) this.#free(place);
      this.#start = (this.#start + 1) & (this.#high.length - 1);
      this.#length -= 1;
    }
  }

  #free(place: number): void {
    this.#removeFromTable(place);
    const chain = this.#chains[this.#accounts[place]!]!;
    chain.oldest = this.#nextOwn[place]!;
    chain.count -= 1;
    this.#accounts[place] = 0;
  }

  #placeAt(index: number): number {
    return (this.#start + index) & (this.#high.length - 1);
  }

  #find(account: AccountOrdinal, high: number, low: number): number {
    const mask = this.#table.length - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const place = this.#table[at]! - 1;
      if (place < 0) return -1;
      if (this.#low[place] === low && this.#high[place] === high && this.#accounts[place] === account) return place;
    }
  }

  #insertIntoTable(place: number): void {
    const mask = this.#table.length - 1;
    let at = this.#low[place]! & mask;
    while (this.#table[at] !== 0) at = (at + 1) & mask;
    this.#table[at] = place + 1;
  }

  #removeFromTable(place: number): void {
    const mask = this.#table.length - 1;
    let hole = this.#low[place]! & mask;
    while (this.#table[hole] !== place + 1) hole = (hole + 1) & mask;
    for (let at = (hole + 1) & mask; this.#table[at] !== 0; at = (at + 1) & mask) {
      const home = this.#low[this.#table[at]! - 1]! & mask;
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      this.#table[hole] = this.#table[at]!;
      hole = at;
    }
    this.#table[hole] = 0;
  }

  #grow(): void {
    const larger = new ClientOrderIds(this.#high.length * 2);
    for (let index = 0; index < this.#length; index += 1) {
      const place = this.#placeAt(index);
      if (this.#accounts[place] === 0) continue;
      const account = this.#accounts[place]! as AccountOrdinal;
      larger.#append(
        account,
        this.#high[place]!,
        this.#low[place]!,
        this.#orders[place]! as OrderOrdinal,
        this.#times[place]! as EpochMs,
      );
    }
    this.#high = larger.#high;
    this.#low = larger.#low;
    this.#orders = larger.#orders;
    this.#times = larger.#times;
    this.#accounts = larger.#accounts;
    this.#nextOwn = larger.#nextOwn;
    this.#table = larger.#table;
    this.#start = larger.#start;
    this.#length = larger.#length;
    this.#chains = larger.#chains;
  }
}

/** Two multiplicative hashes with unrelated constants. An account that makes two of its ids collide harms itself alone. */
function digestHigh(text: string): number {
  let hash = 0x1b873593;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash | 0;
}

function digestLow(text: string): number {
  let hash = 0x2127599b ^ text.length;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash + text.charCodeAt(index), 0x85ebca6b);
    hash ^= hash >>> 13;
  }
  return hash | 0;
}
