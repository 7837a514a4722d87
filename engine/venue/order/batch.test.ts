import { describe, expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC, SCENARIO_RULES } from '#simulation/scenario.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BatchEntry, PlaceOrder } from '#venue/command.ts';
import { MAX_BATCH_ENTRIES } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { cancelsOf, holdingsOf, only, refusalCode, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { RandomWorld } from '#venue/testing/random-world.ts';
import { snapshotScenario } from '#venue/testing/venues.ts';
import { Venue } from '#venue/venue.ts';

/** `OPENPERP_BATCH_SEEDS=200 npx vitest run engine/venue/order/batch` runs that many worlds. */
const SEEDS = Number(process.env.OPENPERP_BATCH_SEEDS ?? 4);

const UNIT = 1_000;

function entry(clientOrderId: string, side: 'buy' | 'sell', price: number, quantity: number, more: object = {}): BatchEntry {
  const terms = { kind: 'limit', priceAtoms: price, quantityAtoms: quantity, postOnly: false } as never;
  return { market: BTC, clientOrderId, side, terms, reduceOnly: false, leverageHundredths: 0, ...more };
}

function place(scenario: Scenario, account: number, entries: readonly BatchEntry[]): VenueEvent[] {
  return scenario.run({ type: 'PlaceOrders', account: account as AccountOrdinal, entries, idempotencyKey: 'batch' });
}

function cancel(scenario: Scenario, account: number, orders: readonly number[]): VenueEvent[] {
  return scenario.run({ type: 'CancelOrders', account: account as AccountOrdinal, orders: orders as OrderOrdinal[] });
}

/** The outcome of each entry, in order: its order, or its index and refusal code. */
function outcomes(events: readonly VenueEvent[]): unknown[] {
  return events.flatMap((event) => {
    if (event.type === 'OrderAccepted') return [event.order];
    return event.type === 'EntryRefused' ? [[event.index, event.code]] : [];
  });
}

test('places entries one after the other in one turn, and decides each on its own', () => {
  const scenario = snapshotScenario(2);
  const events = place(scenario, 1, [
    entry('first', 'buy', 9_900, UNIT),
    entry('too far', 'buy', 11_001, UNIT),
    entry('nowhere', 'buy', 9_900, UNIT, { market: 7 as MarketOrdinal }),
    entry('nothing', 'buy', 9_900, 0),
    entry('last', 'sell', 10_100, UNIT),
  ]);
  expect(outcomes(events)).toEqual([1, [1, 'price_out_of_band'], [2, 'market_not_found'], [3, 'quantity_out_of_bounds'], 2]);
  expect(only(events, 'OrderAccepted').map(({ idempotencyKey }) => idempotencyKey)).toEqual(['batch', 'batch']);
  expect(only(events, 'OrderRested').map(({ priceAtoms }) => priceAtoms)).toEqual([9_900, 10_100]);
});

test('executes a batch like its orders one by one', () => {
  const orders = [
    ['sell', 10_000, UNIT],
    ['sell', 10_020, UNIT],
    ['buy', 10_010, 1_500],
    ['buy', 9_990, UNIT],
  ] as const;
  const [together, alone] = [snapshotScenario(2), snapshotScenario(2)];
  for (const scenario of [together, alone]) scenario.limit(2, 'sell', 10_005, 300);
  const batch = together.batch(1, orders);
  const single = orders.flatMap(([side, price, quantity]) => alone.limit(1, side, price, quantity));
  const withoutKey = (events: readonly VenueEvent[]) =>
    events.map((event) => (event.type === 'OrderAccepted' ? { ...event, idempotencyKey: '' } : event));
  expect(withoutKey(batch)).toEqual(withoutKey(single));
  // The third order met the first, of its own account, and then account 2.
  expect(cancelsOf(batch)).toEqual([[2, 'self_trade']]);
  expect(tradesOf(batch)).toEqual([[10_005, 300]]);
});

test('decides an entry on the state that the entries before it leave', () => {
  const scenario = snapshotScenario(1, undefined, 101_000_000);
  // A BTC at 1,000.0 reserves 50.5: cash suffices for two, not for a third or a smaller one. There is no position to reduce.
  const events = place(scenario, 1, [
    entry('a', 'buy', 10_000, UNIT),
    entry('b', 'buy', 10_000, UNIT),
    entry('c', 'buy', 10_000, UNIT),
    entry('d', 'buy', 10_000, 1),
    entry('e', 'sell', 10_100, 1, { reduceOnly: true }),
  ]);
  expect(outcomes(events)).toEqual([
    1,
    2,
    [2, 'insufficient_margin'],
    [3, 'insufficient_margin'],
    [4, 'reduce_only_would_increase'],
  ]);
  expect(only(events, 'EntryRefused')).toMatchObject([{ bound: 50_500_000 }, { bound: 50_500 }, { bound: 0 }]);
  expect(holdingsOf(scenario.venue.state, 1).reserved).toBe(101_000_000);
});

test('refuses a client order id that an earlier order or an accepted entry of the batch has taken', () => {
  const scenario = snapshotScenario(1);
  scenario.limit(1, 'buy', 9_900, 1, { clientOrderId: 'earlier' });
  const events = place(scenario, 1, [
    entry('earlier', 'buy', 9_900, 1),
    entry('twin', 'buy', 9_900, 1),
    entry('twin', 'buy', 9_900, 1),
    entry('again', 'buy', 11_001, 1),
    entry('again', 'buy', 9_900, 1),
  ]);
  expect(outcomes(events)).toEqual([
    [0, 'duplicate_client_order_id'],
    2,
    [2, 'duplicate_client_order_id'],
    [3, 'price_out_of_band'],
    3,
  ]);
  expect(only(events, 'EntryRefused').map(({ order }) => order)).toEqual([1, 2, 0]);
});

test('refuses empty and too long batches', () => {
  const scenario = snapshotScenario(1);
  const entries = Array.from({ length: MAX_BATCH_ENTRIES + 1 }, (_, place) => entry(`order-${place}`, 'buy', 9_900, 1));
  expect(place(scenario, 1, entries)).toMatchObject([{ type: 'CommandRefused', code: 'batch_size_invalid', bound: 32 }]);
  expect(refusalCode(place(scenario, 1, []))).toBe('batch_size_invalid');
  expect(scenario.venue.state.lastOrder).toBe(0);
  expect(outcomes(place(scenario, 1, entries.slice(1)))).toHaveLength(32);
  const orders = Array.from({ length: 33 }, (_, place) => place + 1);
  expect(cancel(scenario, 1, orders)).toMatchObject([{ code: 'batch_size_invalid', bound: 32 }]);
  expect(refusalCode(cancel(scenario, 1, []))).toBe('batch_size_invalid');
  expect(cancelsOf(cancel(scenario, 1, orders.slice(0, 32)))).toHaveLength(32);
});

test('refuses a batch of an unknown account', () => {
  const scenario = snapshotScenario(1);
  expect(refusalCode(place(scenario, 9, [entry('a', 'buy', 9_900, 1)]))).toBe('account_not_found');
  expect(refusalCode(cancel(scenario, 9, [1]))).toBe('account_not_found');
});

test('decides cancels one by one', () => {
  const scenario = snapshotScenario(2);
  scenario.limit(1, 'buy', 9_900, 1);
  scenario.limit(2, 'buy', 9_900, 1);
  scenario.limit(1, 'buy', 9_800, 1);
  const events = cancel(scenario, 1, [3, 2, 1, 1, 4, 0]);
  expect(typesOf(events)).toEqual([
    ...['OrderCancelled', 'EntryRefused', 'OrderCancelled', 'EntryRefused', 'EntryRefused', 'EntryRefused'],
  ]);
  expect(cancelsOf(events)).toEqual([
    [3, 'user'],
    [1, 'user'],
  ]);
  expect(only(events, 'EntryRefused')).toMatchObject([
    { index: 1, code: 'order_not_found' },
    { index: 3, code: 'order_not_open', order: 1 },
    { index: 4, code: 'order_not_found' },
    { index: 5, code: 'order_not_found' },
  ]);
});

/** The events, with refusals of commands and of entries in one form. */
function outcomesIn(events: readonly VenueEvent[]): unknown[] {
  return events.map((event) => {
    if (event.type !== 'CommandRefused' && event.type !== 'EntryRefused') return event;
    const { code, order, bound } = event;
    return { code, order, bound };
  });
}

describe.each(Array.from({ length: SEEDS }, (_, place) => place + 1))('in world %i', (seed) => {
  test('gives a batch the outcome of its entries one by one in the same state', () => {
    const world = new RandomWorld(seed, true);
    const { scenario } = world;
    const seen = { batches: 0, accepted: 0, refused: 0, filled: 0, selfTrades: 0 };
    for (let count = 0; count < 150; count += 1) {
      for (let step = 0; step < 3; step += 1) world.step();
      const orders = Array.from({ length: 1 + (count % MAX_BATCH_ENTRIES) }, () => world.order()).filter(isLimit);
      const account = orders[0]?.account;
      if (account === undefined) continue;
      const entries = orders.map(({ type, account: _, idempotencyKey, ...entry }) => entry);
      const twin = Venue.restore(scenario.venue.snapshot(), SCENARIO_RULES);
      const batch = scenario.run({ type: 'PlaceOrders', account, entries, idempotencyKey: '' });
      const single = entries.flatMap((entry) => {
        const command = { type: 'PlaceOrder', account, ...entry, idempotencyKey: '' } as const;
        return eventsOfTurn(twin, { sequence: scenario.sequence, epochMs: scenario.now, command });
      });
      expect(outcomesIn(batch)).toEqual(outcomesIn(single));
      expect(scenario.venue.snapshot()).toEqual(twin.snapshot());
      seen.batches += 1;
      seen.accepted += only(batch, 'OrderAccepted').length;
      seen.refused += only(batch, 'EntryRefused').length;
      seen.filled += only(batch, 'OrderFilled').length;
      seen.selfTrades += cancelsOf(batch).filter(([, reason]) => reason === 'self_trade').length;
    }
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(0);
  });
});

function isLimit({ terms }: PlaceOrder): boolean {
  return terms.kind === 'limit';
}
