/**
 * The mark: what positions are valued at. The median of index, book and last trade, held to a band around the index: no
 * single one of the three moves it while the other two agree, and all that trading can do to it ends at the band.
 */
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import { mulDivDown, mulDivUp, WHOLE_BPS } from '#units/money.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { MarketSpecification } from './specification.ts';

/** A last trade counts for this many times as long as an index price does: markets trade less often than they are quoted. */
const LAST_TRADE_AGES = 6;

export interface MarkInputs {
  /** The index price that holds. */
  readonly indexPriceAtoms: PriceAtoms;
  /** At what price the impact notional is sold and bought; `NO_PRICE` where that side of the book is too thin for it. */
  readonly impactBidAtoms: PriceAtoms;
  readonly impactAskAtoms: PriceAtoms;
  /** `NO_PRICE` before the first trade. */
  readonly lastPriceAtoms: PriceAtoms;
  readonly lastTradedAtEpochMs: EpochMs;
}

export type MarkLimits = Pick<MarketSpecification, 'markBandBps' | 'maxIndexAgeMs'>;

/** The mark at the time `now`, in ticks. A book with a thin side, and a trade that is long past, say what the index says. */
export function markPriceOf(inputs: MarkInputs, now: EpochMs, { markBandBps, maxIndexAgeMs }: MarkLimits): PriceAtoms {
  const { indexPriceAtoms: index, lastPriceAtoms, lastTradedAtEpochMs } = inputs;
  const isTraded = lastPriceAtoms !== NO_PRICE && now - lastTradedAtEpochMs <= maxIndexAgeMs * LAST_TRADE_AGES;
  const median = medianOf(index, bookPriceOf(inputs), isTraded ? lastPriceAtoms : index);
  // Rounded toward the index, so that the mark is never outside of the band.
  const lowest = mulDivUp(index, WHOLE_BPS - markBandBps, WHOLE_BPS);
  const highest = mulDivDown(index, WHOLE_BPS + markBandBps, WHOLE_BPS);
  return Math.max(lowest, Math.min(highest, median)) as PriceAtoms;
}

/**
 * The middle of the impact prices; between two ticks it is the one nearer to the index. Not of the best prices, which one lot
 * on each side could set.
 */
function bookPriceOf({ indexPriceAtoms, impactBidAtoms, impactAskAtoms }: MarkInputs): number {
  if (impactBidAtoms === NO_PRICE || impactAskAtoms === NO_PRICE) return indexPriceAtoms;
  const sum = impactBidAtoms + impactAskAtoms;
  return sum >= indexPriceAtoms * 2 ? mulDivDown(sum, 1, 2) : mulDivUp(sum, 1, 2);
}

function medianOf(first: number, second: number, third: number): number {
  return Math.max(Math.min(first, second), Math.min(Math.max(first, second), third));
}
