/**
 * What a market's funding period must cost, reckoned from its rules alone: the premium of this auditor's own book over the index,
 * looked at with prices as they are told, and for how much of the period there were any.
 */
import type { MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import type { Impact, Quotes } from './mark-rules.ts';
import { impactFor } from './mark-rules.ts';
import { tickLotOf } from './requirement.ts';

const WHOLE_PPB = 1_000_000_000n;
/** A sample says no more than half of the index. */
const MOST_PPB = WHOLE_PPB / 2n;
/** Within 0.05 % of the interest a premium costs no more than that. */
const DRAWN_PPB = 500_000n;

/** A price of the index that holds, and what was quoted when it came. */
export interface Look {
  readonly epochMs: number;
  readonly index: number;
  readonly quotes: Quotes;
  readonly status: MarketStatus;
  /** The first price that the market ever had: it finds an empty book, and that is looked at. */
  readonly isFirst: boolean;
}

export class FundingForecast {
  readonly #specification: MarketSpecification;
  #sum = 0n;
  #count = 0;
  #sampledAt = 0;
  /** The stretches of time in which prices have come without a break: the one that goes on is the last. */
  readonly #stretches: { readonly from: number; until: number }[] = [];
  #isBroken = true;

  constructor(specification: MarketSpecification) {
    this.#specification = specification;
  }

  /** The index does not hold any more, or the market has another status: the book of the next look is of before. */
  break(): void {
    this.#isBroken = true;
  }

  look({ epochMs, index, quotes, status, isFirst }: Look): void {
    const { premiumSampleMs } = this.#specification;
    const isOfNow = !this.#isBroken || isFirst;
    const last = this.#stretches.at(-1);
    if (this.#isBroken || last === undefined) this.#stretches.push({ from: epochMs, until: epochMs });
    else last.until = epochMs;
    this.#isBroken = false;
    if (!isOfNow || epochMs - this.#sampledAt < premiumSampleMs) return;
    this.#sampledAt = epochMs;
    this.#sum += this.#premium(index, quotes, status);
    this.#count += 1;
  }

  /** What the period that ends at a time costs, if all that is left of it is like what was seen. */
  rate(epochMs: number, endsAt: number): number {
    const { fundingPeriodMs, fundingInterestPpb, fundingCapPpb } = this.#specification;
    const beginsAt = endsAt - fundingPeriodMs;
    let seen = Math.max(0, endsAt - epochMs);
    for (const { from, until } of this.#stretches) seen += Math.max(0, Math.min(until, endsAt) - Math.max(from, beginsAt));
    if (seen * 2 < fundingPeriodMs || this.#count === 0) return 0;
    const premium = this.#sum / BigInt(this.#count);
    const rate = premium + within(BigInt(fundingInterestPpb) - premium, DRAWN_PPB);
    return Number(within(rate, BigInt(fundingCapPpb)));
  }

  /** The period has ended: the samples are gone, and of the stretches all that was over before. */
  end(): void {
    this.#sum = 0n;
    this.#count = 0;
    this.#stretches.splice(0, this.#stretches.length - 1);
  }

  #premium(index: number, { bids, asks }: Quotes, status: MarketStatus): bigint {
    const worth = (impact: Impact) => impact.base * BigInt(index * tickLotOf(this.#specification));
    const share = (gap: bigint, of: bigint) => (gap * 2n >= of ? MOST_PPB : (gap * WHOLE_PPB) / of);
    const [sold, bought] = [bids, asks].map((side) => impactFor(side, status, this.#specification));
    let premium = 0n;
    if (sold !== undefined && sold.notional > worth(sold)) premium += share(sold.notional - worth(sold), worth(sold));
    if (bought !== undefined && bought.notional < worth(bought)) premium -= share(worth(bought) - bought.notional, worth(bought));
    return premium;
  }
}

function within(value: bigint, most: bigint): bigint {
  return value > most ? most : value < -most ? -most : value;
}
