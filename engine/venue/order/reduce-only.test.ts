import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BTC, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { RISK_RULES } from '#venue/risk/risk-rules.ts';
import { cancelsOf, holdingsOf, only, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET, snapshotScenario } from '#venue/testing/venues.ts';
import { Venue } from '#venue/venue.ts';

const RESTED = ['OrderAccepted', 'OrderRested'];

/** Account 1 is long 1,000 lots against account 2. Account 3 has no position. The next order is number 3. */
function oneLong(): Scenario {
  const scenario = snapshotScenario(3);
  scenario.limit(2, 'sell', 10_000, 1_000, { leverageX: 2 });
  scenario.market(1, 'buy', 1_000, { leverageX: 2 });
  return scenario;
}

function offer(scenario: Scenario, priceAtoms: number, quantityAtoms: number): VenueEvent[] {
  return scenario.limit(1, 'sell', priceAtoms, quantityAtoms, { reduceOnly: true });
}

/** Order, cut and remaining quantity of each cut. */
function cutsOf(events: readonly VenueEvent[]): readonly (readonly [number, number, number])[] {
  return only(events, 'OrderReduced').map(({ order, cutAtoms, remainingAtoms }) => [order, cutAtoms, remainingAtoms]);
}

/** The reduce-only orders of account 1 as `[order, remaining]`, the oldest first. */
function offersOf({ venue: { state } }: Scenario): readonly (readonly [number, number])[] {
  const { orders } = state;
  return orders
    .slotsByAge()
    .filter((slot) => orders.isReduceOnly(slot) && orders.accountOf(slot) === 1)
    .map((slot) => [orders.orderOf(slot), orders.remainingOf(slot)]);
}

describe('at entry', () => {
  test('rests with what the position has', () => {
    const scenario = oneLong();
    const events = offer(scenario, 10_100, 3_000);
    expect(typesOf(events)).toEqual(['OrderAccepted', 'OrderReduced', 'OrderRested']);
    expect(only(events, 'OrderReduced')).toMatchObject([
      { order: 3, account: 1, side: 'sell', wasResting: false, priceAtoms: 10_100, cutAtoms: 2_000, remainingAtoms: 1_000 },
    ]);
    expect(only(events, 'OrderRested')).toMatchObject([{ remainingAtoms: 1_000 }]);
  });

  test('is cut to what better and older orders leave, and is cancelled if they leave nothing', () => {
    const scenario = oneLong();
    expect(typesOf(offer(scenario, 10_100, 700))).toEqual(RESTED);
    expect(cutsOf(offer(scenario, 10_100, 700))).toEqual([[4, 400, 300]]);
    const events = offer(scenario, 10_200, 50);
    expect(typesOf(events)).toEqual(['OrderAccepted', 'OrderCancelled']);
    expect(only(events, 'OrderCancelled')).toMatchObject([
      { order: 5, reason: 'reduce_only', wasResting: false, remainingAtoms: 50 },
    ]);
    expect(offersOf(scenario)).toEqual([
      [3, 700],
      [4, 300],
    ]);
  });

  test('takes from orders at worse prices, the worst and then the newest first', () => {
    const scenario = oneLong();
    offer(scenario, 10_300, 200);
    offer(scenario, 10_200, 200);
    offer(scenario, 10_200, 200);
    offer(scenario, 10_100, 400);
    const events = offer(scenario, 10_050, 500);
    expect(typesOf(events)).toEqual([...RESTED, 'OrderCancelled', 'OrderCancelled', 'OrderReduced']);
    expect(cancelsOf(events)).toEqual([
      [3, 'reduce_only'],
      [5, 'reduce_only'],
    ]);
    expect(only(events, 'OrderReduced')).toMatchObject([
      { order: 4, wasResting: true, priceAtoms: 10_200, cutAtoms: 100, remainingAtoms: 100 },
    ]);
    expect(offersOf(scenario)).toEqual([
      [4, 100],
      [6, 400],
      [7, 500],
    ]);
  });

  test('counts what it fills at once', () => {
    const scenario = oneLong();
    scenario.limit(3, 'buy', 10_050, 300, { leverageX: 2 });
    offer(scenario, 10_200, 400);
    const events = offer(scenario, 10_050, 1_000);
    expect(tradesOf(events)).toEqual([[10_050, 300]]);
    // 700 are left of the position: they are its own, and nothing is left for the older order at a worse price.
    expect(cutsOf(events)).toEqual([]);
    expect(cancelsOf(events)).toEqual([[4, 'reduce_only']]);
    expect(offersOf(scenario)).toEqual([[5, 700]]);
  });

  test('is cut in a preview and a batch as in a placement', () => {
    const scenario = oneLong();
    offer(scenario, 10_100, 700);
    const terms = { kind: 'limit', priceAtoms: 10_100 as PriceAtoms, quantityAtoms: 700 as BaseAtoms, postOnly: false } as const;
    const account = 1 as AccountOrdinal;
    const names = { clientOrderId: 'new', idempotencyKey: 'new' };
    const preview = scenario.venue.preview(
      { type: 'PlaceOrder', account, market: BTC, side: 'sell', terms, reduceOnly: true, leverageHundredths: 0, ...names },
      scenario.now,
    );
    expect(preview).toMatchObject({ refusal: undefined, restsBaseAtoms: 300, cancelReason: undefined });
    const sides = ['sell', 'sell'] as const;
    const events = scenario.batch(
      1,
      sides.map((side): readonly [Side, number, number] => [side, 10_100, 200]),
      { reduceOnly: true },
    );
    expect(cutsOf(events)).toEqual([[5, 100, 100]]);
  });
});

