/** A backtest fills, counts and ends as its page says, and equals a naive backtest over generated and real candles. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STRATEGY_CATALOGUE } from '#agents/catalogue/catalogue.ts';
import { openRun as openCatalogueRun, walkedBars } from '#agents/catalogue/testing/script-run.ts';
import { barsOfColumns, MONTHS, readMonth } from '#agents/indicators/testing/candle-columns.ts';
import { scriptOf } from '#agents/script/testing/script-runs.ts';
import { baseAtoms, bps, quoteAtoms } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import { fillFee } from '#venue/order/reservation.ts';
import { reportOf } from './backtest-report.ts';
import type { TimedBar } from './backtest-terms.ts';
import { fillAtClose } from './fill.ts';
import { backtestOf, barsOf, MARKET, openBacktest, SPAN_MS, START_EPOCH_MS, TERMS } from './testing/backtests.ts';
import { naiveBacktest } from './testing/naive-ledger.ts';
import { timeframeBars } from './timeframe-bars.ts';

const closeOf = (bar: number) => START_EPOCH_MS + (bar + 1) * SPAN_MS;
const USD = 1_000_000;

const SWING = `
if close > 110
    strategy.entry("Long", strategy.long)
if close < 100
    strategy.entry("Short", strategy.short)
if close == 105
    strategy.close_all()`;

describe('fills', () => {
  test('fills at the close of the bar, reverses by closing first, and values the open position at the last close', () => {
    const { trades, ledger, equity, buyAndHold, slippageAtoms } = backtestOf(SWING, [100, 120, 130, 90, 80, 105, 115, 118]);
    expect(trades).toEqual([
      expect.objectContaining({
        direction: 'long',
        entryId: 'Long',
        openedAtEpochMs: closeOf(1),
        closedAtEpochMs: closeOf(3),
        entryPriceAtoms: 12_000,
        exitPriceAtoms: 9_000,
        cause: 'reversal',
        feesAtoms: 0.105 * USD,
        pnlAtoms: -30.105 * USD,
      }),
      expect.objectContaining({ direction: 'short', cause: 'close_all', exitPriceAtoms: 10_500, pnlAtoms: -15.0975 * USD }),
      expect.objectContaining({ direction: 'long', closedAtEpochMs: null, cause: null, pnlAtoms: 2.9425 * USD }),
    ]);
    expect(ledger).toMatchObject({ positionBaseAtoms: 1_000, fillCount: 5 });
    expect(equity.lastAtoms).toBe(trades.reduce((sum, { pnlAtoms }) => sum + pnlAtoms, 0));
    expect(equity.drawdown).toMatchObject({ peakIndex: 2, lowIndex: 6 });
    expect(equity.barsInPosition).toBe(6);
    expect(slippageAtoms).toBe(0);
    expect(buyAndHold.equity.lastAtoms).toBe(17.95 * USD);
  });

  test('counts a trade as winning above zero only', () => {
    const terms = { ...TERMS, feeBps: bps(0) };
    const even = backtestOf('strategy.entry("L", strategy.long)\nif bar_index == 1\n    strategy.close_all()', [100, 100], terms);
    expect(even.trades[0]).toMatchObject({ pnlAtoms: 0 });
    const script = { strategyId: null, title: '', sha256: '', interpreterVersion: '' };
    const inputs = { script, parameters: {}, timeframe: '1h', bars: barsOf([100, 100]), warmUpBars: 0, missingBars: 0 };
    expect(reportOf(even, inputs, terms).summary).toMatchObject({ closedTrades: 1, winningTrades: 0, winRatePercent: '0' });
  });

  test('moves the price against the order by the slippage, rounded up to the tick', () => {
    const terms = { ...TERMS, slippageBps: bps(7) };
    const fillOf = (side: 'buy' | 'sell', close: number) => fillAtClose(terms, side, baseAtoms(1_000), close);
    expect(fillOf('buy', 10_000)).toMatchObject({ priceAtoms: 10_007, slippageAtoms: 70_000 });
    expect(fillOf('sell', 10_001)).toMatchObject({ priceAtoms: 9_993, slippageAtoms: 80_000 });
    expect(fillOf('sell', 1)).toMatchObject({ priceAtoms: 1, slippageAtoms: 0 });
  });

  test('rounds the fee as the venue rounds that of a real fill', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.nat(1_000),
        (close, lots, rate) => {
          const { filledNotionalAtoms, feeAtoms } = fillAtClose({ ...TERMS, feeBps: bps(rate) }, 'buy', baseAtoms(lots), close);
          const market = { specification: { makerFeeBps: 0, takerFeeBps: rate } } as unknown as Market;
          expect(filledNotionalAtoms).toBe(close * lots * MARKET.tickLotAtoms);
          expect(feeAtoms).toBe(fillFee(market, quoteAtoms(filledNotionalAtoms), 'taker'));
        },
      ),
    );
  });

  test('refuses an entry outside of the quantities of the market, and closes the opposite position all the same', () => {
    const { trades, refusedEntries, ledger } = backtestOf(
      'if bar_index == 0\n    strategy.entry("Long", strategy.long)\nif bar_index == 1\n    strategy.entry("Short", strategy.short, qty = 0.009)',
      [100, 101, 102],
    );
    expect(trades).toEqual([expect.objectContaining({ closedAtEpochMs: closeOf(1), cause: 'reversal' })]);
    expect(refusedEntries).toEqual([{ entryId: 'Short', direction: 'short', quantityAtoms: 9, epochMs: closeOf(1) }]);
    expect(ledger.positionBaseAtoms).toBe(0);
  });
});

describe('the run', () => {
  test('shows the script bars before the first one without trading', () => {
    const source = scriptOf('if close > ta.sma(close, 3)\n    strategy.entry("Long", strategy.long)');
    const bars = barsOf([100, 101, 102, 103]);
    const backtest = openBacktest(source);
    for (const bar of bars.slice(0, 3)) backtest.warmUp(bar);
    expect(backtest.result).toMatchObject({ trades: [], ledger: { fillCount: 0 } });
    expect(backtest.onBar(bars[3]!)).toBe(true);
    expect(backtest.result.trades).toEqual([expect.objectContaining({ openedAtEpochMs: closeOf(3) })]);
    const withoutHistory = openBacktest(source);
    withoutHistory.onBar(bars[3]!);
    expect(withoutHistory.result.trades).toEqual([]);
  });

  test('ends with the run of the script, without the bar on which it ends', () => {
    const lines = 'if bar_index == 0\n    strategy.entry("Long", strategy.long)\nx = bar_index == 2 ? close[-1 * bar_index] : 0';
    const { end, equity, trades } = backtestOf(lines, [100, 101, 102, 103]);
    expect(end).toMatchObject({ reason: 'history', epochMs: closeOf(2) });
    expect(equity.points).toHaveLength(2);
    expect(trades).toEqual([expect.objectContaining({ closedAtEpochMs: null, pnlAtoms: 0.95 * USD })]);
  });

  test('ends before the sums leave the exact integers', () => {
    const market = { ...MARKET, tickLotAtoms: 1_000 };
    const terms = { ...TERMS, market, orderSizeAtoms: baseAtoms(1_000_000), feeBps: bps(1_000) };
    const lines = 'strategy.entry("Both", bar_index % 2 == 0 ? strategy.long : strategy.short)';
    const { end, ledger, equity } = backtestOf(lines, Array(100).fill(5_000), terms);
    expect(end).toMatchObject({ reason: 'paper_limit' });
    expect(Math.abs(ledger.cashQuoteAtoms) + ledger.feesQuoteAtoms).toBeGreaterThan(2 ** 51);
    expect(Number.isSafeInteger(equity.drawdown.amountAtoms)).toBe(true);
  });
});

const scripted = STRATEGY_CATALOGUE.strategies.flatMap(({ id, script }) => (script === null ? [] : [{ id, script }]));
const generated = walkedBars(7, 1_500).map(
  (bar, index): TimedBar => ({ ...bar, openedAtEpochMs: START_EPOCH_MS + index * SPAN_MS }),
);

/** Hours of a real month. The minutes are those of the file from its first whole hour on, without its holes. */
function hoursOf(month: string): readonly TimedBar[] {
  const minutes = barsOfColumns(readMonth(month)).map((bar, index) => ({
    ...bar,
    openedAtEpochMs: START_EPOCH_MS + index * 60_000,
  }));
  const built = timeframeBars(minutes, SPAN_MS);
  if ('fault' in built) throw new Error(built.fault);
  return built.bars;
}

