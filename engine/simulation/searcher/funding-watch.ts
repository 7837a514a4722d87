/**
 * The funding rate that the whole book would give. It samples the premium when the venue does, but counts every order of the book, with
 * arithmetic of its own. What the venue's rate differs by is funding that the colluders withheld or took.
 */
import type { EpochMs } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { VenueState } from '#venue/state.ts';
import type { Takings } from './takings.ts';

const PPB = 1_000_000_000;
const DAMPENER_PPB = 500_000;
/** Differences of the rounding alone, in parts per billion. */
const TOLERANCE_PPB = 5;

type Levels = readonly (readonly [price: number, lots: number])[];

export class FundingWatch {
  readonly #state: VenueState;
  readonly #market: Market;
  readonly #limitPpb: number;
  #bids: Levels = [];
  #asks: Levels = [];
  #sampledAt = 0;
  #sum = 0;
  #count = 0;

  /** @param limitPpb of a sample */
  constructor(state: VenueState, market: Market, limitPpb: number) {
    this.#state = state;
    this.#market = market;
    this.#limitPpb = limitPpb;
    this.#sampledAt = market.funding.sampledAtEpochMs;
    this.#sum = market.funding.premiumSumPpb;
    this.#count = market.funding.premiumCount;
  }

  /** Reads the book before a price at the time `now`, if a sample is due. */
  look(now: number): void {
    const { funding, specification } = this.#market;
    if (now - funding.sampledAtEpochMs < specification.premiumSampleMs) return;
    const { orders } = this.#state;
    const bids: [number, number][] = [];
    const asks: [number, number][] = [];
    for (const slot of orders.slotsByAge()) {
      if (orders.isReduceOnly(slot)) continue;
      (orders.sideOf(slot) === 'buy' ? bids : asks).push([orders.priceOf(slot), orders.remainingOf(slot)]);
    }
    this.#bids = bids.sort(([one], [other]) => other - one);
    this.#asks = asks.sort(([one], [other]) => one - other);
  }

  /** Reads the outcome of the price. */
  read(events: readonly VenueEvent[], now: EpochMs, takings: Takings): void {
    const { funding, indexPriceAtoms, specification, tickLotAtoms } = this.#market;
    if (funding.sampledAtEpochMs !== this.#sampledAt) {
      this.#sampledAt = funding.sampledAtEpochMs;
      this.#sum += this.#market.allowsRestingToOpen(now) ? this.#premium(indexPriceAtoms) : 0;
      this.#count += 1;
    }
    const settled = events.find((event) => event.type === 'FundingSettled');
    if (settled === undefined) return;
    const { fundingInterestPpb, fundingCapPpb } = specification;
    const average = this.#count === 0 ? 0 : this.#sum / this.#count;
    this.#sum = 0;
    this.#count = 0;
    // A period that was hardly watched has no rate.
    if (settled.ratePpb === 0) return;
    const rate = within(average + within(fundingInterestPpb - average, DAMPENER_PPB), fundingCapPpb);
    if (Math.abs(rate - settled.ratePpb) <= TOLERANCE_PPB) return;
    takings.misrated(((rate - settled.ratePpb) * settled.indexPriceAtoms * tickLotAtoms) / 1_000);
  }

  /** In parts per billion of the index. */
  #premium(index: number): number {
    const bid = this.#impactPrice(this.#bids);
    const ask = this.#impactPrice(this.#asks);
    const above = bid === undefined ? 0 : Math.max(0, bid - index);
    const below = ask === undefined ? 0 : Math.max(0, index - ask);
    return Math.trunc(within(((above - below) / index) * PPB, this.#limitPpb));
  }

  /** The average price of the impact notional. */
  #impactPrice(levels: Levels): number | undefined {
    const { specification, tickLotAtoms } = this.#market;
    let notional = 0;
    let lots = 0;
    for (const [price, offered] of levels) {
      const missing = Math.ceil((specification.impactNotionalAtoms - notional) / (price * tickLotAtoms));
      const filled = Math.min(missing, offered);
      notional += filled * price * tickLotAtoms;
      lots += filled;
      if (filled === missing) return notional / (lots * tickLotAtoms);
    }
    return undefined;
  }
}

function within(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}
