/**
 * How fast the next segment is made: in step with the one that fills, so that commits hardly feel it. It takes from the
 * disk, piece by piece, what they leave; were it made in one go, each commit of that time would wait for a piece of it.
 */

export class SegmentPace {
  #allowed = 0;
  #isGivenUp = false;
  #waiting: { readonly at: number; readonly resolve: () => void; readonly reject: (cause: Error) => void } | undefined;

  /** It may be written up to there. */
  allow(bytes: number): void {
    this.#allowed = Math.max(this.#allowed, bytes);
    if (this.#waiting === undefined || this.#waiting.at > this.#allowed) return;
    this.#waiting.resolve();
    this.#waiting = undefined;
  }

  /** The rest of it at once: commits wait for it. */
  hurry(): void {
    this.allow(Number.POSITIVE_INFINITY);
  }

  /** It is not needed any more: whoever makes it hears so where it would go on. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#waiting?.reject(givenUp());
    this.#waiting = undefined;
  }

  /** Resolves when it may be written up to there, with how far it may be written by then. One at a time. */
  async until(at: number): Promise<number> {
    if (this.#isGivenUp) throw givenUp();
    if (at > this.#allowed) {
      await new Promise<void>((resolve, reject) => {
        this.#waiting = { at, resolve, reject };
      });
    }
    return this.#allowed;
  }
}

function givenUp(): Error {
  return new Error('the journal is being closed: its next segment is not needed');
}
