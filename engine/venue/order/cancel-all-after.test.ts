/** Timers that cancel an account's orders. The index is 1,000.0 (10,000 ticks). */
import { describe, expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import { BTC, FINE_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { VenueEvent } from '#venue/event.ts';
import { leg, placeWaiting } from '#venue/trigger/testing/waiting-orders.ts';
import { MAX_CANCEL_TIMEOUT_MS, MIN_CANCEL_TIMEOUT_MS } from './cancel-all-after.ts';
import { ALL_MARKETS } from './cancel-timers.ts';
import { MAX_ENDED_ORDERS } from './due-orders.ts';

const ETH = 2 as MarketOrdinal;

function stage(): AuditedScenario {
  const it = new AuditedScenario();
  it.populate(2);
  it.run({ type: 'ListMarket', specification: { ...FINE_MARKET, marketId: 'ETH-USD-PERP' }, status: 'open' });
  it.price(10_000, ETH);
  return it;
}

function outcomeOf(events: readonly VenueEvent[]): unknown[] {
  return events.map((event): unknown => {
    if (event.type === 'OrderCancelled') return ['end', event.order, event.reason];
    if (event.type === 'CancelAllAfterSet') return ['set', event.market, event.deadlineEpochMs];
    if (event.type === 'CancelAllAfterFired') return ['fired', event.market, event.lastOrder];
    if (event.type === 'CommandRefused') return ['refused', event.code, event.bound];
    return event.type;
  });
}

const set = (it: AuditedScenario, timeoutMs: number, market = ALL_MARKETS) =>
  outcomeOf(it.run({ type: 'SetCancelAllAfter', account: 1 as AccountOrdinal, market, timeoutMs }));
const end = (it: AuditedScenario) => outcomeOf(it.run({ type: 'EndDueOrders' }));
const NOTHING = [['refused', 'nothing_to_advance', 0]];

describe('a timer', () => {
  test('cancels the orders of its account in all markets at its deadline, and not before', () => {
    const it = stage();
    it.limit(1, 'buy', 9_900, 1);
    it.limit(1, 'buy', 9_900, 1, { market: ETH });
    it.limit(2, 'buy', 9_900, 1);
    expect(set(it, 2_000)).toEqual([['set', ALL_MARKETS, it.now + 2_000]]);
    it.wait(1_998);
    expect(end(it)).toEqual(NOTHING);
    expect(end(it)).toEqual([
      ['fired', ALL_MARKETS, 3],
      ['end', 1, 'cancel_all_after'],
      ['end', 2, 'cancel_all_after'],
      'CancelAllAfterFinished',
    ]);
    expect(end(it)).toEqual(NOTHING);
    expect(it.venue.state.orders.count).toBe(1);
  });

  test('of a market cancels only its orders', () => {
    const it = stage();
    it.limit(1, 'buy', 9_900, 1);
    it.limit(1, 'buy', 9_900, 1, { market: ETH });
    set(it, 2_000, ETH);
    it.wait(2_000);
    expect(end(it)).toEqual([['fired', ETH, 2], ['end', 2, 'cancel_all_after'], 'CancelAllAfterFinished']);
  });

  test('cancels orders that wait for a price after those in the book, up to its last order', () => {
    const it = stage();
    placeWaiting(it, 1, 'buy', 11_000, 1, { kind: 'trigger', reduceOnly: false });
    it.limit(1, 'buy', 9_900, 1, { attached: { stopLoss: leg(9_000) } });
    placeWaiting(it, 2, 'buy', 11_000, 1, { kind: 'trigger', reduceOnly: false });
    set(it, 2_000);
    it.wait(1_999);
    expect(set(it, 2_000)).toEqual([
      ['fired', ALL_MARKETS, 4],
      ['set', ALL_MARKETS, it.now + 2_000],
    ]);
    placeWaiting(it, 1, 'buy', 11_000, 1, { kind: 'trigger', reduceOnly: false });
    expect(end(it)).toEqual([
      ['end', 2, 'cancel_all_after'],
      ['end', 3, 'entry_ended'],
      ['end', 1, 'cancel_all_after'],
      'CancelAllAfterFinished',
    ]);
    expect([...it.venue.state.triggers.byOrder.keys()]).toEqual([4, 5]);
  });

  test('is replaced by each call, and turned off by 0', () => {
    const it = stage();
    it.limit(1, 'buy', 9_900, 1);
    set(it, 2_000);
    it.wait(1_500);
    set(it, 2_000);
    it.wait(1_500);
    expect(end(it)).toEqual(NOTHING);
    expect(set(it, 0)).toEqual([['set', ALL_MARKETS, 0]]);
    it.wait(5_000);
    expect(end(it)).toEqual(NOTHING);
  });

  test('is off after it fired, and leaves later orders open', () => {
    const it = stage();
    set(it, 2_000);
    it.wait(2_000);
    expect(end(it)).toEqual([['fired', ALL_MARKETS, 0], 'CancelAllAfterFinished']);
    it.limit(1, 'buy', 9_900, 1);
    it.wait(100_000);
    expect(end(it)).toEqual(NOTHING);
    expect(it.venue.cancelTimers(1 as AccountOrdinal)).toEqual([]);
  });

  test('fires even if the next call is late', () => {
    const it = stage();
    it.limit(1, 'buy', 9_900, 1);
    set(it, 2_000);
    it.wait(2_000);
    expect(set(it, 2_000)).toEqual([
      ['fired', ALL_MARKETS, 1],
      ['set', ALL_MARKETS, it.now + 2_000],
    ]);
    it.limit(1, 'buy', 9_900, 1);
    expect(end(it)).toEqual([['end', 1, 'cancel_all_after'], 'CancelAllAfterFinished']);
    expect(it.venue.state.orders.count).toBe(1);
  });

  test('cancels in turns of bounded size, and leaves orders open that are placed in between', () => {
    const it = stage();
    it.snapshotEvery = 50;
    for (let count = 0; count < MAX_ENDED_ORDERS + 20; count += 1) it.limit(1, 'buy', 9_000 + count, 1);
    set(it, 2_000, BTC);
    it.wait(2_000);
    expect(end(it)).toHaveLength(MAX_ENDED_ORDERS);
    it.limit(1, 'buy', 9_500, 1);
    expect(end(it)).toHaveLength(20 + 2);
    expect(end(it)).toEqual(NOTHING);
    expect(it.venue.state.orders.count).toBe(1);
  });

  test('leaves the stop of a position', () => {
    const it = stage();
    it.limit(2, 'sell', 10_000, 1);
    it.market(1, 'buy', 1);
    placeWaiting(it, 1, 'sell', 9_000, 1);
    it.limit(1, 'buy', 9_900, 1);
    set(it, 2_000);
    it.wait(2_000);
    expect(end(it)).toEqual([['fired', ALL_MARKETS, 4], ['end', 4, 'cancel_all_after'], 'CancelAllAfterFinished']);
    expect(outcomeOf(it.cancel(1, 3))).toEqual([['end', 3, 'user']]);
  });

  test('finishes if its last orders end otherwise', () => {
    const it = stage();
    it.snapshotEvery = 50;
    for (let count = 0; count < MAX_ENDED_ORDERS; count += 1) it.limit(1, 'buy', 9_000 + count, 1);
    set(it, 2_000);
    it.wait(2_000);
    end(it);
    it.cancel(1, 1);
    expect(end(it)).toEqual(['CancelAllAfterFinished']);
    expect(end(it)).toEqual(NOTHING);
  });

  test('has bounds, and names an unknown market', () => {
    const it = stage();
    expect(set(it, MIN_CANCEL_TIMEOUT_MS - 1)).toEqual([['refused', 'timeout_out_of_bounds', MIN_CANCEL_TIMEOUT_MS]]);
    expect(set(it, MAX_CANCEL_TIMEOUT_MS + 1)).toEqual([['refused', 'timeout_out_of_bounds', MAX_CANCEL_TIMEOUT_MS]]);
    expect(set(it, -1)).toEqual([['refused', 'timeout_out_of_bounds', MIN_CANCEL_TIMEOUT_MS]]);
    expect(set(it, MIN_CANCEL_TIMEOUT_MS, 7 as MarketOrdinal)).toEqual([['refused', 'market_not_found', 0]]);
    expect(set(it, MAX_CANCEL_TIMEOUT_MS)).toEqual([['set', ALL_MARKETS, it.now + MAX_CANCEL_TIMEOUT_MS]]);
    expect(it.venue.cancelTimers(1 as AccountOrdinal)).toHaveLength(1);
  });
});
