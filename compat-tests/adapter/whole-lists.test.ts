/** Lists that must be complete, over their pages; and the order within one millisecond. */
import ccxt from 'ccxt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { startTestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { type CannedResponse, type RecordedRequest, type Recorder, startRecorder } from '#compat/recorder.ts';
import { API_KEY, CATALOGUE, MARKET, ORDER } from '#compat/testing/canned.ts';
import { CLOSED_POSITION, LEDGER } from '#compat/testing/canned-account.ts';

const BTC = 'BTC/USD.E:USD.E';
const ETH = 'ETH/USD.E:USD.E';
const MOMENT = 1_763_670_000_000;

type Fields = Record<string, unknown>;

let lists: Readonly<Record<string, (query: URLSearchParams) => readonly Fields[]>>;
let recorder: Recorder;
let exchange: OpenPerp;

beforeEach(async () => {
  lists = {};
  recorder = await startRecorder(response);
  exchange = new OpenPerp({ apiKey: 'opk_test', urls: { api: { rest: recorder.url } } });
});

afterEach(() => recorder.close());

function response({ path }: RecordedRequest): CannedResponse {
  const { pathname, searchParams } = new URL(path, 'http://venue');
  if (pathname === '/v1/markets') return { status: 200, body: { ...CATALOGUE, markets: [MARKET, ETHER] } };
  if (pathname === '/v1/api-keys/current') return { status: 200, body: API_KEY };
  const [, list] = /^\/v1\/(?:accounts|markets)\/[^/]+\/(.*)$/.exec(pathname) ?? [];
  const rows = lists[list ?? ''];
  return rows === undefined ? { status: 599, body: { path } } : { status: 200, body: pageOf(rows(searchParams), searchParams) };
}

