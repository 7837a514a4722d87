import { expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import { BTC, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms } from '#units/money.ts';
import { ended, leg, MARKED, markAt, only, openLong, placeWaiting, refusal, triggered } from './testing/waiting-orders.ts';

function audited(): AuditedScenario {
  const scenario = new AuditedScenario();
  scenario.populate(3, MARKED);
  return scenario;
}

const ATTACHED = { stopLoss: leg(9_800), takeProfit: leg(10_300) };

test('accepts both legs with the entry order; they wait for it', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  const events = scenario.limit(1, 'buy', 9_900, 1_000, { attached: ATTACHED });
  expect(events.map(({ type }) => type)).toEqual(['OrderAccepted', 'TriggerAccepted', 'TriggerAccepted', 'OrderRested']);
  expect(only(events, 'TriggerAccepted')).toMatchObject([
    { order: 2, kind: 'stop_loss', side: 'sell', direction: 'below', entry: 1, linked: 3, quantityAtoms: 0 },
    { order: 3, kind: 'take_profit', side: 'sell', direction: 'above', entry: 1, linked: 2, quantityAtoms: 0 },
  ]);
  expect(scenario.venue.openOrders(1 as AccountOrdinal)).toEqual([1, 2, 3]);
  expect(triggered(markAt(scenario, 9_800))).toEqual([]);
});

test('follows the fills of the entry order', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  scenario.limit(1, 'buy', 9_900, 1_000, { attached: ATTACHED });
  const first = scenario.market(2, 'sell', 300);
  expect(only(first, 'LegChanged')).toMatchObject([
    { order: 2, quantityAtoms: 300 },
    { order: 3, quantityAtoms: 300 },
  ]);
  const second = scenario.market(2, 'sell', 700);
  expect(only(second, 'LegChanged')).toMatchObject([
    { order: 2, quantityAtoms: 1_000 },
    { order: 3, quantityAtoms: 1_000 },
  ]);
  scenario.limit(3, 'buy', 9_700, 5_000);
  const events = markAt(scenario, 9_800);
  expect(triggered(events)).toEqual([2]);
  expect(ended(events)).toEqual([[3, 'linked_order']]);
  expect(scenario.venue.state.account(1 as AccountOrdinal)!.holdingIn(BTC).signedBaseAtoms).toBe(0);
});

test('protects a market order at once', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const events = scenario.market(2, 'buy', 1_200, { attached: { stopLoss: leg(9_600) } });
  const [placed] = only(events, 'TriggerAccepted');
  // It closes a short of 1,000 first: the leg is for what it opens.
  expect(only(events, 'LegChanged')).toMatchObject([{ order: placed!.order, quantityAtoms: 200 }]);
});

test('ends with an entry order that opened nothing', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  scenario.limit(1, 'buy', 9_900, 1_000, { attached: ATTACHED });
  const entry = scenario.venue.openOrders(1 as AccountOrdinal)[0]!;
  expect(ended(scenario.cancel(1, entry))).toEqual([
    [entry, 'user'],
    [entry + 1, 'entry_ended'],
    [entry + 2, 'entry_ended'],
  ]);
  // A market order that only closes.
  const closing = scenario.market(2, 'buy', 1_000, { attached: { stopLoss: leg(9_600) } });
  const { order } = only(closing, 'TriggerAccepted')[0]!;
  expect(ended(closing)).toContainEqual([order, 'entry_ended']);
});

test('keeps what was filled when the rest of the entry order is cancelled', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  scenario.limit(1, 'buy', 9_900, 1_000, { attached: ATTACHED });
  scenario.market(2, 'sell', 300);
  expect(ended(scenario.cancel(1, 1))).toEqual([[1, 'user']]);
  scenario.limit(3, 'buy', 9_700, 5_000);
  expect(only(markAt(scenario, 9_800), 'OrderTriggered')[0]).toMatchObject({ order: 2, terms: { quantityAtoms: 300 } });
});

