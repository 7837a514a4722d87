/**
 * Updates that are missed around a disconnect: before the venue processed a subscription, while its socket service is behind, and
 * beyond its replay buffer. Afterwards all are there once, as in REST, after few requests.
 */
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { OpenPerp, type OpenPerpPro } from '#adapter/dist/openperp.js';
import { overProxy, untilLive, untilLost } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import type { SeverableProxy } from '#compat/testing/severable-proxy.ts';
import { eventually } from '#time/testing/eventually.ts';

interface Row {
  readonly status?: string;
}

interface Frame {
  readonly type: string;
  readonly channel: string;
  /** The changed rows of an update, by list. */
  readonly data?: Readonly<Record<string, readonly Row[]>>;
}

let venue: OwnMarket;

beforeAll(async () => {
  venue = await startOwnMarket();
  await withLiquidity(venue);
});

afterAll(() => venue.stop());

async function withLiquidity({ openAccount, url }: OwnMarket): Promise<void> {
  const { apiKey } = await openAccount('10000000');
  const exchange = new OpenPerp({ apiKey, urls: { api: { rest: url } }, enableRateLimit: false });
  await exchange.createOrder(SYMBOL, 'limit', 'sell', 1_000, 1_001);
  await exchange.createOrder(SYMBOL, 'limit', 'buy', 1_000, 999);
}

/** Passes every message of any socket through this function, and delivers its result, if any. */
function intercept(exchange: OpenPerpPro, through: (frame: Frame) => object | undefined): void {
  const deliver = exchange.handleMessage.bind(exchange);
  exchange.handleMessage = (client, frame) => {
    const passed = through(frame);
    if (passed !== undefined) deliver(client, passed);
  };
  for (const client of Object.values(exchange.clients)) client.onMessageCallback = exchange.handleMessage;
}

/** Refuses new connections until the test allows them. */
function disconnect(exchange: OpenPerpPro, proxy: SeverableProxy): Promise<void> {
  proxy.refuse(true);
  return untilLost(exchange, proxy.cut);
}

/** Calls again after a lost connection, like a program would. */
async function watchUntilRows<Row>(watch: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
  for (;;) {
    try {
      return await watch();
    } catch (error) {
      if (!(error instanceof ccxt.NetworkError)) throw error;
    }
  }
}

const ids = (rows: readonly { readonly id?: string | undefined }[]) => rows.map(({ id }) => id);

test.each([
  ['watchMyTrades', 'account.fills', (it: OpenPerp) => it.fetchMyTrades(SYMBOL)],
  ['watchTrades', 'market.trades', (it: OpenPerp) => it.fetchTrades(SYMBOL, undefined, 1)],
] as const)(
  '%s: loses no update before the first subscription when the connection breaks there',
  async (method, channel, read) => {
    const { proxy, trader, exchange } = await overProxy(venue);
    let isLost = false;
    // The connection breaks while the venue's response is on its way.
    intercept(exchange, (frame) => {
      if (frame.type !== 'subscribed' || frame.channel !== channel || isLost) return frame;
      isLost = true;
      return undefined;
    });
    const first = exchange[method](SYMBOL);
    const cut = expect(first).rejects.toBeInstanceOf(ccxt.NetworkError);
    await eventually(() => expect(isLost).toBe(true));
    await disconnect(exchange, proxy);
    await cut;
    await trader.createOrder(SYMBOL, 'market', 'buy', 0.1);
    proxy.refuse(false);
    const watched = await watchUntilRows(() => exchange[method](SYMBOL));
    expect(ids(watched)).toEqual(ids(await read(trader)));
  },
);

test('delivers an order that is placed while the first lists are read', async () => {
  const { trader, exchange } = await overProxy(venue);
  const fetch = exchange.fetch.bind(exchange);
  let placed: string | undefined;
  exchange.fetch = async (...request: Parameters<typeof fetch>) => {
    if (placed === undefined && request[0].includes('/orders/open'))
      placed = (await trader.createOrder(SYMBOL, 'limit', 'buy', 0.1, 910)).id as string;
    return fetch(...request);
  };
  expect(ids(await exchange.watchOrders())).toEqual([placed]);
});

test.each([
  ['is behind REST', 'sequence_ahead'],
  ['has no memory for a replay', 'no_room_for_replay'],
])('waits for a socket service that %s: no gap, no duplicate', async (_, code) => {
  const { proxy, trader, exchange } = await overProxy(venue);
  const watched: (string | undefined)[] = [];
  const first = exchange.watchMyTrades(SYMBOL);
  await untilLive(exchange, 'account.fills');
  await trader.createOrder(SYMBOL, 'market', 'buy', 0.1);
  watched.push(...ids(await first));
  await disconnect(exchange, proxy);
  await trader.createOrder(SYMBOL, 'market', 'buy', 0.2);
  let refusals = 0;
  intercept(exchange, (frame) => {
    if (frame.type !== 'subscribed' || refusals === 2) return frame;
    refusals += 1;
    return { ...frame, type: 'error', code };
  });
  proxy.refuse(false);
  watched.push(...ids(await watchUntilRows(() => exchange.watchMyTrades(SYMBOL))));
  await trader.createOrder(SYMBOL, 'market', 'buy', 0.3);
  watched.push(...ids(await exchange.watchMyTrades(SYMBOL)));
  expect(refusals).toBe(2);
  expect(watched).toEqual(ids(await trader.fetchMyTrades(SYMBOL)));
});

