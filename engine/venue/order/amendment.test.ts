/** Amended orders. The index is 1,000.0 (10,000 ticks), the band 10 %. */
import { describe, expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { writeState } from '#venue/snapshot.ts';
import { leg, placeWaiting } from '#venue/trigger/testing/waiting-orders.ts';

function withAccounts(count: number): AuditedScenario {
  const scenario = new AuditedScenario();
  scenario.populate(count);
  return scenario;
}

/** What happened, in short. */
function outcomeOf(events: readonly VenueEvent[]): unknown[] {
  return events.flatMap((event): unknown[] => {
    switch (event.type) {
      case 'OrderAmended':
        return [[event.keepsPlace ? 'kept' : 'moved', event.priceAtoms, event.quantityAtoms, event.remainingAtoms]];
      case 'TradeExecuted':
        return [['trade', event.priceAtoms, event.quantityAtoms]];
      case 'OrderRested':
        return [['rest', event.order, event.priceAtoms, event.remainingAtoms]];
      case 'OrderReduced':
        return [['cut', event.order, event.remainingAtoms]];
      case 'OrderCancelled':
        return [['end', event.order, event.reason, event.remainingAtoms]];
      case 'OrderFilled':
        return event.liquidity === 'maker' ? [['maker', event.order]] : [];
      case 'CommandRefused':
      case 'EntryRefused':
        return [['refused', event.code, event.bound]];
      default:
        return [];
    }
  });
}

function reservedOf(it: AuditedScenario, account: number): number {
  return it.venue.state.account(account as AccountOrdinal)!.reservedAtoms;
}

describe('priority', () => {
  test('keeps time priority when the quantity is amended down', () => {
    const it = withAccounts(3);
    it.limit(1, 'sell', 10_000, 10);
    it.limit(2, 'sell', 10_000, 10);
    expect(outcomeOf(it.amend(1, 1, 0, 4))).toEqual([['kept', 10_000, 4, 4]]);
    expect(outcomeOf(it.market(3, 'buy', 5))).toEqual([
      ['trade', 10_000, 4],
      ['maker', 1],
      ['trade', 10_000, 1],
      ['maker', 2],
    ]);
  });

  test.each([
    ['the quantity is amended up', 0, 11],
    ['the price is amended away and back', 10_001, 0],
  ])('loses time priority when %s', (_, price, quantity) => {
    const it = withAccounts(3);
    it.limit(1, 'sell', 10_000, 10);
    it.limit(2, 'sell', 10_000, 10);
    it.amend(1, 1, price, quantity);
    if (price > 0) it.amend(1, 1, 10_000, 0);
    expect(outcomeOf(it.market(3, 'buy', 15)).filter((line) => (line as string[])[0] === 'maker')).toEqual([
      ['maker', 2],
      ['maker', 1],
    ]);
  });

  test('orders that lose their place in one moment queue by their amendments', () => {
    const it = withAccounts(4);
    for (const account of [1, 2, 3]) it.limit(account, 'sell', 10_000, 10);
    it.amend(3, 3, 0, 11);
    it.amend(1, 1, 0, 12);
    it.limit(1, 'sell', 10_000, 1);
    const makers = outcomeOf(it.market(4, 'buy', 34)).filter((line) => (line as string[])[0] === 'maker');
    expect(makers).toEqual([2, 3, 1, 4].map((order) => ['maker', order]));
  });

  test('an amendment without a change keeps the place', () => {
    const it = withAccounts(1);
    it.limit(1, 'buy', 9_900, 10);
    expect(outcomeOf(it.amend(1, 1, 9_900, 10))).toEqual([['kept', 9_900, 10, 10]]);
  });
});

describe('quantity', () => {
  test('counts what has filled', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 10);
    it.market(2, 'buy', 4);
    expect(outcomeOf(it.amend(1, 1, 0, 7))).toEqual([['kept', 10_000, 7, 3]]);
    expect(outcomeOf(it.amend(1, 1, 10_005, 12))).toEqual([
      ['moved', 10_005, 12, 8],
      ['rest', 1, 10_005, 8],
    ]);
  });

  test('at or below the filled quantity is refused', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 10);
    it.market(2, 'buy', 4);
    expect(outcomeOf(it.amend(1, 1, 0, 4))).toEqual([['refused', 'quantity_already_filled', 4]]);
    expect(outcomeOf(it.amend(1, 1, 0, 5))).toEqual([['kept', 10_000, 5, 1]]);
  });

  test('out of bounds is refused', () => {
    const it = withAccounts(1);
    it.limit(1, 'buy', 9_900, 10);
    expect(outcomeOf(it.amend(1, 1, 0, 500_001))).toEqual([['refused', 'quantity_out_of_bounds', 500_000]]);
  });
});

