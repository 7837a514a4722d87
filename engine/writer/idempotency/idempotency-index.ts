/**
 * Where the record of an idempotency key lies in the journal. A key is kept for a time; an account that uses more than
 * its share in that time loses its own oldest, and never anybody else's. Compact, because there may be millions: about
 * 65 bytes a key, taken as they come.
 */

import type { RecordKey } from '#writer/journal/record.ts';
import type { JournalPosition } from '#writer/journal/segment.ts';
import { KEY_WORDS, KeyEntries, type KeyEntryPieces, NONE } from './key-entries.ts';
import { KeyTable, type KeyTableParts } from './key-table.ts';

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

/** The index as plain memory, to be handed from one thread to another. */
export interface IndexMemory {
  readonly entries: KeyEntryPieces;
  readonly table: KeyTableParts;
  /** Account · count · oldest · newest, one account after the other. */
  readonly accounts: Float64Array<ArrayBuffer>;
  /** Oldest · newest · unused · used · size. */
  readonly ends: readonly [number, number, number, number, number];
}

const ACCOUNT_FIELDS = 4;

/** So many bytes of a digest are kept. */
export const KEY_BYTES = KEY_WORDS * 4;

export class IdempotencyIndex {
  readonly #limits: IdempotencyLimits;
  readonly #entries: KeyEntries;
  readonly #table: KeyTable;
  readonly #accounts = new Map<number, AccountKeys>();
  readonly #words = new Uint32Array(KEY_WORDS);
  #oldest = NONE;
  #newest = NONE;
  /** Unused entries are chained by who would be younger. */
  #unused = NONE;
  #used = 0;
  #size = 0;
  #isLoading = false;

  /** An empty index, or the one that another thread has filled. */
  constructor(limits: IdempotencyLimits, memory?: IndexMemory) {
    this.#limits = limits;
    this.#entries = new KeyEntries(memory?.entries);
    this.#table = new KeyTable(this.#entries, memory?.table);
    if (memory === undefined) return;
    [this.#oldest, this.#newest, this.#unused, this.#used, this.#size] = memory.ends;
    const { accounts } = memory;
    for (let at = 0; at < accounts.length; at += ACCOUNT_FIELDS) {
      this.#accounts.set(accounts[at]!, { count: accounts[at + 1]!, oldest: accounts[at + 2]!, newest: accounts[at + 3]! });
    }
  }

  /** What the index consists of. Whoever gives it away has no index any more. */
  get memory(): IndexMemory {
    const accounts = new Float64Array(this.#accounts.size * ACCOUNT_FIELDS);
    let at = 0;
    for (const [account, { count, oldest, newest }] of this.#accounts) {
      accounts.set([account, count, oldest, newest], at);
      at += ACCOUNT_FIELDS;
    }
    return {
      entries: this.#entries.pieces,
      table: this.#table.parts,
      accounts,
      ends: [this.#oldest, this.#newest, this.#unused, this.#used, this.#size],
    };
  }

  /** The place of the key's record, if it is kept at that time. */
  find(keyDigest: Uint8Array, epochMs: number): JournalPosition | undefined {
    this.#ask(keyDigest, 0);
    const entry = this.#table.find(this.#words);
    return entry === NONE || this.#isExpired(entry, epochMs) ? undefined : this.#entries.positionOf(entry);
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
    this.addAt(keyDigest, 0, account, epochMs, position);
  }

  /** The same for a key whose digest begins in `bytes` at `at`: millions are added without an object for each. */
  addAt(bytes: Uint8Array, at: number, account: number, epochMs: number, position: JournalPosition): void {
    this.#dropExpired(epochMs);
    let keys = this.#accounts.get(account);
    if (keys !== undefined && keys.count >= this.#limits.maxKeysPerAccount) {
      this.#drop(keys.oldest);
      keys = this.#accounts.get(account);
    }
    const entry = this.#takeEntry();
    this.#ask(bytes, at);
    this.#entries.fill(entry, this.#words, account, epochMs, position);
    if (!this.#isLoading) this.#table.set(this.#words, entry);
    this.#linkYoungest(entry, account, keys);
  }

  /** Has `add` called for many keys of an index that is empty. None can be found before it returns; it takes a third of the time. */
  async load(add: () => Promise<void>): Promise<void> {
    this.#isLoading = true;
    await add();
    this.#isLoading = false;
    this.#table.build(this.#oldest, this.#size);
  }

  #isExpired(entry: number, epochMs: number): boolean {
    return this.#entries.epochMsOf(entry) + this.#limits.retentionMs < epochMs;
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
    this.#unused = this.#entries.youngerThan(entry);
    return entry;
  }

  #linkYoungest(entry: number, account: number, keys: AccountKeys | undefined): void {
    if (this.#newest === NONE) this.#oldest = entry;
    else this.#entries.setYounger(this.#newest, entry);
    this.#entries.setOlder(entry, this.#newest);
    this.#newest = entry;
    if (keys === undefined) {
      this.#accounts.set(account, { count: 1, oldest: entry, newest: entry });
      return;
    }
    this.#entries.setNextOfAccount(keys.newest, entry);
    keys.newest = entry;
    keys.count += 1;
  }

  /** Drops an entry that is the oldest of its account. */
  #drop(entry: number): void {
    const entries = this.#entries;
    const account = entries.accountOf(entry);
    const keys = this.#accounts.get(account)!;
    keys.oldest = entries.nextOfAccount(entry);
    keys.count -= 1;
    if (keys.count === 0) this.#accounts.delete(account);

    const older = entries.olderThan(entry);
    const younger = entries.youngerThan(entry);
    if (older === NONE) this.#oldest = younger;
    else entries.setYounger(older, younger);
    if (younger === NONE) this.#newest = older;
    else entries.setOlder(younger, older);

    if (!this.#isLoading) this.#table.drop(entry);
    entries.setYounger(entry, this.#unused);
    this.#unused = entry;
    this.#size -= 1;
  }

  #ask(bytes: Uint8Array, at: number): void {
    for (let word = 0; word < KEY_WORDS; word += 1) {
      const from = at + word * 4;
      this.#words[word] = bytes[from]! | (bytes[from + 1]! << 8) | (bytes[from + 2]! << 16) | (bytes[from + 3]! << 24);
    }
  }
}

/** The buffers that a `postMessage` may move instead of copying them. */
export function buffersOf({ entries, table, accounts }: IndexMemory): ArrayBuffer[] {
  const slots = table.slots.filter((part) => part !== undefined);
  return [...entries.narrow, ...entries.wide, ...slots, table.used, table.multipliers, accounts].map(({ buffer }) => buffer);
}
