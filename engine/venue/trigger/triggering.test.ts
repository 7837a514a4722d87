import { expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import { BTC, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { MAX_OPEN_ORDERS } from '#venue/order/order-rules.ts';
import { ended, MARKED, markAt, only, openLong, placeWaiting, refusal, triggered, waiting } from './testing/waiting-orders.ts';

function baseOf(scenario: Scenario, account: number): number {
  return scenario.venue.state.account(account as AccountOrdinal)!.holdingIn(BTC).signedBaseAtoms;
}

test('sells a stop-loss at the market when the mark falls to its price', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const placed = placeWaiting(scenario, 1, 'sell', 9_800, 1_000);
  const { order } = only(placed, 'TriggerAccepted')[0]!;
  expect(only(placed, 'TriggerAccepted')[0]).toMatchObject({
    direction: 'below',
    quantityAtoms: 1_000,
    reduceOnly: true,
    position: 2,
  });
  expect(triggered(markAt(scenario, 9_801))).toEqual([]);
  const events = markAt(scenario, 9_800);
  expect(triggered(events)).toEqual([order]);
  expect(only(events, 'OrderFilled').filter((fill) => fill.order === order)).toMatchObject([
    { priceAtoms: 9_700, quantityAtoms: 1_000, liquidity: 'taker', isComplete: true },
  ]);
  expect(baseOf(scenario, 1)).toBe(0);
});

test('sells a take-profit when the mark rises to its price, with the limit price that it was given', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const { order } = only(
    placeWaiting(scenario, 1, 'sell', 10_200, 600, { kind: 'take_profit', limit: 10_150 }),
    'TriggerAccepted',
  )[0]!;
  expect(triggered(markAt(scenario, 10_199))).toEqual([]);
  const events = markAt(scenario, 10_200);
  expect(triggered(events)).toEqual([order]);
  expect(only(events, 'OrderRested')[0]).toMatchObject({ order, priceAtoms: 10_150, remainingAtoms: 600 });
});

test('buys back a short in the other directions', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const stop = only(placeWaiting(scenario, 2, 'buy', 10_100, 500), 'TriggerAccepted')[0]!;
  const profit = only(placeWaiting(scenario, 2, 'buy', 9_900, 500, { kind: 'take_profit' }), 'TriggerAccepted')[0]!;
  expect([stop.direction, profit.direction]).toEqual(['above', 'below']);
  expect(triggered(markAt(scenario, 9_900))).toEqual([profit.order]);
  expect(triggered(markAt(scenario, 10_100))).toEqual([stop.order]);
});

test.each([
  ['below', 9_900],
  ['above', 10_100],
] as const)('opens with a plain trigger, which waits for the price %s the current one', (direction, price) => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const placed = only(placeWaiting(scenario, 3, 'buy', price, 100, { kind: 'trigger', limit: 9_600 }), 'TriggerAccepted')[0]!;
  expect(placed).toMatchObject({ direction, reduceOnly: false, position: 0 });
  const events = markAt(scenario, price);
  expect(only(events, 'OrderRested')[0]).toMatchObject({ order: placed.order, remainingAtoms: 100 });
});

test('reserves no margin while it waits, and ends if the margin is missing when it triggers', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const { order } = only(
    placeWaiting(scenario, 1, 'buy', 9_900, 400_000, { kind: 'trigger', limit: 9_700 }),
    'TriggerAccepted',
  )[0]!;
  expect(scenario.venue.state.account(1 as AccountOrdinal)!.reservedAtoms).toBe(0);
  const events = markAt(scenario, 9_900);
  expect(triggered(events)).toEqual([]);
  expect(ended(events)).toEqual([[order, 'margin_unbacked']]);
});

test('ends with a reason when its limit price is outside the band, or too many orders are open', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  scenario.snapshotEvery = 1_000;
  openLong(scenario);
  const band = only(placeWaiting(scenario, 1, 'sell', 9_900, 100, { limit: 5_000 }), 'TriggerAccepted')[0]!;
  expect(ended(markAt(scenario, 9_900))).toEqual([[band.order, 'price_band']]);
  markAt(scenario, 10_000);
  for (let count = 0; count < MAX_OPEN_ORDERS; count += 1) scenario.limit(1, 'buy', 9_100, 1);
  const many = only(placeWaiting(scenario, 1, 'buy', 9_900, 1, { kind: 'trigger', limit: 9_200 }), 'TriggerAccepted')[0]!;
  expect(ended(markAt(scenario, 9_900))).toEqual([[many.order, 'trigger_refused']]);
});

