/** Subscriptions from a sequence that the service has not reached: a REST read can be some milliseconds ahead of it. */
import type { Timer, Timers } from '#time/timers.ts';
import type { Connection } from './connection.ts';

interface Waiting {
  readonly key: string;
  readonly sequence: number;
  readonly timer: Timer;
  readonly end: (outcome: EarlyOutcome) => void;
}

export type EarlyOutcome = 'reached' | 'not_reached' | 'withdrawn';

export class EarlySubscriptions {
  readonly #timers: Timers;
  readonly #waitMs: number;
  readonly #waiting = new Map<Connection, Waiting[]>();

  constructor(timers: Timers, waitMs: number) {
    this.#timers = timers;
    this.#waitMs = waitMs;
  }

  /** Calls `end` once with the outcome, unless the connection is dropped before. */
  add(connection: Connection, key: string, sequence: number, end: (outcome: EarlyOutcome) => void): void {
    const timer = this.#timers.setTimeout(() => this.#end(connection, key, 'not_reached'), this.#waitMs);
    const waiting = { key, sequence, timer, end };
    this.#waiting.set(connection, [...(this.#waiting.get(connection) ?? []), waiting]);
  }

  has(connection: Connection, key: string): boolean {
    return this.#waiting.get(connection)?.some((it) => it.key === key) ?? false;
  }

  countOf(connection: Connection): number {
    return this.#waiting.get(connection)?.length ?? 0;
  }

  /** The service has folded all records up to `sequence`. */
  reached(sequence: number): void {
    for (const [connection, list] of this.#waiting) {
      for (const waiting of list) {
        if (waiting.sequence <= sequence) this.#end(connection, waiting.key, 'reached');
      }
    }
  }

  /** No effect if no such subscription waits. */
  withdraw(connection: Connection, key: string): void {
    this.#end(connection, key, 'withdrawn');
  }

  dropAll(connection: Connection): void {
    for (const { timer } of this.#waiting.get(connection) ?? []) timer.cancel();
    this.#waiting.delete(connection);
  }

  #end(connection: Connection, key: string, outcome: EarlyOutcome): void {
    const list = this.#waiting.get(connection);
    const waiting = list?.find((it) => it.key === key);
    if (list === undefined || waiting === undefined) return;
    waiting.timer.cancel();
    if (list.length === 1) this.#waiting.delete(connection);
    else
      this.#waiting.set(
        connection,
        list.filter((it) => it !== waiting),
      );
    waiting.end(outcome);
  }
}
