/**
 * Where the record of an idempotency key lies in the journal. A key is kept for a time; an account that uses more than
 * its share in that time loses its own oldest, and never anybody else's. Compact, because there may be millions: about
 * 65 bytes a key, taken as they come.
 */
import { GrowingColumn } from './growing-column.ts';
import { KeyTable, NONE } from './key-table.ts';
import type { RecordKey } from './record.ts';
import type { JournalPosition } from './segment.ts';

export interface IdempotencyLimits {
  /** How long a key is kept, in the journal's time. */
  readonly retentionMs: number;
  readonly maxKeysPerAccount: number;
  /** With so many keys, new ones are refused (but those of an account that has its share, which replace its own). */
  readonly maxKeys: number;
}

/** What is published: a key is known for a day, unless its account uses more than this many in that time. */
export const IDEMPOTENCY_LIMITS: IdempotencyLimits = {
  retentionMs: 24 * 60 * 60 * 1000,
  maxKeysPerAccount: 100_000,
  maxKeys: 10_000_000,
};

/** An account's keys form a list from the oldest to the newest. */
interface AccountKeys {
  count: number;
  oldest: number;
  newest: number;
}

/** More than one, so that what has expired goes; few, so that after a quiet day nobody waits for all of it to go. */
const DROPS_PER_ADD = 4;

const integers = () => new GrowingColumn((length) => new Uint32Array(length));
const wideIntegers = () => new GrowingColumn((length) => new Float64Array(length));

export class IdempotencyIndex {
  readonly #limits: IdempotencyLimits;
  readonly #table = new KeyTable();
  readonly #position = wideIntegers();
  readonly #epochMs = wideIntegers();
  readonly #account = wideIntegers();
  /** The next younger key of the same account. */
  readonly #nextOfAccount = integers();
  /** All keys from the oldest to the newest; unused entries are chained by `#younger` too. */
  readonly #older = integers();
  readonly #younger = integers();
  readonly #accounts = new Map<number, AccountKeys>();
  #oldest = NONE;
  #newest = NONE;
  #unused = NONE;
  #used = 0;
  #size = 0;

  constructor(limits: IdempotencyLimits) {
    this.#limits = limits;
  }

  /** The place of the key's record, if it is kept at that time. */
  find(keyDigest: Uint8Array, epochMs: number): JournalPosition | undefined {
    const entry = this.#table.find(keyDigest);
    return entry === NONE || this.#isExpired(entry, epochMs) ? undefined : this.#position.get(entry);
  }

  /** Whether a new key of the account can be kept, and every other key that is promised to be kept as well. */
  hasRoom(account: number, epochMs: number): boolean {
    const { maxKeys, maxKeysPerAccount } = this.#limits;
    if (this.#size < maxKeys || this.#isExpired(this.#oldest, epochMs)) return true;
    return (this.#accounts.get(account)?.count ?? 0) >= maxKeysPerAccount;
  }

  /**
   * Adds the youngest key. Times never go back. A key that is known already leads to the younger record from now on. It is
   * for the caller to ask for room before: what was taken is never forgotten for want of it.
   */
  add({ keyDigest, account }: RecordKey, epochMs: number, position: JournalPosition): void {
    this.#dropExpired(epochMs);
    const keys = this.#accounts.get(account);
    if (keys !== undefined && keys.count >= this.#limits.maxKeysPerAccount) this.#drop(keys.oldest);
    const entry = this.#takeEntry();
    this.#position.set(entry, position);
    this.#epochMs.set(entry, epochMs);
    this.#account.set(entry, account);
    this.#table.set(keyDigest, entry);
    this.#linkYoungest(entry, account);
  }

  #isExpired(entry: number, epochMs: number): boolean {
    return this.#epochMs.get(entry) + this.#limits.retentionMs < epochMs;
  }

  #dropExpired(epochMs: number): void {
    for (let dropped = 0; dropped < DROPS_PER_ADD && this.#oldest !== NONE; dropped += 1) {
      if (!this.#isExpired(this.#oldest, epochMs)) return;
      this.#drop(this.#oldest);
    }
  }

  #takeEntry(): number {
    this.#size += 1;
    const entry = this.#unused;
    if (entry === NONE) {
      this.#used += 1;
      return this.#used;
    }
    this.#unused = this.#younger.get(entry);
    return entry;
  }

  #linkYoungest(entry: number, account: number): void {
    this.#nextOfAccount.set(entry, NONE);
    this.#younger.set(entry, NONE);
    this.#older.set(entry, this.#newest);
    if (this.#newest === NONE) this.#oldest = entry;
    else this.#younger.set(this.#newest, entry);
    this.#newest = entry;
    const keys = this.#accounts.get(account);
    if (keys === undefined) {
      this.#accounts.set(account, { count: 1, oldest: entry, newest: entry });
      return;
    }
    this.#nextOfAccount.set(keys.newest, entry);
    keys.newest = entry;
    keys.count += 1;
  }

  /** Drops an entry that is the oldest of its account. */
  #drop(entry: number): void {
    const account = this.#account.get(entry);
    const keys = this.#accounts.get(account)!;
    keys.oldest = this.#nextOfAccount.get(entry);
    keys.count -= 1;
    if (keys.count === 0) this.#accounts.delete(account);

    const older = this.#older.get(entry);
    const younger = this.#younger.get(entry);
    if (older === NONE) this.#oldest = younger;
    else this.#younger.set(older, younger);
    if (younger === NONE) this.#newest = older;
    else this.#older.set(younger, older);

    this.#table.drop(entry);
    this.#younger.set(entry, this.#unused);
    this.#unused = entry;
    this.#size -= 1;
  }
}
