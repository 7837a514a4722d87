/**
 * Runs the open items of the coordinator: one pass at a time for each item, a bounded number at once. A pass says when the item is
 * due again; an event that wakes the item runs it earlier.
 */
import type { Timer, Timers } from '#time/timers.ts';
import { type Item, nameOf } from './item.ts';

/**
 * What follows a pass. `again`: something changed, pass again at once. `idle`: nothing until it is woken. `pending`: the ledger has
 * the command and its receipt will wake the item. `retry`: the ledger or the writer took nothing. `stuck`: the ledger or the venue
 * refuses it, and the operator must help.
 */
export type Next = 'again' | 'idle' | 'pending' | 'retry' | 'stuck' | { readonly inMs: number };

export interface ItemQueueOptions {
  readonly pass: (item: Item) => Promise<Next>;
  readonly timers: Timers;
  /** An internal error of a pass. The item is passed again later. */
  readonly onError: (error: unknown, item: Item) => void;
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

interface QueuedItem {
  readonly item: Item;
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
  readonly #items = new Map<string, QueuedItem>();
  readonly #ready: QueuedItem[] = [];
  #running = 0;
  #isClosed = false;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: ItemQueueOptions) {
    this.#options = options;
  }

  /** Passes the item as soon as there is room, also if it waits for a later time. */
  wake(item: Item): void {
    if (this.#isClosed) return;
    const queued = this.#queuedItem(item);
    if (queued.isRunning) queued.isWoken = true;
    else this.#enqueue(queued);
  }

  /** Wakes the item. Resolves when it waits for something else than a receipt: an owner, a time, a ledger that is unavailable. */
  settled(item: Item): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.wake(item);
    return new Promise((resolve) => this.#queuedItem(item).waiters.push(resolve));
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

  #queuedItem(item: Item): QueuedItem {
    const name = nameOf(item);
    const known = this.#items.get(name);
    if (known !== undefined) return known;
    const queued: QueuedItem = {
      item,
      isQueued: false,
      isRunning: false,
      isWoken: false,
      retries: 0,
      steps: 0,
      isPending: false,
      timer: undefined,
      waiters: [],
    };
    this.#items.set(name, queued);
    return queued;
  }

  #enqueue(queued: QueuedItem): void {
    queued.timer?.cancel();
    queued.timer = undefined;
    if (queued.isQueued) return;
    queued.isQueued = true;
    this.#ready.push(queued);
    this.#pump();
  }

  #pump(): void {
    while (this.#running < MAX_PARALLEL_ITEMS && this.#ready.length > 0) {
      const queued = this.#ready.shift()!;
      queued.isQueued = false;
      queued.isRunning = true;
      queued.isWoken = false;
      this.#running += 1;
      void this.#run(queued);
    }
  }

  async #run(queued: QueuedItem): Promise<void> {
    const next = await this.#pass(queued.item);
    queued.isRunning = false;
    this.#running -= 1;
    if (this.#isClosed) {
      if (this.#running === 0) this.#drained?.resolve();
      return;
    }
    this.#follow(queued, next);
    this.#pump();
  }

  async #pass(item: Item): Promise<Next> {
    try {
      return await this.#options.pass(item);
    } catch (error) {
      this.#options.onError(error, item);
      return 'retry';
    }
  }

  #follow(queued: QueuedItem, next: Next): void {
    const isWaiting = next === 'pending' || next === 'retry' || next === 'stuck';
    queued.isPending = next === 'pending';
    queued.retries = isWaiting ? queued.retries + 1 : 0;
    if (next === 'again' || queued.isWoken) {
      queued.steps += 1;
      if (queued.steps <= MAX_STEPS_AT_ONCE) this.#enqueue(queued);
      else this.#later(queued, retryDelayMs(queued.steps - MAX_STEPS_AT_ONCE));
      return;
    }
    queued.steps = 0;
    if (next !== 'pending' || queued.retries > MAX_WAITED_RETRIES) resolveAll(queued.waiters);
    if (next === 'idle') this.#items.delete(nameOf(queued.item));
    else if (typeof next === 'object') this.#later(queued, next.inMs);
    else this.#later(queued, retryDelayMs(queued.retries, next === 'stuck' ? MAX_STUCK_RETRY_MS : MAX_RETRY_MS));
  }

  #later(queued: QueuedItem, delayMs: number): void {
    const enqueue = () => this.#enqueue(queued);
    queued.timer = this.#options.timers.setTimeout(enqueue, Math.min(Math.max(0, delayMs), MAX_DELAY_MS), { ref: false });
  }
}

function retryDelayMs(retries: number, maxMs = MAX_RETRY_MS): number {
  return Math.min(maxMs, FIRST_RETRY_MS * 2 ** Math.min(retries - 1, 12));
}

function resolveAll(waiters: (() => void)[]): void {
  for (const resolve of waiters.splice(0)) resolve();
}
