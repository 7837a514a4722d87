/**
 * Compares what the class reads from `/v1` with the responses of `/v2`. A venue moves on between two reads: `/v2` must return the
 * same before and after the class's read, otherwise all three are read again.
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
  /** How to read through the class if it needs two methods for what `/v2` returns at once. */
  readonly readByClass?: (exchange: Exchange) => Promise<unknown>;
  /** Whether the class returns a part of what `/v2` returns at once. */
  readonly isPart?: boolean;
}

const TRIES = 100;
const TIMEFRAMES = ['1m', '5m', '15m', '1h', '4h', '1d'];

/** The differences between both reads, by method. */
export async function compareReads(sides: Sides, symbol: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Findings();
  for (const { method, ...reading } of await readingsOf(sides, symbol))
    await found.attempt(method, async () => found.add(method, await compareReading(sides, reading)));
  return found.problems;
}

/** The problems by method: a check that throws does not end the others. */
class Findings {
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

interface OrderTerms {
  readonly symbol: string;
  readonly amount: number;
  /** The price of a resting buy order. */
  readonly price: number;
}

/** Places orders of every kind on each side and reads them on the other, and sends batches with every outcome on both. */
export async function comparePlacements(sides: Sides, ordered: OrderTerms): Promise<ReadonlyMap<string, readonly string[]>> {
  const { byClass, byV2 } = sides;
  const found = new Findings();
  for (const method of ['createOrder', 'cancelOrder', 'createOrders', 'cancelOrders']) found.add(method, []);
  const ended = await placeEach(found, byClass, byV2, ordered);
  await placeEach(found, byV2, byClass, ordered);
  const [ours, theirs] = [await batches(found, byClass, ordered, ended), await batches(found, byV2, ordered, ended)];
  found.add('createOrders', differences(ours.created, theirs.created));
  found.add('cancelOrders', differences(ours.cancelled, theirs.cancelled));
  return found.problems;
}

/** Compares the responses of one side with the reads of the other; returns the closed orders. */
async function placeEach(found: Findings, exchange: Exchange, reader: Exchange, { symbol, amount, price }: OrderTerms) {
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

/**
 * A batch with a resting order, one at a price out of bounds, and one with a client order id; cancels of both, of closed orders
 * and of unknown ones.
 */
async function batches(found: Findings, exchange: Exchange, { symbol, amount, price }: OrderTerms, ended: readonly string[]) {
  const order = { symbol, type: 'limit' as const, side: 'buy' as const, amount, price };
  const orders = [
    order,
    // An integer, which both truncate to the same tick.
    { ...order, price: Math.round(price * 2) },
    { ...order, params: { clientOrderId: `compat-${randomUUID()}`, postOnly: true, leverage: 3 } },
  ];
  const placed = (await found.attempt('createOrders', () => exchange.createOrders(orders))) ?? [];
  const resting = [placed[0], placed[2]].flatMap((it) => (it === undefined ? [] : [String(it.id)]));
  const ids = [...resting, ...ended, UNKNOWN_ORDER];
  const cancelled = (await found.attempt('cancelOrders', () => exchange.cancelOrders(ids, symbol))) ?? [];
  return { created: placed.map(comparable), cancelled: cancelled.map(comparable) };
}

const UNKNOWN_ORDER = '999999999999';
/** Different for every order, so only their kind is compared. */
const OF_ONE_ORDER = ['id', 'clientOrderId', 'timestamp', 'datetime', 'lastTradeTimestamp', 'lastUpdateTimestamp'];

/** An entry of `/v2` also has its index and whether it was accepted. */
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
  return ['the venue’s state changed during every three requests'];
}

/** The fields of one that the other has too. */
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

/** `/v2` returns ticker and funding rate as one object without other fields. */
async function wholeStats(exchange: Exchange, symbol: string): Promise<object> {
  return { ...(await exchange.fetchFundingRate(symbol)), ...(await exchange.fetchTicker(symbol)) };
}
