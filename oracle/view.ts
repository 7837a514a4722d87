/** Every number of the world, as plain data for a comparison: what is stored, and what readers calculate from it. */
import { bookOf } from './book.ts';
import { equityOf, liquidationPriceOf, maintenanceAt } from './equity.ts';
import { reservationOf, reservedOf, restingOf } from './margin.ts';
import { isParked } from './status.ts';
import type { Account, Market, Order, Position, WaitingOrder, World } from './world.ts';
import { ordersOf } from './world.ts';

export function viewOf(world: World): Record<string, unknown> {
  return {
    accounts: world.accounts.map((account) => accountView(world, account)),
    markets: world.markets.map((market) => marketView(world, market)),
    ledgers: world.ledgers,
    netDeposits: world.netDeposits,
    withdrawals: world.withdrawals,
    waiting: world.waiting.map(waitingView),
    timers: [...world.timers].sort((one, other) => one.account - other.account || one.market - other.market),
    firstFired: world.fired[0] ?? null,
    lastOrder: world.lastOrder,
    lastTrade: world.lastTrade,
    lastEpisode: world.lastEpisode,
    lastWithdrawal: world.lastWithdrawal,
  };
}

function accountView(world: World, { ordinal, cash, leverages }: Account): unknown {
  const reserved = reservedOf(world, ordinal);
  const openOrders = world.orders.filter((order) => order.account === ordinal).length;
  const byMarket = Object.fromEntries(leverages.map(({ market, leverageHundredths }) => [market, leverageHundredths]));
  return { cash, reserved, available: cash - reserved, openOrders, leverages: byMarket };
}

function marketView(world: World, market: Market): unknown {
  const { specification, status, index, mark, averages, lastPrice, lastTradedAt, parked, funding, fundUse } = market;
  return {
    specification,
    status,
    index,
    mark,
    averages,
    lastPrice,
    lastTradedAt,
    funding,
    fundUse,
    parked: parked.map(({ account, nextStep }) => ({ account, nextStep: Number(nextStep) })),
    positions: market.positions.map((position) => positionView(world, market, position)),
    due: dueOf(world, market),
    bids: bookOf(world, market, 'buy').map((order) => orderView(market, order)),
    asks: bookOf(world, market, 'sell').map((order) => orderView(market, order)),
  };
}

/** The numbers of the orders whose price was reached, the one that triggers next in front. */
function dueOf(world: World, market: Market): number[] {
  const due = world.waiting.filter((it) => it.market === market.ordinal && it.dueSince > 0);
  return due.sort((one, other) => one.dueSince - other.dueSince).map(({ order }) => order);
}

function waitingView(it: WaitingOrder): unknown {
  return {
    order: it.order,
    account: it.account,
    market: it.market,
    side: it.side,
    kind: it.kind,
    source: it.source,
    direction: it.direction,
    triggerPrice: it.triggerPrice,
    trailing: it.trailing,
    trailingBps: it.trailingBps,
    best: it.best,
    price: it.price,
    quantity: it.quantity,
    reduceOnly: it.reduceOnly,
    leverageHundredths: it.leverageHundredths,
    closePosition: it.closePosition,
    entry: it.entry,
    linked: it.linked,
    position: it.position,
    isWaiting: it.waitsSince > 0,
  };
}

function positionView(world: World, market: Market, position: Position): unknown {
  const resting = restingOf(world, market, position.account);
  const reduceOnly = ordersOf(world, market, position.account).filter((order) => order.reduceOnly);
  return {
    account: position.account,
    episode: position.episode,
    base: position.base,
    entry: position.entry,
    margin: position.margin,
    insured: position.insured,
    unpaidLiquidation: position.unpaidLiquidation,
    fundingPeriod: position.fundingPeriod,
    isParked: isParked(market, position),
    restingBase: resting.base,
    restingNotional: resting.notional,
    reduceOnlyBase: reduceOnly.reduce((total, { remaining }) => total + remaining, 0n),
    equity: equityOf(market, position, market.mark),
    maintenance: maintenanceAt(market, position, market.mark),
    liquidationPrice: liquidationPriceOf(market, position),
  };
}

function orderView(market: Market, order: Order): unknown {
  return {
    order: order.order,
    account: order.account,
    price: order.price,
    remaining: order.remaining,
    filled: order.filled,
    postOnly: order.postOnly,
    expiresAt: order.expiresAt,
    reduceOnly: order.reduceOnly,
    placedAtMark: order.placedAtMark,
    initialMarginBps: order.initialMarginBps,
    leverageHundredths: order.leverageHundredths,
    reserved: reservationOf(market, order, order.remaining),
  };
}
