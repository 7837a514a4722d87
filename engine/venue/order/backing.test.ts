import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { tier } from '#venue/risk/testing/exposures.ts';
import { cancelsOf, holdingsOf, only, tradesOf, typesOf, withdrawAvailable } from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET, snapshotScenario } from '#venue/testing/venues.ts';

/** One BTC. At 1,000.0 its initial margin is 50 USD.E; a tick of 0.1 moves it by 0.1 USD.E. */
const UNIT = 1_000;
/** What an order for a BTC at 1,000.0 reserves at 10 ×, with the fee. An account with that deposit cannot top its margin up. */
const RESERVED_AT_10X = 100_500_000;

/** Account 1 offers a BTC at 1,000.0 and 10 × without a position; then the mark price moves. */
function sellingAt(mark: number, depositAtoms = RESERVED_AT_10X): Scenario {
  const scenario = snapshotScenario(3, SMALL_MARKET, depositAtoms);
  scenario.limit(1, 'sell', 10_000, UNIT, { leverageX: 10 });
  scenario.price(mark);
  return scenario;
}

test('fills an opening order behind the mark while its margin covers the initial margin, and cancels it one tick further', () => {
  // A short from 1,000.0 has 100 − 47.6 = 52.4 left at 1,047.6 and needs 52.38; at 1,047.7 it has 52.3 and needs 52.385.
  const filled = sellingAt(10_476);
  expect(tradesOf(filled.limit(2, 'buy', 10_000, UNIT))).toEqual([[10_000, UNIT]]);
  expect(holdingsOf(filled.venue.state, 1)).toMatchObject({ base: -UNIT, margin: 100_000_000, reserved: 0 });

  const unbacked = sellingAt(10_477);
  const events = unbacked.limit(2, 'buy', 10_000, UNIT);
  // The incoming order cancels it: the event follows its acceptance and precedes everything else.
  expect(typesOf(events)).toEqual(['OrderAccepted', 'OrderCancelled', 'OrderRested']);
  expect(only(events, 'OrderCancelled')).toMatchObject([
    { order: 1, account: 1, reason: 'margin_unbacked', wasResting: true, remainingAtoms: UNIT, accountReservedAtoms: 0 },
  ]);
});

describe('an order whose margin lacks', () => {
  test('is topped up to the initial margin at the mark from the available cash of its account', () => {
    // At 1,047.7 it lacks 52.385 − 52.3 = 0.085; at 1,090.0 it lacks 54.5 − 10 = 44.5.
    for (const [mark, missing] of [
      [10_477, 85_000],
      [10_900, 44_500_000],
    ] as const) {
      const scenario = sellingAt(mark, RESERVED_AT_10X + missing);
      const events = scenario.limit(2, 'buy', 10_000, UNIT);
      expect(tradesOf(events)).toEqual([[10_000, UNIT]]);
      expect(only(events, 'CashPosted')).toContainEqual(
        expect.objectContaining({ account: 1, kind: 'margin_lock', amountAtoms: -(100_000_000 + missing) }),
      );
      // The maker's fee is 0.2 of the reserved 0.5.
      expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ cash: 300_000, margin: 100_000_000 + missing, reserved: 0 });
      const short = sellingAt(mark, RESERVED_AT_10X + missing - 1);
      expect(cancelsOf(short.limit(2, 'buy', 10_000, UNIT))).toEqual([[1, 'margin_unbacked']]);
    }
  });

  test('is topped up for the part that fills', () => {
    // A quarter lacks a quarter of 44.5.
    const scenario = sellingAt(10_900, RESERVED_AT_10X + 11_125_000);
    expect(tradesOf(scenario.limit(2, 'buy', 10_000, UNIT / 4))).toEqual([[10_000, UNIT / 4]]);
    expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ base: -UNIT / 4, margin: 25_000_000 + 11_125_000 });
    expect(cancelsOf(scenario.limit(2, 'buy', 10_000, UNIT / 4))).toEqual([[1, 'margin_unbacked']]);
  });

  test('does not use the cash that tops up an earlier order of its account', () => {
    const metWith = (depositAtoms: number) => {
      const scenario = quickScenario(2, SMALL_MARKET, depositAtoms);
      scenario.limit(1, 'sell', 10_000, UNIT / 2, { leverageX: 10 });
      scenario.limit(1, 'sell', 10_000, UNIT / 2, { leverageX: 10 });
      scenario.price(10_900);
      const events = scenario.limit(2, 'buy', 10_000, UNIT);
      return { trades: tradesOf(events), cancels: cancelsOf(events) };
    };
    const half: [number, number] = [10_000, UNIT / 2];
    expect(metWith(RESERVED_AT_10X + 44_500_000)).toEqual({ trades: [half, half], cancels: [] });
    expect(metWith(RESERVED_AT_10X + 44_499_999)).toEqual({ trades: [half], cancels: [[2, 'margin_unbacked']] });
  });

  test('leaves the reservations of other orders alone', () => {
    const scenario = sellingAt(10_900, RESERVED_AT_10X + 44_500_000);
    scenario.limit(1, 'buy', 8_900, 10, { leverageX: 10 });
    expect(cancelsOf(scenario.limit(2, 'buy', 10_000, UNIT))).toEqual([[1, 'margin_unbacked']]);
  });

  test('is topped up when a liquidation meets it', () => {
    const scenario = quickScenario(4);
    scenario.limit(2, 'sell', 10_000, UNIT, { leverageX: 2 });
    scenario.market(1, 'buy', UNIT);
    scenario.limit(3, 'buy', 9_755, UNIT, { leverageX: 20 });
    scenario.price(9_700);
    // A long from 975.5 needs 5 % of 970 and its loss of 5.5: 54.
    expect(holdingsOf(scenario.venue.state, 3)).toMatchObject({ base: UNIT, margin: 54_000_000 });
  });
});

