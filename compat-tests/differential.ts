/**
 * What the class reads out of `/v1` and what `/v2` answers, beside each other. A venue moves on between two reads: what `/v2` says
 * before and after the class was asked must be the same, or all three are asked again.
 */
import { randomUUID } from 'node:crypto';
import type { Exchange, Order } from 'ccxt';
import { differences } from './differences.ts';
import type { Row, VenueAccount } from './venue-account.ts';
import { describe } from './watched.ts';

/** The same state, read by both. */
export interface Sides {
  readonly byClass: Exchange;
  readonly byV2: Exchange;
  readonly account: VenueAccount;
}

interface Reading {
  readonly method: string;
  readonly read: (exchange: Exchange) => Promise<unknown>;
  /** How the class is asked, where it takes two methods for what `/v2` tells at once. */
  readonly readByClass?: (exchange: Exchange) => Promise<unknown>;
  /** Whether what the class says is a part of what `/v2` tells at once. */
  readonly isPart?: boolean;
}

const TRIES = 100;
const TIMEFRAMES = ['1m', '5m', '15m', '1h', '4h', '1d'];

/** By method: where what is read by both differs. */
export async function compareReads(sides: Sides, symbol: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Found();
  for (const { method, ...reading } of await readingsOf(sides, symbol))
    await found.attempt(method, async () => found.add(method, await compareReading(sides, reading)));
  return found.problems;
}

/** What is wrong, by method: one that throws ends no other. */
class Found {
  readonly problems = new Map<string, readonly string[]>();

  add(method: string, problems: readonly string[]): void {
    this.problems.set(method, [...(this.problems.get(method) ?? []), ...problems]);
  }

  async attempt<Result>(method: string, run: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await run();
    } catch (error) {
      this.add(method, [describe(error)]);
      return undefined;
    }
  }
}

interface Ordered {
  readonly symbol: string;
  readonly amount: number;
  /** Where a buy rests. */
  readonly price: number;
}

/** Orders of every kind placed by each side and read by the other, and batches of all that can become of an order by both. */
export async function comparePlacements(sides: Sides, ordered: Ordered): Promise<ReadonlyMap<string, readonly string[]>> {
  const { byClass, byV2 } = sides;
  const found = new Found();
  for (const method of ['createOrder', 'cancelOrder', 'createOrders', 'cancelOrders']) found.add(method, []);
  const ended = await placeEach(found, byClass, byV2, ordered);
  await placeEach(found, byV2, byClass, ordered);
  const [ours, theirs] = [await batches(found, byClass, ordered, ended), await batches(found, byV2, ordered, ended)];
  found.add('createOrders', differences(ours.created, theirs.created));
  found.add('cancelOrders', differences(ours.cancelled, theirs.cancelled));
  return found.problems;
}

/** Where what one side says of its orders at once differs from what the other reads of them; returns those that have ended. */
async function placeEach(found: Found, exchange: Exchange, reader: Exchange, { symbol, amount, price }: Ordered) {
  const compare = async (method: string, placed: Order | undefined) => {
    const read = placed && (await found.attempt('fetchOrder', () => reader.fetchOrder(String(placed.id), symbol)));
    if (read !== undefined) found.add(method, differences(read, placed));
  };
  const resting = await found.attempt('createOrder', () =>
    exchange.createOrder(symbol, 'limit', 'buy', amount, price, { postOnly: true, leverage: 3 }),
  );
  await compare('createOrder', resting);
  if (resting !== undefined)
    await compare('cancelOrder', await found.attempt('cancelOrder', () => exchange.cancelOrder(String(resting.id), symbol)));
  const ended = [resting];
  for (const side of ['buy', 'sell'] as const) {
    const order = await found.attempt('createOrder', () => exchange.createOrder(symbol, 'market', side, amount));
    await compare('createOrder', order);
    ended.push(order);
  }
  return ended.flatMap((order) => (order === undefined ? [] : [String(order.id)]));
}

