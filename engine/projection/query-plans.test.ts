/**
 * Every read of a growing table scans an index and stops at its limit, without a table scan or a sort. So the last page of a million rows is as
 * fast as the first.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { allReads } from '#simulation/all-reads.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import { OPEN_EPISODES } from './account-resource.ts';
import { AGENT_LOG, agentActionSelect, DEPLOYMENTS_OF_ACCOUNT, DRAFTS_OF_ACCOUNT } from './agent-pages.ts';
import { AGENT_ACCOUNTS, agentFundingSelect } from './agent-resource.ts';
import { CANDLES_BACK, CANDLES_SINCE } from './candle-series.ts';
import { CANDLES_IN_WINDOW } from './day-window.ts';
import { OPEN_EPISODES_IN } from './deleveraging-queues.ts';
import { INTEREST_BACK, INTEREST_SINCE } from './open-interest.ts';
import { ACCOUNTS_AFTER, COUNT_OPEN_EPISODES, COUNT_OPEN_ORDERS, KEYS_OF_ACCOUNT } from './operator-resource.ts';
import {
  FIRST_ORDER_SINCE,
  FIRST_TRADE_SINCE,
  fillSelect,
  NEWEST_OF_CLIENT_ORDER_ID,
  openOrderSelect,
  orderSelect,
  tradeSelect,
} from './pages.ts';
import type { Projection } from './projection.ts';
import { LEADERBOARD_RESULTS } from './rankings.ts';
import { openStore, ProjectionStore } from './store.ts';
import { ACCOUNTS, historyOf, MARKETS } from './testing/any-history.ts';
import { within } from './testing/tried-histories.ts';
import {
  affiliateDaySelect,
  cashMovementSelect,
  closedEpisodeSelect,
  fundingPaymentSelect,
  fundingPeriodSelect,
} from './time-pages.ts';
import { DEPOSITS_CHANGED, WITHDRAWALS_CHANGED } from './transfer-resource.ts';

let store: ProjectionStore;
beforeAll(() => {
  store = openStore(':memory:');
});
afterAll(() => store.close());

const account = 1 as AccountOrdinal;
const market = 1 as MarketOrdinal;
const order = 1 as OrderOrdinal;
/** SQLite may skip a few rows that the same record closed. */
const CLOSED_RANGE = '(closedAtEpochMs,lastSequence)>(?,?) AND (closedAtEpochMs,lastSequence)<(?,?))';
const PAID_RANGE = '(paidAtEpochMs,sequence,position,period)>(?,?,?,?) AND (paidAtEpochMs,sequence,position,period)<(?,?,?,?))';

