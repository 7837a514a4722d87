/** The class spaces its requests by the weights of the venue: a batch by its entries, a page by its maximum of rows. */
import { expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { CATALOGUE, cannedResponse } from '#compat/testing/canned.ts';
import { DEFAULT_RATES } from '#contract/limits.ts';
import { type Operation, tokensOf } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const entry = { symbol: SYMBOL, type: 'limit', side: 'buy' as const, amount: 0.1, price: 65_000 };
const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

/** How many milliseconds a call delays the next one. */
async function spacing(call: (exchange: OpenPerp) => Promise<unknown>): Promise<number> {
  const exchange = new OpenPerp({ apiKey: 'opk_test', accountId: 'acct-7' });
  exchange.setMarkets(exchange.parseMarkets([...CATALOGUE.markets]));
  let cost = 0;
  exchange.throttle = async (weight: number) => {
    cost += weight;
  };
  exchange.fetch = async (url, method) =>
    cannedResponse({ method: String(method), path: url.replace('http://localhost:8080', ''), headers: {}, body: '' }).body;
  await call(exchange);
  return cost * (exchange.rateLimit as number);
}

const ORDER_MS = 1_000 / DEFAULT_RATES.orders.perSecond;
const CANCEL_MS = 1_000 / DEFAULT_RATES.cancels.perSecond;
const READ_MS = 1_000 / DEFAULT_RATES.reads.perSecond;

test.each<[string, number, (exchange: OpenPerp) => Promise<unknown>]>([
  ['an order', ORDER_MS, (it) => it.createOrder(SYMBOL, 'limit', 'buy', 0.1, 65_000)],
  ['a batch of one', ORDER_MS, (it) => it.createOrders([entry])],
  ['a batch of 32', 32 * ORDER_MS, (it) => it.createOrders(Array(32).fill(entry))],
  ['an amendment', ORDER_MS, (it) => it.editOrder('1', SYMBOL, 'limit', undefined as never, 0.1)],
  ['amendments of 32', 32 * ORDER_MS, (it) => it.editOrders(Array(32).fill({ ...entry, side: undefined, id: '1' }))],
  ['a change of margin', ORDER_MS, (it) => it.addMargin(SYMBOL, 1)],
  ['a timer', CANCEL_MS, (it) => it.cancelAllOrdersAfter(60_000)],
  ['a cancel', CANCEL_MS, (it) => it.cancelOrder('1')],
  ['a cancel of 24', 24 * CANCEL_MS, (it) => it.cancelOrders(ids(24))],
  ['a cancel of 24 by their references', 24 * CANCEL_MS, (it) => it.cancelOrdersWithClientOrderIds(ids(24), SYMBOL)],
  ['a cancel of all', CANCEL_MS, (it) => it.cancelAllOrders()],
  ['a read', READ_MS, (it) => it.fetchOrder('42')],
  ['a page of 500 orders', 10 * READ_MS, (it) => it.fetchOrders(SYMBOL, undefined, 500)],
  ['a page of 120 trades', 2 * READ_MS, (it) => it.fetchTrades(SYMBOL, undefined, 120)],
  ['candles, as many as there are by default', 5 * READ_MS, (it) => it.fetchOHLCV(SYMBOL)],
  ['a book', READ_MS, (it) => it.fetchOrderBook(SYMBOL)],
])('weighs %s like the venue', async (_, ms, call) => expect(await spacing(call)).toBe(ms));

/** Operations that the class does not use. */
const UNUSED: readonly string[] = [
  'getLeaderboard',
  'getAffiliateEarnings',
  'listAgentFundings',
  'listAgentDeployments',
  'listAgentActions',
];
/** The paged operations of /v1 that the class uses. */
const PAGES = Object.values<Operation>(OPERATIONS).filter(
  ({ id, page, path }) => page !== undefined && path.startsWith('/v1/') && !UNUSED.includes(id),
);

test.each(PAGES)('weighs a page of $id like the venue', ({ path, page, query }) => {
  const exchange = new OpenPerp();
  const { api } = exchange as unknown as {
    readonly api: Readonly<Record<'public' | 'private', { get: Record<string, object> }>>;
  };
  const named = path.slice(1);
  const config = api.public.get[named] ?? api.private.get[named];
  for (const pageQuery of [{}, { [page!.parameter]: '1' }, { [page!.parameter]: '51' }, { [page!.parameter]: '100' }]) {
    const weight = exchange.calculateRateLimiterCost('', 'GET', named, pageQuery, config);
    const tokens = tokensOf({ page } as Operation, { query: query!.parse(pageQuery), body: undefined });
    expect(weight * (exchange.rateLimit as number)).toBe(tokens * READ_MS);
  }
});
