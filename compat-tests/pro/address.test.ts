/**
 * An unusable URL for sockets, set by the program or published by the venue: watching throws an error with the expected form
 * before a socket opens, and the exchange can be closed, watched again and corrected.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';

let venue: OwnMarket;

beforeAll(async () => {
  venue = await startOwnMarket();
});

afterAll(() => venue.stop());

const UNUSABLE = [
  'localhost:8081',
  'nonsense',
  'http://localhost:8081',
  'https://venue.example',
  'WS:/localhost',
  'ws://',
  'ws:///path',
  'ws://localhost:99999',
  'ws://local host',
  'ws://localhost:8081/#part',
];

test.each(UNUSABLE)('refuses %s in every method and every call with advice; then works with a valid URL', async (ws) => {
  const { apiKey } = await venue.openAccount();
  const exchange = new OpenPerpPro({ apiKey, urls: { api: { rest: venue.url, ws } }, enableRateLimit: false });
  onTestFinished(() => exchange.close());
  for (const watch of [
    () => exchange.watchTicker(SYMBOL),
    () => exchange.watchTicker(SYMBOL),
    () => exchange.watchOrderBookForSymbols(['BTC/USD.E:USD.E', SYMBOL]),
    () => exchange.watchOrders(),
  ]) {
    const refused = watch();
    await expect(refused).rejects.toBeInstanceOf(ccxt.BadRequest);
    await expect(refused).rejects.toThrow('wss://');
    expect(exchange.clients).toEqual({});
    expect(exchange.realtime.feeds).toEqual({});
  }
  await exchange.close();
  exchange.urls.api.ws = venue.realtimeUrl;
  expect((await exchange.watchOrderBook(SYMBOL)).symbol).toBe(SYMBOL);
});

test('refuses an unusable URL of the venue likewise, and reads it again', async () => {
  const exchange = new OpenPerpPro({ urls: { api: { rest: venue.url } }, enableRateLimit: false });
  onTestFinished(() => exchange.close());
  const readDocument = vi.spyOn(exchange, 'publicGetAsyncapiJson');
  readDocument.mockResolvedValueOnce({ servers: { venue: { host: 'localhost:8081', pathname: '/', protocol: 'http' } } });
  await expect(exchange.watchTicker(SYMBOL)).rejects.toBeInstanceOf(ccxt.BadRequest);
  expect((await exchange.watchTicker(SYMBOL)).symbol).toBe(SYMBOL);
});

test('throws ccxt’s error for a wrong proxy, and ends no program, closed or not', async () => {
  const program = `
    import { OpenPerpPro } from '#adapter/dist/openperp.js';
    const [, rest, realtime] = process.argv;
    for (const ws of ${JSON.stringify(UNUSABLE)}) {
      const exchange = new OpenPerpPro({ urls: { api: { rest, ws } } });
      for (let time = 0; time < 2; time += 1)
        await exchange.watchTicker('${SYMBOL}').catch((error) => console.log(error.constructor.name));
      await exchange.close();
    }
    const exchange = new OpenPerpPro({ urls: { api: { rest, ws: realtime } } });
    await exchange.loadMarkets();
    // Two proxies.
    Object.assign(exchange, { wsProxy: 'http://localhost:1', wssProxy: 'http://localhost:1' });
    await exchange.watchTicker('${SYMBOL}').catch((error) => console.log(error.constructor.name));
    await exchange.close();
    console.log('closed');
  `;
  const requested = ['--input-type=module', '-e', program, venue.url, venue.realtimeUrl];
  const { stdout } = await promisify(execFile)(process.execPath, requested);
  expect(stdout).toBe(`${'BadRequest\n'.repeat(UNUSABLE.length * 2)}InvalidProxySettings\nclosed\n`);
});
