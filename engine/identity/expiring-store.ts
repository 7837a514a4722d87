/**
 * Where short-lived entries are stored that a restart may lose: challenges, sessions, device grants. In this process by default;
 * with several processes, in a store that all of them share. A store is bounded in all, per owner and per site.
 */
import type { EpochMs } from '#units/money.ts';
import { siteOf } from '#units/network-site.ts';

/** Plain values, as in JSON. */
export interface ExpiringEntry {
  readonly id: string;
  /** The client that the entry counts for: an account, or a network. */
  readonly owner: string;
  /** From then on it counts for its owner and its site no more. All entries of a store count equally long. */
  readonly countedUntilEpochMs: EpochMs;
  /** From then on it does not exist; not before it stops to count. All entries of a store last equally long. */
  readonly forgottenAtEpochMs: EpochMs;
}

export interface StoreCapacity {
  /** Of all that exist, so that the memory is bounded. */
  readonly maxInAll: number;
  readonly maxPerOwner: number;
  /** Of the networks of one site together, where owners are networks. */
  readonly maxPerSite?: number;
  /** Of an owner with `maxPerOwner` entries. No owner's entry is ever replaced by another owner's. */
  readonly ifOwnerIsFull: 'replace_oldest' | 'refuse';
}

/** `taken`: an entry with this id exists. `full`: there are `maxInAll` entries of all owners. */
export type AddResult = 'added' | 'taken' | 'owner_full' | 'site_full' | 'full';

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
  /** Those that count, oldest first. */
  ofOwner(owner: string, now: EpochMs): Promise<readonly Entry[]>;
  /** Calls `listener` for every entry that ended early from now on, in any process: by a change or a replacement. */
  onEnded(listener: (id: string) => void): void;
}

export interface EntryChange<Entry extends ExpiringEntry> {
  /** The same object if unchanged. */
  readonly entry: Entry | undefined;
  /** Whether listeners are notified. */
  readonly isEnded?: boolean;
  /** False from the change on that ends it early, if it is still to be found: then it counts for its owner and its site no more. */
  readonly isCounted?: false;
}

export class MemoryExpiringStore<Entry extends ExpiringEntry> implements ExpiringStore<Entry> {
  readonly #capacity: StoreCapacity;
  /** In the order in which they were added, which is that of their ends. */
  readonly #entries = new Map<string, Entry>();
  readonly #ofOwner = new Map<string, Set<string>>();
  readonly #ofSite = new Map<string, Set<string>>();
  readonly #listeners: ((id: string) => void)[] = [];

  constructor(capacity: StoreCapacity) {
    this.#capacity = capacity;
  }

  async add(entry: Entry, now: EpochMs): Promise<AddResult> {
    const { maxInAll, maxPerOwner, maxPerSite = Number.POSITIVE_INFINITY, ifOwnerIsFull } = this.#capacity;
    const { owner } = entry;
    const site = siteOf(owner);
    this.#forgetOld(now);
    if (this.#entries.has(entry.id)) return 'taken';
    const excess = this.#countIn(this.#ofOwner, owner, now) - maxPerOwner + 1;
    if (excess > 0 && ifOwnerIsFull === 'refuse') return 'owner_full';
    if (this.#countIn(this.#ofSite, site, now) >= maxPerSite) return 'site_full';
    if (excess <= 0 && this.#entries.size >= maxInAll) return 'full';
    for (const id of excess > 0 ? [...this.#ofOwner.get(owner)!].slice(0, excess) : []) {
      this.#forget(id);
      this.#notifyEnded(id);
    }
    this.#entries.set(entry.id, entry);
    this.#ofOwner.set(owner, (this.#ofOwner.get(owner) ?? new Set()).add(entry.id));
    this.#ofSite.set(site, (this.#ofSite.get(site) ?? new Set()).add(entry.id));
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
    if (result.isCounted === false) this.#uncount(id, before.owner);
    if (result.isEnded === true) this.#notifyEnded(id);
    return result;
  }

  async find(id: string, now: EpochMs): Promise<Entry | undefined> {
    return this.#current(id, now);
  }

  async ofOwner(owner: string, now: EpochMs): Promise<readonly Entry[]> {
    const own = [...(this.#ofOwner.get(owner) ?? [])].map((id) => this.#entries.get(id)!);
    return own.filter(({ countedUntilEpochMs }) => countedUntilEpochMs > now);
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
    this.#uncount(id, owner);
  }

  #uncount(id: string, owner: string): void {
    removeFrom(this.#ofOwner, owner, id);
    removeFrom(this.#ofSite, siteOf(owner), id);
  }

  /** Drops those that count no more: the oldest ones. */
  #countIn(places: Map<string, Set<string>>, name: string, now: EpochMs): number {
    for (const id of places.get(name) ?? []) {
      const { owner, countedUntilEpochMs } = this.#entries.get(id)!;
      if (countedUntilEpochMs > now) break;
      this.#uncount(id, owner);
    }
    return places.get(name)?.size ?? 0;
  }

  #notifyEnded(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

function removeFrom(places: Map<string, Set<string>>, name: string, id: string): void {
  const ids = places.get(name);
  ids?.delete(id);
  if (ids?.size === 0) places.delete(name);
}
