/** The parameters of a token bucket, which refills by a steady clock. */
import type { SteadyClock } from './clock.ts';

export interface TokenRate {
  readonly burst: number;
  readonly perSecond: number;
}

export class TokenBucket {
  readonly #rate: TokenRate;
  readonly #clock: SteadyClock;
  readonly #parent: TokenBucket | undefined;
  #tokens: number;
  #filledAtMs: number;

  /** Tokens are taken from `parent` too, which other buckets share. */
  constructor(rate: TokenRate, clock: SteadyClock, parent?: TokenBucket) {
    this.#rate = rate;
    this.#clock = clock;
    this.#parent = parent;
    this.#tokens = rate.burst;
    this.#filledAtMs = clock.elapsedMs();
  }

  holds(count: number): boolean {
    this.#fill();
    return this.#tokens >= count && (this.#parent?.holds(count) ?? true);
  }

  /** Takes `count` tokens, or no tokens if there are fewer. */
  take(count: number): boolean {
    if (!this.holds(count)) return false;
    this.borrow(count);
    return true;
  }

  /** Takes tokens unconditionally: missing ones are owed. */
  borrow(count: number): void {
    this.#fill();
    this.#tokens -= count;
    this.#parent?.borrow(count);
  }

  /** Gives back taken tokens. */
  give(count: number): void {
    this.#add(count);
    this.#parent?.give(count);
  }

  /** Adds all tokens since the last refill, also beyond the burst: for a time in which no tokens could be taken. */
  catchUp(): void {
    this.#tokens += this.#arrived();
  }

  get isOverdrawn(): boolean {
    this.#fill();
    return this.#tokens < 0 || this.#parent?.isOverdrawn === true;
  }

  get isFull(): boolean {
    this.#fill();
    return this.#tokens >= this.#rate.burst;
  }

  /** How many tokens are missing until it is full. */
  get missing(): number {
    this.#fill();
    return Math.max(0, this.#rate.burst - this.#tokens);
  }

  #fill(): void {
    this.#add(this.#arrived());
  }

  #arrived(): number {
    const now = this.#clock.elapsedMs();
    const arrived = ((now - this.#filledAtMs) / 1_000) * this.#rate.perSecond;
    this.#filledAtMs = now;
    return arrived;
  }

  #add(count: number): void {
    this.#tokens = Math.max(this.#tokens, Math.min(this.#rate.burst, this.#tokens + count));
  }
}
