/**
 * What the checks are run against: an account that has an open, a filled and a cancelled order, fills and an open
 * position, so that no list is empty; and what is needed to tell a right answer from a wrong one.
 */

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, MarketInterface, Order } from 'ccxt';
import { assertSum } from './decimals.ts';
import { lacksOf } from './lacks.ts';

/** ccxt types every field of an order as one that may be missing. */
export type KnownOrder = Order & { id: string; clientOrderId: string; timestamp: number; price: number; filled: number };

/** What is checked: the class on `/v1`, `/v2` as it is, or the class with sockets. */
export type Surface = 'class' | 'v2' | 'sockets';

export interface Stage {
  readonly surface: Surface;
  readonly exchange: Exchange;
  /** Another exchange for the same venue, with other settings. */
  readonly another: (config: object) => Exchange;
  readonly symbol: string;
  /** The market that settles funding most often; the account has neither an order nor a position there. */
  readonly funded: string;
  readonly market: MarketInterface;
  readonly settle: string;
  /** A small amount that every order of the checks uses. */
  readonly amount: number;
  readonly resting: KnownOrder;
  readonly filled: KnownOrder;
  readonly cancelled: KnownOrder;
  /** When the first order was placed, by the venue's clock. */
  readonly startedAt: number;
  /** How far the venue's clock is ahead of this one at the most: nothing that it tells is later. */
  readonly aheadMs: number;
  /** By method: why this account on this venue has nothing to check it by. */
  readonly lacks: Readonly<Record<string, string>>;
}

/** Where the checks trade, and nowhere else. */
export type Markets = Pick<Stage, 'symbol' | 'funded'>;

/** A limit that rests: ccxt's own createOrder test takes the same distance from the best price. */
export const AWAY = 1.045;

/** Of the largest order that the checks place. */
export const EXACT_NOTIONAL = 10_000;

export async function setStage(exchange: Exchange, another: Stage['another'], { symbol, funded }: Markets): Promise<Stage> {
  const market = exchange.market(symbol) as MarketInterface;
  const { bid } = await bestPrices(exchange, symbol);
  const amount = smallAmount(exchange, market, bid);
  const cancelled = known(await exchange.createOrder(symbol, 'limit', 'buy', amount, bid / AWAY));
  await exchange.cancelOrder(cancelled.id, symbol);
  const resting = known(await exchange.createOrder(symbol, 'limit', 'buy', amount, bid / AWAY));
  const filled = known(await exchange.createOrder(symbol, 'market', 'buy', amount * 2));
  await exchange.createOrder(symbol, 'market', 'sell', amount, undefined, { reduceOnly: true });
  // The tests want orders and positions that are older than the request which reads them.
  await sleep(5);
  const askedAt = Date.now();
  const aheadMs = Number(await exchange.fetchTime()) - askedAt;
  return {
    surface: 'class',
    exchange,
    another,
    symbol,
    funded,
    market,
    settle: market.settle as string,
    amount,
    resting,
    filled,
    cancelled,
    startedAt: cancelled.timestamp,
    aheadMs,
    lacks: await lacksOf(exchange, funded),
  };
}

/** Leaves no order open and no position behind where the checks have traded; what is elsewhere is not theirs. */
export async function strikeStage(exchange: Exchange, { symbol, funded }: Markets): Promise<void> {
  for (const it of [symbol, funded]) {
    for (const order of await exchange.fetchOpenOrders(it)) await exchange.cancelOrder(known(order).id, it);
    await closePosition(exchange, it);
    const { contracts } = await heldBy({ exchange, symbol: it });
    if (contracts > 0) throw new Error(`nobody takes what is left of the position in ${it}, ${contracts}`);
  }
}

/** The order that closed it, if there was one. */
export async function closePosition(exchange: Exchange, symbol: string): Promise<Order | undefined> {
  const { contracts, side } = await heldBy({ exchange, symbol });
  if (contracts === 0) return undefined;
  return exchange.createOrder(symbol, 'market', side === 'long' ? 'sell' : 'buy', contracts, undefined, { reduceOnly: true });
}

export async function bestPrices(exchange: Exchange, symbol: string): Promise<{ readonly bid: number; readonly ask: number }> {
  const { bids, asks } = await exchange.fetchOrderBook(symbol, 1);
  const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]];
  if (bid === undefined || ask === undefined) throw new Error(`${symbol} has no book: the checks need one that someone makes`);
  return { bid, ask };
}

/** Some 100 of the quote, or a little more than the least that the market takes. */
export function smallAmount(exchange: Exchange, market: MarketInterface, price: number): number {
  const least = (market.limits.amount?.min ?? 0) * 1.1 + (market.precision.amount ?? 0);
  return Number(exchange.amountToPrecision(market.symbol, Math.max(least, 100 / price)));
}

/**
 * An order that rests and reserves whole units, and its cancel. ccxt 2.9.8 adds free and used as floats, which only comes
 * out even for sums that floats hold exactly: with this on a fresh account they are.
 */
export async function withExactReservation<Result>(
  exchange: Exchange,
  symbol: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const { bid } = await bestPrices(exchange, symbol);
  const magnitude = 10 ** Math.floor(Math.log10(bid * 0.8));
  const price = magnitude * ([8, 5, 4, 2, 1].find((digit) => digit * magnitude <= bid * 0.8) ?? 1);
  const { id } = known(await exchange.createOrder(symbol, 'limit', 'buy', EXACT_NOTIONAL / price, price));
  try {
    return await run();
  } finally {
    await exchange.cancelOrder(id, symbol);
  }
}

export function known(order: Order): KnownOrder {
  for (const key of ['id', 'clientOrderId'] as const) assert.equal(typeof order[key], 'string', `an order without ${key}`);
  for (const key of ['timestamp', 'price', 'filled'] as const)
    assert.equal(typeof order[key], 'number', `an order without ${key}`);
  return order as KnownOrder;
}

/** How much is held in the market of the checks; no method of one position is asked, which `/v2` does not have. */
export async function heldBy({ exchange, symbol }: Pick<Stage, 'exchange' | 'symbol'>) {
  const position = (await exchange.fetchPositions()).find((it) => it.symbol === symbol);
  return { contracts: position?.contracts ?? 0, side: position?.side };
}

/** The settlement currency of the balance; it stands there twice, and must be the same. */
export async function balanceOf({ exchange, settle }: Stage): Promise<{ free: number; used: number; total: number }> {
  const { [settle]: entry, ...parts } = (await exchange.fetchBalance()) as unknown as Record<string, Record<string, number>>;
  const { free = Number.NaN, used = Number.NaN, total = Number.NaN } = entry ?? {};
  assert.deepEqual([parts.free?.[settle], parts.used?.[settle], parts.total?.[settle]], [free, used, total]);
  assertSum(free, used, total, 'free + used = total');
  return { free, used, total };
}
