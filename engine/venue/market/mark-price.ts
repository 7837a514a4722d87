/**
 * The mark price, which values positions: the median of index, book and last trade, limited to a band around the index. While two
 * of the three agree, the third cannot move it. Trading cannot move it beyond the band.
 */
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import { mulDivDown, mulDivUp, WHOLE_BPS } from '#units/money.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { MarketSpecification } from './specification.ts';

/** A last trade counts for this many times the maximum index age, because markets trade less often than they are quoted. */
const LAST_TRADE_AGES = 6;

export interface MarkInputs {
  /** The accepted index price. */
  readonly indexPriceAtoms: PriceAtoms;
  /** The impact prices for selling and buying; `NO_PRICE` if that side of the book is too thin for the impact notional. */
  readonly impactBidAtoms: PriceAtoms;
  readonly impactAskAtoms: PriceAtoms;
  /** `NO_PRICE` before the first trade. */
  readonly lastPriceAtoms: PriceAtoms;
  readonly lastTradedAtEpochMs: EpochMs;
}

export type MarkLimits = Pick<MarketSpecification, 'markBandBps' | 'maxIndexAgeMs'>;

/** The mark price at the time `now`, in ticks. The index replaces a book with a thin side and a trade that is too old. */
export function markPriceOf(inputs: MarkInputs, now: EpochMs, { markBandBps, maxIndexAgeMs }: MarkLimits): PriceAtoms {
  const { indexPriceAtoms: index, lastPriceAtoms, lastTradedAtEpochMs } = inputs;
  const isTraded = lastPriceAtoms !== NO_PRICE && now - lastTradedAtEpochMs <= maxIndexAgeMs * LAST_TRADE_AGES;
  const median = medianOf(index, bookPriceOf(inputs), isTraded ? lastPriceAtoms : index);
  // Rounds toward the index, so that the mark stays within the band.
  const lowest = mulDivUp(index, WHOLE_BPS - markBandBps, WHOLE_BPS);
  const highest = mulDivDown(index, WHOLE_BPS + markBandBps, WHOLE_BPS);
  return Math.max(lowest, Math.min(highest, median)) as PriceAtoms;
}

/**
 * The middle of the impact prices, rounded to a tick toward the index. It does not use the best prices, because one lot on each side
 * could set them.
 */
function bookPriceOf({ indexPriceAtoms, impactBidAtoms, impactAskAtoms }: MarkInputs): number {
  if (impactBidAtoms === NO_PRICE || impactAskAtoms === NO_PRICE) return indexPriceAtoms;
  const sum = impactBidAtoms + impactAskAtoms;
  return sum >= indexPriceAtoms * 2 ? mulDivDown(sum, 1, 2) : mulDivUp(sum, 1, 2);
}

function medianOf(first: number, second: number, third: number): number {
  return Math.max(Math.min(first, second), Math.min(Math.max(first, second), third));
}
