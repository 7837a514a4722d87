import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { cancelsOf, holdingsOf, only, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET, snapshotScenario } from '#venue/testing/venues.ts';

/** One BTC. At 1,000.0 it needs 50 USD.E of margin; a tick of 0.1 moves it by 0.1 USD.E. */
const UNIT = 1_000;

/** Account 1 offers a BTC at 1,000.0 without a position; then the mark price moves. */
function sellingAt(mark: number): Scenario {
  const scenario = snapshotScenario(3);
  scenario.limit(1, 'sell', 10_000, UNIT);
  scenario.price(mark);
  return scenario;
}

test('fills an opening order behind the mark while its margin covers the maintenance margin, and cancels it one tick further', () => {
  // A short from 1,000.0 has 50 − 24.3 = 25.7 left at 1,024.3 and needs 25.6075; at 1,024.4 it has 25.6 and needs 25.61.
  const filled = sellingAt(10_243);
  expect(tradesOf(filled.limit(2, 'buy', 10_000, UNIT))).toEqual([[10_000, UNIT]]);
  expect(holdingsOf(filled.venue.state, 1)).toMatchObject({ base: -UNIT, margin: 50_000_000, reserved: 0 });

  const unbacked = sellingAt(10_244);
  const events = unbacked.limit(2, 'buy', 10_000, UNIT);
  // The incoming order cancels it: the event follows its acceptance and precedes everything else.
  expect(typesOf(events)).toEqual(['OrderAccepted', 'OrderCancelled', 'OrderRested']);
  expect(only(events, 'OrderCancelled')).toMatchObject([
    { order: 1, account: 1, reason: 'margin_unbacked', wasResting: true, remainingAtoms: UNIT, accountReservedAtoms: 0 },
  ]);
});

test('fills an order that is backed again after the mark has returned', () => {
  const scenario = sellingAt(10_900);
  scenario.price(10_100);
  expect(tradesOf(scenario.market(2, 'buy', UNIT))).toEqual([[10_000, UNIT]]);
});

test('applies the same check to bids, and lets an order with more margin be further behind the mark', () => {
  const bidding = (mark: number, leverageX: number) => {
    const scenario = snapshotScenario(2);
    scenario.limit(1, 'buy', 10_000, UNIT, { leverageX });
    scenario.price(mark);
    return cancelsOf(scenario.limit(2, 'sell', 10_000, UNIT));
  };
  // 50 − 25.6 = 24.4 for 24.36 at 974.4; 24.3 for 24.3575 at 974.3.
  expect(bidding(9_744, 20)).toEqual([]);
  expect(bidding(9_743, 20)).toEqual([[1, 'margin_unbacked']]);
  // With a margin of 100: 100 − 76.9 = 23.1 for 23.0775 at 923.1; 23 for 23.075 at 923.0.
  expect(bidding(9_231, 10)).toEqual([]);
  expect(bidding(9_230, 10)).toEqual([[1, 'margin_unbacked']]);
});

test('accepts margin that equals the maintenance margin', () => {
  const requestedAt = (mark: number) => {
    const scenario = snapshotScenario(2);
    scenario.limit(1, 'sell', 10_250, UNIT);
    scenario.price(mark);
    return cancelsOf(scenario.limit(2, 'buy', 10_250, UNIT));
  };
  // At 1,050.0 a short from 1,025.0 has 51.25 − 25 = 26.25 left: 2.5 % of 1,050.
  expect(requestedAt(10_500)).toEqual([]);
  expect(requestedAt(10_501)).toEqual([[1, 'margin_unbacked']]);
});

test('fills a closing order behind the mark down to the price that still pays the fee, and cancels it one tick further', () => {
  const closingAt = (price: number) => {
    const scenario = snapshotScenario(3);
    scenario.limit(3, 'sell', 10_000, UNIT, { leverageX: 2 });
    scenario.market(1, 'buy', UNIT);
    scenario.limit(1, 'sell', price, UNIT);
    return { scenario, events: scenario.limit(2, 'buy', price, UNIT) };
  };
  // A margin of 50 is used up at 950.0. 950.5 leaves 0.5, enough for a fee of 5 bps; 950.4 leaves 0.4, which is too little.
  const { scenario, events } = closingAt(9_505);
  expect(tradesOf(events)).toEqual([[9_505, UNIT]]);
  expect(holdingsOf(scenario.venue.state, 1).cash).toBe(10_000_000_000 - 500_000 - 49_500_000 - 190_100);
  expect(cancelsOf(closingAt(9_504).events)).toEqual([[3, 'margin_unbacked']]);
});

test('cancels a closing order whose price would leave a position that waits for liquidation with negative equity', () => {
  const closingAt = (price: number) => {
    const scenario = snapshotScenario(3, { ...SMALL_MARKET, autoDeleveraging: false });
    scenario.limit(3, 'sell', 10_000, UNIT, { leverageX: 2 });
    scenario.market(1, 'buy', UNIT);
    // The book is empty, so the position waits. Its owner may still close it, at 950.5 or better.
    scenario.price(9_500);
    scenario.limit(1, 'sell', price, UNIT, { reduceOnly: true });
    return scenario.limit(2, 'buy', price, UNIT);
  };
  expect(tradesOf(closingAt(9_505))).toEqual([[9_505, UNIT]]);
  expect(tradesOf(closingAt(9_504))).toEqual([]);
  expect(cancelsOf(closingAt(9_504))).toEqual([[4, 'margin_unbacked']]);
});