const ETHER = { ...MARKET, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH', baseAsset: 'ETH' };

/** Pages rows (given oldest first) like the venue: from a time on, or back from the newest; the cursor is the end of the page. */
function pageOf(rows: readonly Fields[], query: URLSearchParams): Fields {
  const ordered = query.has('since') ? rows : rows.toReversed();
  const begin = Number(query.get('cursor') ?? 0);
  const end = begin + Number(query.get('limit') ?? 100);
  const page = ordered.slice(begin, end);
  const nextCursor = end < ordered.length ? String(end) : null;
  return {
    version: 'external-order-list/v1',
    orders: page,
    fills: page,
    trades: page,
    positions: page,
    entries: page,
    nextCursor,
  };
}

/** The queries of a list. */
function queriesOf(list: string): readonly Fields[] {
  const queries = recorder.requests.map(({ path }) => new URL(path, recorder.url));
  return queries.filter(({ pathname }) => pathname.endsWith(`/${list}`)).map((url) => Object.fromEntries(url.searchParams));
}

const numbered = (first: number, last: number, fields: (id: string) => Fields) =>
  Array.from({ length: last - first + 1 }, (_, index) => fields(String(first + index)));
const ids = (rows: readonly { readonly id?: string | undefined }[]) => rows.map(({ id }) => Number(id));
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

const order = (orderId: string): Fields => ({ ...ORDER, status: 'open', orderId });
const fill = (tradeId: string): Fields => ({
  tradeId,
  orderId: '7',
  marketId: 'BTC-USD-PERP',
  side: 'buy',
  price: '65000',
  quantity: '0.1',
  notional: '6500',
  fee: '0.65',
  feeAsset: 'USD.E',
  executedAtEpochMs: MOMENT,
});

describe('open orders', () => {
  beforeEach(() => {
    lists = { 'orders/open': () => numbered(1, 1_203, order) };
  });

  test.each([undefined, MOMENT])('are complete, since %j', async (since) => {
    expect(ids(await exchange.fetchOpenOrders(undefined, since))).toEqual(range(1, 1_203));
    expect(queriesOf('orders/open').map(({ limit, cursor }) => [limit, cursor])).toEqual([
      ['500', undefined],
      ['500', '500'],
      ['500', '1000'],
    ]);
  });

  test('are one page with a limit or a cursor, with the cursor of the next', async () => {
    const newest = await exchange.fetchOpenOrders(undefined, undefined, 700);
    expect(ids(newest)).toEqual(range(704, 1_203));
    const before = await exchange.fetchOpenOrders(undefined, undefined, undefined, { cursor: newest[0]?.info.nextCursor });
    expect(ids(before)).toEqual(range(204, 703));
    expect(queriesOf('orders/open')).toHaveLength(2);
  });

  test.each([undefined, MOMENT])('are complete with paginate too, since %j', async (since) => {
    const all = await exchange.fetchOpenOrders(undefined, since, undefined, { paginate: true });
    expect(ids(all).toSorted((left, right) => left - right)).toEqual(range(1, 1_203));
  });
});

test('fetches all open orders of a real venue, more than a page in two markets', async () => {
  const directory = temporaryDirectory();
  const venue = await startTestVenue(testConfig(directory.path));
  try {
    const { apiKey } = await venue.createAccount({ label: 'grid', credit: '1000000' });
    const grid = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
    await grid.loadMarkets();
    const placed: string[] = [];
    for (const symbol of [BTC, ETH]) {
      const { markPrice } = await grid.fetchTicker(symbol);
      const amount = (grid.market(symbol).limits.amount?.min as number) * 10;
      const entry = { symbol, type: 'limit', side: 'buy' as const, amount, price: (markPrice as number) * 0.97 };
      for (let batch = 0; batch < 9; batch += 1)
        placed.push(...(await grid.createOrders(Array.from({ length: 30 }, () => entry))).map(({ id }) => String(id)));
    }
    expect(placed).toHaveLength(540);
    expect((await grid.fetchOpenOrders()).map(({ id }) => id)).toEqual(placed);
    expect((await grid.fetchOpenOrders(ETH)).map(({ id }) => id)).toEqual(placed.slice(270));
  } finally {
    await venue.stop();
    directory.remove();
  }
});

describe('fills', () => {
  beforeEach(() => {
    lists = { fills: () => numbered(1, 1_100, fill) };
  });

  test.each([undefined, MOMENT])('of an order are complete, since %j, in the order of the venue', async (since) => {
    expect(ids(await exchange.fetchOrderTrades('7', BTC, since))).toEqual(range(1, 1_100));
    expect(queriesOf('fills').map(({ orderId, limit }) => [orderId, limit])).toEqual(Array(3).fill(['7', '500']));
  });

  test('of an order are limited by the limit, in one request', async () => {
    expect(ids(await exchange.fetchOrderTrades('7', BTC, undefined, 3))).toEqual([1_098, 1_099, 1_100]);
    expect(queriesOf('fills')).toEqual([{ orderId: '7', limit: '3', marketId: 'BTC-USD-PERP' }]);
  });

  test('of an account are a page of 500 without a limit', async () => {
    expect(ids(await exchange.fetchMyTrades())).toEqual(range(601, 1_100));
    expect(queriesOf('fills')).toEqual([{ limit: '500' }]);
  });
});

describe('the order within one millisecond', () => {
  const RANGE = range(95, 104);

  test('is that of the venue for trades', async () => {
    lists = { trades: () => numbered(95, 104, fill), fills: () => numbered(95, 104, fill) };
    expect(ids(await exchange.fetchTrades(BTC))).toEqual(RANGE);
    expect(ids(await exchange.fetchTrades(BTC, MOMENT, 6))).toEqual(range(95, 100));
    expect(ids(await exchange.fetchMyTrades(BTC, undefined, 6))).toEqual(range(99, 104));
    expect(ids(await exchange.fetchMyTrades(BTC, MOMENT, undefined, { paginate: true }))).toEqual(RANGE);
  });

  test('is that of the venue for filled and cancelled orders', async () => {
    const ended = (status: string, parity: number) =>
      numbered(95, 104, (orderId) => ({ ...ORDER, status, orderId })).filter(({ orderId }) => Number(orderId) % 2 === parity);
    lists = { orders: (query) => (query.get('status') === 'filled' ? ended('filled', 0) : ended('cancelled', 1)) };
    expect(ids(await exchange.fetchCanceledAndClosedOrders(BTC))).toEqual(RANGE);
    expect(ids(await exchange.fetchCanceledAndClosedOrders(BTC, undefined, 4))).toEqual(range(101, 104));
    expect(ids(await exchange.fetchCanceledAndClosedOrders(BTC, MOMENT, 4))).toEqual(range(95, 98));
  });
});

test('is oldest first in a paged list, like in an unpaged one', async () => {
  const later = (orderId: string) => ({ ...order(orderId), createdAtEpochMs: MOMENT + Math.floor(Number(orderId) / 3) });
  lists = { orders: () => numbered(1, 1_203, later) };
  const paged = (limit?: number) => exchange.fetchOrders(BTC, MOMENT, limit, { paginate: true });
  expect(ids(await paged())).toEqual(range(1, 1_203));
  expect(ids(await paged(700))).toEqual(range(1, 700));
  expect(ids(await exchange.fetchOrders(BTC, MOMENT, 400))).toEqual(range(1, 400));
});

test('shows each entry of a paged ledger once, oldest first', async () => {
  const entry = (entryId: string) => ({
    ...LEDGER.entries[2],
    entryId,
    postedAtEpochMs: MOMENT + Math.floor(Number(entryId) / 3),
  });
  lists = { ledger: () => numbered(1, 1_203, entry) };
  expect(ids(await exchange.fetchLedger(undefined, MOMENT, undefined, { paginate: true }))).toEqual(range(1, 1_203));
  expect(queriesOf('ledger').map(({ limit, since, cursor }) => [limit, since, cursor])).toEqual([
    ['500', String(MOMENT), undefined],
    ['500', String(MOMENT), '500'],
    ['500', String(MOMENT), '1000'],
  ]);
});

test.each([
  'fetchOrders',
  'fetchClosedOrders',
  'fetchMyTrades',
  'fetchTrades',
  'fetchFundingRateHistory',
  'fetchFundingHistory',
  'fetchLedger',
  'fetchPositionsHistory',
] as const)('%s needs since to paginate, and refuses before any request', async (method) => {
  await exchange.loadMarkets();
  const requests = recorder.requests.length;
  const of = method === 'fetchPositionsHistory' ? [BTC] : method === 'fetchLedger' ? 'USD.E' : BTC;
  for (const limit of [undefined, 10])
    await expect(exchange[method](of as never, undefined, limit, { paginate: true })).rejects.toBeInstanceOf(
      ccxt.ArgumentsRequired,
    );
  expect(recorder.requests).toHaveLength(requests);
});

describe('closed positions of several markets', () => {
  /** Positions of three markets in turn; SOL has the most. */
  const position = (positionId: string): Fields => ({
    ...CLOSED_POSITION,
    positionId,
    marketId: ['SOL-USD-PERP', 'SOL-USD-PERP', 'BTC-USD-PERP', 'ETH-USD-PERP'][Number(positionId) % 4],
    updatedAtEpochMs: MOMENT + Number(positionId),
  });
  const of = (...remainders: readonly number[]) => range(1, 3_000).filter((id) => remainders.includes(id % 4));

  beforeEach(() => {
    lists = {
      'positions/history': (query) =>
        numbered(1, 3_000, position).filter(({ marketId }) => [null, marketId].includes(query.get('marketId'))),
    };
  });

  test('are paged market by market without gaps', async () => {
    const found = await exchange.fetchPositionsHistory([ETH, BTC, ETH], MOMENT, undefined, { paginate: true });
    expect(ids(found)).toEqual(of(2, 3));
    expect(queriesOf('positions/history').every(({ marketId }) => marketId !== undefined)).toBe(true);
  });

  test('are limited by the limit', async () => {
    expect(ids(await exchange.fetchPositionsHistory([BTC, ETH], undefined, 6))).toEqual(of(2, 3).slice(-6));
    expect(ids(await exchange.fetchPositionsHistory([BTC, ETH], MOMENT, 6))).toEqual(of(2, 3).slice(0, 6));
  });

  test('refuse a cursor, which belongs to one list', async () => {
    lists = { 'positions/history': () => [] };
    expect(await exchange.fetchPositionsHistory([BTC], undefined, undefined, { cursor: '1' })).toEqual([]);
    await expect(exchange.fetchPositionsHistory([BTC, ETH], undefined, undefined, { cursor: '1' })).rejects.toThrow(
      ccxt.BadRequest,
    );
  });
});
