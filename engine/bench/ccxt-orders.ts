/**
 * The overhead of the ccxt class: createOrder compared with ccxt's own bare signed POST of the same order (its implicit method),
 * through the same exchange to the same server, which responds at once. One order at a time, as a bot waits, and sixteen at once.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { OpenPerp } from '#adapter/dist/openperp.js';
import { inBenchDirectory } from './bench-directory.ts';
import type { BenchOptions } from './contender.ts';
import type { Part, Report } from './part.ts';
import { inRange, thousands } from './prose.ts';
import { type Spread, spreadOf } from './race.ts';
import { VenueProcess } from './venue-process.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const MARKET = 'BTC-USD-PERP';
const AMOUNT = 0.0123;
const ROUNDS = 41;
const ORDERS = 500;
/** Until V8 has compiled both paths: the first laps of the class are slower. */
const WARM_UP_SAMPLES = 10;
const AT_ONCE = [1, 16] as const;

/** Places one order. */
type Placement = () => Promise<unknown>;

interface Comparison {
  readonly atOnce: number;
  /** Orders per second. */
  readonly throughClass: Spread;
  readonly bare: Spread;
  /** The class compared with the bare POST, round by round. */
  readonly ratio: Spread;
}

export const ccxtOrders: Part = {
  name: 'ccxt-orders',
  run: async ({ isQuick }: BenchOptions): Promise<Report> => {
    const { exchange, price, order } = await inBenchDirectory(0, prepareOrder);
    const server = await startServer(order);
    try {
      exchange.urls.api = { rest: server.url };
      const manners: Comparison[] = [];
      for (const atOnce of AT_ONCE) manners.push(await race(exchange, price, atOnce, isQuick));
      return report(manners);
    } finally {
      server.stop();
    }
  },
};

interface Bot {
  readonly exchange: OpenPerp;
  readonly price: number;
  readonly order: object;
}

/** Reads the markets, and the response to an order, from a venue. */
async function prepareOrder(directory: string): Promise<Bot> {
  const venue = await VenueProcess.start(directory);
  try {
    const { apiKey, accountId } = await venue.createAccount('100000');
    const rest = venue.addresses.url;
    // Loaded here: ccxt takes time, and memory that would count for other parts.
    const { OpenPerp } = await import('#adapter/dist/openperp.js');
    const exchange = new OpenPerp({ apiKey, accountId, enableRateLimit: false, urls: { api: { rest } } });
    const { markPrice = 0 } = await exchange.fetchTicker(SYMBOL);
    const price = Number(exchange.priceToPrecision(SYMBOL, markPrice * 0.97));
    const { info } = await exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, price);
    await venue.stop();
    return { exchange, price, order: info };
  } finally {
    venue.kill();
  }
}

async function startServer(order: object): Promise<{ readonly url: string; stop(): void }> {
  const child = fork(new URL('./bare-server.ts', import.meta.url), [JSON.stringify({ order })]);
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return { url, stop };
}

async function race(exchange: OpenPerp, price: number, atOnce: number, isQuick: boolean): Promise<Comparison> {
  const throughClass: Placement = () => exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, price);
  const terms = { accountId: exchange.accountId, marketId: MARKET, side: 'buy', orderType: 'limit' };
  const sizes = { quantity: String(AMOUNT), price: String(price) };
  // As written by hand without the class: with an id for each order, which makes it safe to repeat.
  const bare: Placement = () => {
    const clientOrderId = exchange.uuid();
    return exchange.privatePostV1Orders({ ...terms, clientOrderId, ...sizes, idempotencyKey: clientOrderId });
  };
  const orders = isQuick ? 50 : ORDERS;
  const sample = (place: Placement) => perSecond(place, orders, atOnce);
  for (let samplesOfEach = isQuick ? 1 : WARM_UP_SAMPLES; samplesOfEach > 0; samplesOfEach -= 1)
    for (const place of [bare, throughClass]) await sample(place);
  const rounds: { readonly throughClass: number; readonly bare: number }[] = [];
  while (rounds.length < (isQuick ? 2 : ROUNDS)) {
    // The class between two laps of the bare POST, so that a drift within a round affects both.
    const before = await sample(bare);
    const throughIt = [await sample(throughClass), await sample(throughClass)] as const;
    const after = await sample(bare);
    rounds.push({ throughClass: inBoth(...throughIt), bare: inBoth(before, after) });
  }
  return {
    atOnce,
    throughClass: spreadOf(rounds.map((round) => round.throughClass)),
    bare: spreadOf(rounds.map((round) => round.bare)),
    ratio: spreadOf(rounds.map((round) => round.throughClass / round.bare)),
  };
}

/** The rate over two laps of the same number of orders. */
function inBoth(first: number, second: number): number {
  return 2 / (1 / first + 1 / second);
}

/** Each lane places its next order after the response to its last one. */
async function perSecond(place: Placement, orders: number, atOnce: number): Promise<number> {
  let started = 0;
  const lane = async () => {
    while (started < orders) {
      started += 1;
      await place();
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, lane));
  return (orders / (performance.now() - startedAt)) * 1_000;
}

function report(manners: readonly Comparison[]): Report {
  const whole = (value: number) => thousands(Math.round(value));
  const table = {
    title: 'createOrder through the ccxt class, to a server that responds at once',
    notes: [
      'compared with the bare signed POST of the same order through the same exchange, without rate limits of ccxt',
      'target: at least 0.85 ×',
    ],
    columns: ['', 'orders per second', 'bare POST', 'class : bare POST'],
    rows: manners.map(({ atOnce, throughClass, bare, ratio }) => [
      atOnce === 1 ? 'one at a time' : `${atOnce} at once`,
      inRange(throughClass, whole),
      inRange(bare, whole),
      inRange(ratio, (value) => `${value.toFixed(2)} ×`),
    ]),
  };
  return { tables: [table], figures: { ccxtOrders: { manners } } };
}
