/** What the class makes of the venue's resources: exact numbers, and nothing where there is nothing. */
import ccxt from 'ccxt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type Recorder, startRecorder } from '#compat/recorder.ts';
import { orderList, positionHistory } from '#contract/account-history.ts';
import { accountSnapshot } from '#contract/accounts.ts';
import { apiKeyCurrent } from '#contract/auth.ts';
import { fundingPaymentList, fundingRateList } from '#contract/funding.ts';
import { marketStatsList } from '#contract/market-data.ts';
import { marketCatalogue, marketStats, singleMarket } from '#contract/markets.ts';
import { orderBatch } from '#contract/order-batches.ts';
import { cancelledOrders, orderCancelOutcomes } from '#contract/order-cancels.ts';
import { order } from '#contract/orders.ts';
import { positionSnapshot } from '#contract/positions.ts';
import { transferHistory } from '#contract/transfers.ts';
import {
  ACCOUNT,
  API_KEY,
  BATCH,
  CANCELLED,
  CANCELS,
  CATALOGUE,
  CLOSED_POSITION,
  cannedAnswer,
  FUNDING_PAYMENTS,
  FUNDING_RATES,
  MORE_TRANSFERS,
  ORDER,
  ORDERS,
  POSITION,
  POSITION_HISTORY,
  POSITIONS,
  SINGLE_MARKET,
  STATS_BEFORE_TRADES,
  STATS_LIST,
  TRANSFERS,
} from './canned.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
let recorder: Recorder;
let exchange: OpenPerp;

beforeEach(async () => {
  recorder = await startRecorder(cannedAnswer);
  exchange = new OpenPerp({ apiKey: 'opk_test', urls: { api: { rest: recorder.url } } });
  await exchange.loadMarkets();
});

afterEach(() => recorder.close());

test('the canned resources are what the contract says', () => {
  marketCatalogue.parse(CATALOGUE);
  singleMarket.parse(SINGLE_MARKET);
  marketStats.parse(STATS_BEFORE_TRADES);
  apiKeyCurrent.parse(API_KEY);
  order.parse(ORDER);
  orderList.parse(ORDERS);
  orderBatch.parse(BATCH);
  orderCancelOutcomes.parse(CANCELS);
  cancelledOrders.parse(CANCELLED);
  accountSnapshot.parse(ACCOUNT);
  positionSnapshot.parse(POSITIONS);
  marketStatsList.parse(STATS_LIST);
  fundingRateList.parse(FUNDING_RATES);
  fundingPaymentList.parse(FUNDING_PAYMENTS);
  positionHistory.parse(POSITION_HISTORY);
  transferHistory.parse(TRANSFERS);
  transferHistory.parse(MORE_TRANSFERS);
});

test('a market', () => {
  expect(exchange.market(SYMBOL)).toMatchObject({
    id: 'BTC-USD-PERP',
    base: 'BTC',
    quote: 'USD.E',
    settle: 'USD.E',
    type: 'swap',
    subType: 'linear',
    linear: true,
    inverse: false,
    margin: false,
    future: false,
    option: false,
    active: true,
    contractSize: 1,
    taker: 0.0005,
    maker: -0.0001,
    precision: { amount: 0.00001, price: 0.1, cost: 0.000001 },
    limits: {
      leverage: { min: 1, max: 50 },
      amount: { min: 0.0001, max: 100 },
      price: { min: 100, max: 1_000_000 },
      cost: { min: 0 },
    },
    marginModes: { cross: false, isolated: true },
  });
  expect(exchange.currencies['USD.E']?.precision).toBe(0.000001);
});

