/**
 * Seeded trading on a venue whose time the test controls: bots place, fill and cancel through the class and `/v2`, the index
 * price moves, funding is settled. At every pause both return the same. `OPENPERP_DIFFERENTIAL_MINUTES` sets the duration (60 for
 * the published figure).
 */
import ccxt, { type Exchange, type Order } from 'ccxt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { RATE_LIMIT_NAMES } from '#contract/limits.ts';
import { BITCOIN } from '#http/testing/markets.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { type Random, seededRandom } from '#simulation/seeded-random.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { differences } from './differences.ts';
import { comparePlacements, compareReads, type Sides } from './differential.ts';
import { PassThrough } from './v2/pass-through.ts';
import { VenueAccount } from './venue-account.ts';

const MINUTES = Number(process.env.OPENPERP_DIFFERENTIAL_MINUTES ?? '3');
const SEED = Number(process.env.OPENPERP_DIFFERENTIAL_SEED ?? '1');
const MINUTE_MS = 60_000;
const TURNS_A_MINUTE = 30;
const MARKETS = [
  { market: 1 as MarketOrdinal, symbol: 'BTC/USD.E:USD.E', index: 65_000, amount: 0.02 },
  { market: 2 as MarketOrdinal, symbol: 'ETH/USD.E:USD.E', index: 3_000, amount: 0.5 },
];
/** The bots' initial cash: one of them soon has too little. */
const CASH = [1_000_000, 100_000, 700];

/** Too little money, nothing to reduce, no liquidity, or a post-only order that would trade. */
const REFUSALS: readonly unknown[] = [ccxt.InsufficientFunds, ccxt.InvalidOrder, ccxt.OrderImmediatelyFillable];

let venue: VenueUnderTest;
let random: Random;
let bots: readonly Sides[];
const index = MARKETS.map((market) => market.index);

beforeAll(async () => {
  const plenty = { burst: 1_000_000, perSecond: 1_000_000 };
  venue = await startVenue({ rates: Object.fromEntries(RATE_LIMIT_NAMES.map((name) => [name, plenty])) });
  const ether = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' };
  await venue.operate({ type: 'ListMarket', specification: ether, status: 'open' }, 'MarketListed');
  random = seededRandom(SEED);
  bots = await Promise.all(CASH.map(botWith));
});

afterAll(async () => {
  await venue.close();
  expect(venue.internalErrors).toEqual([]);
});

async function botWith(cash: number): Promise<Sides> {
  const { key, accountId } = await venue.bot(cash);
  const url = `http://127.0.0.1:${venue.port}`;
  const settings = { apiKey: key, accountId, enableRateLimit: false, urls: { api: { rest: url } } };
  const account = await VenueAccount.open(url, key);
  const sides = { byClass: new OpenPerp(settings), byV2: new PassThrough(settings), account };
  await Promise.all([sides.byClass.loadMarkets(), sides.byV2.loadMarkets()]);
  return sides;
}

test(
  `${MINUTES} minutes of trading read the same through the class and /v2`,
  async () => {
    let [placed, compared] = [0, 0];
    for (let minute = 0; minute < MINUTES; minute++) {
      await moveIndex();
      for (let turn = 0; turn < TURNS_A_MINUTE; turn++) if (await trade(minute, turn)) placed += 1;
      for (const [place, bot] of bots.entries())
        for (const { symbol } of MARKETS)
          for (const [method, problems] of await compareReads(bot, symbol)) {
            expect(problems, `seed ${SEED}, minute ${minute}, bot ${place}, ${symbol}: ${method}`).toEqual([]);
            compared += 1;
          }
      venue.pass(MINUTE_MS);
    }
    expect(placed).toBeGreaterThan((MINUTES * TURNS_A_MINUTE) / 2);
    expect(compared).toBeGreaterThanOrEqual(MINUTES * 10);
  },
  600_000 + MINUTES * 30_000,
);

test('reads orders of every kind the same on the other side, and returns the same from batches', async () => {
  const [bot] = bots as readonly [Sides];
  const price = (index[0] as number) * 0.95;
  for (const [method, problems] of await comparePlacements(bot, { symbol: MARKETS[0]!.symbol, amount: 0.01, price }))
    expect(problems, method).toEqual([]);
});

async function moveIndex(): Promise<void> {
  for (const [place, { market }] of MARKETS.entries()) {
    const before = index[place] as number;
    index[place] = Math.round(before * (1 + (random() - 0.5) * 0.01) * 10) / 10;
    await venue.publishIndex(index[place], market);
  }
}

/** One step of one bot through one side; returns whether it produced an order. The other side reads the order at once. */
async function trade(minute: number, turn: number): Promise<boolean> {
  const bot = pick(bots);
  const [one, other] = random() < 0.5 ? [bot.byClass, bot.byV2] : [bot.byV2, bot.byClass];
  const order = await anyOrder(one, Math.floor(random() * MARKETS.length));
  if (order === undefined) return false;
  const read = await other.fetchOrder(String(order.id));
  expect(differences(read, order), `seed ${SEED}, minute ${minute}, turn ${turn}`).toEqual([]);
  return true;
}

/** An order placed or cancelled; undefined if there was nothing to cancel, or the venue refused it. */
async function anyOrder(exchange: Exchange, market: number): Promise<Order | undefined> {
  const { symbol, amount } = MARKETS[market] as (typeof MARKETS)[number];
  const side = random() < 0.5 ? 'buy' : 'sell';
  const size = amount * (0.5 + random() * 2);
  const away = (random() - 0.4) * 0.01;
  const price = (index[market] as number) * (side === 'buy' ? 1 - away : 1 + away);
  const kind = random();
  const leverage = 1 + Math.floor(random() * 50);
  if (kind < 0.15) {
    const open = await exchange.fetchOpenOrders(symbol);
    return open.length === 0 ? undefined : exchange.cancelOrder(String(pick(open).id), symbol);
  }
  const place = (type: 'limit' | 'market', params: object) =>
    exchange.createOrder(symbol, type, side, size, type === 'limit' ? price : undefined, params).catch(undefinedIfRefused);
  if (kind < 0.3) return place('market', { leverage });
  if (kind < 0.35) return place('market', { reduceOnly: true });
  if (kind < 0.45) return place('limit', { postOnly: true });
  return place('limit', { leverage });
}

/** Refusals of the venue are part of the trading. */
function undefinedIfRefused(error: unknown): undefined {
  if (!REFUSALS.some((Refusal) => (error as object).constructor === Refusal)) throw error;
}

function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
