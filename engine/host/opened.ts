/** What was opened on the way up, to be closed in reverse: on the way down, or when the way up ends half way. */
export class Opened {
  readonly #closers: (() => void | Promise<void>)[] = [];

  /** Notes how to close what was just opened. */
  add(close: () => void | Promise<void>): void {
    this.#closers.push(close);
  }

  /** Closes everything, the last first. What fails to close does not keep the rest open; the first failure is thrown. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