describe('an amendment that crosses', () => {
  test('fills as a taker and rests with the remainder', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 6);
    it.limit(2, 'buy', 9_900, 10);
    expect(outcomeOf(it.amend(2, 2, 10_000, 0))).toEqual([
      ['moved', 10_000, 10, 10],
      ['trade', 10_000, 6],
      ['maker', 1],
      ['rest', 2, 10_000, 4],
    ]);
    expect(outcomeOf(it.amend(2, 2, 0, 8))).toEqual([['kept', 10_000, 8, 2]]);
  });

  test('that fills whole ends the order', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 10);
    it.limit(2, 'buy', 9_900, 10);
    it.amend(2, 2, 10_000, 0);
    expect(it.venue.state.orders.count).toBe(0);
    expect(outcomeOf(it.amend(2, 2, 9_900, 0))).toEqual([['refused', 'order_not_open', 0]]);
  });

  test('of a post-only order is refused, and the order stays', () => {
    const it = withAccounts(2);
    it.limit(1, 'sell', 10_000, 6);
    it.limit(2, 'buy', 9_900, 10, { postOnly: true });
    const before = writeState(it.venue.state);
    expect(outcomeOf(it.amend(2, 2, 10_000, 0))).toEqual([['refused', 'post_only_would_cross', 10_000]]);
    expect(writeState(it.venue.state)).toEqual(before);
  });
});

describe('margin', () => {
  test('is reserved again with the order’s own leverage, at the mark of the amendment', () => {
    const it = withAccounts(1);
    it.limit(1, 'buy', 9_900, 1_000, { leverageX: 10 });
    const reserved = reservedOf(it, 1);
    it.amend(1, 1, 0, 500);
    expect(reservedOf(it, 1)).toBe(reserved / 2);
    it.amend(1, 1, 9_800, 2_000);
    expect(reservedOf(it, 1)).toBe(Math.round((reserved * 2 * 9_800) / 9_900));
  });

  test('that the account lacks refuses the amendment, and counts its own reservation', () => {
    const it = withAccounts(1);
    it.limit(1, 'buy', 9_900, 9_000, { leverageX: 1 });
    expect(outcomeOf(it.amend(1, 1, 9_901, 0))).toContainEqual(['rest', 1, 9_901, 9_000]);
    const before = writeState(it.venue.state);
    expect(outcomeOf(it.amend(1, 1, 0, 20_000))).toContainEqual(['refused', 'insufficient_margin', expect.any(Number)]);
    expect(writeState(it.venue.state)).toEqual(before);
  });
});

describe('a reduce-only order', () => {
  function withExit(): AuditedScenario {
    const it = withAccounts(3);
    it.limit(1, 'sell', 10_000, 10);
    it.limit(2, 'buy', 10_000, 10);
    it.limit(2, 'sell', 10_100, 6, { reduceOnly: true });
    return it;
  }

  test('that is amended beyond the position is cut to it', () => {
    expect(outcomeOf(withExit().amend(2, 3, 0, 15))).toEqual([
      ['moved', 10_100, 15, 15],
      ['cut', 3, 10],
      ['rest', 3, 10_100, 10],
    ]);
  });

  test('that is amended ahead of another one cuts it', () => {
    const it = withExit();
    it.limit(2, 'sell', 10_200, 4, { reduceOnly: true });
    expect(outcomeOf(it.amend(2, 4, 10_050, 8))).toEqual([
      ['moved', 10_050, 8, 8],
      ['rest', 4, 10_050, 8],
      ['cut', 3, 2],
    ]);
  });
});

describe('refusals', () => {
  test('names the order that cannot be amended', () => {
    const it = withAccounts(2);
    it.limit(1, 'buy', 9_900, 10);
    expect(outcomeOf(it.amend(2, 1, 0, 5))).toEqual([['refused', 'order_not_found', 0]]);
    expect(outcomeOf(it.amend(1, 2, 0, 5))).toEqual([['refused', 'order_not_found', 0]]);
    it.cancel(1, 1);
    expect(outcomeOf(it.amend(1, 1, 0, 5))).toEqual([['refused', 'order_not_open', 0]]);
  });

  test('an order that waits for a price', () => {
    const it = withAccounts(2);
    it.limit(2, 'buy', 9_900, 10);
    placeWaiting(it, 1, 'buy', 10_500, 5, { kind: 'trigger' });
    expect(outcomeOf(it.amend(2, 2, 0, 4))).toEqual([['refused', 'order_not_found', 0]]);
    expect(outcomeOf(it.amend(1, 2, 0, 4))).toEqual([['refused', 'order_not_amendable', 0]]);
    it.cancel(1, 2);
    expect(outcomeOf(it.amend(1, 2, 0, 4))).toEqual([['refused', 'order_not_open', 0]]);
  });

  test('an expired order is not open, and an amended one keeps its expiry', () => {
    const it = withAccounts(1);
    it.limit(1, 'buy', 9_900, 10, { timeInForce: 'GTD', expiresAtEpochMs: (it.now + 2_001) as EpochMs });
    it.wait(1_500);
    it.amend(1, 1, 9_950, 0);
    it.wait(500);
    expect(outcomeOf(it.amend(1, 1, 9_960, 0))).toEqual([['refused', 'order_not_open', 0]]);
    expect(outcomeOf(it.run({ type: 'EndDueOrders' }))).toEqual([['end', 1, 'expired', 10]]);
  });

  test('a price outside the band or the bounds', () => {
    const it = withAccounts(1);
    it.limit(1, 'buy', 9_900, 10);
    expect(outcomeOf(it.amend(1, 1, 11_001, 0))).toEqual([['refused', 'price_out_of_band', 11_000]]);
    expect(outcomeOf(it.amend(1, 1, 10_000_001, 0))).toEqual([['refused', 'price_out_of_bounds', 10_000_000]]);
  });

  test('in a market that only cancels, a quantity is still amended down', () => {
    const it = withAccounts(1);
    it.limit(1, 'buy', 9_900, 10);
    it.run({ type: 'SetMarketStatus', market: 1 as never, status: 'cancel_only' });
    expect(outcomeOf(it.amend(1, 1, 9_800, 0))).toEqual([['refused', 'market_not_open', 0]]);
    expect(outcomeOf(it.amend(1, 1, 0, 5))).toEqual([['kept', 9_900, 5, 5]]);
  });

  test('does not count the order itself toward the maximum of open orders', () => {
    const it = withAccounts(1);
    it.snapshotEvery = 1_000;
    for (let count = 0; count < 500; count += 1) it.limit(1, 'buy', 9_500, 1);
    expect(outcomeOf(it.amend(1, 1, 9_501, 0))).toEqual([
      ['moved', 9_501, 1, 1],
      ['rest', 1, 9_501, 1],
    ]);
  });
});

