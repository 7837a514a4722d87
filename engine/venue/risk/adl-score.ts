/**
 * Who is deleveraged first: positions in profit by profit times leverage, then those without by loss over leverage. The
 * ranking of the larger venues: `PnL / entry × notional / equity` (Binance, BitMEX, CoinEx: "ADL priority ranking").
 */
import type { PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { exact, mulDivDown } from '#units/money.ts';
import { MAX_PRICE_TICKS } from '#venue/market/specification.ts';
import type { Exposure } from './position-risk.ts';
import { positionEquityOf, tickValueOf, unrealizedPnlOf } from './position-risk.ts';

/** Scores count millionths: of a position's entry, gained for each one of leverage. */
const WHOLE = 1_000_000;
const MAX_LOSS = 2 ** 52;
const QUINTILES = 5;

/** A position with its score, ready to be ranked. */
export interface AdlCandidate {
  readonly score: number;
  readonly ordinal: PositionOrdinal;
}

/**
 * What a position is ranked by at a mark, the highest first. In profit: leveraged profit over entry in millionths,
 * rounded down, plus one, so that the smallest profit still comes before every loss. Otherwise: loss divided by leverage,
 * rounded toward zero, as a negative number. A position without equity has all leverage there is: its loss counts as 0.
 */
export function adlScoreOf(exposure: Exposure, markPrice: PriceAtoms, quoteAtomsPerTickLot: number): number {
  const pnl = unrealizedPnlOf(exposure, markPrice, quoteAtomsPerTickLot);
  const equity = positionEquityOf(exposure, markPrice, quoteAtomsPerTickLot);
  const notional = exact<QuoteAtoms>(markPrice * tickValueOf(exposure, quoteAtomsPerTickLot));
  const { entryNotionalAtoms } = exposure;
  if (pnl > 0) return mulDivDown(mulDivDown(pnl as number, notional, equity), WHOLE, entryNotionalAtoms) + 1;
  if (equity <= 0) return 0;
  // Held to what numbers can say: funding may leave a short with nearly no entry, and a fall next to nothing to hold.
  const loss = mulDivDown(Math.min(0 - pnl, entryNotionalAtoms * MAX_PRICE_TICKS), WHOLE, entryNotionalAtoms);
  return 0 - (loss * equity >= MAX_LOSS * notional ? MAX_LOSS : mulDivDown(loss, equity, notional));
}

/** Sorts those first who are deleveraged first; of equal scores the older episode. No two positions are equal. */
export function compareByAdl(left: AdlCandidate, right: AdlCandidate): number {
  return right.score - left.score || left.ordinal - right.ordinal;
}

/** The fifth of the queue that the position at `rank` (from 1) of `count` is in: 5 is the first in line, 1 the last. */
export function adlIndicatorOf(rank: number, count: number): number {
  return QUINTILES - mulDivDown(rank - 1, QUINTILES, count);
}
