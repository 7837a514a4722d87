/** IOC, FOK and GTD orders. The index is 1,000.0 (10,000 ticks), the band 10 %. */
import { describe, expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import type { EpochMs } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { withdrawAvailable } from '#venue/testing/outcome.ts';
import { MAX_ENDED_ORDERS } from './due-orders.ts';
import { MAX_EXPIRY_MS, MIN_EXPIRY_MS } from './time-in-force.ts';

function withAccounts(count: number): AuditedScenario {
  const scenario = new AuditedScenario();
  scenario.populate(count);
  return scenario;
}

/** Trades, rests and ends: `[price, quantity]`, `[price, remaining]`, `[order, reason, remaining]`. */
function outcomeOf(events: readonly VenueEvent[]): unknown[] {
  return events.flatMap((event): unknown[] => {
    if (event.type === 'TradeExecuted') return [['trade', event.priceAtoms, event.quantityAtoms]];
    if (event.type === 'OrderRested') return [['rest', event.priceAtoms, event.remainingAtoms]];
    if (event.type === 'OrderCancelled') return [['end', event.order, event.reason, event.remainingAtoms]];
    return event.type === 'CommandRefused' ? [['refused', event.code, event.bound]] : [];
  });
}

const END = { type: 'EndDueOrders' } as const;

describe('an IOC order', () => {
  test('fills within its limit and ends with the rest', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 300);
    it.limit(1, 'sell', 10_002, 300);
    expect(outcomeOf(it.limit(2, 'buy', 10_001, 1_000, { timeInForce: 'IOC' }))).toEqual([
      ['trade', 10_000, 300],
      ['end', 3, 'immediate_or_cancel', 700],
    ]);
    expect(it.venue.state.orders.count).toBe(1);
  });

  test('ends without a fill on an empty book, and reserves nothing', () => {
    const it = withAccounts(1);
    expect(outcomeOf(it.limit(1, 'buy', 10_000, 5, { timeInForce: 'IOC' }))).toEqual([['end', 1, 'immediate_or_cancel', 5]]);
    expect(it.venue.state.account(1 as never)!.reservedAtoms).toBe(0);
  });

  test('that fills whole has no end but its fill', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 300);
    expect(outcomeOf(it.limit(2, 'buy', 10_000, 300, { timeInForce: 'IOC' }))).toEqual([['trade', 10_000, 300]]);
  });

  test('does not count toward the maximum of open orders', () => {
    const it = withAccounts(1);
    it.snapshotEvery = 1_000;
    for (let count = 0; count < 500; count += 1) it.limit(1, 'buy', 9_500, 1);
    expect(outcomeOf(it.limit(1, 'buy', 9_500, 1))).toEqual([['refused', 'too_many_open_orders', 500]]);
    expect(outcomeOf(it.limit(1, 'buy', 9_500, 1, { timeInForce: 'IOC' }))).toEqual([['end', 501, 'immediate_or_cancel', 1]]);
  });
});

describe('a FOK order', () => {
  test('fills whole over several prices', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 300);
    it.limit(1, 'sell', 10_002, 300);
    expect(outcomeOf(it.limit(2, 'buy', 10_002, 500, { timeInForce: 'FOK' }))).toEqual([
      ['trade', 10_000, 300],
      ['trade', 10_002, 200],
    ]);
  });

  test('that cannot fill whole ends and changes no other order', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 300);
    expect(outcomeOf(it.limit(2, 'buy', 10_002, 301, { timeInForce: 'FOK' }))).toEqual([['end', 2, 'fill_or_kill', 301]]);
    expect(it.venue.state.orders.count).toBe(1);
  });

  test('does not count orders of its own account, and does not cancel them', () => {
    const it = withAccounts(2);
    it.limit(2, 'sell', 10_000, 300);
    it.limit(1, 'sell', 10_001, 200);
    expect(outcomeOf(it.limit(2, 'buy', 10_002, 300, { timeInForce: 'FOK' }))).toEqual([['end', 3, 'fill_or_kill', 300]]);
    expect(it.venue.state.orders.count).toBe(2);
    expect(outcomeOf(it.limit(2, 'buy', 10_002, 200, { timeInForce: 'FOK' }))).toEqual([
      ['end', 1, 'self_trade', 300],
      ['trade', 10_001, 200],
    ]);
  });

  test('does not count unbacked orders', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 300, { leverageX: 20 });
    withdrawAvailable(it, 1);
    it.price(10_600);
    expect(outcomeOf(it.limit(2, 'buy', 10_700, 300, { timeInForce: 'FOK' }))).toEqual([['end', 2, 'fill_or_kill', 300]]);
    expect(outcomeOf(it.limit(2, 'buy', 10_700, 300, { timeInForce: 'IOC' }))).toEqual([
      ['end', 1, 'margin_unbacked', 300],
      ['end', 3, 'immediate_or_cancel', 300],
    ]);
  });

  test('that is larger than the position it reduces ends', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 300);
    it.limit(2, 'buy', 10_000, 300);
    it.limit(1, 'buy', 10_000, 500);
    expect(outcomeOf(it.limit(2, 'sell', 10_000, 301, { timeInForce: 'FOK', reduceOnly: true }))).toEqual([
      ['end', 4, 'fill_or_kill', 301],
    ]);
    expect(outcomeOf(it.limit(2, 'sell', 10_000, 300, { timeInForce: 'FOK', reduceOnly: true }))).toEqual([
      ['trade', 10_000, 300],
    ]);
  });
});

