/**
 * Runs the open items of the coordinator: one pass at a time for each item, a bounded number at once. A pass says when the item is
 * due again; an event that wakes the item runs it earlier.
 */
import type { Timer, Timers } from '#time/timers.ts';

/**
 * What follows a pass. `again`: something changed, pass again at once. `idle`: nothing until it is woken. `pending`: the ledger has
 * the command and its receipt will wake the item. `retry`: the ledger or the writer took nothing. `stuck`: the ledger or the venue
 * refuses it, and the operator must help.
 */
export type Next = 'again' | 'idle' | 'pending' | 'retry' | 'stuck' | { readonly inMs: number };

export interface ItemQueueOptions {
  readonly pass: (item: string) => Promise<Next>;
  readonly timers: Timers;
  /** An internal error of a pass. The item is passed again later. */
  readonly onError: (error: unknown, item: string) => void;
}

export const MAX_PARALLEL_ITEMS = 32;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 30_000;
const MAX_STUCK_RETRY_MS = 600_000;
/** A request waits for no more polls of a pending command. */
const MAX_WAITED_RETRIES = 3;
/** An item that goes on at once for longer is in a loop: it waits as after a failure. More than any flow has steps without a wait. */
const MAX_STEPS_AT_ONCE = 32;
/** A timer takes no longer delay; the pass then sees that the item is not due. */
const MAX_DELAY_MS = 86_400_000;

interface Item {
  isQueued: boolean;
  isRunning: boolean;
  /** It was woken during its pass. */
  isWoken: boolean;
  /** Passes in a row that changed nothing. */
  retries: number;
  /** Passes in a row that were followed by the next one at once. */
  steps: number;
  isPending: boolean;
  timer: Timer | undefined;
  readonly waiters: (() => void)[];
}

export class ItemQueue {
  readonly #options: ItemQueueOptions;
  readonly #items = new Map<string, Item>();
  readonly #ready: string[] = [];
  #running = 0;
  #isClosed = false;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: ItemQueueOptions) {
    this.#options = options;
  }

  /** Passes the item as soon as there is room, also if it waits for a later time. */
  wake(name: string): void {
    if (this.#isClosed) return;
    const item = this.#item(name);
    if (item.isRunning) item.isWoken = true;
    else this.#enqueue(name, item);
  }

  /** Wakes the item. Resolves when it waits for something else than a receipt: an owner, a time, a ledger that is unavailable. */
  settled(name: string): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.wake(name);
    return new Promise((resolve) => this.#item(name).waiters.push(resolve));
  }

  /** Commands that the ledger has and that are not recorded yet. */
  get pendingCount(): number {
    let count = 0;
    for (const { isPending } of this.#items.values()) if (isPending) count += 1;
    return count;
  }

  /** Starts no pass any more. Resolves when the running ones have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#ready.length = 0;
    for (const { timer, waiters } of this.#items.values()) {
      timer?.cancel();
      resolveAll(waiters);
    }
    if (this.#running === 0) return;
    this.#drained ??= Promise.withResolvers();
    await this.#drained.promise;
  }

  #item(name: string): Item {
    const known = this.#items.get(name);
    if (known !== undefined) return known;
    const item: Item = {
      isQueued: false,
      isRunning: false,
      isWoken: false,
      retries: 0,
      steps: 0,
      isPending: false,
      timer: undefined,
      waiters: [],
    };
    this.#items.set(name, item);
    return item;
  }

  #enqueue(name: string, item: Item): void {
    item.timer?.cancel();
    item.timer = undefined;
    if (item.isQueued) return;
    item.isQueued = true;
    this.#ready.push(name);
    this.#pump();
  }

  #pump(): void {
    while (this.#running < MAX_PARALLEL_ITEMS && this.#ready.length > 0) {
      const name = this.#ready.shift()!;
      const item = this.#items.get(name)!;
      item.isQueued = false;
      item.isRunning = true;
      item.isWoken = false;
      this.#running += 1;
      void this.#run(name, item);
    }
  }

  async #run(name: string, item: Item): Promise<void> {
    const next = await this.#pass(name);
    item.isRunning = false;
    this.#running -= 1;
    if (this.#isClosed) {
      if (this.#running === 0) this.#drained?.resolve();
      return;
    }
    this.#follow(name, item, next);
    this.#pump();
  }

  async #pass(name: string): Promise<Next> {
    try {
      return await this.#options.pass(name);
    } catch (error) {
      this.#options.onError(error, name);
      return 'retry';
    }
  }

  #follow(name: string, item: Item, next: Next): void {
    const isWaiting = next === 'pending' || next === 'retry' || next === 'stuck';
    item.isPending = next === 'pending';
    item.retries = isWaiting ? item.retries + 1 : 0;
    if (next === 'again' || item.isWoken) {
      item.steps += 1;
      if (item.steps <= MAX_STEPS_AT_ONCE) this.#enqueue(name, item);
      else this.#later(name, item, retryDelayMs(item.steps - MAX_STEPS_AT_ONCE));
      return;
    }
    item.steps = 0;
    if (next !== 'pending' || item.retries > MAX_WAITED_RETRIES) resolveAll(item.waiters);
    if (next === 'idle') this.#items.delete(name);
    else if (typeof next === 'object') this.#later(name, item, next.inMs);
    else this.#later(name, item, retryDelayMs(item.retries, next === 'stuck' ? MAX_STUCK_RETRY_MS : MAX_RETRY_MS));
  }

  #later(name: string, item: Item, delayMs: number): void {
    const enqueue = () => this.#enqueue(name, item);
    item.timer = this.#options.timers.setTimeout(enqueue, Math.min(Math.max(0, delayMs), MAX_DELAY_MS), { ref: false });
  }
}

function retryDelayMs(retries: number, maxMs = MAX_RETRY_MS): number {
  return Math.min(maxMs, FIRST_RETRY_MS * 2 ** Math.min(retries - 1, 12));
}

function resolveAll(waiters: (() => void)[]): void {
  for (const resolve of waiters.splice(0)) resolve();
}