/** Account 1 is long a BTC from 1,000.0 and offers it; then the mark price rises by 9 %. */
function longThatOffers(...offers: (readonly [price: number, quantity: number, reduceOnly?: boolean])[]): Scenario {
  const scenario = snapshotScenario(3);
  scenario.limit(3, 'sell', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, 'buy', UNIT);
  for (const [price, quantity, reduceOnly = false] of offers) scenario.limit(1, 'sell', price, quantity, { reduceOnly });
  scenario.price(10_900);
  return scenario;
}

test('requires backing for the opening part of an order that closes and opens', () => {
  expect(tradesOf(longThatOffers([10_010, UNIT]).market(2, 'buy', UNIT))).toEqual([[10_010, UNIT]]);
  const flip = longThatOffers([10_010, 2 * UNIT]);
  expect(cancelsOf(flip.limit(2, 'buy', 10_010, UNIT))).toEqual([[3, 'margin_unbacked']]);
});

test('requires backing for an order if orders ahead of it close the position', () => {
  const events = longThatOffers([10_020, UNIT], [10_010, UNIT]).limit(2, 'buy', 10_020, 2 * UNIT);
  expect(tradesOf(events)).toEqual([[10_010, UNIT]]);
  expect(cancelsOf(events)).toEqual([[3, 'margin_unbacked']]);
  // At one price the older order closes.
  const queued = longThatOffers([10_010, UNIT], [10_010, UNIT]).limit(2, 'buy', 10_010, 2 * UNIT);
  expect(cancelsOf(queued)).toEqual([[4, 'margin_unbacked']]);
  // Orders that are met later or are on the other side do not reduce what it can close.
  const halves = longThatOffers([10_010, 400], [10_020, 600]);
  halves.limit(1, 'buy', 9_900, UNIT);
  expect(tradesOf(halves.limit(2, 'buy', 10_020, UNIT))).toEqual([
    [10_010, 400],
    [10_020, 600],
  ]);
});

test('requires no backing for what a reduce-only order cannot close any more', () => {
  // The order ahead of it closes the position. An order that may open would be cancelled as `margin_unbacked`.
  const events = longThatOffers([10_010, UNIT], [10_020, UNIT, true]).limit(2, 'buy', 10_020, 3 * UNIT);
  expect(tradesOf(events)).toEqual([[10_010, UNIT]]);
  expect(cancelsOf(events)).toEqual([[4, 'reduce_only']]);
});

test("cancels an unbacked order as a self-trade when its owner's order meets it", () => {
  const scenario = sellingAt(10_900);
  expect(holdingsOf(scenario.venue.state, 1).reserved).toBe(50_500_000);
  expect(cancelsOf(scenario.limit(1, 'buy', 10_000, UNIT))).toEqual([[1, 'self_trade']]);
});

test('cancels an unbacked order and rests the post-only order that meets it', () => {
  const scenario = sellingAt(10_900);
  const events = scenario.limit(2, 'buy', 10_000, UNIT, { postOnly: true });
  expect(typesOf(events)).toEqual(['OrderAccepted', 'OrderCancelled', 'OrderRested']);
  expect(cancelsOf(events)).toEqual([[1, 'margin_unbacked']]);
  // A backed order behind it is still met.
  const backed = sellingAt(10_900);
  backed.limit(3, 'sell', 10_900, UNIT, { leverageX: 1 });
  expect(backed.limit(2, 'buy', 10_900, UNIT, { postOnly: true })).toMatchObject([{ code: 'post_only_would_cross' }]);
  expect(cancelsOf(backed.limit(2, 'buy', 10_899, UNIT, { postOnly: true }))).toEqual([[1, 'margin_unbacked']]);
});

test('opens no position behind the mark that is due for liquidation at the mark', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('buy' as const, 'sell' as const),
      fc.integer({ min: -1_200, max: 1_200 }),
      fc.integer({ min: -1_500, max: 1_500 }),
      fc.constantFrom(0, 20, 11, 5),
      fc.integer({ min: 1, max: 60_000 }),
      (side, from, move, leverageX, quantity) => {
        const scenario = quickScenario(2);
        scenario.price(10_000 + from);
        scenario.limit(1, side, 10_000, quantity, { leverageX });
        scenario.price(10_000 + from + move);
        const events = scenario.limit(2, side === 'buy' ? 'sell' : 'buy', 10_000, quantity, { leverageX });
        const { positions, markPriceAtoms } = scenario.venue.state.markets[1]!;
        if (tradesOf(events).length === 0) expect(positions.count).toBe(0);
        expect(positions.nextDistressed(markPriceAtoms)).toBeUndefined();
      },
    ),
    { numRuns: 400 },
  );
});