test('cancels the rest of the entry order when a leg triggers', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  scenario.limit(1, 'buy', 9_900, 1_000, { attached: { stopLoss: leg(9_800), takeProfit: leg(10_050) } });
  scenario.market(2, 'sell', 300);
  scenario.limit(3, 'buy', 9_950, 5_000);
  const events = markAt(scenario, 10_050);
  expect(triggered(events)).toEqual([3]);
  expect(ended(events)).toEqual([
    [1, 'linked_order'],
    [2, 'linked_order'],
  ]);
});

test('waits for the entry order again when the position ends before it is filled', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  scenario.limit(1, 'buy', 9_900, 1_000, { attached: ATTACHED });
  scenario.market(2, 'sell', 300);
  scenario.limit(3, 'buy', 9_950, 300);
  const closed = scenario.market(1, 'sell', 300);
  expect(only(closed, 'LegChanged')).toMatchObject([
    { order: 2, quantityAtoms: 0, position: 0 },
    { order: 3, quantityAtoms: 0, position: 0 },
  ]);
  const opened = scenario.market(2, 'sell', 200);
  expect(only(opened, 'LegChanged')).toMatchObject([
    { order: 2, quantityAtoms: 200 },
    { order: 3, quantityAtoms: 200 },
  ]);
});

test('ends both legs with the position', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  scenario.limit(1, 'buy', 9_900, 1_000, { attached: ATTACHED });
  scenario.market(2, 'sell', 1_000);
  scenario.limit(3, 'buy', 9_950, 1_000);
  expect(ended(scenario.market(1, 'sell', 1_000))).toEqual([
    [2, 'position_ended'],
    [3, 'position_ended'],
  ]);
});

test('refuses legs whose price is reached, and those of an order that only reduces', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  expect(refusal(scenario.limit(1, 'buy', 9_900, 10, { attached: { stopLoss: leg(10_100) } }))).toBe('trigger_reached');
  expect(refusal(scenario.limit(1, 'buy', 9_900, 10, { attached: { takeProfit: leg(9_900) } }))).toBe('trigger_reached');
  expect(refusal(scenario.limit(1, 'sell', 10_400, 10, { reduceOnly: true, attached: ATTACHED }))).toBe('trigger_invalid');
  // A limit beyond the price only bounds the slippage: the entry fills at the price.
  expect(refusal(scenario.limit(1, 'buy', 10_400, 10, { attached: { stopLoss: leg(10_200) } }))).toBe('trigger_reached');
  expect(refusal(scenario.limit(1, 'buy', 10_400, 10, { attached: { takeProfit: leg(10_200) } }))).toBe(undefined);
});

test.each([
  ['buy', 9_500, 9_400, 9_700],
  ['sell', 10_500, 10_600, 10_300],
] as const)(
  'accepts a %s with a take-profit between its limit and the price, which triggers with the next price',
  (side, limit, stop, profit) => {
    const scenario = audited();
    const events = scenario.limit(1, side, limit, 1_000, { attached: { stopLoss: leg(stop), takeProfit: leg(profit) } });
    expect(only(events, 'TriggerAccepted')).toMatchObject([{ triggerPriceAtoms: stop }, { triggerPriceAtoms: profit }]);
    expect(triggered(markAt(scenario, 10_000))).toEqual([]);
    const taker = side === 'buy' ? 'sell' : 'buy';
    const filled = scenario.market(2, taker, 300);
    expect(only(filled, 'LegChanged')).toMatchObject([{ quantityAtoms: 300 }, { quantityAtoms: 300 }]);
    expect(triggered(filled)).toEqual([]);
    scenario.limit(3, side, 10_000, 1_000);
    const next = markAt(scenario, 10_000);
    expect(triggered(next)).toEqual([3]);
    expect(ended(next)).toEqual([
      [1, 'linked_order'],
      [2, 'linked_order'],
    ]);
  },
);

