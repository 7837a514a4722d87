/** Orders by clientOrderId, and the orders of one command. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { History } from '#simulation/history.ts';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { openProjection, type Projection, VenueDirectory } from './projection.ts';

const ALICE = 1 as AccountOrdinal;
const BOB = 2 as AccountOrdinal;
const order = (number: number) => number as OrderOrdinal;

function projectionOf(history: History): Projection {
  const projection = openProjection(':memory:');
  onTestFinished(() => projection.close());
  projection.follow(history.group(0));
  return projection;
}

const readsOf = (history: History) => projectionOf(history).reads;
const placedBy = (record: CommittedRecord, projection: Projection) =>
  new VenueDirectory(projection.directory()).placedOrders(record);

/** Alice and Bob each have an order with the clientOrderId `same`; a day later Alice has another one, which she cancels. */
function sameNames(): History {
  const history = History.begin(2);
  history.limit(1, 'buy', 9_990, 1, { clientOrderId: 'same' });
  history.limit(2, 'buy', 9_990, 1, { clientOrderId: 'same' });
  history.wait(86_400_001);
  history.price(10_000);
  history.limit(1, 'buy', 9_980, 1, { clientOrderId: 'same' });
  history.cancel(1, 3);
  history.limit(1, 'buy', 9_970, 1, { clientOrderId: 'other' });
  return history;
}

describe('a clientOrderId', () => {
  test('finds the newest order of the account with it', () => {
    const reads = readsOf(sameNames());
    expect(reads.orderByClientOrderId(ALICE, 'same')).toEqual(reads.order(ALICE, order(3)));
    expect(reads.orderByClientOrderId(ALICE, 'same')?.status).toBe('cancelled');
    expect(reads.orderByClientOrderId(BOB, 'same')).toEqual(reads.order(BOB, order(2)));
    expect(reads.orderByClientOrderId(BOB, 'other')).toBeUndefined();
    expect(reads.orderByClientOrderId(ALICE, '')).toBeUndefined();
  });
});

describe('the open orders of an account', () => {
  test('are listed oldest first, of one market or of all', () => {
    const reads = readsOf(sameNames());
    const names = [
      { orderId: '1', clientOrderId: 'same', marketId: 'BTC-USD-PERP' },
      { orderId: '4', clientOrderId: 'other', marketId: 'BTC-USD-PERP' },
    ];
    expect(reads.openOrderNames(ALICE)).toEqual(names);
    expect(reads.openOrderNames(ALICE, BTC)).toEqual(names);
    expect(reads.openOrderNames(ALICE, 2 as MarketOrdinal)).toEqual([]);
    expect(reads.openOrderNames(BOB)).toHaveLength(1);
  });

  test('have the same names when they have ended', () => {
    const history = sameNames();
    const before = readsOf(history).openOrderNames(ALICE);
    for (const number of [1, 4]) history.cancel(1, number);
    const reads = readsOf(history);
    expect(reads.openOrderNames(ALICE)).toEqual([]);
    expect(reads.orderNames(ALICE, [order(1), order(4)])).toEqual(before);
    expect(() => reads.orderNames(BOB, [order(1)]), 'only the owner can read them').toThrow();
  });
});

describe('the orders of a batch', () => {
  test('are all placed orders, as they are after the whole turn', () => {
    const history = History.begin(2);
    history.limit(2, 'sell', 10_005, 300);
    history.batch(1, [
      ['sell', 10_010, 1],
      ['buy', 11_001, 1],
      ['buy', 10_010, 500],
    ]);
    const record = history.records.at(-1)!;
    history.cancel(1, 3);
    const projection = projectionOf(history);
    const { reads } = projection;
    const [met, rests, ...more] = placedBy(record, projection);
    expect(more, 'a refused entry does not become an order').toEqual([]);
    expect(met).toEqual(reads.order(ALICE, order(2)));
    expect(met).toMatchObject({ status: 'cancelled', cancelReason: 'self_trade', lastSequence: record.sequence });
    expect(rests).toMatchObject({ orderId: '3', status: 'open', filledQuantity: '0.3', remainingQuantity: '0.2' });
  });
});