test('is cut to the position when it triggers, and does not count as shown quantity before', () => {
  const scenario = new AuditedScenario();
  scenario.populate(3, MARKED);
  openLong(scenario);
  const one = only(placeWaiting(scenario, 1, 'sell', 9_800, 900), 'TriggerAccepted')[0]!;
  const two = only(placeWaiting(scenario, 1, 'sell', 9_790, 5_000), 'TriggerAccepted')[0]!;
  const resting = scenario.limit(1, 'sell', 10_400, 1_000, { reduceOnly: true });
  expect(only(resting, 'OrderRested')[0]).toMatchObject({ remainingAtoms: 1_000 });
  const events = markAt(scenario, 9_790);
  expect(triggered(events)).toEqual([one.order, two.order]);
  expect(
    only(events, 'OrderFilled')
      .filter(({ account }) => account === 1)
      .map(({ order, quantityAtoms }) => [order, quantityAtoms]),
  ).toEqual([
    [one.order, 900],
    [two.order, 100],
  ]);
  expect(only(events, 'OrderTriggered')[1]).toMatchObject({ terms: { kind: 'market', quantityAtoms: 100 } });
  // Both are filled. The resting order ends with the position.
  const filled = only(events, 'OrderFilled').filter(({ isComplete, account }) => isComplete && account === 1);
  expect(filled.map(({ order }) => order)).toEqual([one.order, two.order]);
  expect(ended(events).map(([order]) => order)).not.toContain(two.order);
});

test('closes whatever the position is when it triggers', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  placeWaiting(scenario, 1, 'sell', 9_800, 0);
  scenario.limit(2, 'sell', 10_010, 700);
  scenario.market(1, 'buy', 700);
  const events = markAt(scenario, 9_800);
  expect(only(events, 'OrderTriggered')[0]).toMatchObject({ terms: { kind: 'market', quantityAtoms: 1_700 } });
  expect(baseOf(scenario, 1)).toBe(0);
});

test('closes a position that is larger than one order may be', () => {
  const scenario = Scenario.withAccounts(3, { ...MARKED, maxQuantityAtoms: 600 as never });
  scenario.limit(2, 'sell', 10_000, 600);
  scenario.limit(2, 'sell', 10_000, 600);
  scenario.market(1, 'buy', 600);
  scenario.market(1, 'buy', 600);
  for (let count = 0; count < 3; count += 1) scenario.limit(3, 'buy', 9_700, 600);
  placeWaiting(scenario, 1, 'sell', 9_800, 0);
  markAt(scenario, 9_800);
  expect(baseOf(scenario, 1)).toBe(0);
});

test('ends with the position, also when another order flips it', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const stop = only(placeWaiting(scenario, 1, 'sell', 9_800, 1_000), 'TriggerAccepted')[0]!;
  const all = only(placeWaiting(scenario, 1, 'sell', 9_700, 0), 'TriggerAccepted')[0]!;
  const opening = only(placeWaiting(scenario, 1, 'buy', 9_600, 10, { kind: 'trigger' }), 'TriggerAccepted')[0]!;
  scenario.market(1, 'sell', 400);
  const events = scenario.market(1, 'sell', 1_000);
  expect(baseOf(scenario, 1)).toBe(-400);
  expect(ended(events)).toEqual([
    [stop.order, 'position_ended'],
    [all.order, 'position_ended'],
  ]);
  expect(scenario.venue.openOrders(1 as AccountOrdinal)).toEqual([opening.order]);
});

test('ends with a position that is liquidated', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const stop = only(placeWaiting(scenario, 1, 'sell', 9_400, 1_000, { source: 'last' }), 'TriggerAccepted')[0]!;
  const events = markAt(scenario, 9_600);
  expect(only(events, 'LiquidationStarted')).toHaveLength(1);
  expect(ended(events)).toContainEqual([stop.order, 'position_ended']);
});

test('lets due liquidations go first', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const stop = only(placeWaiting(scenario, 1, 'sell', 9_600, 1_000), 'TriggerAccepted')[0]!;
  const types = markAt(scenario, 9_600).map(({ type }) => type);
  expect(types).toContain('LiquidationStarted');
  expect(types).not.toContain('OrderTriggered');
  expect(scenario.venue.state.triggers.find(stop.order)).toBeUndefined();
});

test('cancels like any open order, and is the account’s own', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const { order } = only(placeWaiting(scenario, 1, 'sell', 9_800, 1_000), 'TriggerAccepted')[0]!;
  expect(refusal(scenario.cancel(2, order))).toBe('order_not_found');
  expect(scenario.venue.openOrders(1 as AccountOrdinal)).toEqual([order]);
  expect(scenario.venue.ordersNamed(1 as AccountOrdinal, [order], scenario.now)!.open).toEqual([order]);
  expect(ended(scenario.cancel(1, order))).toEqual([[order, 'user']]);
  expect(refusal(scenario.cancel(1, order))).toBe('order_not_open');
  expect(triggered(markAt(scenario, 9_800))).toEqual([]);
});

