/** So many at once, and so many a second on and on, as a clock goes that cannot be set. */
import type { SteadyClock } from './clock.ts';

export interface TokenRate {
  readonly burst: number;
  readonly perSecond: number;
}

export class TokenBucket {
  readonly #rate: TokenRate;
  readonly #clock: SteadyClock;
  #tokens: number;
  #filledAtMs: number;

  constructor(rate: TokenRate, clock: SteadyClock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#filledAtMs = clock.elapsedMs();
  }

  /** Takes so many, or none where there are fewer. */
  take(count: number): boolean {
    this.#fill();
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }

  /** Takes what was had already, be it there or not: what is missing is owed. */
  owe(count: number): void {
    this.#fill();
    this.#tokens -= count;
  }

  /** Gives back what was taken. */
  give(count: number): void {
    this.#tokens += count;
  }

  get isOverdrawn(): boolean {
    this.#fill();
    return this.#tokens < 0;
  }

  get isFull(): boolean {
    this.#fill();
    return this.#tokens >= this.#rate.burst;
  }

  #fill(): void {
    const { burst, perSecond } = this.#rate;
    const now = this.#clock.elapsedMs();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAtMs) / 1_000) * perSecond);
    this.#filledAtMs = now;
  }
}
