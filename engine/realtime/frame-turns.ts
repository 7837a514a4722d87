/**
 * Turns of the budgets whose frames wait: however many networks there are, all of them together have one budget, and none has more of it
 * than another that waits as well.
 */
import type { SteadyClock } from '#time/clock.ts';
import type { Timer, Timers } from '#time/timers.ts';
import { TokenBucket, type TokenRate } from '#time/token-bucket.ts';
import { TokenTurns } from './token-turns.ts';

/** How often waiting frames are looked at. */
const TURN_MS = 10;

/** A budget with frames that wait. */
export interface WaitingBudget {
  /** The tokens of its next frame; 0 without one. */
  readonly nextCost: number;
  /** Whether its own tokens suffice. */
  holds(tokens: number): boolean;
  takeNext(): void;
}

export class FrameTurns {
  readonly #tokens: TokenBucket;
  readonly #timers: Timers;
  readonly #turns = new TokenTurns<WaitingBudget>();
  /** Those that wait for tokens of their own. */
  readonly #resting = new Set<WaitingBudget>();
  #timer: Timer | undefined;

  constructor(rate: TokenRate, steadyClock: SteadyClock, timers: Timers) {
    this.#tokens = new TokenBucket(rate, steadyClock);
    this.#timers = timers;
  }

  /** Takes tokens for a frame that need not wait behind those of others. */
  take(tokens: number): boolean {
    return this.#turns.size === 0 && this.#tokens.take(tokens);
  }

  /** Takes on a budget with frames that wait. */
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
