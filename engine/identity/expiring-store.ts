/**
 * Where short-lived entries are stored that a restart may lose: challenges, sessions, device grants. In this process by default;
 * with several processes, in a store that all of them share. A store is bounded in all and per owner.
 */
import type { EpochMs } from '#units/money.ts';

/** Plain values, as in JSON. */
export interface ExpiringEntry {
  readonly id: string;
  /** The client that the entry counts for: an account, or a network. */
  readonly owner: string;
  /** From then on it does not exist. All entries of a store last equally long. */
  readonly forgottenAtEpochMs: EpochMs;
}

export interface StoreCapacity {
  readonly maxInAll: number;
  readonly maxPerOwner: number;
  /** Of an owner with `maxPerOwner` entries. No owner's entry is ever replaced by another owner's. */
  readonly ifOwnerIsFull: 'replace_oldest' | 'refuse';
}

/** `taken`: an entry with this id exists. `full`: there are `maxInAll` entries of all owners. */
export type AddResult = 'added' | 'taken' | 'owner_full' | 'full';

/** Each operation is atomic. All reject if the store is unavailable. */
export interface ExpiringStore<Entry extends ExpiringEntry> {
  add(entry: Entry, now: EpochMs): Promise<AddResult>;
  /**
   * Replaces an entry by the result of `change`, removes it if that is `undefined`, and returns the result. It may run several
   * times; it keeps id, owner and end. `undefined` if there is no such entry.
   */
  change<Result extends EntryChange<Entry>>(
    id: string,
    now: EpochMs,
    change: (entry: Entry) => Result,
  ): Promise<Result | undefined>;
  find(id: string, now: EpochMs): Promise<Entry | undefined>;
  /** Oldest first. */
  ofOwner(owner: string, now: EpochMs): Promise<readonly Entry[]>;
  /** Calls `listener` for every entry that ended early from now on, in any process: by a change or a replacement. */
  onEnded(listener: (id: string) => void): void;
}

export interface EntryChange<Entry extends ExpiringEntry> {
  /** The same object if unchanged. */
  readonly entry: Entry | undefined;
  /** Whether listeners are notified. */
  readonly isEnded?: boolean;
}

export class MemoryExpiringStore<Entry extends ExpiringEntry> implements ExpiringStore<Entry> {
  readonly #capacity: StoreCapacity;
  /** In the order in which they were added, which is that of their ends. */
  readonly #entries = new Map<string, Entry>();
  readonly #ofOwner = new Map<string, Set<string>>();
  readonly #listeners: ((id: string) => void)[] = [];

  constructor(capacity: StoreCapacity) {
    this.#capacity = capacity;
  }

  async add(entry: Entry, now: EpochMs): Promise<AddResult> {
    const { maxInAll, maxPerOwner, ifOwnerIsFull } = this.#capacity;
    this.#forgetOld(now);
    if (this.#entries.has(entry.id)) return 'taken';
    const excess = (this.#ofOwner.get(entry.owner)?.size ?? 0) - maxPerOwner + 1;
    if (excess > 0 && ifOwnerIsFull === 'refuse') return 'owner_full';
    if (excess <= 0 && this.#entries.size >= maxInAll) return 'full';
    for (const id of excess > 0 ? [...this.#ofOwner.get(entry.owner)!].slice(0, excess) : []) {
      this.#forget(id);
      this.#notifyEnded(id);
    }
    this.#entries.set(entry.id, entry);
    const own = this.#ofOwner.get(entry.owner) ?? new Set();
    this.#ofOwner.set(entry.owner, own.add(entry.id));
    return 'added';
  }

  async change<Result extends EntryChange<Entry>>(
    id: string,
    now: EpochMs,
    change: (entry: Entry) => Result,
  ): Promise<Result | undefined> {
    const before = this.#current(id, now);
    if (before === undefined) return undefined;
    const result = change(before);
    if (result.entry === undefined) this.#forget(id);
    else this.#entries.set(id, result.entry);
    if (result.isEnded === true) this.#notifyEnded(id);
    return result;
  }

  async find(id: string, now: EpochMs): Promise<Entry | undefined> {
    return this.#current(id, now);
  }

  async ofOwner(owner: string, now: EpochMs): Promise<readonly Entry[]> {
    const own = [...(this.#ofOwner.get(owner) ?? [])].map((id) => this.#entries.get(id)!);
    return own.filter(({ forgottenAtEpochMs }) => forgottenAtEpochMs > now);
  }

  onEnded(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }

  #current(id: string, now: EpochMs): Entry | undefined {
    const found = this.#entries.get(id);
    return found === undefined || found.forgottenAtEpochMs <= now ? undefined : found;
  }

  #forgetOld(now: EpochMs): void {
    for (const [id, { forgottenAtEpochMs }] of this.#entries) {
      if (forgottenAtEpochMs > now) return;
      this.#forget(id);
    }
  }

  #forget(id: string): void {
    const { owner } = this.#entries.get(id)!;
    this.#entries.delete(id);
    const own = this.#ofOwner.get(owner)!;
    own.delete(id);
    if (own.size === 0) this.#ofOwner.delete(owner);
  }

  #notifyEnded(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}
