/** Single orders and lists in the class: exact numbers, and pages in the order of the venue. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Recorder, startRecorder } from '#compat/recorder.ts';
import { cannedResponse, ORDER, ORDERS } from '#compat/testing/canned.ts';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';

const canned = cannedExchange();

test('has the fields of a partially filled and then cancelled order', async () => {
  expect(await canned.exchange.fetchOrder('42')).toMatchObject({
    id: '42',
    clientOrderId: 'mine',
    symbol: SYMBOL,
    status: 'canceled',
    type: 'limit',
    side: 'buy',
    timeInForce: 'PO',
    postOnly: true,
    reduceOnly: false,
    price: 65_000.1,
    amount: 0.3,
    filled: 0.1,
    remaining: 0.2,
    average: 65_000.1,
    cost: 6_500.01,
    fee: { cost: -0.650001, currency: 'USD.E' },
    timestamp: 1_763_670_000_000,
    lastTradeTimestamp: 1_763_670_000_050,
    lastUpdateTimestamp: 1_763_670_000_100,
  });
});

test('has the filled amount and the average price of a market order by notional', () => {
  const { price: _price, quantity: _quantity, averagePrice: _average, ...rest } = ORDER;
  const market = {
    orderType: 'market',
    status: 'filled',
    notional: '1000',
    remainingQuantity: '0',
    postOnly: false,
    timeInForce: 'IOC',
  };
  const filled = canned.exchange.parseOrder({
    ...rest,
    ...market,
    filledQuantity: '0.015',
    filledNotional: '975.15',
    averagePrice: '65010',
  });
  expect(filled).toMatchObject({
    status: 'closed',
    amount: 0.015,
    filled: 0.015,
    remaining: 0,
    price: 65_010,
    cost: 975.15,
    timeInForce: 'IOC',
  });
  const empty = canned.exchange.parseOrder({
    ...rest,
    ...market,
    status: 'cancelled',
    filledQuantity: '0',
    filledNotional: '0',
    feePaid: '0',
  });
  expect(empty).toMatchObject({ status: 'canceled', amount: 0, filled: 0, cost: 0, average: undefined, fee: { cost: 0 } });
});

describe('pages', () => {
  const { orders, ...rest } = ORDERS;
  const numbered = (...ids: readonly number[]) => ids.map((id) => ({ ...orders[0], orderId: String(id) }));
  const moment = orders[0].createdAtEpochMs;
  let paged: Recorder;

  /** Three pages, all of one millisecond: newest first, or oldest first with `since`. */
  beforeEach(async () => {
    paged = await startRecorder((request) => {
      if (!request.path.includes('/orders?')) return cannedResponse(request);
      const { searchParams } = new URL(request.path, 'http://venue');
      const pages = searchParams.has('since') ? [[8, 9], [10, 11], [12]] : [[12, 11], [10, 9], [8]];
      const page = Number(searchParams.get('cursor') ?? 0);
      const nextCursor = page < 2 ? String(page + 1) : null;
      return { status: 200, body: { ...rest, orders: numbered(...(pages[page] ?? [])), nextCursor } };
    });
    canned.exchange.urls.api = { rest: paged.url };
  });
  afterEach(() => paged.close());

  const ids = (list: readonly { id: string | undefined }[]) => list.map(({ id }) => id);

  test('of one millisecond keep the order of the venue', async () => {
    expect(ids(await canned.exchange.fetchOrders(SYMBOL, undefined, 2))).toEqual(['11', '12']);
    expect(ids(await canned.exchange.fetchOrders(SYMBOL, moment, 2))).toEqual(['8', '9']);
  });

  test('have the cursor of the next page', async () => {
    const first = await canned.exchange.fetchOrders(SYMBOL, moment, 2);
    const second = await canned.exchange.fetchOrders(SYMBOL, moment, 2, { cursor: first.at(-1)?.info.nextCursor });
    expect(ids(second)).toEqual(['10', '11']);
    const third = await canned.exchange.fetchOrders(SYMBOL, moment, 2, { cursor: second.at(-1)?.info.nextCursor });
    expect([ids(third), third.at(-1)?.info.nextCursor]).toEqual([['12'], undefined]);
  });

  test('are all fetched with paginate', async () => {
    const all = ids(await canned.exchange.fetchOrders(SYMBOL, moment, undefined, { paginate: true }));
    expect(all.sort((left, right) => Number(left) - Number(right))).toEqual(['8', '9', '10', '11', '12']);
    const cursors = paged.requests
      .filter(({ path }) => path.includes('/orders?'))
      .map(({ path }) => new URL(path, paged.url).searchParams.get('cursor'));
    expect(cursors).toEqual([null, '1', '2']);
  });
});
