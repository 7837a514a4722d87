/**
 * What the class reads out of `/v1` and what `/v2` answers, beside each other. A venue moves on between two reads: what `/v2` says
 * before and after the class was asked must be the same, or all three are asked again.
 */
import { randomUUID } from 'node:crypto';
import type { Exchange, Order } from 'ccxt';
import { differences } from './differences.ts';
import { known } from './stage.ts';

/** The same state, read by both. */
export interface Sides {
  readonly byClass: Exchange;
  readonly byV2: Exchange;
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
  const found = new Map<string, readonly string[]>();
  for (const { method, ...reading } of await readingsOf(sides, symbol))
    found.set(method, [...(found.get(method) ?? []), ...(await compareReading(sides, reading))]);
  return found;
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
  const [one, other] = [await placeEach(byClass, byV2, ordered), await placeEach(byV2, byClass, ordered)];
  const [ours, theirs] = [await batches(byClass, ordered, one.ended), await batches(byV2, ordered, one.ended)];
  return new Map([
    ['createOrder', [...one.created, ...other.created]],
    ['cancelOrder', [...one.cancelled, ...other.cancelled]],
    ['createOrders', differences(ours.created, theirs.created)],
    ['cancelOrders', differences(ours.cancelled, theirs.cancelled)],
  ]);
}

/** Where what one side says of its orders at once differs from what the other reads of them; and those that have ended. */
async function placeEach(exchange: Exchange, reader: Exchange, { symbol, amount, price }: Ordered) {
  const compared = async (placed: Order) => differences(await reader.fetchOrder(String(placed.id), symbol), placed);
  const created: string[] = [];
  const resting = known(await exchange.createOrder(symbol, 'limit', 'buy', amount, price, { postOnly: true, leverage: 3 }));
  created.push(...(await compared(resting)));
  const cancelled = await compared(await exchange.cancelOrder(resting.id, symbol));
  const ended = [resting.id];
  for (const side of ['buy', 'sell'] as const) {
    const order = await exchange.createOrder(symbol, 'market', side, amount);
    created.push(...(await compared(order)));
    ended.push(String(order.id));
  }
  return { created, cancelled, ended };
}

/** A batch with an order that rests, one at a price out of bounds, and one with a reference; cancels of both, of others that have ended and of none. */
async function batches(exchange: Exchange, { symbol, amount, price }: Ordered, ended: readonly string[]) {
  const order = { symbol, type: 'limit' as const, side: 'buy' as const, amount, price };
  const created = await exchange.createOrders([
    order,
    { ...order, price: price * 2 },
    { ...order, params: { clientOrderId: `compat-${randomUUID()}`, postOnly: true, leverage: 3 } },
  ]);
  const resting = [created[0], created[2]].map((it) => String(it?.id));
  const cancelled = await exchange.cancelOrders([...resting, ...ended, NEVER_WAS], symbol);
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

async function readingsOf({ byClass }: Sides, symbol: string): Promise<readonly Reading[]> {
  const orders = await byClass.fetchOrders(symbol);
  const middle = orders[Math.floor(orders.length / 2)]?.timestamp;
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
    ...orders.slice(-20).map(({ id }): Reading => ({ method: 'fetchOrder', read: (it) => it.fetchOrder(String(id), symbol) })),
  ];
}

/** `/v2` tells ticker and funding rate as one, and nothing beside them. */
async function wholeStats(exchange: Exchange, symbol: string): Promise<object> {
  return { ...(await exchange.fetchFundingRate(symbol)), ...(await exchange.fetchTicker(symbol)) };
}
