/**
 * A source of index prices as real ones are: it looks a moment before it sends, dates what it saw, sends some of it late
 * or twice, and where it has lost its own source it repeats what it saw last, under the old date.
 */
import type { CandlePath } from '#prices/candle-path.ts';
import type { Observation } from './audited-venue.ts';

/** How long an observation is under way, at most. */
const SLOWEST_MS = 1_500;
/** The chances that an older observation comes along with a new one, and that a blind source repeats its last one. */
const STRAGGLES = 0.02;
const REPEATS = 0.25;

/** What happens at an observation: the price in ticks that anyone sees outside, and what reaches the venue, in that order. */
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
    const observedAtEpochMs = epochMs - Math.floor(random() * SLOWEST_MS);
    const price = this.#path.priceAt(observedAtEpochMs);
    const before = this.#last;
    if (price === undefined) return { price: undefined, sent: before !== undefined && random() < REPEATS ? [before] : [] };
    this.#last = { priceAtoms: Math.round(price * this.#ticks), observedAtEpochMs };
    const isConsecutive = before !== undefined && random() < STRAGGLES;
    return { price: this.#last.priceAtoms, sent: isConsecutive ? [this.#last, before] : [this.#last] };
  }
}
