/** How V8 is told to treat the venue's memory. */
import { setFlagsFromString } from 'node:v8';

/**
 * To be called first, for this thread and those that it starts: what has grown by then stays as it is.
 *
 * - New objects get 16 MB and no more. Requests that are under way outlive a collection, and were a megabyte collected they would be
 *   half of what it holds: that took a quarter of the main thread's time under orders over HTTP, this takes a thirtieth.
 * - What outlives them is collected when it has come to five times as much as is in use, instead of every half second under
 *   load: a whole collection stops the venue for some milliseconds. It costs memory, some times the small heap there is: orders,
 *   prices and keys are not on it.
 */
export function setV8Flags(): void {
  setFlagsFromString('--min-semi-space-size=16');
  setFlagsFromString('--max-semi-space-size=16');
  setFlagsFromString('--heap-growing-percent=400');
}
