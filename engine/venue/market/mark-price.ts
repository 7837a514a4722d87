/**
 * The mark price, which values positions: the median of the index, the averaged book and the averaged trades, limited to a band around the
 * index. While two of the three agree, the third cannot move it. Trading cannot move it beyond the band.
 */
import type { Bps, EpochMs, PriceAtoms } from '#units/money.ts';
import { mulDivDown, mulDivUp, WHOLE_BPS } from '#units/money.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { type MarkAverages, MICRO_TICKS } from './mark-averages.ts';
import type { MarketSpecification } from './specification.ts';

/** A last trade counts for this many times the maximum index age, because markets trade less often than they are quoted. */
const LAST_TRADE_AGES = 6;

export interface BookInputs {
  /** The accepted index price. */
  readonly indexPriceAtoms: PriceAtoms;
  /** The impact prices for selling and buying; `NO_PRICE` if that side of the book is too thin for the impact notional. */
  readonly impactBidAtoms: PriceAtoms;
  readonly impactAskAtoms: PriceAtoms;
}

export interface MarkInputs extends BookInputs {
  /** `NO_PRICE` before the first trade. */
  readonly lastPriceAtoms: PriceAtoms;
  readonly lastTradedAtEpochMs: EpochMs;
}

export type MarkLimits = Pick<MarketSpecification, 'markBandBps' | 'maxIndexAgeMs'>;

/** The mark price from the averages, in ticks, rounded toward the index. */
export function averagedMarkOf(
  index: PriceAtoms,
  averages: Pick<MarkAverages, 'bookMicroTicks' | 'weightedTrades'>,
  { markBandBps, impactNotionalAtoms }: Pick<MarketSpecification, 'markBandBps' | 'impactNotionalAtoms'>,
): PriceAtoms {
  const distance = medianOf(0, averages.bookMicroTicks, averages.weightedTrades(impactNotionalAtoms));
  const ticks = mulDivDown(Math.abs(distance), 1, MICRO_TICKS);
  return withinBand(distance < 0 ? index - ticks : index + ticks, index, markBandBps);
}

/**
 * The mark price by the rules up to version 3, which took book and last trade as they were at the moment of the price. The index replaces a
 * book with a thin side and a trade that is too old.
 */
export function momentaryMarkOf(inputs: MarkInputs, now: EpochMs, { markBandBps, maxIndexAgeMs }: MarkLimits): PriceAtoms {
  const { indexPriceAtoms: index, lastPriceAtoms, lastTradedAtEpochMs } = inputs;
  const isTraded = lastPriceAtoms !== NO_PRICE && now - lastTradedAtEpochMs <= maxIndexAgeMs * LAST_TRADE_AGES;
  return withinBand(medianOf(index, bookPriceOf(inputs), isTraded ? lastPriceAtoms : index), index, markBandBps);
}

function withinBand(price: number, index: PriceAtoms, markBandBps: Bps): PriceAtoms {
  // Rounds toward the index, so that the mark stays within the band.
  const lowest = mulDivUp(index, WHOLE_BPS - markBandBps, WHOLE_BPS);
  const highest = mulDivDown(index, WHOLE_BPS + markBandBps, WHOLE_BPS);
  return Math.max(lowest, Math.min(highest, price)) as PriceAtoms;
}

/**
 * The middle of the impact prices, rounded to a tick toward the index. It does not use the best prices, because one lot on each side
 * could set them.
 */
export function bookPriceOf({ indexPriceAtoms, impactBidAtoms, impactAskAtoms }: BookInputs): PriceAtoms {
  if (impactBidAtoms === NO_PRICE || impactAskAtoms === NO_PRICE) return indexPriceAtoms;
  const sum = impactBidAtoms + impactAskAtoms;
  return (sum >= indexPriceAtoms * 2 ? mulDivDown(sum, 1, 2) : mulDivUp(sum, 1, 2)) as PriceAtoms;
}

function medianOf(first: number, second: number, third: number): number {
  return Math.max(Math.min(first, second), Math.min(Math.max(first, second), third));
}