/** Every combination of filters of each list, in both directions. Bounds and cursors are a range in each. */
const lists = (['oldest_first', 'newest_first'] as const).flatMap((direction) => {
  const page = { account, direction, limit: 10 } as const;
  return [
    ['orders of a status', orderSelect({ ...page, status: 'open' }), '(account=? AND status=? AND rowid>? AND rowid<?)'],
    [
      'orders of a market and a status',
      orderSelect({ ...page, market, status: 'open' }),
      '(account=? AND market=? AND status=? AND rowid>? AND rowid<?)',
    ],
    [
      'orders of a reference',
      orderSelect({ ...page, clientOrderId: 'c' }),
      '(account=? AND clientOrderId=? AND rowid>? AND rowid<?)',
    ],
    [
      'orders of a reference and a status',
      orderSelect({ ...page, clientOrderId: 'c', status: 'open' }),
      '(account=? AND clientOrderId=? AND rowid>? AND rowid<?)',
    ],
    [
      'orders of a reference and a market',
      orderSelect({ ...page, market, clientOrderId: 'c' }),
      '(account=? AND clientOrderId=? AND rowid>? AND rowid<?)',
    ],
    ['fills', fillSelect(page), '(account=? AND trade>? AND trade<?)'],
    ['fills of a market', fillSelect({ ...page, market }), '(account=? AND market=? AND trade>? AND trade<?)'],
    ['fills of an order', fillSelect({ ...page, order }), '(account=? AND order=? AND trade>? AND trade<?)'],
    ['fills of an order and a market', fillSelect({ ...page, market, order }), '(account=? AND order=? AND trade>? AND trade<?)'],
    ['trades', tradeSelect({ ...page, market }), '(market=? AND rowid>? AND rowid<?)'],
    ['closed positions', closedEpisodeSelect(page), `(account=? AND ${CLOSED_RANGE}`],
    ['closed positions in a market', closedEpisodeSelect({ ...page, market }), `(account=? AND market=? AND ${CLOSED_RANGE}`],
    ['funding payments', fundingPaymentSelect(page), `(account=? AND ${PAID_RANGE}`],
    ['funding payments in a market', fundingPaymentSelect({ ...page, market }), `(account=? AND market=? AND ${PAID_RANGE}`],
    [
      'cash movements',
      cashMovementSelect(page),
      '(account=? AND (movedAtEpochMs,sequence,posting)>(?,?,?) AND (movedAtEpochMs,sequence,posting)<(?,?,?))',
    ],
    ['days of earnings', affiliateDaySelect(page), '(account=? AND dayEpochMs>? AND dayEpochMs<?)'],
    [
      'funding rates',
      fundingPeriodSelect({ ...page, market }),
      '(market=? AND (settledAtEpochMs,period)>(?,?) AND (settledAtEpochMs,period)<(?,?))',
    ],
  ];
});
const others = [
  ['actions, oldest first', agentActionSelect('oldest_first'), '(deployment=? AND rowid>?)'],
  ['actions, newest first', agentActionSelect('newest_first'), '(deployment=? AND rowid<?)'],
  ['the action log for a run', AGENT_LOG, '(deployment=? AND rowid>?)'],
  ['deployments', DEPLOYMENTS_OF_ACCOUNT, '(account=? AND rowid<?)'],
  ['drafts', DRAFTS_OF_ACCOUNT, '(account=?)'],
  ['the agent accounts of an owner', AGENT_ACCOUNTS, '(agentOwner=?)'],
  [
    'the fundings of an agent account',
    agentFundingSelect('newest_first'),
    '(agentAccount=? AND createdSequence>? AND createdSequence<?)',
  ],
  ['the newest order of a client order id', NEWEST_OF_CLIENT_ORDER_ID, '(account=? AND clientOrderId=?)'],
  ['all open orders', openOrderSelect(undefined), '(account=? AND status=?)'],
  ['all open orders of a market', openOrderSelect(market), '(account=? AND market=? AND status=?)'],
  ['the first order since', FIRST_ORDER_SINCE, '(createdAtEpochMs>?)'],
  ['the first trade since', FIRST_TRADE_SINCE, '(executedAtEpochMs>?)'],
  ['deposits', DEPOSITS_CHANGED, '(account=? AND updatedAtEpochMs>? AND updatedAtEpochMs<?)'],
  ['withdrawals', WITHDRAWALS_CHANGED, '(account=? AND updatedAtEpochMs>? AND updatedAtEpochMs<?)'],
  ['open positions', OPEN_EPISODES, 'openEpisodes (account=?)'],
  ['open positions of a market', OPEN_EPISODES_IN, '(market=?)'],
  ['accounts after', ACCOUNTS_AFTER, '(rowid>?)'],
  ['the number of open positions', COUNT_OPEN_EPISODES, 'openEpisodes (account=?)'],
  ['the number of open orders', COUNT_OPEN_ORDERS, '(account=? AND status=?)'],
  ['the keys of an account', KEYS_OF_ACCOUNT, 'apiKeysByAccount (account=?)'],
  ['candles since', CANDLES_SINCE, '(market=? AND series=? AND spanMs=? AND openTimeEpochMs>?)'],
  ['newest candles', CANDLES_BACK, '(market=? AND series=? AND spanMs=?)'],
  ['open interest since', INTEREST_SINCE, '(market=? AND spanMs=? AND openTimeEpochMs>?)'],
  ['newest open interest', INTEREST_BACK, '(market=? AND spanMs=?)'],
  ['the day', CANDLES_IN_WINDOW, '(market=? AND series=? AND spanMs=? AND openTimeEpochMs>?)'],
];

