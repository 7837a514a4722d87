/** Backtests in tests: a market like ETH's, bars from closes, and a script from its lines. */
import { Backtest, type BacktestResult } from '#agents/backtest/backtest.ts';
import type { BacktestMarket, BacktestTerms, TimedBar } from '#agents/backtest/backtest-terms.ts';
import { reviewOf, scriptOf } from '#agents/script/testing/script-runs.ts';
import { baseAtoms, bps } from '#units/money.ts';

export const SPAN_MS = 3_600_000;
export const START_EPOCH_MS = 1_750_000_000_000 - (1_750_000_000_000 % SPAN_MS);

export const MARKET: BacktestMarket = {
  marketId: 'ETH-USD-PERP',
  underlyingSymbol: 'ETH',
  priceScale: 2,
  quantityScale: 3,
  tickSizeAtoms: 1,
  tickLotAtoms: 10,
  minQuantityAtoms: baseAtoms(10),
  maxQuantityAtoms: baseAtoms(1_000_000),
};

export const TERMS: BacktestTerms = {
  market: MARKET,
  orderSizeAtoms: baseAtoms(1_000),
  feeBps: bps(5),
  slippageBps: bps(0),
  spanMs: SPAN_MS,
};

/** Hourly bars without a range. */
export function barsOf(closes: readonly number[]): TimedBar[] {
  return closes.map((close, index) => {
    const atoms = Math.round(close * 100);
    const openedAtEpochMs = START_EPOCH_MS + index * SPAN_MS;
    return { openedAtEpochMs, openAtoms: atoms, highAtoms: atoms, lowAtoms: atoms, closeAtoms: atoms, volumeAtoms: 1_000 };
  });
}

export function openBacktest(source: string, terms: BacktestTerms = TERMS): Backtest {
  const { program } = reviewOf(source);
  const opened = Backtest.open(
    program,
    program.parameters.map(({ default: value }) => (typeof value === 'boolean' ? Number(value) : value)),
    terms,
  );
  if ('refusals' in opened) throw new Error(JSON.stringify(opened.refusals));
  return opened.backtest;
}

/** Runs the lines of a script over closes. */
export function backtestOf(lines: string, closes: readonly number[], terms: BacktestTerms = TERMS): BacktestResult {
  const backtest = openBacktest(scriptOf(lines), terms);
  for (const bar of barsOf(closes)) backtest.onBar(bar);
  return backtest.result;
}