test('an order that was filled in part and then cancelled', async () => {
  expect(await exchange.fetchOrder('42')).toMatchObject({
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

test('a market order by notional has the amount that it got, and its average price', () => {
  const { price: _price, quantity: _quantity, averagePrice: _average, ...rest } = ORDER;
  const market = { orderType: 'market', status: 'filled', notional: '1000', remainingQuantity: '0', postOnly: false };
  const filled = exchange.parseOrder({
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
  const empty = exchange.parseOrder({
    ...rest,
    ...market,
    status: 'cancelled',
    filledQuantity: '0',
    filledNotional: '0',
    feePaid: '0',
  });
  expect(empty).toMatchObject({ status: 'canceled', amount: 0, filled: 0, cost: 0, average: undefined, fee: { cost: 0 } });
});

test('a balance is cash and position margin, of which some is available', async () => {
  const balance = await exchange.fetchBalance();
  expect(balance['USD.E']).toEqual({ free: 8_999.900001, used: 0.399999, total: 9_000.3 });
});

describe('a position', () => {
  test('carries its exact entry, margin and risk', async () => {
    const [position] = await exchange.fetchPositions([]);
    expect(position).toMatchObject({
      id: '3',
      symbol: SYMBOL,
      side: 'short',
      contracts: 0.3,
      contractSize: 1,
      entryPrice: 65_000,
      markPrice: 66_000,
      notional: 19_800,
      leverage: 20,
      collateral: 675,
      initialMargin: 975,
      initialMarginPercentage: 0.05,
      maintenanceMargin: 198,
      maintenanceMarginPercentage: 0.01,
      unrealizedPnl: -300,
      realizedPnl: 10,
      percentage: -30.76,
      liquidationPrice: 67_574.2,
      marginMode: 'isolated',
      hedged: false,
      timestamp: 1_763_670_000_100,
    });
  });

  test('without a mark has no risk rather than a wrong one', () => {
    const {
      markPrice: _mark,
      unrealizedPnl: _pnl,
      liquidationPrice: _liquidation,
      maintenanceRequirement: _maintenance,
      ...unmarked
    } = POSITION;
    const position = exchange.parsePosition(unmarked);
    expect(position).toMatchObject({ contracts: 0.3, entryPrice: 65_000, initialMargin: 975 });
    for (const key of [
      'markPrice',
      'notional',
      'collateral',
      'unrealizedPnl',
      'percentage',
      'marginRatio',
      'liquidationPrice',
    ] as const)
      expect(position[key], key).toBeUndefined();
  });

  test('that is not there is flat', async () => {
    const flat = exchange.parsePosition({ marketId: 'BTC-USD-PERP', marginMode: 'isolated', currentQuantity: '0' });
    expect(flat).toMatchObject({ symbol: SYMBOL, contracts: 0, contractSize: 1, marginMode: 'isolated' });
    expect(flat.side).toBeUndefined();
    expect(flat.entryPrice).toBeUndefined();
  });
});

test('leverage tiers join up, and promise the leverage that the venue grants in each', async () => {
  const tiers = await exchange.fetchMarketLeverageTiers(SYMBOL);
  expect(tiers).toMatchObject([
    { tier: 1, currency: 'USD.E', minNotional: 0, maxNotional: 2_000_000, maintenanceMarginRate: 0.01, maxLeverage: 50 },
    { tier: 2, minNotional: 2_000_000, maxNotional: 10_000_000, maintenanceMarginRate: 0.015, maxLeverage: 33 },
    { tier: 3, minNotional: 10_000_000, maxNotional: 100_000_000, maintenanceMarginRate: 0.025, maxLeverage: 20 },
  ]);
  expect(await exchange.fetchLeverageTiers([SYMBOL])).toEqual({ [SYMBOL]: tiers });
});

test('a ticker before the first trade says nothing rather than zero', async () => {
  const ticker = await exchange.fetchTicker(SYMBOL);
  for (const key of ['last', 'open', 'high', 'low', 'bid', 'ask', 'vwap', 'percentage'] as const)
    expect(ticker[key], key).toBeUndefined();
  expect(ticker).toMatchObject({ symbol: SYMBOL, baseVolume: 0, timestamp: 1_763_670_000_123 });
});

describe('pages', () => {
  const { orders, ...rest } = ORDERS;
  const numbered = (...ids: readonly number[]) => ids.map((id) => ({ ...orders[0], orderId: String(id) }));
  const moment = orders[0].createdAtEpochMs;
  let paged: Recorder;

  /** Three pages, all of one millisecond: from the newest on, or from the oldest where a time is asked for. */
  beforeEach(async () => {
    paged = await startRecorder((request) => {
      if (!request.path.includes('/orders?')) return cannedAnswer(request);
      const { searchParams } = new URL(request.path, 'http://venue');
      const pages = searchParams.has('since') ? [[8, 9], [10, 11], [12]] : [[12, 11], [10, 9], [8]];
      const page = Number(searchParams.get('cursor') ?? 0);
      const more = page < 2 && { nextCursor: String(page + 1) };
      return { status: 200, body: { ...rest, orders: numbered(...(pages[page] ?? [])), ...more } };
    });
    exchange.urls.api = { rest: paged.url };
  });
  afterEach(() => paged.close());

  const ids = (list: readonly { id: string | undefined }[]) => list.map(({ id }) => id);

  test('of one millisecond are in the order in which the venue took them', async () => {
    expect(ids(await exchange.fetchOrders(SYMBOL, undefined, 2))).toEqual(['11', '12']);
    expect(ids(await exchange.fetchOrders(SYMBOL, moment, 2))).toEqual(['8', '9']);
  });

  test('say where the next one begins', async () => {
    const first = await exchange.fetchOrders(SYMBOL, moment, 2);
    const second = await exchange.fetchOrders(SYMBOL, moment, 2, { cursor: first.at(-1)?.info.nextCursor });
    expect(ids(second)).toEqual(['10', '11']);
    const third = await exchange.fetchOrders(SYMBOL, moment, 2, { cursor: second.at(-1)?.info.nextCursor });
    expect([ids(third), third.at(-1)?.info.nextCursor]).toEqual([['12'], undefined]);
  });

  test('are all fetched with paginate', async () => {
    const all = ids(await exchange.fetchOrders(SYMBOL, moment, undefined, { paginate: true }));
    expect(all.sort((left, right) => Number(left) - Number(right))).toEqual(['8', '9', '10', '11', '12']);
    const cursors = paged.requests
      .filter(({ path }) => path.includes('/orders?'))
      .map(({ path }) => new URL(path, paged.url).searchParams.get('cursor'));
    expect(cursors).toEqual([null, '1', '2']);
  });
});

/** What the class asked for since the markets were loaded. */
const asked = () => recorder.requests.slice(1).map(({ path }) => path);

describe('all markets are read in one request', () => {
  test.each([
    'fetchTickers',
    'fetchBidsAsks',
    'fetchMarkPrices',
    'fetchOpenInterests',
    'fetchFundingRates',
    'fetchFundingIntervals',
  ] as const)('%s', async (method) => {
    for (const symbols of [undefined, [], [SYMBOL]]) expect(Object.keys(await exchange[method](symbols))).toEqual([SYMBOL]);
    await expect(exchange[method](['DOGE/USD.E:USD.E'])).rejects.toThrow(ccxt.BadSymbol);
    expect(new Set(asked())).toEqual(new Set(['/v1/market-data/stats']));
  });
});

describe('funding', () => {
  const rate = {
    symbol: SYMBOL,
    fundingRate: -0.0000125,
    fundingTimestamp: 1_763_672_400_000,
    fundingDatetime: '2025-11-20T21:00:00.000Z',
    previousFundingRate: 0.00002,
    previousFundingTimestamp: 1_763_668_800_000,
    markPrice: 66_000,
    indexPrice: 65_990.5,
    interestRate: 0.0000125,
    interval: '1h',
    timestamp: 1_763_670_000_123,
  };

  test('the rate of the running period, that of the last, and how long they are', async () => {
    expect(await exchange.fetchFundingRates()).toMatchObject({ [SYMBOL]: rate });
  });

  test.each([
    ['3600000', '1h'],
    ['28800000', '8h'],
    ['300000', '5m'],
    ['5400000', '90m'],
    ['2000', '2s'],
  ])('a period of %s ms is %s', (ms, interval) => expect(exchange.parseFundingInterval(ms)).toBe(interval));

  test('rates that were settled, oldest first', async () => {
    const rates = await exchange.fetchFundingRateHistory(SYMBOL, undefined, 2);
    expect(rates).toMatchObject([
      { symbol: SYMBOL, fundingRate: -0.0000125, timestamp: 1_763_665_200_000 },
      { symbol: SYMBOL, fundingRate: 0.00002, timestamp: 1_763_668_800_000, datetime: '2025-11-20T20:00:00.000Z' },
    ]);
    expect(asked()).toEqual(['/v1/markets/BTC-USD-PERP/funding?limit=2']);
  });

  test('what a position paid is below zero, what it got above', async () => {
    const payments = await exchange.fetchFundingHistory(SYMBOL, 1_763_660_000_000);
    expect(payments.map(({ id, amount, code, symbol }) => ({ id, amount, code, symbol }))).toEqual([
      { id: '3-7', amount: -0.39, code: 'USD.E', symbol: SYMBOL },
      { id: '3-6', amount: 0.000125, code: 'USD.E', symbol: SYMBOL },
    ]);
    expect(asked().at(-1)).toBe('/v1/accounts/acct-7/funding?since=1763660000000&marketId=BTC-USD-PERP');
  });
});

test('a closed position is as large as it ever was, and has an exit and no risk', async () => {
  const [position] = await exchange.fetchPositionHistory(SYMBOL, undefined, 5);
  expect(position).toMatchObject({
    id: '3',
    symbol: SYMBOL,
    side: 'short',
    contracts: 0.4,
    entryPrice: 65_000,
    lastPrice: 64_900,
    realizedPnl: 10,
    timestamp: 1_763_670_000_100,
    info: { closeReason: 'liquidation' },
  });
  for (const key of ['notional', 'collateral', 'initialMargin', 'leverage', 'unrealizedPnl', 'marginRatio'] as const)
    expect(position?.[key], key).toBeUndefined();
  expect(asked().at(-1)).toBe('/v1/accounts/acct-7/positions/history?limit=5&marketId=BTC-USD-PERP');
});

test('what is left of a closed position is nothing, wherever it is told', () => {
  expect(exchange.parsePosition(CLOSED_POSITION)).toMatchObject({ contracts: 0, entryPrice: 65_000, lastPrice: 64_900 });
});

describe('transfers', () => {
  test('all pages are read, and one that changed meanwhile is there once, as it is now', async () => {
    const told = (await exchange.fetchDepositsWithdrawals()).map(({ id, type, status, amount, txid, updated }) => [
      ...[id, type, status],
      ...[amount, txid, updated],
    ]);
    expect(told).toEqual([
      ['deposit-1', 'deposit', 'ok', 10_000, 'event-1', 1_763_660_000_000],
      ['withdrawal-2', 'withdrawal', 'canceled', 1.5, undefined, 1_763_660_000_002],
      ['withdrawal-1', 'withdrawal', 'ok', 1.5, 'event-2', 1_763_660_000_003],
    ]);
    expect(asked().slice(-2)).toEqual([
      '/v1/accounts/acct-7/transfers?limit=100',
      '/v1/accounts/acct-7/transfers?limit=100&cursor=more',
    ]);
  });

  test('without a time the limit takes the newest, with one the first, in no more pages than that needs', async () => {
    expect((await exchange.fetchDepositsWithdrawals('USD.E', undefined, 1)).map(({ id }) => id)).toEqual(['withdrawal-1']);
    recorder.clear();
    const [first, ...more] = await exchange.fetchDeposits('USD.E', 1_763_660_000_000, 1);
    expect([first, more.length]).toMatchObject([{ id: 'deposit-1', fee: { cost: 0, currency: 'USD.E' } }, 0]);
    const { path } = recorder.requests[0]!;
    expect(recorder.requests).toHaveLength(1);
    expect(Object.fromEntries(new URL(path, recorder.url).searchParams)).toEqual({
      kind: 'deposit',
      limit: '100',
      since: '1763660000000',
    });
  });
});

test('a venue that takes no orders is in maintenance, and says why', async () => {
  const halted = await startRecorder(() => ({
    status: 503,
    body: { status: 'not_ready', reasons: ['disk full'], journalSequence: 9 },
  }));
  exchange.urls.api = { rest: halted.url };
  expect(await exchange.fetchStatus()).toMatchObject({ status: 'maintenance', info: { reasons: ['disk full'] } });
  await halted.close();
});

test('the address is the hostname, and the same in the sandbox', async () => {
  const elsewhere = new OpenPerp({ hostname: recorder.url.replace('http://', '') });
  elsewhere.setSandboxMode(true);
  await elsewhere.loadMarkets();
  expect(elsewhere.isSandboxModeEnabled).toBe(true);
  expect(recorder.requests.at(-1)?.path).toBe('/v1/markets');
});