/** A batch with an order that rests, one at a price out of bounds, and one with a reference; cancels of both, of others that have ended and of none. */
async function batches(found: Found, exchange: Exchange, { symbol, amount, price }: Ordered, ended: readonly string[]) {
  const order = { symbol, type: 'limit' as const, side: 'buy' as const, amount, price };
  const orders = [
    order,
    // A whole number, which both cut to the same tick.
    { ...order, price: Math.round(price * 2) },
    { ...order, params: { clientOrderId: `compat-${randomUUID()}`, postOnly: true, leverage: 3 } },
  ];
  const created = (await found.attempt('createOrders', () => exchange.createOrders(orders))) ?? [];
  const resting = [created[0], created[2]].flatMap((it) => (it === undefined ? [] : [String(it.id)]));
  const ids = [...resting, ...ended, NEVER_WAS];
  const cancelled = (await found.attempt('cancelOrders', () => exchange.cancelOrders(ids, symbol))) ?? [];
  return { created: created.map(comparable), cancelled: cancelled.map(comparable) };
}

const NEVER_WAS = '999999999999';
/** Different for every order, so that only their kind is compared. */
const OF_ONE_ORDER = ['id', 'clientOrderId', 'timestamp', 'datetime', 'lastTradeTimestamp', 'lastUpdateTimestamp'];

/** Beside the order an entry of `/v2` says which it is of, and whether it was taken. */
function comparable(entry: object): object {
  const { index: _, accepted: __, ...order } = entry as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(order).map(([key, value]) => [key, OF_ONE_ORDER.includes(key) && value !== undefined ? typeof value : value]),
  );
}

async function compareReading({ byClass, byV2 }: Sides, { read, readByClass = read, isPart }: Omit<Reading, 'method'>) {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await read(byV2);
    const ours = await readByClass(byClass);
    if (differences(before, await read(byV2)).length > 0) continue;
    return differences(ours, isPart ? partOf(before, ours) : before);
  }
  return ['the venue never stood still for three requests'];
}

/** Of the one what the other has as well. */
function partOf(whole: unknown, part: unknown): object {
  return Object.fromEntries(Object.entries(whole as object).filter(([key]) => Object.hasOwn(part as object, key)));
}

async function readingsOf({ account }: Sides, symbol: string): Promise<readonly Reading[]> {
  const { marketId } = account.market(symbol);
  // Newest first.
  const orders = (await account.read('/orders', { marketId: String(marketId), limit: 500 })).orders as readonly Row[];
  const middle = orders[Math.floor(orders.length / 2)]?.createdAtEpochMs as number | undefined;
  const candles = TIMEFRAMES.flatMap((timeframe): readonly Reading[] => [
    { method: 'fetchOHLCV', read: (it) => it.fetchOHLCV(symbol, timeframe) },
    { method: 'fetchIndexOHLCV', read: (it) => it.fetchIndexOHLCV(symbol, timeframe) },
  ]);
  return [
    { method: 'fetchMarkets', read: (it) => it.fetchMarkets() },
    { method: 'fetchTicker', read: (it) => it.fetchTicker(symbol), isPart: true },
    { method: 'fetchFundingRate', read: (it) => it.fetchFundingRate(symbol), isPart: true },
    { method: 'fetchTicker', read: (it) => it.fetchTicker(symbol), readByClass: (it) => wholeStats(it, symbol) },
    ...candles,
    { method: 'fetchOHLCV', read: (it) => it.fetchOHLCV(symbol, '1m', undefined, 2) },
    { method: 'fetchOrderBook', read: (it) => it.fetchOrderBook(symbol) },
    { method: 'fetchOrderBook', read: (it) => it.fetchOrderBook(symbol, 3) },
    { method: 'fetchBalance', read: (it) => it.fetchBalance() },
    { method: 'fetchPositions', read: (it) => it.fetchPositions() },
    { method: 'fetchOpenOrders', read: (it) => it.fetchOpenOrders() },
    { method: 'fetchOpenOrders', read: (it) => it.fetchOpenOrders(symbol) },
    { method: 'fetchOrders', read: (it) => it.fetchOrders(undefined, undefined, 100) },
    { method: 'fetchOrders', read: (it) => it.fetchOrders(symbol, middle, 5) },
    { method: 'fetchMyTrades', read: (it) => it.fetchMyTrades(undefined, undefined, 100) },
    { method: 'fetchMyTrades', read: (it) => it.fetchMyTrades(symbol, middle, 5) },
    ...orders
      .slice(0, 20)
      .map(({ orderId }): Reading => ({ method: 'fetchOrder', read: (it) => it.fetchOrder(String(orderId), symbol) })),
  ];
}

/** `/v2` tells ticker and funding rate as one, and nothing beside them. */
async function wholeStats(exchange: Exchange, symbol: string): Promise<object> {
  return { ...(await exchange.fetchFundingRate(symbol)), ...(await exchange.fetchTicker(symbol)) };
}
