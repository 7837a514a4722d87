/**
 * Maps an idempotency key to its record's position in the journal. Keys expire. An account that exceeds its share loses its own
 * oldest key, never one of another account. Compact, because there may be millions: about 65 bytes a key, allocated as they come.
 */

import type { RecordKey } from '#writer/journal/record.ts';
import type { JournalPosition } from '#writer/journal/segment.ts';
import { KEY_WORDS, KeyEntries, type KeyEntryPieces, NONE } from './key-entries.ts';
import { KeyTable, type KeyTableParts } from './key-table.ts';

export interface IdempotencyLimits {
  /** How long a key is retained, in the journal's time. */
  readonly retentionMs: number;
  readonly maxKeysPerAccount: number;
  /** At this number of keys, new ones are refused, except those of an account that has used its share: they replace its own. */
  readonly maxKeys: number;
}

/** Published limits: a key is retained for a day, unless its account uses more than this many in that time. */
export const IDEMPOTENCY_LIMITS: IdempotencyLimits = {
  retentionMs: 24 * 60 * 60 * 1000,
  maxKeysPerAccount: 100_000,
  maxKeys: 10_000_000,
};

/** An account's keys form a linked list from the oldest to the newest. */
interface AccountKeys {
  count: number;
  oldest: number;
  newest: number;
}

/** More than one, so that the expired ones drain; few, so that no command waits for all of them after a quiet day. */
const DROPS_PER_ADD = 4;

/** The index as transferable memory, to move it between threads. */
export interface IndexMemory {
  readonly entries: KeyEntryPieces;
  readonly table: KeyTableParts;
  /** Account · count · oldest · newest, for each account. */
  readonly accounts: Float64Array<ArrayBuffer>;
  /** Oldest · newest · unused · used · size. */
  readonly ends: readonly [number, number, number, number, number];
}

const ACCOUNT_FIELDS = 4;

/** The stored bytes of a digest. */
export const KEY_BYTES = KEY_WORDS * 4;

export class IdempotencyIndex {
  readonly #limits: IdempotencyLimits;
  readonly #entries: KeyEntries;
  readonly #table: KeyTable;
  readonly #accounts = new Map<number, AccountKeys>();
  readonly #words = new Uint32Array(KEY_WORDS);
  #oldest = NONE;
  #newest = NONE;
  /** Unused entries are chained by their younger link. */
  #unused = NONE;
  #used = 0;
  #size = 0;
  #isLoading = false;

  /** An empty index, or the one that another thread filled. */
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

  /** The memory of the index. After transferring it the index is unusable. */
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

  /** The position of the key's record, if the key is retained at that time. */
  find(keyDigest: Uint8Array, epochMs: number): JournalPosition | undefined {
    this.#digest(keyDigest, 0);
    const entry = this.#table.find(this.#words);
    return entry === NONE || this.#isExpired(entry, epochMs) ? undefined : this.#entries.positionOf(entry);
  }

  /** Whether a new key of the account fits without dropping a key that must be retained. */
  hasCapacity(account: number, epochMs: number): boolean {
    const { maxKeys, maxKeysPerAccount } = this.#limits;
    if (this.#size < maxKeys || this.#isExpired(this.#oldest, epochMs)) return true;
    return (this.#accounts.get(account)?.count ?? 0) >= maxKeysPerAccount;
  }

  /**
   * Adds the youngest key. Times never decrease. A known key refers to the younger record from now on. The caller checks
   * {@link hasCapacity} first: a key is never dropped for lack of room.
   */
  add({ keyDigest, account }: RecordKey, epochMs: number, position: JournalPosition): void {
    this.addAt(keyDigest, 0, account, epochMs, position);
  }

  /** The same for a key whose digest starts at `at` in `bytes`: millions are added without an object for each. */
  addAt(bytes: Uint8Array, at: number, account: number, epochMs: number, position: JournalPosition): void {
    this.#dropExpired(epochMs);
    let keys = this.#accounts.get(account);
    if (keys !== undefined && keys.count >= this.#limits.maxKeysPerAccount) {
      this.#drop(keys.oldest);
      keys = this.#accounts.get(account);
    }
    const entry = this.#takeEntry();
    this.#digest(bytes, at);
    this.#entries.fill(entry, this.#words, account, epochMs, position);
    if (!this.#isLoading) this.#table.set(this.#words, entry);
    this.#linkNewestKey(entry, account, keys);
  }

  /** Lets `add` add many keys to an empty index. They cannot be found before it returns; it takes a third of the time. */
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
    this.#unused = this.#entries.newerThan(entry);
    return entry;
  }

  #linkNewestKey(entry: number, account: number, keys: AccountKeys | undefined): void {
    if (this.#newest === NONE) this.#oldest = entry;
    else this.#entries.setNewer(this.#newest, entry);
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

  /** Drops the oldest entry of its account. */
  #drop(entry: number): void {
    const entries = this.#entries;
    const account = entries.accountOf(entry);
    const keys = this.#accounts.get(account)!;
    keys.oldest = entries.nextOfAccount(entry);
    keys.count -= 1;
    if (keys.count === 0) this.#accounts.delete(account);

    const older = entries.olderThan(entry);
    const newer = entries.newerThan(entry);
    if (older === NONE) this.#oldest = newer;
    else entries.setNewer(older, newer);
    if (newer === NONE) this.#newest = older;
    else entries.setOlder(newer, older);

    if (!this.#isLoading) this.#table.drop(entry);
    entries.setNewer(entry, this.#unused);
    this.#unused = entry;
    this.#size -= 1;
  }

  #digest(bytes: Uint8Array, at: number): void {
    for (let word = 0; word < KEY_WORDS; word += 1) {
      const from = at + word * 4;
      this.#words[word] = bytes[from]! | (bytes[from + 1]! << 8) | (bytes[from + 2]! << 16) | (bytes[from + 3]! << 24);
    }
  }
}

/** The buffers that `postMessage` can transfer instead of copying. */
export function buffersOf({ entries, table, accounts }: IndexMemory): ArrayBuffer[] {
  const slots = table.slots.filter((part) => part !== undefined);
  return [...entries.narrow, ...entries.wide, ...slots, table.used, table.multipliers, accounts].map(({ buffer }) => buffer);
}