test('a sale below the mark locks the initial margin at the mark', () => {
  const scenario = quickScenario(3);
  scenario.limit(2, 'buy', 9_100, UNIT, { leverageX: 2 });
  scenario.market(1, 'sell', UNIT, { leverageX: 20 });
  // 5 % of 1,000 and the loss of 90; 5 % of 910 would be 21.98 × at the mark.
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ base: -UNIT, margin: 140_000_000 });
  // With a lower leverage the margin suffices.
  scenario.limit(2, 'buy', 9_100, UNIT, { leverageX: 2 });
  scenario.market(3, 'sell', UNIT, { leverageX: 10 });
  expect(holdingsOf(scenario.venue.state, 3)).toMatchObject({ base: -UNIT, margin: 181_000_000 });
});

test('fills an order that is backed again after the mark has returned', () => {
  const scenario = sellingAt(10_900);
  scenario.price(10_100);
  expect(tradesOf(scenario.market(2, 'buy', UNIT))).toEqual([[10_000, UNIT]]);
});

test('applies the same check to bids, and lets an order with more margin be further behind the mark', () => {
  const bidding = (mark: number, leverageX: number) => {
    const scenario = snapshotScenario(2, SMALL_MARKET, 1_000_000_000 / leverageX + 500_000);
    scenario.limit(1, 'buy', 10_000, UNIT, { leverageX });
    scenario.price(mark);
    return cancelsOf(scenario.limit(2, 'sell', 10_000, UNIT, { leverageX: 20 }));
  };
  // At the market's highest leverage the margin is the initial margin at its own price, and no loss is left for a worse mark.
  expect(bidding(10_000, 20)).toEqual([]);
  expect(bidding(9_999, 20)).toEqual([[1, 'margin_unbacked']]);
  // 100 − 52.6 = 47.4 for 47.37 at 947.4; 47.3 for 47.365 at 947.3.
  expect(bidding(9_474, 10)).toEqual([]);
  expect(bidding(9_473, 10)).toEqual([[1, 'margin_unbacked']]);
  // With a margin of 200: 200 − 157.8 = 42.2 for 42.11 at 842.2; 42.1 for 42.105 at 842.1.
  expect(bidding(8_422, 5)).toEqual([]);
  expect(bidding(8_421, 5)).toEqual([[1, 'margin_unbacked']]);
});

