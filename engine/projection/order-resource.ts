/** Orders, fills and trades as the contract shows them. */
import type { FillResource } from '#contract/account-history.ts';
import type { PublicTrade } from '#contract/markets.ts';
import type { OrderResource } from '#contract/orders.ts';
import { renderAccountId, renderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, moneyPerBaseDown, ZERO_BASE } from '#units/money.ts';
import type { OrderOrigin } from '#venue/event.ts';
import type { MarketScales } from './listed-markets.ts';
import { renderMoney } from './listed-markets.ts';
import type { FillRow, OrderRow, TradeRow } from './rows.ts';

export function orderResource(order: OrderRow, market: MarketScales): OrderResource {
  // The owner's own cancel is no reason: it is shown only where the owner did not ask for it.
  const cancelReason = order.cancelReason === 'user' ? null : order.cancelReason;
  return {
    version: 'external-order/v1',
    orderId: renderOrdinal(order.order),
    accountId: renderAccountId(order.account),
    marketId: market.marketId,
    status: order.status,
    lastSequence: order.lastSequence,
    idempotencyKey: order.idempotencyKey,
    ...(cancelReason !== null && { cancelReason }),
    ...placedBy(order),
    side: order.side,
    orderType: order.orderType,
    ...(order.priceAtoms !== null && { price: market.price(order.priceAtoms) }),
    ...(order.quantityAtoms !== null && { quantity: market.quantity(order.quantityAtoms) }),
    ...(order.notionalAtoms !== null && { notional: renderMoney(order.notionalAtoms) }),
    filledQuantity: market.quantity(order.filledAtoms),
    remainingQuantity: market.quantity(order.quantityAtoms === null ? ZERO_BASE : minus(order.quantityAtoms, order.filledAtoms)),
    ...(order.filledAtoms > 0 && { averagePrice: averagePriceOf(order.filledNotionalAtoms, order.filledAtoms, market) }),
    filledNotional: renderMoney(order.filledNotionalAtoms),
    feePaid: renderMoney(order.feeAtoms),
    postOnly: order.postOnly === 1,
    reduceOnly: order.reduceOnly === 1,
    ...(order.leverageX !== 0 && { leverageX: order.leverageX }),
    createdAtEpochMs: order.createdAtEpochMs,
    updatedAtEpochMs: order.updatedAtEpochMs,
    ...(order.lastFillAtEpochMs !== null && { lastFillAtEpochMs: order.lastFillAtEpochMs }),
  };
}

/** Its owner by an id of their own, or the venue for a reason. */
function placedBy({
  origin,
  clientOrderId,
}: OrderRow | FillRow): { readonly clientOrderId: string } | { readonly origin: Exclude<OrderOrigin, 'client'> } {
  return origin === 'client' ? { clientOrderId } : { origin };
}

/** Fills at different ticks average between ticks. */
function averagePriceOf(notional: QuoteAtoms, quantity: BaseAtoms, market: MarketScales): string {
  return renderMoney(moneyPerBaseDown(notional, quantity, market.specification.quantityScale));
}

export function fillResource(fill: FillRow, market: MarketScales): FillResource {
  return {
    tradeId: renderOrdinal(fill.trade),
    orderId: renderOrdinal(fill.order),
    ...placedBy(fill),
    positionId: renderOrdinal(fill.position),
    accountId: renderAccountId(fill.account),
    marketId: market.marketId,
    side: fill.side,
    orderType: fill.orderType,
    liquidity: fill.liquidity,
    price: market.price(fill.priceAtoms),
    quantity: market.quantity(fill.quantityAtoms),
    notional: renderMoney(fill.notionalAtoms),
    fee: renderMoney(fill.feeAtoms),
    feeAsset: 'USD.E',
    realizedPnl: renderMoney(fill.realizedPnlAtoms),
    executedAtEpochMs: fill.executedAtEpochMs,
    sequence: fill.sequence,
  };
}

export function tradeResource(trade: TradeRow, market: MarketScales): PublicTrade {
  return {
    tradeId: renderOrdinal(trade.trade),
    marketId: market.marketId,
    side: trade.takerSide,
    ...(trade.origin !== 'client' && { origin: trade.origin }),
    price: market.price(trade.priceAtoms),
    quantity: market.quantity(trade.quantityAtoms),
    notional: renderMoney(trade.notionalAtoms),
    executedAtEpochMs: trade.executedAtEpochMs,
    sequence: trade.sequence,
  };
}