test('throws once for a venue with other data, then delivers only the new data', async () => {
  const { proxy, trader, exchange } = await overProxy(venue);
  const first = [exchange.watchTrades(SYMBOL), exchange.watchOrders(SYMBOL)];
  await untilLive(exchange, 'market.trades');
  await untilLive(exchange, 'account.orders');
  // Further than the other venue gets while it is watched.
  for (let order = 0; order < 100; order += 1) await trader.createOrder(SYMBOL, 'market', 'buy', 0.1);
  await Promise.all(first);
  await disconnect(exchange, proxy);
  const other = await startOwnMarket();
  onTestFinished(() => other.stop());
  await withLiquidity(other);
  const { apiKey, accountId } = await other.openAccount();
  Object.assign(exchange, { apiKey, accountId });
  exchange.urls.api.rest = other.url;
  for (const hash of Object.keys(exchange.realtime.unread)) delete exchange.realtime.unread[hash];
  proxy.leadTo(other.realtimeUrl);
  proxy.refuse(false);
  for (const watch of [() => exchange.watchTrades(SYMBOL), () => exchange.watchOrders(SYMBOL)] as const)
    await expect(watchUntilRows<object>(watch)).rejects.toThrow('other data');
  const next = [exchange.watchTrades(SYMBOL), exchange.watchOrders(SYMBOL)];
  await untilLive(exchange, 'market.trades');
  await untilLive(exchange, 'account.orders');
  const reader = new OpenPerp({ apiKey, urls: { api: { rest: other.url } } });
  await reader.createOrder(SYMBOL, 'market', 'buy', 0.1);
  const [trades, orders] = await Promise.all(next);
  expect(ids(trades as never)).toEqual(ids(await reader.fetchTrades(SYMBOL)));
  expect(ids(orders as never)).toEqual(ids(await reader.fetchOrders(SYMBOL)));
});

/** Drops updates of this channel until this many rows were dropped; then there is a gap, and the heals are counted. */
function dropRows(exchange: OpenPerpPro, channel: string, isOfThem: (row: Row) => boolean) {
  const heal = vi.spyOn(exchange, 'readMissed');
  let rows = 0;
  let isDropping = true;
  intercept(exchange, (frame) => {
    if (!isDropping || frame.channel !== channel || frame.data === undefined) return frame;
    rows += Object.values(frame.data).flat().filter(isOfThem).length;
    return undefined;
  });
  return {
    heal,
    until: async (count: number) => {
      await eventually(() => expect(rows).toBe(count));
      isDropping = false;
    },
  };
}

test('delivers a position closed meanwhile with its result', async () => {
  const { trader, exchange } = await overProxy(venue);
  await exchange.watchPositions();
  await trader.createOrder(SYMBOL, 'market', 'buy', 2);
  expect(await exchange.watchPositions()).toMatchObject([{ side: 'long', contracts: 2 }]);
  await untilLive(exchange, 'account.positions');
  const dropped = dropRows(exchange, 'account.positions', ({ status }) => status === 'closed');
  await trader.createOrder(SYMBOL, 'market', 'sell', 2);
  await dropped.until(1);
  await trader.createOrder(SYMBOL, 'market', 'sell', 1);
  const watched: Record<string, object> = {};
  await eventually(async () => {
    for (const { side, contracts, info } of await exchange.watchPositions()) watched[`${side} ${contracts}`] = info;
    expect(Object.keys(watched)).toContain('short 1');
  });
  const [closed] = await trader.fetchPositionsHistory([SYMBOL]);
  expect(closed?.info).toMatchObject({ side: 'long', closeReason: 'user_close' });
  expect(Number(closed?.info.realizedPnl)).toBeLessThan(0);
  expect(watched['long 0']).toEqual(closed?.info);
  expect(dropped.heal).toHaveBeenCalled();
});

test('delivers a position opened and closed meanwhile', async () => {
  const { trader, exchange } = await overProxy(venue);
  const watched: string[] = [];
  const watchUntil = async (state: string) => {
    while (!watched.includes(state))
      for (const { side, contracts } of await exchange.watchPositions()) watched.push(`${side} ${contracts}`);
  };
  const first = watchUntil('long 1');
  await untilLive(exchange, 'account.positions');
  await trader.createOrder(SYMBOL, 'market', 'buy', 1);
  await first;
  const dropped = dropRows(exchange, 'account.positions', ({ status }) => status === 'closed');
  await trader.createOrder(SYMBOL, 'market', 'sell', 3);
  await trader.createOrder(SYMBOL, 'market', 'buy', 2);
  await dropped.until(2);
  await trader.createOrder(SYMBOL, 'market', 'buy', 4);
  await watchUntil('long 4');
  expect(watched).toContain('short 0');
  expect(dropped.heal).toHaveBeenCalled();
});

