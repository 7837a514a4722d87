/** So many at once, and so many a second on and on, as a clock goes that cannot be set. */
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

  /** What is taken from the bucket is taken from `parent` too: it is shared with other buckets. */
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

  /** Takes so many, or none where there are fewer. */
  take(count: number): boolean {
    if (!this.holds(count)) return false;
    this.owe(count);
    return true;
  }

  /** Takes what was had already, be it there or not: what is missing is owed. */
  owe(count: number): void {
    this.#fill();
    this.#tokens -= count;
    this.#parent?.owe(count);
  }

  /** Gives back what was taken. */
  give(count: number): void {
    this.#add(count);
    this.#parent?.give(count);
  }

  /** Adds all that has come since tokens were last taken, beyond the burst too: for a time in which nobody could take any. */
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

  /** How many have yet to come until it is full. */
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
