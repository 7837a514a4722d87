/**
 * The ADL ranking: profitable positions by profit × leverage, highest first, then the others by loss ÷ leverage, lowest first.
 * Source: `PnL / entry × notional / equity`, the "ADL priority ranking" of Binance, BitMEX and CoinEx.
 */
import type { PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { exact, mulDivDown, ratioDown } from '#units/money.ts';
import type { Exposure } from './position-risk.ts';
import { positionEquityOf, tickValueOf, unrealizedPnlOf } from './position-risk.ts';

/** Scores are in millionths. Leverage is notional ÷ equity. */
const WHOLE = 1_000_000;
/** No profit reaches it. */
const MAX_PROFIT = 2 ** 52;
/** Funding may leave a short almost no entry, and a price fall almost no notional. */
const MAX_LOSS = 2 ** 52;
const QUINTILES = 5;

/** A position with its score, ready to be ranked. */
export interface AdlCandidate {
  readonly score: number;
  readonly ordinal: PositionOrdinal;
}

/**
 * The rank score of a position at a mark; the highest is deleveraged first. In profit: profit ÷ entry × leverage in
 * millionths, rounded down once, plus one, so that the smallest profit ranks before every loss. Otherwise: loss ÷ entry ÷ leverage in
 * millionths, rounded toward zero once, negative. Without equity the leverage is infinite, so the score is 0. One rounding makes positions
 * of different size with equal profit × leverage equal, so that their age decides.
 */
export function adlScoreOf(exposure: Exposure, markPrice: PriceAtoms, quoteAtomsPerTickLot: number): number {
  const pnl = unrealizedPnlOf(exposure, markPrice, quoteAtomsPerTickLot);
  const equity = positionEquityOf(exposure, markPrice, quoteAtomsPerTickLot);
  const notional = exact<QuoteAtoms>(markPrice * tickValueOf(exposure, quoteAtomsPerTickLot));
  const { entryNotionalAtoms } = exposure;
  if (pnl > 0) return ratioDown([pnl, notional, WHOLE], [equity, entryNotionalAtoms], MAX_PROFIT) + 1;
  if (equity <= 0) return 0;
  return 0 - ratioDown([0 - pnl, equity, WHOLE], [entryNotionalAtoms, notional], MAX_LOSS);
}

/** Orders candidates by descending score, equal scores by age of the episode. Ordinals are unique, so no two compare equal. */
export function compareByAdl(left: AdlCandidate, right: AdlCandidate): number {
  return right.score - left.score || left.ordinal - right.ordinal;
}

/** The quintile of the queue for the position at `rank` (from 1) of `count`: 5 is deleveraged first, 1 last. */
export function adlIndicatorOf(rank: number, count: number): number {
  return QUINTILES - mulDivDown(rank - 1, QUINTILES, count);
}
