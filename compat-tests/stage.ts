/**
 * What the checks are run against: an account that has an open, a filled and a cancelled order, fills and an open
 * position, so that no list is empty; and what is needed to tell a right answer from a wrong one.
 */

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, Order } from 'ccxt';
import { assertSum } from './decimals.ts';
import { lacksOf } from './lacks.ts';
import type { Row, VenueAccount } from './venue-account.ts';

/** ccxt types every field of an order as one that may be missing. */
export type KnownOrder = Order & { id: string; clientOrderId: string; timestamp: number; price: number; filled: number };

/** An order of the stage, as /v1 itself answered it. */
export interface StagedOrder {
  readonly id: string;
  readonly clientOrderId: string;
  readonly timestamp: number;
  readonly price: number;
  readonly filled: number;
  readonly cost: number;
  readonly fee: { readonly cost: number };
}

/** What the checks need of a market, by /v1 itself. */
export interface StagedMarket {
  readonly base: string;
  readonly maker: number;
  readonly taker: number;
  readonly maxLeverage: number;
  readonly maxAmount: number;
  readonly lot: number;
  readonly tick: number;
}

/** What is checked: the class on `/v1`, `/v2` as it is, or the class with sockets. */
export type Surface = 'class' | 'v2' | 'sockets';

export interface Stage {
  readonly surface: Surface;
  readonly exchange: Exchange;
  /** The same account, on /v1 itself. */
  readonly account: VenueAccount;
  /** Another exchange for the same venue, with other settings. */
  readonly another: (config: object) => Exchange;
  readonly symbol: string;
  /** The market that settles funding most often; the account has neither an order nor a position there. */
  readonly funded: string;
  readonly market: StagedMarket;
  readonly settle: string;
  /** A small amount that every order of the checks uses. */
  readonly amount: number;
  readonly resting: StagedOrder;
  readonly filled: StagedOrder;
  readonly cancelled: StagedOrder;
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

/** Whom the checks of a stage are made by. */
export type Players = Pick<Stage, 'exchange' | 'another'>;

export async function setStage(players: Players, account: VenueAccount, { symbol, funded }: Markets): Promise<Stage> {
  const { bid } = await account.bestPrices(symbol);
  const amount = smallAmount(account, symbol, bid);
  const resting = { symbol, side: 'buy', quantity: amount, price: bid / AWAY } as const;
  const { orderId } = await account.place(resting);
  const cancelled = stagedOrder(await account.cancel(orderId));
  const open = stagedOrder(await account.place(resting));
  const filled = stagedOrder(await account.place({ symbol, side: 'buy', quantity: amount * 2 }));
  await account.place({ symbol, side: 'sell', quantity: amount, reduceOnly: true });
  // The tests want orders and positions that are older than the request which reads them.
  await sleep(5);
  const askedAt = Date.now();
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
    aheadMs: Number(serverTimeEpochMs) - askedAt,
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

/** Leaves no order open and no position behind where the checks have traded; what is elsewhere is not theirs. */
export async function strikeStage(account: VenueAccount, { symbol, funded }: Markets): Promise<void> {
  for (const it of [symbol, funded]) {
    for (const { orderId } of await account.openOrders(it)) await account.cancel(orderId);
    await account.closePosition(it);
    const { marketId } = account.market(it);
    const left = (await account.positions()).find((position) => position.marketId === marketId);
    if (left !== undefined) throw new Error(`no order takes what is left of the position in ${it}, ${left.currentQuantity}`);
  }
}

/** Some 100 of the quote, or a little more than the least that the market takes. */
export function smallAmount(account: VenueAccount, symbol: string, price: number): number {
  const { minQuantity, lotSize } = account.market(symbol);
  return account.quantity(symbol, Math.max(Number(minQuantity) * 1.1 + Number(lotSize), 100 / price));
}

/**
 * An order that rests and reserves whole units, and its cancel. ccxt 2.9.8 adds free and used as floats, which only comes
 * out even for sums that floats hold exactly: with this on a fresh account they are.
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

/** How much is held in the market of the checks. */
export async function heldBy({ account, symbol }: Pick<Stage, 'account' | 'symbol'>): Promise<number> {
  const { marketId } = account.market(symbol);
  return Number((await account.positions()).find((position) => position.marketId === marketId)?.currentQuantity ?? 0);
}

/** The settlement currency of the balance; it stands there twice, and must be the same. */
export async function balanceOf({ exchange, settle }: Stage): Promise<{ free: number; used: number; total: number }> {
  const { [settle]: entry, ...parts } = (await exchange.fetchBalance()) as unknown as Record<string, Record<string, number>>;
  const { free = Number.NaN, used = Number.NaN, total = Number.NaN } = entry ?? {};
  assert.deepEqual([parts.free?.[settle], parts.used?.[settle], parts.total?.[settle]], [free, used, total]);
  assertSum(free, used, total, 'free + used = total');
  return { free, used, total };
}