test('does not trigger by a price that the index guard holds back, nor while the index is not current', () => {
  const scenario = Scenario.withAccounts(3, { ...MARKED, maxIndexJumpBps: 100 as never });
  openLong(scenario);
  const { order } = only(placeWaiting(scenario, 1, 'sell', 9_800, 1_000), 'TriggerAccepted')[0]!;
  const last = only(placeWaiting(scenario, 1, 'sell', 9_700, 1_000, { source: 'last' }), 'TriggerAccepted')[0]!;
  expect(triggered(scenario.price(9_780))).toEqual([]);
  // The trade sets a last price of 9,700 while the jump is not confirmed.
  scenario.market(1, 'sell', 1, { reduceOnly: true });
  expect(scenario.venue.state.market(BTC)!.triggers.hasDue).toBe(false);
  expect(triggered(scenario.price(9_780))).toEqual([]);
  expect(triggered(scenario.price(9_780))).toEqual([order]);
  expect(scenario.venue.state.triggers.find(last.order)).toBeUndefined();
});

test('triggers by the index or by the last trade if the order says so', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const byIndex = only(placeWaiting(scenario, 1, 'sell', 9_950, 100, { source: 'index' }), 'TriggerAccepted')[0]!;
  const byLast = only(placeWaiting(scenario, 1, 'sell', 9_950, 100, { source: 'last' }), 'TriggerAccepted')[0]!;
  // The fill of the first at 9,700 is a trade, which makes the second due in the same turn.
  expect(triggered(markAt(scenario, 9_950))).toEqual([byIndex.order, byLast.order]);
});

test('refuses a price that is reached already, a market that does not permit it, and too many', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  expect(refusal(placeWaiting(scenario, 1, 'sell', 10_000, 100))).toBe('trigger_reached');
  expect(refusal(placeWaiting(scenario, 1, 'sell', 10_000, 100, { kind: 'take_profit' }))).toBe('trigger_reached');
  expect(refusal(placeWaiting(scenario, 1, 'buy', 10_100, 100))).toBe('reduce_only_would_increase');
  expect(refusal(placeWaiting(scenario, 3, 'sell', 9_900, 0))).toBe('reduce_only_would_increase');
  expect(refusal(placeWaiting(scenario, 1, 'sell', 9_900, 0, { limit: 9_800 }))).toBe('trigger_invalid');
  expect(refusal(placeWaiting(scenario, 1, 'sell', 9_900, 900_000))).toBe('quantity_out_of_bounds');
  for (let count = 0; count < 20; count += 1) expect(refusal(placeWaiting(scenario, 1, 'sell', 9_900, 1))).toBeUndefined();
  expect(refusal(placeWaiting(scenario, 1, 'sell', 9_900, 1))).toBe('too_many_open_orders');
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'reduce_only' });
  expect(refusal(placeWaiting(scenario, 3, 'buy', 9_900, 1, { kind: 'trigger' }))).toBe('market_reduce_only');
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'cancel_only' });
  expect(refusal(scenario.run(waiting(2, 'buy', 10_100, 1)))).toBe('market_not_open');
});

test('keeps what is due until the market permits it', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const { order } = only(placeWaiting(scenario, 1, 'sell', 9_700, 100, { source: 'last' }), 'TriggerAccepted')[0]!;
  scenario.market(2, 'sell', 1);
  // What a client's trade makes due triggers with the market's next price.
  expect(scenario.venue.state.market(BTC)!.triggers.hasDue).toBe(true);
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'cancel_only' });
  expect(triggered(scenario.price(10_000))).toEqual([]);
  const events = scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'open' });
  expect(only(events, 'MarketWorkPending')).toHaveLength(1);
  expect(triggered(scenario.run({ type: 'AdvanceMarket', market: BTC }))).toEqual([order]);
});

test('rests behind the orders that entered the book while it waited, also after a restart', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const waiting = only(placeWaiting(scenario, 1, 'buy', 9_900, 100, { kind: 'trigger', limit: 9_600 }), 'TriggerAccepted')[0]!;
  const earlier = only(scenario.limit(2, 'buy', 9_600, 100), 'OrderRested')[0]!;
  markAt(scenario, 9_900);
  const later = only(scenario.limit(2, 'buy', 9_600, 100), 'OrderRested')[0]!;
  scenario.cancel(3, 3);
  const makers = only(scenario.market(3, 'sell', 300), 'OrderFilled').filter(({ liquidity }) => liquidity === 'maker');
  expect(makers.map(({ order }) => order)).toEqual([earlier.order, waiting.order, later.order]);
});
