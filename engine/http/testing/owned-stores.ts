/**
 * The time and both stores of a test venue, in the test's hands. Time passes while a request waits for the ledger, and when the test
 * advances it: so what a request returns does not depend on the machine.
 */
import type { Coordinator } from '#settlement/coordinator/coordinator.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { ManualTime } from '#time/testing/manual-time.ts';

/** The content of a store. */
export type StoreCopy = ReadonlyMap<string, Uint8Array>;

export interface StoreCopies {
  readonly journal: StoreCopy;
  readonly ledger: StoreCopy;
}

/** Short beside the second for which a request waits. */
const STEP_MS = 10;

export class OwnedStores {
  readonly time: ManualTime;
  readonly journalFiles: PowerCutFiles;
  readonly ledgerFiles: PowerCutFiles;
  /** Whether they are those of an earlier life. */
  readonly isUsed: boolean;
  #waiting = 0;
  /** Of the requests at once that wait for one of them to wait for the ledger. */
  readonly #idle = new Set<() => void>();

  constructor(time = new ManualTime(), copies?: StoreCopies) {
    this.time = time;
    this.isUsed = copies !== undefined;
    this.journalFiles = new PowerCutFiles(undefined, copies?.journal);
    this.ledgerFiles = new PowerCutFiles(undefined, copies?.ledger);
  }

  copies(): StoreCopies {
    return { journal: this.journalFiles.contents(), ledger: this.ledgerFiles.contents() };
  }

  /** The coordinator for requests: counts those that wait for it. */
  awaited(coordinator: Coordinator): Coordinator {
    return new Proxy(coordinator, {
      get: (target, name: keyof Coordinator) => {
        const value = target[name];
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => this.#counted((value as (...args: unknown[]) => unknown).apply(target, args));
      },
    });
  }

  /** Advances the time only while a request waits for the ledger. */
  async whileWaiting<Value>(response: Promise<Value>): Promise<Value> {
    const ended = endOf(response);
    while (!ended.isReached) {
      const waiting = Promise.withResolvers<void>();
      if (this.#waiting > 0) await this.time.advance(STEP_MS);
      else {
        this.#idle.add(waiting.resolve);
        await Promise.race([waiting.promise, ended.promise]);
        this.#idle.delete(waiting.resolve);
      }
    }
    return response;
  }

  /** Advances the time until the work has ended. */
  async whileTimePasses(work: Promise<unknown>): Promise<void> {
    const ended = endOf(work);
    while (!ended.isReached) await this.time.advance(1_000);
    await work;
  }

  #counted<Value>(value: Value): Value {
    if (!(value instanceof Promise)) return value;
    this.#waiting += 1;
    for (const resume of this.#idle) resume();
    const end = () => {
      this.#waiting -= 1;
    };
    value.then(end, end);
    return value;
  }
}

/** Whether the work has ended, in any way. */
function endOf(work: Promise<unknown>): { readonly promise: Promise<void>; isReached: boolean } {
  const reach = () => {
    ended.isReached = true;
  };
  const ended = { promise: work.then(reach, reach), isReached: false };
  return ended;
}
