/**
 * Gives budgets with waiting frames turns. All networks together share one bucket, and each waiting budget gets the same number
 * of tokens from it.
 */
import type { SteadyClock } from '#time/clock.ts';
import type { Timer, Timers } from '#time/timers.ts';
import { TokenBucket, type TokenRate } from '#time/token-bucket.ts';
import { TokenTurns } from './token-turns.ts';

/** How often waiting frames are processed. */
const TURN_MS = 10;

/** A budget with waiting frames. */
export interface WaitingBudget {
  /** Tokens of its next frame; 0 if no frame waits. */
  readonly nextCost: number;
  /** Whether its own tokens suffice. */
  holds(tokens: number): boolean;
  takeNext(): void;
}

export class FrameTurns {
  readonly #tokens: TokenBucket;
  readonly #timers: Timers;
  readonly #turns = new TokenTurns<WaitingBudget>();
  /** Budgets that wait for their own tokens. */
  readonly #resting = new Set<WaitingBudget>();
  #timer: Timer | undefined;

  constructor(rate: TokenRate, steadyClock: SteadyClock, timers: Timers) {
    this.#tokens = new TokenBucket(rate, steadyClock);
    this.#timers = timers;
  }

  /** Takes tokens for a frame if no other budget waits. */
  take(tokens: number): boolean {
    return this.#turns.size === 0 && this.#tokens.take(tokens);
  }

  /** Adds a budget with waiting frames. */
  join(budget: WaitingBudget): void {
    if (!budget.holds(budget.nextCost)) this.#resting.add(budget);
    else if (!this.#resting.has(budget)) this.#turns.add(budget);
    this.#timer ??= this.#timers.setTimeout(() => this.#takeTurns(), TURN_MS);
  }

  #takeTurns(): void {
    this.#timer = undefined;
    for (const budget of this.#resting) this.#turns.add(budget);
    this.#resting.clear();
    for (let budget = this.#next(); budget !== undefined; budget = this.#next()) {
      const cost = budget.nextCost;
      if (cost === 0) this.#turns.delete(budget);
      else if (!budget.holds(cost)) {
        this.#turns.delete(budget);
        this.#resting.add(budget);
      } else if (this.#tokens.take(cost)) {
        this.#turns.paid(budget, cost);
        budget.takeNext();
      } else break;
    }
    if (this.#turns.size + this.#resting.size > 0) this.#timer ??= this.#timers.setTimeout(() => this.#takeTurns(), TURN_MS);
  }

  #next(): WaitingBudget | undefined {
    return this.#turns.next(({ nextCost }) => nextCost);
  }
}
