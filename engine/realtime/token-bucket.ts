/** So many at once, and so many a second on and on; what is taken beyond that is owed. Time is of a steady clock. */

export interface TokenRate {
  readonly burst: number;
  readonly perSecond: number;
}

export class TokenBucket {
  readonly #rate: TokenRate;
  #tokens: number;
  #filledAtMs: number;

  constructor(rate: TokenRate, nowMs: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAtMs = nowMs;
  }

  /** Takes so many; false where there were fewer. */
  take(count: number, nowMs: number): boolean {
    this.#tokens = this.#held(nowMs) - count;
    this.#filledAtMs = nowMs;
    return this.#tokens >= 0;
  }

  #held(nowMs: number): number {
    const { burst, perSecond } = this.#rate;
    return Math.min(burst, this.#tokens + ((nowMs - this.#filledAtMs) / 1_000) * perSecond);
  }
}