describe('as the position shrinks', () => {
  test('is cut by another order of the account that closes', () => {
    const scenario = oneLong();
    offer(scenario, 10_200, 600);
    offer(scenario, 10_100, 400);
    scenario.limit(3, 'buy', 9_990, 700, { leverageX: 2 });
    const events = scenario.market(1, 'sell', 500);
    expect(cutsOf(events)).toEqual([[3, 500, 100]]);
    expect(offersOf(scenario)).toEqual([
      [3, 100],
      [4, 400],
    ]);
    const closing = scenario.market(1, 'sell', 150);
    expect(cancelsOf(closing)).toEqual([[3, 'reduce_only']]);
    expect(cutsOf(closing)).toEqual([[4, 50, 350]]);
  });

  test('keeps its time priority', () => {
    const scenario = oneLong();
    offer(scenario, 10_100, 1_000);
    scenario.limit(2, 'sell', 10_100, 100, { leverageX: 2 });
    scenario.limit(3, 'buy', 9_990, 500, { leverageX: 2 });
    scenario.market(1, 'sell', 500);
    const fills = only(scenario.market(3, 'buy', 550, { leverageX: 2 }), 'OrderFilled');
    expect(
      fills.filter(({ liquidity }) => liquidity === 'maker').map(({ order, quantityAtoms }) => [order, quantityAtoms]),
    ).toEqual([
      [3, 500],
      [4, 50],
    ]);
  });

  test('is not cut by its own fills, and never grows again', () => {
    const scenario = oneLong();
    offer(scenario, 10_010, 600);
    offer(scenario, 10_020, 400);
    expect(cutsOf(scenario.market(3, 'buy', 700, { leverageX: 2 }))).toEqual([]);
    expect(offersOf(scenario)).toEqual([[4, 300]]);
    scenario.limit(2, 'sell', 10_000, 500, { leverageX: 2 });
    scenario.market(1, 'buy', 500, { leverageX: 2 });
    expect([holdingsOf(scenario.venue.state, 1).base, offersOf(scenario)]).toEqual([800, [[4, 300]]]);
  });

  test('is cut when auto-deleveraging takes a part of the position', () => {
    const scenario = snapshotScenario(3, { ...SMALL_MARKET, liquidationFeeBps: 0 as typeof SMALL_MARKET.liquidationFeeBps });
    scenario.limit(2, 'sell', 10_000, 1_500, { leverageX: 2 });
    scenario.market(3, 'buy', 500);
    scenario.market(1, 'buy', 1_000, { leverageX: 2 });
    // Account 2 is short 1,500. It offers to close all of it far below, and account 3 goes bankrupt against it.
    scenario.limit(2, 'buy', 8_000, 1_500, { reduceOnly: true });
    const events = scenario.price(9_400);
    expect(holdingsOf(scenario.venue.state, 2).base).toBe(-1_000);
    expect(only(events, 'OrderReduced')).toMatchObject([{ account: 2, cutAtoms: 500, remainingAtoms: 1_000 }]);
  });
});

test('never offers more than the position, whatever is placed, filled and cancelled', () => {
  const step = fc.record({
    kind: fc.constantFrom('reduce', 'limit', 'market', 'cancel'),
    account: fc.integer({ min: 1, max: 3 }),
    side: fc.constantFrom<Side>('buy', 'sell'),
    tick: fc.integer({ min: -8, max: 8 }),
    quantity: fc.integer({ min: 1, max: 2_000 }),
  });
  let cuts = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      // The scenario checks after each command that no account's orders exceed its position.
      const scenario = quickScenario(3);
      for (const { kind, account, side, tick, quantity } of steps) {
        const options = { leverageX: 5, reduceOnly: kind === 'reduce' };
        const { lastOrder } = scenario.venue.state;
        if (kind === 'cancel') scenario.cancel(account, Math.max(1, lastOrder - (quantity % 8)));
        else if (kind === 'market') scenario.market(account, side, quantity, options);
        else cuts += only(scenario.limit(account, side, 10_000 + tick, quantity, options), 'OrderReduced').length;
      }
    }),
    { numRuns: 150 },
  );
  expect(cuts).toBeGreaterThan(50);
});

test('cuts what a state of earlier rules left with the next price', () => {
  const scenario = new Scenario({ ...RISK_RULES, cutsReduceOnly: false });
  scenario.populate(3, SMALL_MARKET);
  scenario.limit(2, 'sell', 10_000, 1_000, { leverageX: 2 });
  scenario.market(1, 'buy', 1_000, { leverageX: 2 });
  offer(scenario, 10_100, 800);
  offer(scenario, 10_200, 800);
  offer(scenario, 10_300, 800);
  expect(cutsOf(scenario.price(10_000))).toEqual([]);
  const upgraded = new Scenario();
  upgraded.now = scenario.now;
  upgraded.venue = Venue.restore(scenario.venue.snapshot());
  const events = upgraded.price(10_000);
  expect(cancelsOf(events)).toEqual([[5, 'reduce_only']]);
  expect(cutsOf(events)).toEqual([[4, 600, 200]]);
  expect(only(upgraded.price(10_000), 'OrderReduced')).toEqual([]);
});
