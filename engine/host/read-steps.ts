/**
 * The reads in progress in one thread take turns, a step each: a small read waits for no page to end, and messages that arrive
 * meanwhile (groups to fold) are processed between two steps.
 */
import type { Timers } from '#time/timers.ts';

/** Runs the work up to the next yield; its return value is the result. */
export type Steps<Result> = Generator<undefined, Result>;

interface RunningRead<Result> {
  readonly steps: Steps<Result>;
  /** Called once, with the last step's return value or a step's exception. */
  readonly settle: (end: () => Result) => void;
}

export class ReadSteps<Result> {
  readonly #timers: Pick<Timers, 'setImmediate'>;
  #running: RunningRead<Result>[] = [];
  #isScheduled = false;

  constructor(timers: Pick<Timers, 'setImmediate'>) {
    this.#timers = timers;
  }

  add(steps: Steps<Result>, settle: RunningRead<Result>['settle']): void {
    this.#running.push({ steps, settle });
    this.#scheduleTurn();
  }

  /** Completes all of them at once. */
  finish(): void {
    while (this.#running.length > 0) this.#step();
  }

  /** Ends all of them at once, each with that reason instead of a result. */
  refuse(reason: unknown): void {
    for (const { settle } of this.#running.splice(0)) {
      settle(() => {
        throw reason;
      });
    }
  }

  #scheduleTurn(): void {
    if (this.#isScheduled || this.#running.length === 0) return;
    this.#isScheduled = true;
    this.#timers.setImmediate(() => {
      this.#isScheduled = false;
      this.#step();
      this.#scheduleTurn();
    });
  }

  #step(): void {
    const read = this.#running.shift();
    if (read === undefined) return;
    try {
      const { done, value } = read.steps.next();
      if (done) read.settle(() => value);
      else this.#running.push(read);
    } catch (error) {
      read.settle(() => {
        throw error;
      });
    }
  }
}