describe('a read of', () => {
  test.each([...lists, ...others])('%s is one index scan', (_name, sql, walked) => {
    const steps = store
      .statement(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((step) => String(step.detail));
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatch(/^SEARCH \w+ USING (INDEX|COVERING INDEX|PRIMARY KEY|INTEGER PRIMARY KEY) /);
    expect(steps[0]?.endsWith(walked!), steps[0]).toBe(true);
  });
});

test.each(['oldest_first', 'newest_first'] as const)(
  'orders of every status, %s, merge one index scan per status',
  (direction) => {
    const page = { account, direction, limit: 10 } as const;
    const walks = (sql: string) => {
      const steps = store
        .statement(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((step) => String(step.detail));
      const merging = ['MERGE (UNION ALL)', 'LEFT', 'RIGHT'];
      return steps.filter((step) => !merging.includes(step));
    };
    const range = 'rowid>? AND rowid<?)';
    const ofStatus = `SEARCH orders USING INDEX ordersByStatus (account=? AND status=? AND ${range}`;
    const ofMarket = `SEARCH orders USING INDEX ordersByMarket (account=? AND market=? AND status=? AND ${range}`;
    expect(walks(orderSelect(page))).toEqual([ofStatus, ofStatus, ofStatus]);
    expect(walks(orderSelect({ ...page, market }))).toEqual([ofMarket, ofMarket, ofMarket]);
  },
);

test('a ranking reads only shown accounts, with at most three rows each', () => {
  const steps = store
    .statement(`EXPLAIN QUERY PLAN ${LEADERBOARD_RESULTS}`)
    .all()
    .map((step) => String(step.detail));
  expect(steps).toEqual([
    'SCAN l USING INDEX shownListings',
    'SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
    'SEARCH u USING PRIMARY KEY (account=? AND dayEpochMs=?) LEFT-JOIN',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH dayOpenings USING PRIMARY KEY (account=? AND dayEpochMs>?)',
    'SEARCH s USING PRIMARY KEY (account=? AND dayEpochMs=?) LEFT-JOIN',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH dayOpenings USING PRIMARY KEY (account=? AND dayEpochMs>?)',
  ]);
});

/** Steps that read a whole table or index, with the reason why that is bounded or acceptable. */
const MAY_SCAN: Readonly<Record<string, string>> = {
  'SCAN markets': 'There are few markets.',
  'SCAN apiKeys': 'The directory reads them once, when it opens.',
  'SCAN l USING INDEX shownListings': 'A ranking is made once a day.',
  'SCAN accounts': 'Conservation adds up all balances.',
  'SCAN switches': 'There are at most some dozen switches.',
  'SCAN ledgers': 'Conservation adds up all balances.',
  'SCAN episodes USING INDEX openEpisodesByMarket': 'Conservation adds up all balances.',
};

describe('the statements of all reads', () => {
  const prepared = new Set<string>();
  const called = new Set<string>();
  const names = new Set<string>();

  beforeAll(() => {
    const statement = vi.spyOn(ProjectionStore.prototype, 'statement');
    within(':memory:', (projection) => {
      projection.follow(historyOf([(it) => it.limit(1, 'buy', 10_000, 10), (it) => it.market(2, 'sell', 4)]).group(0));
      for (const name of Object.keys(projection.reads)) names.add(name);
      statement.mockClear();
      const get = (reads: Projection['reads'], name: string) => {
        called.add(name);
        return Reflect.get(reads, name);
      };
      allReads({ ...projection, reads: new Proxy(projection.reads, { get }) }, ACCOUNTS, MARKETS.length);
      for (const [sql] of statement.mock.calls) prepared.add(sql);
    });
  });

  test('include those of every read', () => {
    expect(
      [...names].filter((name) => !called.has(name)),
      'missing in engine/simulation/all-reads.ts',
    ).toEqual([]);
  });

  test('scan only tables that may be scanned, and sort no rows', () => {
    const found = [...prepared].flatMap((sql) => {
      const steps = store.statement(`EXPLAIN QUERY PLAN ${sql}`).all();
      return steps.map((step) => String(step.detail)).filter((step) => /SCAN|TEMP B-TREE/.test(step));
    });
    expect(
      found.filter((step) => !(step in MAY_SCAN)),
      'needs an index, or a reason in MAY_SCAN',
    ).toEqual([]);
    expect(Object.keys(MAY_SCAN).filter((step) => !found.includes(step))).toEqual([]);
  });
});
