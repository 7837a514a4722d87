/**
 * The expected rate of the current funding period: the average premium of the auditor's own book over the index, sampled at price
 * updates. The rate is 0 if prices cover less than half of the period.
 */
import type { MarketStatus } from '#venue/market/specification.ts';
import type { Listing } from './listing.ts';
import type { Impact, Quotes } from './mark-rules.ts';
import { impactFor } from './mark-rules.ts';

const WHOLE_PPB = 1_000_000_000n;
const PPB_OF_BPS = 100_000n;
/** A gap counts up to half of the index, a sample up to the band of the mark. */
const MAX_SAMPLE_PPB = WHOLE_PPB / 2n;
/** A premium within 0.05 % of the interest results in the interest rate. */
const INTEREST_CLAMP_PPB = 500_000n;

/** A current index price, and the book when it came. */
export interface PriceUpdate {
  readonly epochMs: number;
  readonly index: number;
  readonly quotes: Quotes;
  readonly status: MarketStatus;
  /** The market's first price. */
  readonly isFirst: boolean;
}

export class FundingForecast {
  readonly #listing: Listing;
  #premiumSum = 0n;
  #samples = 0;
  #sampledAt = 0;
  /** The intervals of uninterrupted prices. The last one is still growing. */
  readonly #intervals: { readonly from: number; until: number }[] = [];
  #isInterrupted = true;

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  /** The index is no longer current, or the status changed. The next update samples no premium, because its book is older. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  update({ epochMs, index, quotes, status, isFirst }: PriceUpdate): void {
    const maySample = !this.#isInterrupted || isFirst;
    const last = this.#intervals.at(-1);
    if (this.#isInterrupted || last === undefined) this.#intervals.push({ from: epochMs, until: epochMs });
    else last.until = epochMs;
    this.#isInterrupted = false;
    if (!maySample || epochMs - this.#sampledAt < this.#listing.specification.premiumSampleMs) return;
    this.#sampledAt = epochMs;
    this.#premiumSum += this.#premium(index, quotes, status);
    this.#samples += 1;
  }

  /** The rate of the period that ends at `endsAt`, assuming that the rest of it resembles the samples. */
  rate(epochMs: number, endsAt: number): number {
    const { fundingPeriodMs, fundingInterestPpb, fundingCapPpb } = this.#listing.specification;
    const startsAt = endsAt - fundingPeriodMs;
    let watchedMs = Math.max(0, endsAt - epochMs);
    for (const { from, until } of this.#intervals) watchedMs += Math.max(0, Math.min(until, endsAt) - Math.max(from, startsAt));
    if (watchedMs * 2 < fundingPeriodMs || this.#samples === 0) return 0;
    const premium = this.#premiumSum / BigInt(this.#samples);
    const rate = premium + clamp(BigInt(fundingInterestPpb) - premium, INTEREST_CLAMP_PPB);
    return Number(clamp(rate, BigInt(fundingCapPpb)));
  }

  /** The period has ended. */
  end(): void {
    this.#premiumSum = 0n;
    this.#samples = 0;
    this.#intervals.splice(0, this.#intervals.length - 1);
  }

  #premium(index: number, { bids, asks }: Quotes, status: MarketStatus): bigint {
    const notional = (impact: Impact) => impact.base * BigInt(index * this.#listing.tickLot);
    const share = (gap: bigint, of: bigint) => (gap * 2n >= of ? MAX_SAMPLE_PPB : (gap * WHOLE_PPB) / of);
    const sold = impactFor(bids, status, this.#listing);
    const bought = impactFor(asks, status, this.#listing);
    let premium = 0n;
    if (sold !== undefined && sold.notional > notional(sold)) premium += share(sold.notional - notional(sold), notional(sold));
    if (bought !== undefined && bought.notional < notional(bought))
      premium -= share(notional(bought) - bought.notional, notional(bought));
    return clamp(premium, BigInt(this.#listing.specification.markBandBps) * PPB_OF_BPS);
  }
}

function clamp(value: bigint, limit: bigint): bigint {
  return value > limit ? limit : value < -limit ? -limit : value;
}