test.each([
  ['buy', 'stopLoss', 9_500, 9_700],
  ['buy', 'stopLoss', 9_500, 9_500],
  ['buy', 'takeProfit', 9_500, 9_500],
  ['sell', 'stopLoss', 10_500, 10_300],
  ['sell', 'takeProfit', 10_500, 10_500],
] as const)('refuses a %s whose %s is beyond its limit price %d: %d', (side, name, limit, price) => {
  const events = audited().limit(1, side, limit, 10, { attached: { [name]: leg(price) } });
  expect(only(events, 'CommandRefused')).toMatchObject([{ code: 'trigger_reached', bound: limit }]);
});

test('checks the legs of an order without a price against the current one', () => {
  const scenario = audited();
  scenario.limit(2, 'sell', 10_050, 1_000);
  const market = scenario.market(1, 'buy', 10, { attached: { stopLoss: leg(10_000) } });
  expect(only(market, 'CommandRefused')).toMatchObject([{ code: 'trigger_reached', bound: 10_000 }]);
  const attached = { stopLoss: leg(9_990), takeProfit: leg(10_010) };
  expect(only(scenario.market(1, 'buy', 10, { attached }), 'TriggerAccepted')).toHaveLength(2);
});

test('is cut to a position that other orders have reduced', () => {
  const scenario = audited();
  openLong(scenario);
  const placed = scenario.market(1, 'buy', 500, { attached: { stopLoss: leg(9_800) } });
  const { order } = only(placed, 'TriggerAccepted')[0]!;
  scenario.market(1, 'sell', 1_200, { reduceOnly: true });
  const events = markAt(scenario, 9_800);
  expect(only(events, 'OrderTriggered')).toMatchObject([{ order, terms: { kind: 'market', quantityAtoms: 300 } }]);
  expect(ended(events)).toEqual([]);
});

test('links two orders of a position: one that triggers cancels the other', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const stop = only(placeWaiting(scenario, 1, 'sell', 9_800, 500, { name: 'stop' }), 'TriggerAccepted')[0]!;
  const profit = placeWaiting(scenario, 1, 'sell', 10_200, 500, { kind: 'take_profit', linked: 'stop' });
  const { order } = only(profit, 'TriggerAccepted')[0]!;
  expect(refusal(placeWaiting(scenario, 1, 'sell', 9_700, 500, { linked: 'stop' }))).toBe('linked_order_not_waiting');
  expect(refusal(placeWaiting(scenario, 1, 'sell', 9_700, 500, { linked: 'unknown' }))).toBe('linked_order_not_waiting');
  const events = markAt(scenario, 10_200);
  expect(triggered(events)).toEqual([order]);
  expect(ended(events)).toEqual([[stop.order, 'linked_order']]);
});

test('keeps the linked order when the other one is cancelled by its owner', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const stop = only(placeWaiting(scenario, 1, 'sell', 9_800, 500, { name: 'stop' }), 'TriggerAccepted')[0]!;
  const profit = placeWaiting(scenario, 1, 'sell', 10_200, 500, { kind: 'take_profit', linked: 'stop' });
  scenario.cancel(1, only(profit, 'TriggerAccepted')[0]!.order);
  expect(triggered(markAt(scenario, 9_800))).toEqual([stop.order]);
});

test('protects a fill that is smaller than an order may be', () => {
  const scenario = Scenario.withAccounts(3, { ...MARKED, minQuantityAtoms: 5 as BaseAtoms });
  scenario.limit(2, 'sell', 10_000, 7);
  scenario.market(3, 'buy', 5);
  scenario.limit(1, 'buy', 10_000, 10, { attached: ATTACHED });
  scenario.limit(3, 'buy', 9_700, 10);
  const events = markAt(scenario, 9_800);
  expect(triggered(events)).toHaveLength(1);
  expect(scenario.venue.state.account(1 as AccountOrdinal)!.holdingIn(BTC).signedBaseAtoms).toBe(0);
});
