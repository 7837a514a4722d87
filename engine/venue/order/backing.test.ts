import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { cancelsOf, holdingsOf, only, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { SMALL_MARKET, unwatched, watched } from '#venue/testing/venues.ts';

/** One BTC. At 1,000.0 it needs 50 USD.E of margin; a tick of 0.1 moves it by 0.1 USD.E. */
const UNIT = 1_000;

/** Account 1 asks for a BTC at 1,000.0 with nothing held; then the mark moves. */
function sellingAt(mark: number): Scenario {
  const scenario = watched(3);
  scenario.limit(1, 'sell', 10_000, UNIT);
  scenario.price(mark);
  return scenario;
}

test('what opens behind the mark fills while its margin gives the maintenance there, and not one tick further', () => {
  // A short from 1,000.0 has 50 − 24.3 left at 1,024.3, of which 25.6075 must be; at 1,024.4 it has 25.6 and needs 25.61.
  const filled = sellingAt(10_243);
  expect(tradesOf(filled.limit(2, 'buy', 10_000, UNIT))).toEqual([[10_000, UNIT]]);
  expect(holdingsOf(filled.venue.state, 1)).toMatchObject({ base: -UNIT, margin: 50_000_000, reserved: 0 });

  const unbacked = sellingAt(10_244);
  const events = unbacked.limit(2, 'buy', 10_000, UNIT);
  // It is the incoming order that ends it: told after its acceptance, and before anything else.
  expect(typesOf(events)).toEqual(['OrderAccepted', 'OrderCancelled', 'OrderRested']);
  expect(only(events, 'OrderCancelled')).toMatchObject([
    { order: 1, account: 1, reason: 'margin_unbacked', wasResting: true, remainingAtoms: UNIT, accountReservedAtoms: 0 },
  ]);
});

test('the mark alone ends no order, and one that it comes back to fills', () => {
  const scenario = sellingAt(10_900);
  scenario.price(10_100);
  expect(tradesOf(scenario.market(2, 'buy', UNIT))).toEqual([[10_000, UNIT]]);
});

test('bids are held to the same, and more margin lets an order stay further behind', () => {
  const bidding = (mark: number, leverageX: number) => {
    const scenario = watched(2);
    scenario.limit(1, 'buy', 10_000, UNIT, { leverageX });
    scenario.price(mark);
    return cancelsOf(scenario.limit(2, 'sell', 10_000, UNIT));
  };
  // 50 − 25.6 = 24.4 of 24.36 at 974.4; 24.3 of 24.3575 at 974.3.
  expect(bidding(9_744, 20)).toEqual([]);
  expect(bidding(9_743, 20)).toEqual([[1, 'margin_unbacked']]);
  // With 100: 100 − 76.9 = 23.1 of 23.0775 at 923.1; 23 of 23.075 at 923.0.
  expect(bidding(9_231, 10)).toEqual([]);
  expect(bidding(9_230, 10)).toEqual([[1, 'margin_unbacked']]);
});

test('margin that is exactly the maintenance is enough', () => {
  const requestedAt = (mark: number) => {
    const scenario = watched(2);
    scenario.limit(1, 'sell', 10_250, UNIT);
    scenario.price(mark);
    return cancelsOf(scenario.limit(2, 'buy', 10_250, UNIT));
  };
  // At 1,050.0 a short from 1,025.0 has 51.25 − 25 left: 2.5 % of 1,050.
  expect(requestedAt(10_500)).toEqual([]);
  expect(requestedAt(10_501)).toEqual([[1, 'margin_unbacked']]);
});

test('what closes behind the mark fills down to the price that still pays for a fee, and not one tick further', () => {
  const closingAt = (price: number) => {
    const scenario = watched(3);
    scenario.limit(3, 'sell', 10_000, UNIT, { leverageX: 2 });
    scenario.market(1, 'buy', UNIT);
    scenario.limit(1, 'sell', price, UNIT);
    return { scenario, events: scenario.limit(2, 'buy', price, UNIT) };
  };
  // With 50 of margin nothing is left at 950.0; 950.5 leaves 0.5, enough for 5 bps of it, 950.4 leaves 0.4, which is not.
  const { scenario, events } = closingAt(9_505);
  expect(tradesOf(events)).toEqual([[9_505, UNIT]]);
  expect(holdingsOf(scenario.venue.state, 1).cash).toBe(10_000_000_000 - 500_000 - 49_500_000 - 190_100);
  expect(cancelsOf(closingAt(9_504).events)).toEqual([[3, 'margin_unbacked']]);
});

test('an order of a position that waits for its liquidation closes at no price that leaves it below nothing', () => {
  const closingAt = (price: number) => {
    const scenario = watched(3, { ...SMALL_MARKET, autoDeleveraging: false });
    scenario.limit(3, 'sell', 10_000, UNIT, { leverageX: 2 });
    scenario.market(1, 'buy', UNIT);
    // Nobody is there to take it: it waits. Its owner may still close it, at 950.5 or better.
    scenario.price(9_500);
    scenario.limit(1, 'sell', price, UNIT, { reduceOnly: true });
    return scenario.limit(2, 'buy', price, UNIT);
  };
  expect(tradesOf(closingAt(9_505))).toEqual([[9_505, UNIT]]);
  expect(tradesOf(closingAt(9_504))).toEqual([]);
  expect(cancelsOf(closingAt(9_504))).toEqual([[4, 'margin_unbacked']]);
});

/** Account 1 is long a BTC from 1,000.0 and offers it; then the mark rises by 9 %. */
function longThatOffers(...offers: (readonly [price: number, quantity: number, reduceOnly?: boolean])[]): Scenario {
  const scenario = watched(3);
  scenario.limit(3, 'sell', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, 'buy', UNIT);
  for (const [price, quantity, reduceOnly = false] of offers) scenario.limit(1, 'sell', price, quantity, { reduceOnly });
  scenario.price(10_900);
  return scenario;
}

test('of an order that closes and opens, what opens needs backing', () => {
  expect(tradesOf(longThatOffers([10_010, UNIT]).market(2, 'buy', UNIT))).toEqual([[10_010, UNIT]]);
  const flip = longThatOffers([10_010, 2 * UNIT]);
  expect(cancelsOf(flip.limit(2, 'buy', 10_010, UNIT))).toEqual([[3, 'margin_unbacked']]);
});

test('several orders close the position only once: what opens after those before it needs backing', () => {
  const events = longThatOffers([10_020, UNIT], [10_010, UNIT]).limit(2, 'buy', 10_020, 2 * UNIT);
  expect(tradesOf(events)).toEqual([[10_010, UNIT]]);
  expect(cancelsOf(events)).toEqual([[3, 'margin_unbacked']]);
  // At one price it is the older one that closes.
  const queued = longThatOffers([10_010, UNIT], [10_010, UNIT]).limit(2, 'buy', 10_010, 2 * UNIT);
  expect(cancelsOf(queued)).toEqual([[4, 'margin_unbacked']]);
  // Those that are met later, or stand on the other side, take nothing from it.
  const halves = longThatOffers([10_010, 400], [10_020, 600]);
  halves.limit(1, 'buy', 9_900, UNIT);
  expect(tradesOf(halves.limit(2, 'buy', 10_020, UNIT))).toEqual([
    [10_010, 400],
    [10_020, 600],
  ]);
});

test('a reduce-only order opens nothing, however large it is: it needs no backing for that', () => {
  const events = longThatOffers([10_010, 3 * UNIT, true]).limit(2, 'buy', 10_010, 3 * UNIT);
  expect(tradesOf(events)).toEqual([[10_010, UNIT]]);
  expect(cancelsOf(events)).toEqual([[3, 'reduce_only']]);
});

test('an order of the owner and the venue alike end it when they meet it, and its reservation is free again', () => {
  const scenario = sellingAt(10_900);
  expect(holdingsOf(scenario.venue.state, 1).reserved).toBe(50_500_000);
  expect(cancelsOf(scenario.limit(1, 'buy', 10_000, UNIT))).toEqual([[1, 'self_trade']]);
});

test('what could trade with nobody keeps no post-only order out: it ends, and that one rests', () => {
  const scenario = sellingAt(10_900);
  const events = scenario.limit(2, 'buy', 10_000, UNIT, { postOnly: true });
  expect(typesOf(events)).toEqual(['OrderAccepted', 'OrderCancelled', 'OrderRested']);
  expect(cancelsOf(events)).toEqual([[1, 'margin_unbacked']]);
  // One that could is met behind it all the same.
  const backed = sellingAt(10_900);
  backed.limit(3, 'sell', 10_900, UNIT, { leverageX: 1 });
  expect(backed.limit(2, 'buy', 10_900, UNIT, { postOnly: true })).toMatchObject([{ code: 'post_only_would_cross' }]);
  expect(cancelsOf(backed.limit(2, 'buy', 10_899, UNIT, { postOnly: true }))).toEqual([[1, 'margin_unbacked']]);
});

test('nobody who fills behind the mark is to be liquidated at it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('buy' as const, 'sell' as const),
      fc.integer({ min: -1_200, max: 1_200 }),
      fc.integer({ min: -1_500, max: 1_500 }),
      fc.constantFrom(0, 20, 11, 5),
      fc.integer({ min: 1, max: 60_000 }),
      (side, from, move, leverageX, quantity) => {
        const scenario = unwatched(2);
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
