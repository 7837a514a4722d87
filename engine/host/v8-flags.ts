/**
 * How V8 is to treat the venue's memory. What the flags at the start say a process takes over then alone: set later they hold for
 * threads that are started from then on. How seldom old objects are collected follows how busy the venue is.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * New objects get 16 MB and no more. Requests that are under way outlive a collection, and were a megabyte collected they would be
 * half of what it holds: that took a quarter of the main thread's time under orders over HTTP, this takes a thirtieth. Without the
 * bound they take up to 128 MB, and give them back when little happens. No new object begins among the old: from some that waited
 * for the disk V8 concludes that all that are made in the same place live long, and at 300 commands a second that was 100 MB of
 * garbage a minute for whole collections, where it is 6.
 */
export const V8_FLAGS: readonly string[] = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--no-allocation-site-pretenuring',
];

/** From so many records a second on the venue is busy, until they are half as many. */
export const BUSY_PER_SECOND = 10_000;
const SPAN_MS = 1_000;
/** Old objects may come to so much more than is in use: V8's default, `0`, is some tenths while little is allocated. */
const BUSY_GROWTH_PERCENT = 400;

/** Begins this program again in the same process, with the flags; returns where it has them, or where a system cannot do that. */
export function beginWithV8Flags(): void {
  const missing = V8_FLAGS.filter((flag) => !process.execArgv.includes(flag));
  if (missing.length === 0) return;
  const { execPath, execArgv, argv, env } = process;
  if (process.platform !== 'win32') process.execve?.(execPath, [execPath, ...execArgv, ...missing, ...argv.slice(1)], env);
  for (const flag of missing) setFlagsFromString(flag);
}

/**
 * To be told of records that are durable. While there are many, what has grown old is collected when it has come to five times as
 * much as is in use, for a whole collection stops the venue for some milliseconds: at 100,000 commands a second the slowest
 * hundredth waits 4 ms for it, and 9 to 20 ms otherwise. While there are few V8 collects as it does by default: memory stays where it is.
 */
export class CollectionPace {
  readonly #setGrowth: (percent: number) => void;
  #spanBeganAtMs = 0;
  #records = 0;
  #isBusy = false;

  constructor(setGrowth: (percent: number) => void = setHeapGrowth) {
    this.#setGrowth = setGrowth;
  }

  /** So many became durable at that time, on a steady clock. */
  committed(records: number, nowMs: number): void {
    this.#records += records;
    const elapsedMs = nowMs - this.#spanBeganAtMs;
    if (elapsedMs < SPAN_MS) return;
    const perSecond = (this.#records * 1_000) / elapsedMs;
    const isBusy = perSecond >= (this.#isBusy ? BUSY_PER_SECOND / 2 : BUSY_PER_SECOND);
    if (isBusy !== this.#isBusy) this.#setGrowth(isBusy ? BUSY_GROWTH_PERCENT : 0);
    this.#isBusy = isBusy;
    this.#records = 0;
    this.#spanBeganAtMs = nowMs;
  }
}

function setHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
