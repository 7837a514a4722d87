/**
 * Every read over rows that grow for ever walks an index and stops at its limit: no scan, and no sort, whatever the
 * size. The plan is what makes the last page of a million rows as quick as the first.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import { OPEN_EPISODES } from './account-resource.ts';
import { CANDLES_BACK, CANDLES_SINCE } from './candle-series.ts';
import { CANDLES_IN_WINDOW } from './day-window.ts';
import { OPEN_EPISODES_IN } from './deleveraging-queues.ts';
import {
  FIRST_ORDER_SINCE,
  FIRST_TRADE_SINCE,
  fillSelect,
  NEWEST_OF_CLIENT_ORDER_ID,
  openOrderSelect,
  orderSelect,
  tradeSelect,
} from './pages.ts';
import type { ProjectionStore } from './store.ts';
import { openStore } from './store.ts';

let store: ProjectionStore;
beforeAll(() => {
  store = openStore(':memory:');
});
afterAll(() => store.close());

const account = 1 as AccountOrdinal;
const market = 1 as MarketOrdinal;
const order = 1 as OrderOrdinal;
const lists = (['oldest_first', 'newest_first'] as const).flatMap((direction) => {
  const page = { direction, limit: 10 } as const;
  return [
    ['orders', orderSelect({ account, ...page }), '(account=? AND status=? AND rowid>? AND rowid<?)'],
    [
      'orders of a market',
      orderSelect({ account, market, ...page }),
      '(account=? AND market=? AND status=? AND rowid>? AND rowid<?)',
    ],
    [
      'orders of a client order id',
      orderSelect({ account, market, clientOrderId: 'c', ...page }),
      '(account=? AND clientOrderId=? AND rowid>? AND rowid<?)',
    ],
    ['fills', fillSelect({ account, ...page }), '(account=? AND trade>? AND trade<?)'],
    ['fills of a market', fillSelect({ account, market, ...page }), '(account=? AND market=? AND trade>? AND trade<?)'],
    ['fills of an order', fillSelect({ account, market, order, ...page }), '(account=? AND order=? AND trade>? AND trade<?)'],
    ['trades', tradeSelect({ market, ...page }), '(market=? AND rowid>? AND rowid<?)'],
  ];
});
const others = [
  ['the newest order of a client order id', NEWEST_OF_CLIENT_ORDER_ID, '(account=? AND clientOrderId=?)'],
  ['all open orders', openOrderSelect(undefined), '(account=? AND status=?)'],
  ['all open orders of a market', openOrderSelect(market), '(account=? AND market=? AND status=?)'],
  ['the first order since', FIRST_ORDER_SINCE, '(createdAtEpochMs>?)'],
  ['the first trade since', FIRST_TRADE_SINCE, '(executedAtEpochMs>?)'],
  ['open positions', OPEN_EPISODES, '(account=? AND status=?)'],
  ['open positions of a market', OPEN_EPISODES_IN, '(market=?)'],
  ['candles since', CANDLES_SINCE, '(market=? AND series=? AND spanMs=? AND openTimeEpochMs>?)'],
  ['newest candles', CANDLES_BACK, '(market=? AND series=? AND spanMs=?)'],
  ['the day', CANDLES_IN_WINDOW, '(market=? AND series=? AND spanMs=? AND openTimeEpochMs>?)'],
];

describe('a read of', () => {
  test.each([...lists, ...others])('%s is one walk along an index', (_name, sql, walked) => {
    const steps = store
      .statement(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((step) => String(step.detail));
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatch(/^SEARCH \w+ USING (INDEX|COVERING INDEX|PRIMARY KEY) /);
    expect(steps[0]?.endsWith(walked!), steps[0]).toBe(true);
  });
});
