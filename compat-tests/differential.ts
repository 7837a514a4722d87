/**
 * What the class reads out of `/v1` and what `/v2` answers, beside each other. A venue moves on between two reads: what `/v2` says
 * before and after the class was asked must be the same, or all three are asked again.
 */
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

/** An order of every kind, placed by one side and read by the other. */
export async function comparePlacements(
  sides: Sides,
  { symbol, amount, price }: { readonly symbol: string; readonly amount: number; readonly price: number },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { byV2, byClass } = sides;
  const order = { symbol, type: 'limit' as const, side: 'buy' as const, amount, price };
  const asRead = async (placed: Order) => byClass.fetchOrder(String(placed.id), symbol);
  const resting = known(await byV2.createOrder(symbol, 'limit', 'buy', amount, price, { postOnly: true, leverage: 3 }));
  const created = differences(await asRead(resting), resting);
  const cancelled = await byV2.cancelOrder(resting.id, symbol);
  const cancelledDiffers = differences(await asRead(cancelled), cancelled);
  const bought = await byV2.createOrder(symbol, 'market', 'buy', amount);
  const boughtDiffers = differences(await asRead(bought), bought);
  const sold = await byV2.createOrder(symbol, 'market', 'sell', amount);
  const soldDiffers = differences(await asRead(sold), sold);
  const several = await byV2.createOrders([order, order]);
  const severalDiffer = [];
  for (const it of several) severalDiffer.push(...differences(await asRead(it), withoutOutcome(it)));
  const ended = await byV2.cancelOrders(
    several.map(({ id }) => String(id)),
    symbol,
  );
  const endedDiffer = [];
  for (const it of ended) endedDiffer.push(...differences(await asRead(it), withoutOutcome(it)));
  return new Map([
    ['createOrder', [...created, ...boughtDiffers, ...soldDiffers]],
    ['cancelOrder', cancelledDiffers],
    ['createOrders', severalDiffer],
    ['cancelOrders', endedDiffer],
  ]);
}

async function compareReading({ byClass, byV2 }: Sides, { read, readByClass = read }: Omit<Reading, 'method'>) {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await read(byV2);
    const ours = await readByClass(byClass);
    if (differences(before, await read(byV2)).length === 0) return differences(ours, before);
  }
  return ['the venue never stood still for three requests'];
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
    { method: 'fetchTicker', read: (it) => it.fetchTicker(symbol), readByClass: (it) => wholeStats(it, symbol) },
    ...(byClass.has.fetchFundingRate
      ? [
          {
            method: 'fetchFundingRate',
            read: (it: Exchange) => it.fetchFundingRate(symbol),
            readByClass: (it: Exchange) => wholeStats(it, symbol),
          },
        ]
      : []),
    ...candles,
    { method: 'fetchOHLCV', read: (it) => it.fetchOHLCV(symbol, '1m', undefined, 2) },
    { method: 'fetchOrderBook', read: (it) => it.fetchOrderBook(symbol) },
    { method: 'fetchOrderBook', read: (it) => it.fetchOrderBook(symbol, 3) },
    { method: 'fetchBalance', read: (it) => it.fetchBalance() },
    { method: 'fetchPositions', read: (it) => it.fetchPositions() },
    { method: 'fetchOpenOrders', read: (it) => it.fetchOpenOrders() },
    { method: 'fetchOpenOrders', read: (it) => it.fetchOpenOrders(symbol) },
    { method: 'fetchOrders', read: (it) => it.fetchOrders() },
    { method: 'fetchOrders', read: (it) => it.fetchOrders(symbol, middle, 5) },
    { method: 'fetchMyTrades', read: (it) => it.fetchMyTrades() },
    { method: 'fetchMyTrades', read: (it) => it.fetchMyTrades(symbol, middle, 5) },
    ...orders.slice(-20).map(({ id }): Reading => ({ method: 'fetchOrder', read: (it) => it.fetchOrder(String(id), symbol) })),
  ];
}

/** `/v2` tells ticker and funding rate as one. */
async function wholeStats(exchange: Exchange, symbol: string): Promise<object> {
  const rate = exchange.has.fetchFundingRate ? await exchange.fetchFundingRate(symbol) : {};
  return { ...rate, ...(await exchange.fetchTicker(symbol)) };
}

/** An entry of a batch says beside the order which it is of, and whether it was taken. */
function withoutOutcome(entry: object): object {
  const { index: _, accepted: __, ...order } = entry as Record<string, unknown>;
  return order;
}
