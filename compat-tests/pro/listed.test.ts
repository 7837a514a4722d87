/** A market that is listed while a program watches without knowing it: its updates have the symbol and a current mark price. */
import ccxt, { type Position, type Trade } from 'ccxt';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { overProxy, untilLive, untilLost } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

let venue: OwnMarket;

beforeAll(async () => {
  venue = await startOwnMarket();
});

afterAll(() => venue.stop());

async function tradingIn(symbol: string) {
  const { apiKey } = await venue.openAccount('10000000');
  const maker = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } }, enableRateLimit: false });
  await maker.createOrder(symbol, 'limit', 'sell', 100, 1_001);
}

test('is known while its account is watched', async () => {
  const { exchange, trader } = await overProxy(venue);
  const watched: Record<string, readonly { readonly symbol?: string | undefined }[]> = {};
  const watch = async (name: 'watchOrders' | 'watchMyTrades' | 'watchPositions') => {
    const rows = await exchange[name]();
    watched[name] = [...(watched[name] ?? []), ...rows];
  };
  await watch('watchPositions');
  const first = Promise.all([watch('watchOrders'), watch('watchMyTrades')]);
  for (const channel of ['account.orders', 'account.fills', 'account.pnl']) await untilLive(exchange, channel);
  const loads = vi.spyOn(exchange, 'fetchMarkets');
  const symbol = await venue.list('NEW');
  await tradingIn(symbol);
  await trader.createOrder(symbol, 'market', 'buy', 1);
  await first;
  await venue.index(1_002, 'NEW');
  await eventually(async () => {
    await watch('watchPositions');
    expect(watched.watchPositions?.at(-1)).toMatchObject((await trader.fetchPositions([symbol])).map(pick)[0] as object);
    expect(watched.watchPositions?.at(-1)).toMatchObject({ contracts: 1 });
  });
  for (const rows of Object.values(watched)) for (const row of rows) expect(row.symbol).toBe(symbol);
  expect(loads.mock.calls.length).toBeLessThanOrEqual(3);
});

const pick = ({ symbol, markPrice, unrealizedPnl }: Position) => ({ symbol, markPrice, unrealizedPnl });

test('is known when it was listed before the watch', async () => {
  const { exchange, trader } = await overProxy(venue);
  const symbol = await venue.list('OTH');
  await tradingIn(symbol);
  await trader.createOrder(symbol, 'market', 'buy', 1);
  expect(await exchange.watchPositions()).toMatchObject([{ symbol, contracts: 1 }]);
});

test('is known when it was listed during a disconnect', async () => {
  const { exchange, trader, proxy } = await overProxy(venue);
  const first = exchange.watchMyTrades();
  await untilLive(exchange, 'account.fills');
  proxy.refuse(true);
  const cut = expect(first).rejects.toBeInstanceOf(ccxt.NetworkError);
  await untilLost(exchange, proxy.cut);
  await cut;
  const symbol = await venue.list('LAT');
  await tradingIn(symbol);
  await trader.createOrder(symbol, 'market', 'buy', 1);
  proxy.refuse(false);
  let watched: readonly Trade[] = [];
  await eventually(async () => {
    watched = await exchange.watchMyTrades();
  });
  expect(watched).toMatchObject([{ symbol, amount: 1, fee: { currency: 'USD.E' } }]);
});
