/**
 * The private socket methods against a venue whose market the test moves. A position with partial fills, a flip, funding and a
 * liquidation: watched state equals REST at every pause.
 */
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { unified, Watcher } from '#compat/testing/watcher.ts';
import { REALTIME_LIMITS } from '#contract/realtime-limits.ts';
import { eventually } from '#time/testing/eventually.ts';

let venue: OwnMarket;

beforeAll(async () => {
  venue = await startOwnMarket();
});

afterAll(() => venue.stop());

async function open(credit?: string): Promise<OpenPerpPro> {
  const { apiKey } = await venue.openAccount(credit);
  return another(apiKey);
}

function another(apiKey: string, config: object = {}): OpenPerpPro {
  const exchange = new OpenPerpPro({ apiKey, urls: { api: { rest: venue.url } }, enableRateLimit: false, ...config });
  onTestFinished(() => exchange.close());
  return exchange;
}

async function follow(exchange: OpenPerpPro): Promise<Watcher> {
  const watcher = new Watcher(exchange).begin();
  await eventually(() => expect(watcher.balance).toHaveProperty('total'));
  return watcher;
}

/** Orders of every status, trades, positions and the balance equal those of REST, and the required kinds exist. */
async function expectSame(watcher: Watcher, reader: OpenPerpPro, symbol = SYMBOL): Promise<void> {
  await eventually(async () => {
    const read = {
      orders: unified(await reader.fetchOrders(symbol)),
      trades: unified(await reader.fetchMyTrades(symbol)),
      positions: unified(await reader.fetchPositions()),
      balance: await reader.fetchBalance(),
    };
    const { total, free, used } = watcher.balance;
    expect({ total, free, used }).toEqual({ total: read.balance.total, free: read.balance.free, used: read.balance.used });
    expect(unified(watcher.positions.values())).toEqual(read.positions);
    expect(unified(watcher.orders.values())).toEqual(read.orders);
    expect(unified(watcher.trades)).toEqual(read.trades);
  });
  expect(watcher.errors).toEqual([]);
}

test('watches the same as REST for a position with partial fills, a flip, funding and a liquidation', async () => {
  const maker = await open('10000000');
  const taker = await open('100000');
  const watched = await follow(taker);
  const makers = await follow(maker);
  const reader = another(taker.apiKey);
  const leverage = { leverage: 50 };
  const pause = async () => {
    await expectSame(watched, reader);
    await expectSame(makers, another(maker.apiKey));
  };

  for (const [price, amount] of [
    [1_000.5, 1],
    [1_001, 2],
    [1_002, 3_000],
  ] as const)
    await maker.createOrder(SYMBOL, 'limit', 'sell', amount, price);
  for (const [price, amount] of [
    [999.5, 1],
    [999, 3_000],
    [700, 3_000],
  ] as const)
    await maker.createOrder(SYMBOL, 'limit', 'buy', amount, price);
  await pause();

  await taker.createOrder(SYMBOL, 'limit', 'buy', 2.5, 1_001, leverage);
  await taker.createOrder(SYMBOL, 'limit', 'buy', 1, 1_001, leverage);
  await pause();
  expect([...watched.positions.values()]).toMatchObject([{ side: 'long', contracts: 3 }]);
  expect([...watched.orders.values()].map(({ status, filled }) => [status, filled])).toEqual([
    ['closed', 2.5],
    ['open', 0.5],
  ]);

  // Further than the band around the book keeps the mark price.
  for (const price of [1_008, 994]) {
    await venue.index(price);
    await pause();
  }
  const [moved] = watched.positions.values();

  await taker.createOrder(SYMBOL, 'market', 'sell', 8, undefined, leverage);
  await pause();
  expect([...watched.positions.values()]).toMatchObject([{ side: 'short', contracts: 4.5 + 0.5 }]);
  expect(moved?.id).not.toBe([...watched.positions.values()][0]?.id);

  const paid = () => Number([...watched.positions.values()][0]?.info.fundingPaid);
  const before = paid();
  await eventually(async () => {
    await venue.index(998);
    await pause();
    expect(paid()).not.toBe(before);
  });

  // In the second maintenance tier, where the requirement follows the mark price at another rate.
  await taker.createOrder(SYMBOL, 'market', 'sell', 2_200, undefined, { leverage: 30 });
  const worked: boolean[] = [];
  for (const price of [990, 1_007, 991, 1_008]) {
    await venue.index(price);
    await pause();
    worked.push([...watched.positions.values()][0]?.info.markPriceAtoms === undefined);
  }
  // Not published by the venue: the class computes it from the mark price.
  expect(worked).toContain(true);

  await maker.createOrder(SYMBOL, 'limit', 'sell', 3_000, 1_026);
  await eventually(async () => {
    await venue.index(1_026);
    expect(await reader.fetchPositions()).toEqual([]);
  });
  await pause();
  expect(watched.positions.size).toBe(0);
  expect([...watched.orders.values()].some(({ info }) => info.origin === 'liquidation')).toBe(true);
});