test('requires the rate of the tier of the position and all resting orders of the account', () => {
  const specification = { ...SMALL_MARKET, maintenanceMarginTiers: [tier(0, 250), tier(5_000_000_000, 500)] };
  const biddingAt = (mark: number, others: number) => {
    const reserved = 200_500_000 + others * 160_400;
    const scenario = snapshotScenario(2, specification, reserved);
    scenario.limit(1, 'buy', 10_000, UNIT, { leverageX: 5 });
    if (others > 0) scenario.limit(1, 'buy', 8_000, others, { leverageX: 5 });
    scenario.price(mark);
    return cancelsOf(scenario.limit(2, 'sell', 10_000, UNIT, { leverageX: 20 }));
  };
  // An exposure of 5,000 doubles the rate: 200 − 111.1 = 88.9 for 88.89 at 888.9; 88.8 for 88.88 at 888.8.
  expect([biddingAt(8_422, 4_999), biddingAt(8_421, 4_999)]).toEqual([[], [[1, 'margin_unbacked']]]);
  expect([biddingAt(8_889, 5 * UNIT), biddingAt(8_888, 5 * UNIT)]).toEqual([[], [[1, 'margin_unbacked']]]);
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

/** Account 1 is long a BTC from 1,000.0 and offers it; then the mark price rises by 9 %. It has no cash to top margins up. */
function longThatOffers(...offers: (readonly [price: number, quantity: number, reduceOnly?: boolean])[]): Scenario {
  const scenario = snapshotScenario(3);
  scenario.limit(3, 'sell', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, 'buy', UNIT);
  for (const [price, quantity, reduceOnly = false] of offers) scenario.limit(1, 'sell', price, quantity, { reduceOnly });
  withdrawAvailable(scenario, 1);
  scenario.price(10_900);
  return scenario;
}

test('requires backing for the opening part of an order that closes and opens', () => {
  expect(tradesOf(longThatOffers([10_010, UNIT]).market(2, 'buy', UNIT))).toEqual([[10_010, UNIT]]);
  const flip = longThatOffers([10_010, 2 * UNIT]);
  expect(cancelsOf(flip.limit(2, 'buy', 10_010, 2 * UNIT))).toEqual([[3, 'margin_unbacked']]);
  // A fill of what it closes needs none.
  expect(tradesOf(longThatOffers([10_010, 2 * UNIT]).market(2, 'buy', UNIT))).toEqual([[10_010, UNIT]]);
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
  expect(holdingsOf(scenario.venue.state, 1).reserved).toBe(RESERVED_AT_10X);
  expect(cancelsOf(scenario.limit(1, 'buy', 10_000, UNIT))).toEqual([[1, 'self_trade']]);
});

test('cancels an unbacked order and rests the post-only order that meets it', () => {
  const scenario = sellingAt(10_900);
  const events = scenario.limit(2, 'buy', 10_000, UNIT, { postOnly: true });
  expect(typesOf(events)).toEqual(['OrderAccepted', 'OrderCancelled', 'OrderRested']);
  expect(cancelsOf(events)).toEqual([[1, 'margin_unbacked']]);
  // A backed order behind it is still met.
  const backed = sellingAt(10_900);
  backed.limit(3, 'sell', 10_900, UNIT / 20, { leverageX: 1 });
  expect(backed.limit(2, 'buy', 10_900, UNIT, { postOnly: true })).toMatchObject([{ code: 'post_only_would_cross' }]);
  expect(cancelsOf(backed.limit(2, 'buy', 10_899, UNIT, { postOnly: true }))).toEqual([[1, 'margin_unbacked']]);
});

test('opens no position above the highest leverage of the market at the mark', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('buy' as const, 'sell' as const),
      fc.integer({ min: -1_200, max: 1_200 }),
      fc.integer({ min: -1_500, max: 1_500 }),
      fc.constantFrom(0, 20, 11, 5),
      fc.integer({ min: 1, max: 60_000 }),
      fc.constantFrom(1_000_000_000, 10_000_000_000),
      (side, from, move, leverageX, quantity, depositAtoms) => {
        const scenario = quickScenario(2, SMALL_MARKET, depositAtoms);
        scenario.price(10_000 + from);
        scenario.limit(1, side, 10_000, quantity, { leverageX });
        scenario.price(10_000 + from + move);
        const events = scenario.limit(2, side === 'buy' ? 'sell' : 'buy', 10_000, quantity, { leverageX });
        const { positions, markPriceAtoms } = scenario.venue.state.markets[1]!;
        if (tradesOf(events).length === 0) expect(positions.count).toBe(0);
        for (const account of [1, 2]) {
          const { base, entry, margin } = holdingsOf(scenario.venue.state, account);
          const notional = markPriceAtoms * Math.abs(base) * 100;
          expect((margin + Math.sign(base) * (notional - entry)) * 20).toBeGreaterThanOrEqual(notional);
        }
        expect(positions.nextDistressed(markPriceAtoms, markPriceAtoms)).toBeUndefined();
      },
    ),
    { numRuns: 400 },
  );
});