test('an entry order keeps its legs on their sides of its limit price', () => {
  const it = withAccounts(2);
  const attached = { stopLoss: leg(9_400), takeProfit: leg(9_700) };
  it.limit(1, 'buy', 9_500, 10, { attached });
  expect(outcomeOf(it.amend(1, 1, 9_400, 0))).toEqual([['refused', 'trigger_reached', 9_400]]);
  expect(outcomeOf(it.amend(1, 1, 9_700, 20))).toEqual([['refused', 'trigger_reached', 9_700]]);
  expect(outcomeOf(it.amend(1, 1, 9_699, 0))).toEqual([
    ['moved', 9_699, 10, 10],
    ['rest', 1, 9_699, 10],
  ]);
  // Legs that wait for their price count too.
  it.market(2, 'sell', 4);
  expect(outcomeOf(it.amend(1, 1, 9_300, 0))).toEqual([['refused', 'trigger_reached', 9_300]]);
  expect(outcomeOf(it.amend(1, 1, 9_401, 0))).toEqual([
    ['moved', 9_401, 10, 6],
    ['rest', 1, 9_401, 6],
  ]);
});

test('an order whose limit is beyond its target may be amended, because it fills at the price', () => {
  const it = withAccounts(1);
  const [accepted] = it.bandLimit(1, 'buy', 10, { attached: { takeProfit: leg(10_010) } });
  expect(accepted).toMatchObject({ type: 'OrderAccepted', terms: { kind: 'limit', priceAtoms: 11_000 } });
  expect(outcomeOf(it.amend(1, 1, 11_000, 20))).toEqual([
    ['moved', 11_000, 20, 20],
    ['rest', 1, 11_000, 20],
  ]);
  expect(outcomeOf(it.amend(1, 1, 10_999, 0))).toEqual([
    ['moved', 10_999, 20, 20],
    ['rest', 1, 10_999, 20],
  ]);
});

test('an order in another market than expected is not found', () => {
  const it = withAccounts(1);
  it.limit(1, 'buy', 9_900, 10);
  const named = { account: 1 as AccountOrdinal, order: 1 as OrderOrdinal, market: 2 as MarketOrdinal };
  const events = it.run({ type: 'AmendOrder', ...named, priceAtoms: 0 as PriceAtoms, quantityAtoms: 5 as BaseAtoms });
  expect(outcomeOf(events)).toEqual([['refused', 'order_not_found', 0]]);
});

test('a batch amends each order on its own', () => {
  const it = withAccounts(1);
  it.limit(1, 'buy', 9_900, 10);
  it.limit(1, 'buy', 9_800, 10);
  const entry = (order: number, price: number, quantity: number) => ({
    market: BTC,
    order: order as OrderOrdinal,
    priceAtoms: price as PriceAtoms,
    quantityAtoms: quantity as BaseAtoms,
  });
  const entries = [entry(1, 0, 5), entry(7, 0, 5), entry(2, 9_850, 0), entry(2, 0, 20)];
  expect(outcomeOf(it.run({ type: 'AmendOrders', account: 1 as AccountOrdinal, entries }))).toEqual([
    ['kept', 9_900, 5, 5],
    ['refused', 'order_not_found', 0],
    ['moved', 9_850, 10, 10],
    ['rest', 2, 9_850, 10],
    ['moved', 9_850, 20, 20],
    ['rest', 2, 9_850, 20],
  ]);
  expect(outcomeOf(it.run({ type: 'AmendOrders', account: 1 as AccountOrdinal, entries: [] }))).toEqual([
    ['refused', 'batch_size_invalid', 32],
  ]);
});