test('shows two exchanges of one account the same, and unwatching in one does not affect the other', async () => {
  const { apiKey } = await venue.openAccount();
  const [first, second] = [another(apiKey), another(apiKey)];
  const [one, other] = [await follow(first), await follow(second)];
  const { id } = await first.createOrder(SYMBOL, 'limit', 'buy', 1, 910);
  await eventually(() => expect([one, other].map(({ orders }) => orders.get(id as string)?.status)).toEqual(['open', 'open']));
  await one.close();
  await second.cancelOrder(id as string, SYMBOL);
  await eventually(() => expect(other.orders.get(id as string)?.status).toBe('canceled'));
  expect(other.errors).toEqual([]);
});

test('delivers updates of a symbol to its watchers, and buffers updates without a waiting caller', async () => {
  const exchange = await open();
  await exchange.loadMarkets();
  const first = exchange.watchOrders(SYMBOL);
  const elsewhere = exchange.watchOrders('BTC/USD.E:USD.E');
  await eventually(() => expect(Object.keys(exchange.realtime.feeds)).toEqual(['account.orders']));
  await eventually(() => expect(exchange.realtime.feeds['account.orders'].live).toEqual({ 'account.orders': true }));
  const { id } = await exchange.createOrder(SYMBOL, 'limit', 'buy', 1, 910);
  expect((await first).map(({ id: it, status }) => [it, status])).toEqual([[id, 'open']]);
  await exchange.cancelOrder(id as string, SYMBOL);
  await eventually(() => expect(exchange.realtime.unread).toHaveProperty(`orders::${SYMBOL}`));
  expect((await exchange.watchOrders(SYMBOL)).map(({ id: it, status }) => [it, status])).toEqual([[id, 'canceled']]);
  const ended = expect(elsewhere).rejects.toBeInstanceOf(ccxt.UnsubscribeError);
  expect(await exchange.unWatchOrders('BTC/USD.E:USD.E')).toBe(true);
  await ended;
  expect(Object.keys(exchange.realtime.feeds)).toEqual(['account.orders']);
  expect(await exchange.unWatchOrders(SYMBOL)).toBe(true);
  expect(exchange.realtime.feeds).toEqual({});
});

test('ends and restarts each of the private methods', async () => {
  const exchange = await open();
  const maker = await open();
  await maker.createOrder(SYMBOL, 'limit', 'sell', 1, 1_040);
  await exchange.watchBalance();
  await exchange.watchPositions([SYMBOL]);
  const trades = exchange.watchMyTrades(SYMBOL);
  await eventually(() => expect(exchange.realtime.feeds['account.fills']?.live).toEqual({ 'account.fills': true }));
  await exchange.createOrder(SYMBOL, 'limit', 'buy', 0.5, 1_040);
  expect(await trades).toMatchObject([{ symbol: SYMBOL, amount: 0.5, takerOrMaker: 'taker' }]);
  for (const end of [
    () => exchange.unWatchMyTrades(SYMBOL),
    () => exchange.unWatchPositions([SYMBOL]),
    () => exchange.unWatchBalance(),
  ])
    expect(await end()).toBe(true);
  expect(exchange.realtime.feeds).toEqual({});
  expect(await exchange.watchPositions([SYMBOL])).toMatchObject([{ symbol: SYMBOL, contracts: 0.5, side: 'long' }]);
  expect(await exchange.watchPositions()).toMatchObject([{ symbol: SYMBOL }]);
  expect((await exchange.watchBalance()).total).toEqual((await exchange.fetchBalance()).total);
});

