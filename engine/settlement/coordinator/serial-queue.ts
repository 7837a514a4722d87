/** Runs work one after the other, in the order in which it arrives. */

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work after all earlier work has ended, also if that failed. Settles as the work does. */
  run<Value>(work: () => Promise<Value>): Promise<Value> {
    const running = this.#last.then(work);
    this.#last = running.catch(() => undefined);
    return running;
  }
}
