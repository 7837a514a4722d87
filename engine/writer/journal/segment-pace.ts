/**
 * Paces the making of the next segment with the filling of the current one, piece by piece, so that commits hardly wait for the
 * disk. If it were made at once, each commit of that time would wait for a piece of it.
 */

export class SegmentPace {
  #allowed = 0;
  #isAbandoned = false;
  #waiting: { readonly at: number; readonly resolve: () => void; readonly reject: (cause: Error) => void } | undefined;

  /** Allows writing up to this offset. */
  allow(bytes: number): void {
    this.#allowed = Math.max(this.#allowed, bytes);
    if (this.#waiting === undefined || this.#waiting.at > this.#allowed) return;
    this.#waiting.resolve();
    this.#waiting = undefined;
  }

  /** Allows the rest at once: commits wait for it. */
  finishNow(): void {
    this.allow(Number.POSITIVE_INFINITY);
  }

  /** The segment is no longer needed: `until` rejects. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#waiting?.reject(abandoned());
    this.#waiting = undefined;
  }

  /** Resolves when writing up to `at` is allowed, with the offset allowed by then. One call at a time. */
  async until(at: number): Promise<number> {
    if (this.#isAbandoned) throw abandoned();
    if (at > this.#allowed) {
      await new Promise<void>((resolve, reject) => {
        this.#waiting = { at, resolve, reject };
      });
    }
    return this.#allowed;
  }
}

function abandoned(): Error {
  return new Error('the journal is being closed: its next segment is not needed');
}
