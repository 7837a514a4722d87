/** The clean-up of the checks, and when they give up, to protect the owner of the account. */
import type { Exchange } from 'ccxt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from './booted-venue.ts';
import type { Cast } from './cast.ts';
import { Findings } from './findings.ts';
import { checkSockets, watchWholeBalance } from './socket-suites.ts';
import { type Stage, strikeStage } from './stage.ts';
import { VenueAccount } from './venue-account.ts';

const [BTC, ETH, SOL] = ['BTC/USD.E:USD.E', 'ETH/USD.E:USD.E', 'SOL/USD.E:USD.E'] as const;
let venue: BootedVenue;

beforeAll(async () => {
  venue = await bootVenue();
});

afterAll(() => venue.stop());

test('closes everything in the markets of the checks, and nothing elsewhere', async () => {
  const { apiKey } = await venue.openAccount('100000');
  const exchange = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
  for (const symbol of [BTC, ETH, SOL]) {
    const { bid = 0 } = await exchange.fetchTicker(symbol);
    await exchange.createOrder(symbol, 'market', 'buy', 200 / bid);
    await exchange.createOrder(symbol, 'limit', 'buy', 200 / bid, bid * 0.95);
  }
  await strikeStage(await VenueAccount.open(venue.url, apiKey), { symbol: BTC, funded: SOL });
  expect((await exchange.fetchOpenOrders()).map(({ symbol }) => symbol)).toEqual([ETH]);
  expect((await exchange.fetchPositions()).map(({ symbol }) => symbol)).toEqual([ETH]);
});

/** Publishes nothing to watchers. */
function silent(): Exchange {
  const waits = () => new Promise(() => undefined);
  const has = new Proxy({}, { get: () => true });
  const close = async () => undefined;
  return new Proxy({ has, close }, { get: (it, key) => Reflect.get(it, key) ?? waits }) as unknown as Exchange;
}

test('stops waiting for updates once the orders fail', async () => {
  const place = async () => {
    throw new Error('no order is taken');
  };
  const account = { bestPrices: async () => ({ bid: 100, ask: 101 }), place };
  const cast = { account, anotherBySockets: silent, symbol: BTC } as unknown as Cast;
  const stage = { amount: 1, resting: { price: 90 } } as Stage;
  const findings = new Findings({ isBooted: false });
  await expect(watchWholeBalance(cast, 'whole', findings)).rejects.toThrow('no order is taken');
  await expect(checkSockets(cast, stage, 'whole', async () => undefined, findings)).rejects.toThrow('no order is taken');
});