test('throws AuthenticationError without an API key, and with a rejected one', async () => {
  for (const apiKey of [undefined, 'opk_none']) {
    const exchange = another(apiKey as string);
    await expect(exchange.watchOrders()).rejects.toBeInstanceOf(ccxt.AuthenticationError);
    await expect(exchange.watchBalance()).rejects.toBeInstanceOf(ccxt.AuthenticationError);
  }
});

test('throws for a subscription beyond the venue’s limit, and keeps the others', async () => {
  const { apiKey } = await venue.openAccount();
  // As with a venue whose limit per socket is lower than the class assumes.
  const exchange = another(apiKey, { options: { subscriptionsPerSocket: 100 } });
  await exchange.loadMarkets();
  const refused: unknown[] = [];
  const begin = (watch: Promise<unknown>) => watch.catch((error) => refused.push(error));
  const timeframes = Object.keys(exchange.timeframes);
  const starts = exchange.symbols.flatMap((symbol) => [
    () => exchange.watchTrades(symbol),
    () => exchange.watchOrderBook(symbol),
    () => exchange.watchTicker(symbol),
    ...timeframes.flatMap((timeframe) =>
      [{}, { price: 'index' }].map((params) => () => exchange.watchOHLCV(symbol, timeframe, undefined, undefined, params)),
    ),
  ]);
  // Leaves capacity for fills, the two channels of positions, and the balance: orders exceed the limit by one.
  const capacity = REALTIME_LIMITS.maxSubscriptions - 4;
  expect(starts.length).toBeGreaterThanOrEqual(capacity);
  for (const start of starts.slice(0, capacity)) begin(start());
  begin(exchange.watchMyTrades());
  begin(exchange.watchPositions());
  await eventually(() => expect(exchange.realtime.feeds['account.positions']?.live).toHaveProperty(['account.pnl']));
  expect(refused).toEqual([]);
  expect((await exchange.watchBalance()).total).toBeDefined();
  await expect(exchange.watchOrders()).rejects.toThrow('too_many_subscriptions');
  await exchange.unWatchPositions();
  const orders = exchange.watchOrders();
  await eventually(() => expect(exchange.realtime.feeds['account.orders'].live).toEqual({ 'account.orders': true }));
  await exchange.createOrder(SYMBOL, 'limit', 'buy', 1, 910);
  expect(await orders).toHaveLength(1);
  // The second channel of positions exceeds the limit. Once there is capacity, both are subscribed again.
  expect(await exchange.watchPositions()).toEqual([]);
  await expect(exchange.watchPositions()).rejects.toThrow('too_many_subscriptions');
  await exchange.unWatchMyTrades();
  const positions = exchange.watchPositions();
  await eventually(() => expect(exchange.realtime.feeds['account.positions'].live).toHaveProperty(['account.pnl'], true));
  await (await open()).createOrder(SYMBOL, 'limit', 'sell', 1, 1_035);
  await exchange.createOrder(SYMBOL, 'limit', 'buy', 0.5, 1_035);
  expect(await positions).toMatchObject([{ contracts: 0.5 }]);
});

test('reads the balance over REST while there is no mark price; throws if that fails, and the next call has it', async () => {
  const exchange = await open();
  await exchange.watchBalance();
  await eventually(() => expect(exchange.realtime.feeds['account.margin'].live).toEqual({ 'account.margin': true }));
  const [client] = Object.values(exchange.clients);
  const { sequences } = exchange.realtime.feeds['account.margin'];
  /** As the venue publishes that values changed, but not the values. */
  const digest = () => {
    const sequence = sequences['account.margin'] + 1;
    const about = { type: 'update', channel: 'account.margin', accountId: exchange.accountId };
    exchange.handleMessage(client!, { ...about, sequence, previousSequence: sequence - 1, epochMs: 1, data: { kind: 'digest' } });
  };
  const fetch = exchange.fetch.bind(exchange);
  exchange.fetch = async () => {
    throw new ccxt.NetworkError('planted');
  };
  const waiting = expect(exchange.watchBalance()).rejects.toThrow('planted');
  await eventually(() => expect(Object.keys(client!.futures)).toContain('balance'));
  digest();
  await waiting;
  exchange.fetch = fetch;
  const next = exchange.watchBalance();
  await eventually(() => expect(exchange.realtime.feeds['account.margin'].live).toEqual({ 'account.margin': true }));
  await exchange.createOrder(SYMBOL, 'limit', 'buy', 1, 910);
  expect((await next).used).toEqual((await exchange.fetchBalance()).used);
});