test('reads orders that closed meanwhile page by page', async () => {
  const { trader, exchange } = await overProxy(venue);
  const place = async (orders: number) => {
    const placed: string[] = [];
    while (placed.length < orders) {
      const batch = Array.from({ length: 25 }, () => ({ symbol: SYMBOL, type: 'limit', side: 'buy', amount: 0.01, price: 910 }));
      for (const { id } of await trader.createOrders(batch as never)) placed.push(id as string);
    }
    return placed;
  };
  const before = await place(25);
  // More than a page between them.
  const { id: remaining } = await trader.createOrder(SYMBOL, 'limit', 'buy', 0.01, 911);
  for (let round = 0; round < 3; round += 1) {
    await trader.cancelOrders((await place(200)).slice(0, 24), SYMBOL);
    const open = (await trader.fetchOpenOrders(SYMBOL, undefined, 500)).map(({ id }) => id as string);
    const others = open.filter((id) => id !== remaining && !before.includes(id));
    while (others.length > 0) await trader.cancelOrders(others.splice(0, 24), SYMBOL);
  }
  const after = await place(175);
  const first = exchange.watchOrders();
  await untilLive(exchange, 'account.orders');
  const dropped = dropRows(exchange, 'account.orders', ({ status }) => status === 'cancelled');
  await trader.cancelAllOrders(SYMBOL);
  await dropped.until(201);
  const requested: string[] = [];
  const fetch = exchange.fetch.bind(exchange);
  exchange.fetch = (...request: Parameters<typeof fetch>) => {
    requested.push(new URL(request[0]).pathname);
    return fetch(...request);
  };
  const { id: newest } = await trader.createOrder(SYMBOL, 'limit', 'buy', 0.01, 912);
  const status = new Map((await first).map((order) => [order.id, order.status]));
  expect(status.get(newest as string)).toBe('open');
  for (const id of [...before, remaining, ...after]) expect(status.get(id as string), id).toBe('canceled');
  expect(dropped.heal).toHaveBeenCalledOnce();
  expect(requested.length).toBeLessThanOrEqual(4);
});

test.each([
  ['that does not exist yet', 0],
  ['in its earlier state', 1],
])('ignores a position %s from REST that is behind the socket, and misses nothing', async (_, bought) => {
  const { trader, exchange } = await overProxy(venue);
  const watched: (number | undefined)[] = [];
  const watchUntil = async (contracts: number) => {
    while (watched.at(-1) !== contracts) for (const row of await exchange.watchPositions()) watched.push(row.contracts);
  };
  const buy = async () => {
    await trader.createOrder(SYMBOL, 'market', 'buy', 1);
    await watchUntil((watched.at(-1) ?? 0) + 1);
  };
  await exchange.watchPositions();
  for (let order = 0; order < bought; order += 1) await buy();
  const behind = await exchange.privateGetV1AccountsAccountIdPositions({ accountId: exchange.accountId });
  await buy();
  const dropped = dropRows(exchange, 'account.positions', () => true);
  await trader.createOrder(SYMBOL, 'market', 'buy', 1);
  await dropped.until(1);
  const read = vi.spyOn(exchange, 'privateGetV1AccountsAccountIdPositions').mockResolvedValueOnce(behind as never);
  await trader.createOrder(SYMBOL, 'market', 'buy', 1);
  await watchUntil(bought + 3);
  expect(read).toHaveBeenCalledOnce();
  expect(watched.filter((contracts, at) => Number(contracts) < Number(watched[at - 1] ?? 0))).toEqual([]);
});

test('ignores candles from REST that are behind the socket, and misses nothing', async () => {
  const { trader, exchange } = await overProxy(venue);
  const watched: number[] = [];
  const watchUntil = async (volume: number) => {
    while ((watched.at(-1) ?? 0) < volume - 0.05)
      for (const row of await exchange.watchOHLCV(SYMBOL, '1d')) watched.push(row[5] as number);
  };
  const buy = () => trader.createOrder(SYMBOL, 'market', 'buy', 0.1);
  const first = watchUntil(0.1);
  await untilLive(exchange, 'market.candles');
  await buy();
  await first;
  const [feed] = Object.values<{ request: object }>(exchange.realtime.feeds);
  const behind = await exchange.publicGetV1MarketsMarketIdCandles({ ...feed?.request, limit: 1 });
  const volume = watched.at(-1) as number;
  await buy();
  await watchUntil(volume + 0.1);
  const dropped = dropRows(exchange, 'market.candles', () => true);
  await buy();
  await dropped.until(1);
  const read = vi.spyOn(exchange, 'publicGetV1MarketsMarketIdCandles').mockResolvedValueOnce(behind as never);
  await buy();
  await watchUntil(volume + 0.3);
  expect(read).toHaveBeenCalledOnce();
  expect(watched.filter((row, at) => row < (watched[at - 1] ?? 0))).toEqual([]);
});
