/**
 * The state that the checks run against: an account with an open, a filled and a cancelled order, fills and an open position, so
 * that no list is empty; and the facts to judge responses by.
 */

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, Order } from 'ccxt';
import { assertSum } from './decimals.ts';
import { lacksOf } from './lacks.ts';
import type { Row, VenueAccount } from './venue-account.ts';

/** ccxt types every field of an order as optional. */
export type KnownOrder = Order & { id: string; clientOrderId: string; timestamp: number; price: number; filled: number };

/** An order of the stage, as /v1 returned it. */
export interface StagedOrder {
  readonly id: string;
  readonly clientOrderId: string;
  readonly timestamp: number;
  readonly price: number;
  readonly filled: number;
  readonly cost: number;
  readonly fee: { readonly cost: number };
}

/** The facts of a market that the checks need, from /v1. */
export interface StagedMarket {
  readonly base: string;
  readonly maker: number;
  readonly taker: number;
  readonly maxLeverage: number;
  readonly maxAmount: number;
  readonly lot: number;
  readonly tick: number;
}

/** The surface under check: the class on `/v1`, `/v2`, or the class with sockets. */
export type Surface = 'class' | 'v2' | 'sockets';

export interface Stage {
  readonly surface: Surface;
  readonly exchange: Exchange;
  /** The same account, on /v1 directly. */
  readonly account: VenueAccount;
  /** Creates another exchange for the same venue, with other settings. */
  readonly another: (config: object) => Exchange;
  readonly symbol: string;
  /** The market with the most frequent funding; the account has no order and no position there. */
  readonly funded: string;
  readonly market: StagedMarket;
  readonly settle: string;
  /** The small amount of every order of the checks. */
  readonly amount: number;
  readonly resting: StagedOrder;
  readonly filled: StagedOrder;
  readonly cancelled: StagedOrder;
  /** The time of the first order, by the venue's clock. */
  readonly startedAt: number;
  /** The maximum lead of the venue's clock over this one: no timestamp of the venue is later. */
  readonly aheadMs: number;
  /** The reasons why methods cannot be checked with this account and venue, by method. */
  readonly lacks: Readonly<Record<string, string>>;
}

/** The only markets where the checks trade. */
export type Markets = Pick<Stage, 'symbol' | 'funded'>;

/** The distance of a resting order from the best price, as in ccxt's own createOrder test. */
export const RESTING_DISTANCE = 1.045;

/** The notional of the largest order of the checks. */
export const EXACT_NOTIONAL = 10_000;

/** The exchanges that run the checks of a stage. */
export type Players = Pick<Stage, 'exchange' | 'another'>;

export async function setStage(players: Players, account: VenueAccount, { symbol, funded }: Markets): Promise<Stage> {
  const { bid } = await account.bestPrices(symbol);
  const amount = smallAmount(account, symbol, bid);
  const resting = { symbol, side: 'buy', quantity: amount, price: bid / RESTING_DISTANCE } as const;
  const { orderId } = await account.place(resting);
  const cancelled = stagedOrder(await account.cancel(orderId));
  const open = stagedOrder(await account.place(resting));
  const filled = stagedOrder(await account.place({ symbol, side: 'buy', quantity: amount * 2 }));
  await account.place({ symbol, side: 'sell', quantity: amount, reduceOnly: true });
  // The tests need orders and positions older than the request that reads them.
  await sleep(5);
  const requestedAt = Date.now();
  const { serverTimeEpochMs } = await account.get('/health');
  return {
    surface: 'class',
    ...players,
    account,
    symbol,
    funded,
    market: stagedMarket(account.market(symbol)),
    settle: String(account.market(symbol).settlementAsset),
    amount,
    resting: open,
    filled,
    cancelled,
    startedAt: cancelled.timestamp,
    aheadMs: Number(serverTimeEpochMs) - requestedAt,
    lacks: await lacksOf(account, funded),
  };
}

function stagedOrder(order: Row): StagedOrder {
  return {
    id: String(order.orderId),
    clientOrderId: String(order.clientOrderId),
    timestamp: Number(order.createdAtEpochMs),
    price: Number(order.price ?? order.averagePrice),
    filled: Number(order.filledQuantity),
    cost: Number(order.filledNotional),
    fee: { cost: Number(order.feePaid) },
  };
}

function stagedMarket(market: Row): StagedMarket {
  return {
    base: String(market.baseAsset),
    maker: Number(market.makerFeeBps) / 10_000,
    taker: Number(market.takerFeeBps) / 10_000,
    maxLeverage: Number(market.maxLeverageX),
    maxAmount: Number(market.maxQuantity),
    lot: Number(market.lotSize),
    tick: Number(market.tickSize),
  };
}

/** Cancels all orders and closes all positions in the markets of the checks, and only there. */
export async function strikeStage(account: VenueAccount, { symbol, funded }: Markets): Promise<void> {
  for (const it of [symbol, funded]) {
    for (const { orderId } of await account.openOrders(it)) await account.cancel(orderId);
    await account.closePosition(it);
    const { marketId } = account.market(it);
    const left = (await account.positions()).find((position) => position.marketId === marketId);
    if (left !== undefined) throw new Error(`no order takes what is left of the position in ${it}, ${left.currentQuantity}`);
  }
}

/** About 100 of the quote asset, or slightly more than the market's minimum. */
export function smallAmount(account: VenueAccount, symbol: string, price: number): number {
  const { minQuantity, lotSize } = account.market(symbol);
  return account.quantity(symbol, Math.max(Number(minQuantity) * 1.1 + Number(lotSize), 100 / price));
}

/**
 * Places and cancels an order that reserves an integer amount. ccxt 2.9.8 adds free and used as floats, which is exact only for
 * sums that floats represent; on a fresh account this makes them so.
 */
export async function withExactReservation<Result>(
  account: VenueAccount,
  symbol: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const { bid } = await account.bestPrices(symbol);
  const magnitude = 10 ** Math.floor(Math.log10(bid * 0.8));
  const price = magnitude * ([8, 5, 4, 2, 1].find((digit) => digit * magnitude <= bid * 0.8) ?? 1);
  const { orderId } = await account.place({ symbol, side: 'buy', quantity: EXACT_NOTIONAL / price, price });
  try {
    return await run();
  } finally {
    await account.cancel(orderId);
  }
}

export function known(order: Order): KnownOrder {
  for (const key of ['id', 'clientOrderId'] as const) assert.equal(typeof order[key], 'string', `an order without ${key}`);
  for (const key of ['timestamp', 'price', 'filled'] as const)
    assert.equal(typeof order[key], 'number', `an order without ${key}`);
  return order as KnownOrder;
}

/** The position in the market of the checks. */
export async function positionSizeOf({ account, symbol }: Pick<Stage, 'account' | 'symbol'>): Promise<number> {
  const { marketId } = account.market(symbol);
  return Number((await account.positions()).find((position) => position.marketId === marketId)?.currentQuantity ?? 0);
}

/** The settlement currency of the balance; it occurs twice, and both must be equal. */
export async function balanceOf({ exchange, settle }: Stage): Promise<{ free: number; used: number; total: number }> {
  const { [settle]: entry, ...parts } = (await exchange.fetchBalance()) as unknown as Record<string, Record<string, number>>;
  const { free = Number.NaN, used = Number.NaN, total = Number.NaN } = entry ?? {};
  assert.deepEqual([parts.free?.[settle], parts.used?.[settle], parts.total?.[settle]], [free, used, total]);
  assertSum(free, used, total, 'free + used = total');
  return { free, used, total };
}
