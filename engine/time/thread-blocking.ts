/**
 * The port for blocking a thread if a timer cannot be used: nothing else in the thread runs meanwhile. All other code sleeps
 * through the Timers port.
 */
export interface ThreadBlocking {
  /** Blocks the thread for at least this long. */
  sleep(ms: number): void;
  /**
   * Blocks the thread while the cell has the value, until another thread changes it and notifies. Returns false if the cell still
   * has the value after `ms`.
   */
  whileEqual(cells: BigInt64Array<SharedArrayBuffer>, index: number, value: bigint, ms: number): boolean;
}
