/**
 * Time that a test controls: its clocks are stopped and its timers wait until the test advances them. The only implementation for
 * all tests.
 */
import type { Clock, SteadyClock } from '#time/clock.ts';
import type { Time } from '#time/time.ts';
import type { Timer, Timers } from '#time/timers.ts';
import type { EpochMs } from '#units/money.ts';

const STARTS_AT_EPOCH_MS = 1_700_000_000_000;

interface ManualTimer {
  dueMs: number;
  /** Timers with the same due time fire in the order in which they were set. */
  order: number;
  readonly periodMs: number | undefined;
  readonly task: () => void;
}

export class ManualTime implements Clock, SteadyClock, Timers, Time {
  readonly clock: Clock = this;
  readonly steadyClock: SteadyClock = this;
  readonly timers: Timers = this;
  readonly #scheduled = new Set<ManualTimer>();
  #pendingImmediates = 0;
  #orders = 0;
  #elapsedMs = 0;
  #setByMs = 0;
  #startedAtMs = 0;

  now(): EpochMs {
    return (this.trueEpochMs + this.#setByMs) as EpochMs;
  }

  /** The time of a wall clock that was never set. */
  get trueEpochMs(): EpochMs {
    return (STARTS_AT_EPOCH_MS + Math.floor(this.#elapsedMs)) as EpochMs;
  }

  elapsedMs(): number {
    return this.#elapsedMs - this.#startedAtMs;
  }

  /** The number of pending timers. */
  get timerCount(): number {
    return this.#scheduled.size;
  }

  /** Sets the wall clock forward or back. */
  setClockBy(ms: number): void {
    this.#setByMs += ms;
  }

  /** Undoes every {@link setClockBy}. */
  correctClock(): void {
    this.#setByMs = 0;
  }

  /** The steady clock starts over and no timer survives, as after a reboot. */
  reboot(): void {
    this.#startedAtMs = this.#elapsedMs;
    this.#scheduled.clear();
  }

  /**
   * Moves the clocks and fires nothing, as for a process that is busy or suspended: due timers fire with the next
   * {@link advance}.
   */
  pass(ms: number): void {
    this.#elapsedMs += ms;
  }

  /** Moves the clocks and fires due timers in order. Promises settle after each task. Waits for no I/O. */
  async advance(ms: number): Promise<void> {
    const targetMs = this.#elapsedMs + ms;
    await this.settle();
    for (let next = this.#next(targetMs); next !== undefined; next = this.#next(targetMs)) {
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      this.#fire(next);
      await this.settle();
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, targetMs);
  }

  /** Resolves when pending promises and immediates have run, and those that they cause. */
  async settle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#pendingImmediates > 0);
  }

  setTimeout(task: () => void, delayMs: number): Timer {
    return this.#schedule(task, delayMs, undefined);
  }

  setInterval(task: () => void, periodMs: number): Timer {
    return this.#schedule(task, periodMs, Math.max(1, periodMs));
  }

  /** Takes no time, so it needs no {@link advance}. */
  setImmediate(task: () => void): Timer {
    this.#pendingImmediates += 1;
    let isPending = true;
    const end = () => {
      if (isPending) this.#pendingImmediates -= 1;
      isPending = false;
    };
    const immediate = setImmediate(() => {
      end();
      task();
    });
    return {
      cancel: () => {
        end();
        clearImmediate(immediate);
      },
    };
  }

  #schedule(task: () => void, delayMs: number, periodMs: number | undefined): Timer {
    this.#orders += 1;
    const scheduled: ManualTimer = { dueMs: this.#elapsedMs + Math.max(0, delayMs), order: this.#orders, periodMs, task };
    this.#scheduled.add(scheduled);
    return { cancel: () => this.#scheduled.delete(scheduled) };
  }

  #next(untilMs: number): ManualTimer | undefined {
    let next: ManualTimer | undefined;
    for (const it of this.#scheduled) {
      if (it.dueMs > untilMs) continue;
      if (next === undefined || it.dueMs < next.dueMs || (it.dueMs === next.dueMs && it.order < next.order)) next = it;
    }
    return next;
  }

  #fire(scheduled: ManualTimer): void {
    if (scheduled.periodMs === undefined) this.#scheduled.delete(scheduled);
    else {
      this.#orders += 1;
      scheduled.dueMs = this.#elapsedMs + scheduled.periodMs;
      scheduled.order = this.#orders;
    }
    scheduled.task();
  }
}
