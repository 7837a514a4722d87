/**
 * Runs the long-running examples like a user: until they have shown what they do, then Ctrl-C. They survive a short outage of the
 * venue and a lost connection.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type SeverableProxy, startSeverableProxy } from '#compat/testing/severable-proxy.ts';
import { type BootedVenue, bootVenue } from './booted-venue.ts';

const EXAMPLES = join(dirname(dirname(fileURLToPath(import.meta.url))), 'examples');

let venue: BootedVenue;
let child: ChildProcess | undefined;

beforeAll(async () => {
  venue = await bootVenue();
});

afterAll(() => venue.stop());

afterEach(() => {
  child?.kill('SIGKILL');
});

async function exchangeOf(apiKey: string): Promise<OpenPerp> {
  const exchange = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
  await exchange.loadMarkets();
  return exchange;
}

/** A running example, and its output. */
function start(name: string, apiKey: string, { url = venue.url, realtimeUrl = venue.realtimeUrl } = {}) {
  const env = { ...process.env, OPENPERP_URL: url, OPENPERP_REALTIME_URL: realtimeUrl, OPENPERP_APIKEY: apiKey };
  const started = spawn(process.execPath, [join(EXAMPLES, name)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child = started;
  let printed = '';
  for (const stream of [started.stdout, started.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const ended = new Promise<number | null>((resolve) => started.on('close', resolve));
  return {
    printed: () => printed,
    ended,
    prints: (pattern: RegExp) => expect.poll(() => printed, { interval: 50 }).toMatch(pattern),
    /** The output from now on. */
    printsNext: (pattern: RegExp) => {
      const from = printed.length;
      return expect.poll(() => printed.slice(from), { interval: 50 }).toMatch(pattern);
    },
    /** Sends the signal of Ctrl-C; the example must end by itself with status 0. */
    async interrupt(): Promise<void> {
      started.kill('SIGINT');
      expect(await ended, printed).toBe(0);
    },
  };
}

test('market-maker quotes both sides, moves its quotes, and cancels them', async () => {
  const { apiKey } = await venue.openAccount('100000');
  const exchange = await exchangeOf(apiKey);
  const example = start('market-maker.mjs', apiKey);
  await example.prints(/(?:^index [\d.]+, position -?[\d.]+: (?:buy|sell) 0\.05 at [\d.]+, sell 0\.05 at [\d.]+\n(?:.*\n)*){2}/m);
  await example.interrupt();
  await example.prints(/^cancelled \d orders, position -?[\d.]+$/m);
  expect(await exchange.fetchOpenOrders()).toEqual([]);
  const placed = await exchange.fetchOrders();
  expect(new Set(placed.map(({ side }) => side))).toEqual(new Set(['buy', 'sell']));
  expect(placed.every(({ postOnly }) => postOnly)).toBe(true);
});

test('grid replaces each fill by the opposite order a step away', async () => {
  const { apiKey } = await venue.openAccount('100000');
  const exchange = await exchangeOf(apiKey);
  const seller = await exchangeOf((await venue.openAccount('10000000')).apiKey);
  const example = start('grid.mjs', apiKey);
  await example.prints(/^8 orders around [\d.]+$/m);
  for (let tries = 0; tries < 40 && !/^buy at [\d.]+: closed$/m.test(example.printed()); tries++) {
    await seller.createOrder('SOL/USD.E:USD.E', 'market', 'sell', 200);
    await seller.sleep(100);
  }
  await example.prints(/^buy at [\d.]+: closed$/m);
  const responses = async () => (await exchange.fetchOrders()).slice(8).filter(({ side }) => side === 'sell');
  await expect.poll(async () => (await responses()).length).toBeGreaterThan(0);
  const bought = (await exchange.fetchClosedOrders()).filter(({ side }) => side === 'buy');
  const isStepAbove = (price: number) => bought.some((it) => Math.abs(price / Number(it.price) - 1.0003) < 0.0001);
  for (const { price } of await responses()) expect(isStepAbove(Number(price)), String(price)).toBe(true);
  await example.interrupt();
  expect(await exchange.fetchOpenOrders()).toEqual([]);
});

test('funding-watcher prints the rate of every market, and the payments of the account', async () => {
  const { apiKey } = await venue.openAccount('100000');
  const exchange = await exchangeOf(apiKey);
  await exchange.createOrder('SOL/USD.E:USD.E', 'market', 'buy', 10);
  const example = start('funding-watcher.mjs', apiKey);
  for (const symbol of exchange.symbols)
    await example.prints(new RegExp(`^${symbol}: -?[\\d.]+ % in \\d+ s, before .*, every \\d+[hms]$`, 'm'));
  await example.prints(/^[\d\-T:.]+Z SOL\/USD\.E:USD\.E: (?:paid|received) [\d.]+ USD\.E$/m);
  await example.interrupt();
  await example.prints(/^printed [1-9]\d* payments$/m);
});

test('book-mirror has the book that REST returns', async () => {
  const { apiKey } = await venue.openAccount('1000');
  const example = start('book-mirror.mjs', apiKey);
  const compared = () => example.printed().match(/^\d+ updates; best [\d.]+ \/ [\d.]+ over REST, .*$/gm) ?? [];
  await expect.poll(() => compared().length).toBeGreaterThanOrEqual(5);
  // Updates are milliseconds apart: most books that REST returns lasted longer.
  expect(compared().filter((line) => line.endsWith('matches the mirror')).length).toBeGreaterThan(compared().length / 2);
  await example.interrupt();
  expect(example.printed()).not.toContain('best undefined');
});

test('order-log prints an order from its placement to its end, and each fill', async () => {
  const { apiKey } = await venue.openAccount('100000');
  const exchange = await exchangeOf(apiKey);
  const example = start('order-log.mjs', apiKey);
  await example.prints(/^waiting for orders$/m);
  const order = /^[\d\-T:.]+Z order \d+ BTC\/USD\.E:USD\.E: market buy .*: closed, filled 0\.01 at [\d.]+$/m;
  const fill = /^[\d\-T:.]+Z fill of \d+ BTC\/USD\.E:USD\.E: buy 0\.01 at [\d.]+ as taker, fee [\d.]+ USD\.E$/m;
  // The example receives orders and fills only once it watches each of them.
  await expect
    .poll(async () => {
      await exchange.createOrder('BTC/USD.E:USD.E', 'market', 'buy', 0.01);
      await exchange.sleep(200);
      return [order, fill].map((line) => line.test(example.printed()));
    })
    .toEqual([true, true]);
  const { bid } = await exchange.fetchTicker('BTC/USD.E:USD.E');
  const { id } = await exchange.createOrder('BTC/USD.E:USD.E', 'limit', 'buy', 0.01, Number(bid) * 0.97);
  const orderLine = (state: string) =>
    new RegExp(`Z order ${id} BTC/USD\\.E:USD\\.E: limit buy 0\\.01 at [\\d.]+: ${state}$`, 'm');
  await example.prints(orderLine('rests'));
  const { lastUpdateTimestamp } = await exchange.cancelOrder(String(id));
  await example.prints(orderLine('canceled'));
  // Each line has the time of the change, so that lines are in order.
  await example.prints(new RegExp(`^${exchange.iso8601(lastUpdateTimestamp)} order ${id} .*: canceled$`, 'm'));
  await example.interrupt();
});

describe('an error at the start is printed in one line', () => {
  const NO_VENUE = 'http://127.0.0.1:1';
  const isOneLine = async ({ ended, printed }: ReturnType<typeof start>, line: string) => {
    expect(await ended, printed()).toBe(1);
    expect(printed()).toMatch(/^.*\n$/);
    expect(printed()).toMatch(line);
  };

  test.each(['market-maker', 'grid', 'funding-watcher', 'order-log'])('an invalid API key: %s', async (name) => {
    const refused = `${name}: ${venue.url} refuses the API key in OPENPERP_APIKEY: `;
    await isOneLine(start(`${name}.mjs`, 'opk_unknown_0000'), refused);
    const { apiKey } = await venue.openAccount('1000', { scopes: ['funding'] });
    const scopes = name === 'market-maker' ? 'trade' : 'read or trade';
    const andPrints = `This operation needs an API key with the scope ${scopes}. Set another one, or unset it `;
    if (name !== 'grid') await isOneLine(start(`${name}.mjs`, apiKey), refused + andPrints);
  });

  test.each(['market-maker', 'grid', 'funding-watcher', 'order-log', 'book-mirror'])('no venue: %s', async (name) => {
    const example = start(`${name}.mjs`, 'opk_unknown_0000', { url: NO_VENUE });
    await isOneLine(example, `${name}: no venue answers at ${NO_VENUE}: is "npm start" running? (`);
  });

  test('no key: grid', async () => isOneLine(start('grid.mjs', ''), 'grid: there is no API key: run "npm start" first, or '));

  test('an account without money: grid', async () => {
    const { apiKey } = await venue.openAccount('0');
    const example = start('grid.mjs', apiKey);
    expect(await example.ended).toBe(1);
    await example.prints(/^cancelled \d orders\ngrid: an order of the grid was refused: The order needs .*\n$/);
  });
});

async function outage(proxy: SeverableProxy, isReported: () => Promise<void>): Promise<void> {
  proxy.refuse(true);
  proxy.cut();
  await isReported();
  proxy.refuse(false);
}

describe('an outage does not end the example', () => {
  let proxy: SeverableProxy;

  afterEach(() => proxy.close());

  test.each([
    ['market-maker.mjs', /^index .* at /m, /^cancelled \d orders/m],
    ['grid.mjs', /^8 orders around/m, /^cancelled [1-8] orders$/m],
    ['funding-watcher.mjs', /^SOL.* every /m, /^printed \d+ payments$/m],
  ])('of the venue: %s', async (name, works, last) => {
    const { apiKey } = await venue.openAccount('100000');
    proxy = await startSeverableProxy(venue.url);
    const example = start(name, apiKey, { url: proxy.url.replace('ws:', 'http:') });
    await example.prints(works);
    await outage(proxy, () => example.printsNext(/^the venue is unavailable: /m));
    if (name !== 'grid.mjs') await example.printsNext(works);
    await example.interrupt();
    await example.prints(last);
    expect(await (await exchangeOf(apiKey)).fetchOpenOrders()).toEqual([]);
  });

  test('of the connection to the socket service: book-mirror.mjs', async () => {
    const { apiKey } = await venue.openAccount('1000');
    proxy = await startSeverableProxy(venue.realtimeUrl);
    const example = start('book-mirror.mjs', apiKey, { realtimeUrl: proxy.url });
    await example.prints(/matches the mirror$/m);
    await outage(proxy, () => example.printsNext(/^connection lost: /m));
    await example.printsNext(/matches the mirror$/m);
    await example.interrupt();
  });

  test('of the connection to the socket service: order-log.mjs, which prints what was missed', async () => {
    const { apiKey } = await venue.openAccount('100000');
    const exchange = await exchangeOf(apiKey);
    proxy = await startSeverableProxy(venue.realtimeUrl);
    const example = start('order-log.mjs', apiKey, { realtimeUrl: proxy.url });
    const place = async () => String((await exchange.createOrder('BTC/USD.E:USD.E', 'market', 'buy', 0.01)).id);
    for (; !example.printed().includes('Z fill of '); await exchange.sleep(200)) await place();
    const meanwhile: string[] = [];
    await outage(proxy, async () => {
      await example.printsNext(/^connection lost: /m);
      meanwhile.push(await place(), await place());
    });
    for (const id of meanwhile) await example.prints(new RegExp(`Z order ${id} .*: closed, filled 0\\.01`));
    for (const id of meanwhile) await example.prints(new RegExp(`Z fill of ${id} `));
    await example.interrupt();
  });
});

test.each(['market-maker', 'grid', 'funding-watcher', 'book-mirror', 'order-log'])('%s is short', (name) => {
  expect(readFileSync(join(EXAMPLES, `${name}.mjs`), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(80);
});
