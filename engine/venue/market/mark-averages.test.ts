import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BTC, SCENARIO_MARKET, Scenario } from '#simulation/scenario.ts';
import type { BaseAtoms, Bps, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { only } from '#venue/testing/outcome.ts';
import { MAX_TRADED_ATOMS, MarkAverages, MICRO_TICKS } from './mark-averages.ts';
import { averagedMarkOf } from './mark-price.ts';

const TICK_LOT = 1;
const INDEX = 10_000;
const BAND = 50;
const MARKET = { ...SCENARIO_MARKET, markBandBps: BAND as Bps, impactNotionalAtoms: 1_000_000 as QuoteAtoms };
const START = 1_700_000_000_000;

/** Averages that have seen a book at the index at `START`. */
function started(): MarkAverages {
  const averages = new MarkAverages();
  observe(averages, START, INDEX);
  return averages;
}

function observe(averages: MarkAverages, now: number, book: number, index = INDEX, previous = index): void {
  const observation = { indexPriceAtoms: index, bookPriceAtoms: book, previousIndexAtoms: previous } as never;
  averages.observe(observation, now as EpochMs, TICK_LOT, MARKET);
}

function trade(averages: MarkAverages, price: number, lots: number): void {
  averages.trade((price * lots * TICK_LOT) as QuoteAtoms, lots as BaseAtoms);
}

const markOf = (averages: MarkAverages, index = INDEX) => averagedMarkOf(index as PriceAtoms, averages, MARKET);

describe('the book', () => {
  test('counts by the time that it is quoted: a second is a part in 31', () => {
    const averages = started();
    observe(averages, START + 1_000, INDEX + 31);
    expect(averages.bookMicroTicks).toBe(1_000_000);
    // 1,000,000 × 30 ÷ 31 and 1,000,000, each rounded down.
    observe(averages, START + 2_000, INDEX + 31);
    expect(averages.bookMicroTicks).toBe(967_741 + 1_000_000);
  });

  test('rounds toward the index on both sides', () => {
    const averages = started();
    observe(averages, START + 1_000, INDEX - 31);
    observe(averages, START + 2_000, INDEX - 31);
    expect(averages.bookMicroTicks).toBe(-967_741 - 1_000_000);
  });

  test('counts within the band only', () => {
    const averages = started();
    observe(averages, START + 1_000, INDEX + 5_000);
    expect(averages.bookMicroTicks).toBe(Math.floor((BAND * MICRO_TICKS) / 31));
  });

  test('counts for at most five seconds of a gap, and the gap as a book at the index', () => {
    const averages = started();
    observe(averages, START + 30_000, INDEX + 12);
    expect(averages.bookMicroTicks).toBe(12_000_000 / 12);
    observe(averages, START + 3_600_000 * 1_000, INDEX + 12);
    expect(averages.bookMicroTicks).toBeLessThan(30);
  });

  test('returns toward the index when a side is too thin', () => {
    const averages = started();
    for (let second = 1; second <= 300; second += 1) observe(averages, START + second * 1_000, INDEX + 20);
    expect(averages.bookMicroTicks).toBeGreaterThan(19_900_000);
    for (let second = 301; second <= 330; second += 1) observe(averages, START + second * 1_000, INDEX);
    expect(averages.bookMicroTicks).toBeLessThan(7_600_000);
  });
});

describe('trades', () => {
  test('count by size, against the impact notional at the index', () => {
    const averages = started();
    // 1,002,000 atoms of notional, 20 ticks above the index.
    trade(averages, INDEX + 20, 100);
    observe(averages, START + 1_000, INDEX);
    expect(averages.tradeMicroTicks).toBe(20_000_000);
    expect(averages.tradedAtoms).toBe(1_002_000);
    expect(averages.weightedTrades(MARKET.impactNotionalAtoms)).toBe(Math.floor((20_000_000 * 1_002_000) / 2_002_000));
  });

  test('of one minimum lot have next to no weight', () => {
    const averages = started();
    trade(averages, INDEX + 50, 1);
    observe(averages, START + 1_000, INDEX + 50);
    expect(averages.weightedTrades(4_000_000_000 as QuoteAtoms)).toBeLessThan(150);
    expect(markOf(averages)).toBe(INDEX);
  });

  test('lose weight with time', () => {
    const averages = started();
    trade(averages, INDEX + 20, 100);
    observe(averages, START + 1_000, INDEX);
    observe(averages, START + 31_000, INDEX);
    expect(averages.tradedAtoms).toBe(501_000);
    expect(averages.tradeMicroTicks).toBe(20_000_000);
  });

  test('average by size', () => {
    const averages = started();
    trade(averages, INDEX + 30, 100);
    trade(averages, INDEX, 200);
    observe(averages, START + 1_000, INDEX);
    expect(averages.tradeMicroTicks).toBe(10_000_000);
    trade(averages, INDEX - 10, 300);
    observe(averages, START + 1_000, INDEX);
    // (10 × 3,003,000 − 10 × 2,997,000) ÷ 6,000,000, each part rounded toward the index.
    expect(averages.tradeMicroTicks).toBe(5_005_000 - 4_995_000);
  });

  test('are compared with the index of their time, and do not count while it is not current', () => {
    const averages = started();
    trade(averages, INDEX + 20, 100);
    observe(averages, START + 1_000, INDEX, INDEX + 500, INDEX);
    expect(averages.tradeMicroTicks).toBe(20_000_000);
    trade(averages, INDEX - 40, 100_000);
    observe(averages, START + 2_000, INDEX, INDEX, 0);
    expect(averages.tradeMicroTicks).toBe(20_000_000);
    expect(averages.newBaseAtoms).toBe(0);
  });

  test('for more than 2.2 billion between two prices do not count', () => {
    const averages = started();
    averages.trade((MAX_TRADED_ATOMS + 1) as QuoteAtoms, 1_000_000 as BaseAtoms);
    averages.trade(1_000 as QuoteAtoms, 1 as BaseAtoms);
    expect([averages.newTradedAtoms, averages.newBaseAtoms]).toEqual([MAX_TRADED_ATOMS + 1, 1_000_000]);
  });
});

describe('the mark', () => {
  const distances = fc.record({ book: fc.integer({ min: -80, max: 80 }), trades: fc.integer({ min: -80, max: 80 }) });

  test('is the median of index, book and trades, within the band', () => {
    fc.assert(
      fc.property(distances, ({ book, trades }) => {
        const averages = { bookMicroTicks: book * MICRO_TICKS, weightedTrades: () => trades * MICRO_TICKS };
        const [, median] = [0, book, trades].sort((one, other) => one - other);
        expect(averagedMarkOf(INDEX as PriceAtoms, averages, MARKET)).toBe(INDEX + Math.max(-50, Math.min(50, median!)));
      }),
    );
  });

  test('rounds toward the index', () => {
    const at = (micro: number) =>
      averagedMarkOf(INDEX as PriceAtoms, { bookMicroTicks: micro, weightedTrades: () => micro }, MARKET);
    expect([at(1_999_999), at(-1_999_999), at(-999_999)]).toEqual([INDEX + 1, INDEX - 1, INDEX]);
  });
});

test('only trades of clients count, not what a liquidation closes', () => {
  const scenario = Scenario.withAccounts(3);
  const { averages } = scenario.venue.state.market(BTC)!;
  scenario.limit(2, 'sell', 10_000, 100, { leverageX: 20 });
  scenario.limit(1, 'buy', 10_000, 100, { leverageX: 20 });
  expect(scenario.venue.state.market(BTC)!.averages).toMatchObject({ newTradedAtoms: 10_000 * 100 * 100, newBaseAtoms: 100 });
  scenario.price(10_000);
  scenario.limit(3, 'buy', 9_740, 100, { leverageX: 2 });
  expect(only(scenario.price(9_740), 'TradeExecuted')).toMatchObject([{ origin: 'liquidation', quantityAtoms: 100 }]);
  expect(averages.newBaseAtoms).toBe(0);
});
