/**
 * A realistic source of index prices. It observes a moment before it sends, sends some observations late or twice, and repeats
 * the last one with its old time when it has lost its own source.
 */
import type { CandlePath } from '#prices/candle-path.ts';
import type { Observation } from './audited-venue.ts';

/** The maximum delay of an observation. */
const MAX_DELAY_MS = 1_500;
/** The chances that an older observation comes along with a new one, and that a blind source repeats its last one. */
const LATE_CHANCE = 0.02;
const REPEAT_CHANCE = 0.25;

/** One step of the feed: the price in ticks outside the venue, and the observations that reach the venue, in their order. */
export interface Sighting {
  readonly price: number | undefined;
  readonly sent: readonly Observation[];
}

export class IndexFeed {
  readonly #path: CandlePath;
  readonly #ticks: number;
  #last: Observation | undefined;

  /** `ticks` is how many there are to one of the path's prices. */
  constructor(path: CandlePath, ticks: number) {
    this.#path = path;
    this.#ticks = ticks;
  }

  observe(epochMs: number, random: () => number): Sighting {
    const observedAtEpochMs = epochMs - Math.floor(random() * MAX_DELAY_MS);
    const price = this.#path.priceAt(observedAtEpochMs);
    const before = this.#last;
    if (price === undefined) return { price: undefined, sent: before !== undefined && random() < REPEAT_CHANCE ? [before] : [] };
    this.#last = { priceAtoms: Math.round(price * this.#ticks), observedAtEpochMs };
    const isConsecutive = before !== undefined && random() < LATE_CHANCE;
    return { price: this.#last.priceAtoms, sent: isConsecutive ? [this.#last, before] : [this.#last] };
  }
}