describe('a GTD order', () => {
  const ahead = (it: AuditedScenario, ms: number) => ({
    timeInForce: 'GTD' as const,
    expiresAtEpochMs: (it.now + 1 + ms) as EpochMs,
  });

  test('is refused if it expires too soon or too late', () => {
    const it = withAccounts(1);
    const at = (ms: number) => outcomeOf(it.limit(1, 'buy', 9_900, 5, ahead(it, ms)));
    expect(at(MIN_EXPIRY_MS - 1)).toEqual([['refused', 'expiry_out_of_bounds', it.now + MIN_EXPIRY_MS]]);
    expect(at(MIN_EXPIRY_MS)).toEqual([['rest', 9_900, 5]]);
    expect(at(MAX_EXPIRY_MS)).toEqual([['rest', 9_900, 5]]);
    expect(at(MAX_EXPIRY_MS + 1)).toEqual([['refused', 'expiry_out_of_bounds', it.now + MAX_EXPIRY_MS]]);
  });

  test('ends at its expiry, and not before', () => {
    const it = withAccounts(1);
    it.limit(1, 'buy', 9_900, 5, ahead(it, 2_000));
    it.wait(1_998);
    expect(outcomeOf(it.run(END))).toEqual([['refused', 'nothing_to_advance', 0]]);
    expect(outcomeOf(it.run(END))).toEqual([['end', 1, 'expired', 5]]);
    expect(it.venue.state.account(1 as never)!.reservedAtoms).toBe(0);
    expect(outcomeOf(it.run(END))).toEqual([['refused', 'nothing_to_advance', 0]]);
  });

  test('does not fill after its expiry, even if its end is late', () => {
    const it = withAccounts(2);
    it.limit(1, 'buy', 9_900, 5, ahead(it, 2_000));
    it.limit(1, 'buy', 9_800, 5);
    it.wait(2_000);
    expect(outcomeOf(it.market(2, 'sell', 5))).toEqual([
      ['end', 1, 'expired', 5],
      ['trade', 9_800, 5],
    ]);
    expect(outcomeOf(it.run(END))).toEqual([['refused', 'nothing_to_advance', 0]]);
  });

  test('frees its reservation for an order of its account that meets it after its expiry', () => {
    const it = withAccounts(1);
    const cash = it.venue.state.account(1 as never)!.cashAtoms;
    // Ten thousand USD.E back 9.9 BTC at 1,000 without leverage.
    it.limit(1, 'buy', 10_000, 9_900, { ...ahead(it, 5_000), leverageX: 1 });
    it.wait(10_000);
    expect(outcomeOf(it.limit(1, 'sell', 10_000, 9_900, { leverageX: 1 }))).toEqual([
      ['end', 1, 'expired', 9_900],
      ['rest', 10_000, 9_900],
    ]);
    expect(it.venue.state.account(1 as never)!.reservedAtoms).toBeLessThan(cash);
  });

  test('does not make a post-only order cross after its expiry', () => {
    const it = withAccounts(2);
    it.limit(1, 'buy', 9_900, 5, { ...ahead(it, 2_000), postOnly: true });
    expect(outcomeOf(it.limit(2, 'sell', 9_900, 5, { postOnly: true }))).toEqual([['refused', 'post_only_would_cross', 9_900]]);
    it.wait(2_000);
    expect(outcomeOf(it.limit(2, 'sell', 9_900, 5, { postOnly: true }))).toEqual([
      ['end', 1, 'expired', 5],
      ['rest', 9_900, 5],
    ]);
  });

  test('has no expiry left after a fill or a cancel', () => {
    const it = withAccounts(2);
    it.limit(1, 'buy', 9_900, 5, ahead(it, 2_000));
    it.limit(1, 'buy', 9_900, 5, ahead(it, 2_000));
    it.market(2, 'sell', 5);
    it.cancel(1, 2);
    it.wait(2_000);
    expect(outcomeOf(it.run(END))).toEqual([['refused', 'nothing_to_advance', 0]]);
  });

  test('ends in turns of bounded size, by expiry and then by age', () => {
    const it = withAccounts(1);
    it.snapshotEvery = 1_000;
    for (let count = 0; count < MAX_ENDED_ORDERS + 2; count += 1)
      it.limit(1, 'buy', 9_000 + count, 1, { timeInForce: 'GTD', expiresAtEpochMs: (it.now + 9_000 - 2 * count) as EpochMs });
    it.wait(10_000);
    const first = outcomeOf(it.run(END)) as [string, number][];
    expect(first).toHaveLength(MAX_ENDED_ORDERS);
    expect(first.map(([, order]) => order).slice(0, 3)).toEqual([MAX_ENDED_ORDERS + 2, MAX_ENDED_ORDERS + 1, MAX_ENDED_ORDERS]);
    expect(outcomeOf(it.run(END))).toEqual([
      ['end', 2, 'expired', 1],
      ['end', 1, 'expired', 1],
    ]);
  });
});
