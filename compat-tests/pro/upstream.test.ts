/** ccxt's own tests of the socket methods: the modules that ccxt 2.9.8 ships, each of which watches for ten seconds, all at once. */
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from '#compat/booted-venue.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const METHODS = ['watchTicker', 'watchOrderBook', 'watchTrades', 'watchOHLCV', 'watchOrders', 'watchMyTrades', 'watchBalance'];
/** Fewer answers than this in ten seconds would be a test of nothing. */
const LEAST_ANSWERS = 3;

type Module = (exchange: OpenPerpPro, symbol: string) => Promise<unknown>;

let venue: BootedVenue;
let isOver = false;
const running: Promise<void>[] = [];
const exchanges: OpenPerpPro[] = [];

beforeAll(async () => {
  venue = await bootVenue();
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
}, 60_000);

afterAll(async () => {
  isOver = true;
  await Promise.all(running);
  await Promise.all(exchanges.map((exchange) => exchange.close()));
  vi.restoreAllMocks();
  await venue.stop();
});

/** An account on which something happens several times a second. */
async function account(happens: (exchange: OpenPerp) => Promise<void>): Promise<string> {
  const { apiKey } = await venue.openAccount('100000');
  const exchange = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
  await exchange.loadMarkets();
  const again = async () => {
    while (!isOver) {
      await happens(exchange);
      await sleep(200);
    }
  };
  running.push(again());
  return apiKey;
}

/** Orders that rest and are cancelled, and trades of both directions. */
async function trade(exchange: OpenPerp): Promise<void> {
  const { bid } = await exchange.fetchTicker(SYMBOL);
  const { id } = await exchange.createOrder(SYMBOL, 'limit', 'buy', 0.001, (bid as number) * 0.97);
  await exchange.createOrder(SYMBOL, 'market', 'buy', 0.001);
  await exchange.cancelOrder(id as string, SYMBOL);
  await exchange.createOrder(SYMBOL, 'market', 'sell', 0.001, undefined, { reduceOnly: true });
}

/** The test of the balance adds floats: only whole sums come out even. */
async function reserve(exchange: OpenPerp): Promise<void> {
  const { id } = await exchange.createOrder(SYMBOL, 'limit', 'buy', 0.2, 50_000, { leverage: 50 });
  await exchange.cancelOrder(id as string, SYMBOL);
}

function watching(apiKey: string): OpenPerpPro {
  const exchange = new OpenPerpPro({ apiKey, urls: { api: { rest: venue.url } } });
  exchanges.push(exchange);
  return exchange;
}

test("ccxt 2.9.8's own modules pass, each with answers to judge", async () => {
  const trader = watching(await account(trade));
  const saver = watching(await account(reserve));
  const require = createRequire(import.meta.url);
  const outcomes = await Promise.all(
    METHODS.map(async (method) => {
      const module: Module = require(`ccxt-2/js/pro/test/Exchange/test.${method}.js`);
      const { exchange, answers } = counting(method === 'watchBalance' ? saver : trader, method);
      await exchange.loadMarkets();
      const error = await module(exchange, SYMBOL).then(
        () => undefined,
        (reason: unknown) => String(reason),
      );
      return { method, error, hasAnswers: answers() >= LEAST_ANSWERS };
    }),
  );
  expect(outcomes).toEqual(METHODS.map((method) => ({ method, error: undefined, hasAnswers: true })));
}, 60_000);

/** The exchange, counting what a method answered that is not empty. */
function counting(exchange: OpenPerpPro, method: string) {
  let count = 0;
  const proxy = new Proxy(exchange, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (key !== method) return typeof value === 'function' ? value.bind(target) : value;
      return async (...asked: readonly unknown[]) => {
        const answer = await Reflect.apply(value, target, asked);
        if (!Array.isArray(answer) || answer.length > 0) count += 1;
        return answer;
      };
    },
  });
  return { exchange: proxy, answers: () => count };
}
