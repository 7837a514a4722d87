/**
 * How V8 is to treat the venue's memory. A process takes that over at its start alone: set later, it holds for threads that are
 * started from then on, and the main thread's share of new objects grows as it likes.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * - New objects get 16 MB and no more. Requests that are under way outlive a collection, and were a megabyte collected they would be
 *   half of what it holds: that took a quarter of the main thread's time under orders over HTTP, this takes a thirtieth. Without the
 *   bound they take up to 128 MB, and give them back when little happens.
 * - What outlives them is collected when it has come to five times as much as is in use, instead of every half second under
 *   load: a whole collection stops the venue for some milliseconds. It costs memory, some times the small heap there is: orders,
 *   prices and keys are not on it.
 */
export const V8_FLAGS: readonly string[] = ['--min-semi-space-size=16', '--max-semi-space-size=16', '--heap-growing-percent=400'];

/** Begins this program again in the same process, with the flags; returns where it has them, or where a system cannot do that. */
export function beginWithV8Flags(): void {
  const missing = V8_FLAGS.filter((flag) => !process.execArgv.includes(flag));
  if (missing.length === 0) return;
  const { execPath, execArgv, argv, env } = process;
  if (process.platform !== 'win32') process.execve?.(execPath, [execPath, ...execArgv, ...missing, ...argv.slice(1)], env);
  for (const flag of missing) setFlagsFromString(flag);
}