test('has the scripts of the catalogue', () => {
  expect(scripted).toHaveLength(21);
});

describe.each([
  { name: 'generated candles', read: () => generated },
  ...MONTHS.map((month) => ({ name: month, read: () => hoursOf(month) })),
])('over $name', ({ read }) => {
  const bars = read();
  test.each(scripted)('$id equals a naive backtest', ({ script }) => {
    const terms = { ...TERMS, slippageBps: bps(3) };
    const backtest = openBacktest(script, terms);
    for (const bar of bars) expect(backtest.onBar(bar)).toBe(true);
    const { equity, ledger, trades, end } = backtest.result;
    const naive = naiveBacktest(openCatalogueRun(script), bars, terms);
    expect(end).toBeNull();
    expect(equity.points.map(BigInt)).toEqual(naive.equity);
    expect(BigInt(equity.drawdown.amountAtoms)).toBe(naive.maxDrawdown);
    expect(BigInt(ledger.feesQuoteAtoms)).toBe(naive.fees);
    expect(ledger.fillCount).toBe(naive.fills.length);
    const closed = trades.filter(({ cause }) => cause !== null);
    expect(closed).toHaveLength(naive.closedTrades);
    expect(closed.filter(({ pnlAtoms }) => pnlAtoms > 0)).toHaveLength(naive.winningTrades);
    expect(trades.reduce((sum, { pnlAtoms }) => sum + pnlAtoms, 0)).toBe(equity.lastAtoms);
  });
});
