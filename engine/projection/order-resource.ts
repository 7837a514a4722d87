/** Order, fill and trade resources of the contract. */
import type { FillResource } from '#contract/account-history.ts';
import type { PublicTrade } from '#contract/markets.ts';
import type { OrderResource } from '#contract/orders.ts';
import { renderAccountId, renderOrdinal } from '#units/ids.ts';
import { leverageXOf } from '#units/leverage.ts';
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, moneyPerBaseDown, ZERO_BASE } from '#units/money.ts';
import type { MarketScales } from './market-scales.ts';
import { renderMoney } from './market-scales.ts';
import type { FillRow, OrderRow, TradeRow } from './rows.ts';
import { attachedOrders, storedTrigger } from './trigger-fold.ts';

export function orderResource(order: OrderRow, market: MarketScales): OrderResource {
  // The contract has no reason for a cancel by the owner.
  const cancelReason = order.cancelReason === 'user' ? null : order.cancelReason;
  return {
    version: 'external-order/v1',
    orderId: renderOrdinal(order.order),
    accountId: renderAccountId(order.account),
    marketId: market.marketId,
    status: order.status,
    lastSequence: order.lastSequence,
    // Orders of the venue have an empty key, which no request can have.
    idempotencyKey: order.idempotencyKey === '' ? null : order.idempotencyKey,
    ...(cancelReason !== null && { cancelReason }),
    ...placedBy(order),
    side: order.side,
    orderType: order.orderType,
    price: market.priceOrNull(order.priceAtoms),
    quantity: market.quantityOrNull(order.quantityAtoms),
    notional: order.notionalAtoms === null ? null : renderMoney(order.notionalAtoms),
    filledQuantity: market.quantity(order.filledAtoms),
    remainingQuantity: market.quantity(order.quantityAtoms === null ? ZERO_BASE : minus(order.quantityAtoms, order.filledAtoms)),
    averagePrice: order.filledAtoms > 0 ? averagePriceOf(order.filledNotionalAtoms, order.filledAtoms, market) : null,
    filledNotional: renderMoney(order.filledNotionalAtoms),
    feePaid: renderMoney(order.feeAtoms),
    postOnly: order.postOnly === 1,
    timeInForce: timeInForceOf(order),
    expiresAtEpochMs: order.expiresAtEpochMs,
    reduceOnly: order.reduceOnly === 1,
    leverageX: order.leverageHundredths === 0 ? null : leverageXOf(order.leverageHundredths),
    createdAtEpochMs: order.createdAtEpochMs,
    updatedAtEpochMs: order.updatedAtEpochMs,
    lastFillAtEpochMs: order.lastFillAtEpochMs,
    trigger: triggerResource(order, market),
    attachedOrderIds: attachedOrders(order).map(renderOrdinal),
  };
}

function timeInForceOf({ orderType, postOnly, timeInForce }: OrderRow): OrderResource['timeInForce'] {
  if (orderType === 'market') return 'IOC';
  return timeInForce ?? (postOnly === 1 ? 'PO' : 'GTC');
}

/** A client's order has a clientOrderId, an order of the venue has an origin. */
function triggerResource(order: OrderRow, market: MarketScales): OrderResource['trigger'] {
  const trigger = storedTrigger(order);
  if (trigger === undefined) return null;
  const { entry, linked, trailingAtoms, trailingBps, status } = trigger;
  return {
    type: trigger.kind,
    source: trigger.source,
    direction: trigger.direction,
    price: market.price(trigger.priceAtoms),
    status: order.status === 'cancelled' && status !== 'triggered' ? 'ended' : status,
    triggeredAtEpochMs: trigger.triggeredAtEpochMs,
    closePosition: trigger.closePosition,
    trailingAmount: trailingAtoms === 0 ? null : market.price(trailingAtoms),
    trailingBps: trailingBps === 0 ? null : trailingBps,
    entryOrderId: entry === 0 ? null : renderOrdinal(entry),
    linkedOrderId: linked === 0 ? null : renderOrdinal(linked),
  };
}

/** A client's order has a clientOrderId, unless it is a leg; an order of the venue has an origin. */
function placedBy({ origin, clientOrderId }: OrderRow | FillRow): Pick<OrderResource, 'origin' | 'clientOrderId'> {
  if (origin !== 'client') return { origin, clientOrderId: null };
  return { origin: null, clientOrderId: clientOrderId === '' ? null : clientOrderId };
}

/** Rendered with money decimals, because an average may lie between ticks. */
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
    liquidationFee: renderMoney(fill.liquidationFeeAtoms),
    insuranceCovered: renderMoney(fill.insuranceCoveredAtoms),
    executedAtEpochMs: fill.executedAtEpochMs,
    sequence: fill.sequence,
  };
}

export function tradeResource(trade: TradeRow, market: MarketScales): PublicTrade {
  return {
    tradeId: renderOrdinal(trade.trade),
    marketId: market.marketId,
    side: trade.takerSide,
    origin: trade.origin === 'client' ? null : trade.origin,
    price: market.price(trade.priceAtoms),
    quantity: market.quantity(trade.quantityAtoms),
    notional: renderMoney(trade.notionalAtoms),
    executedAtEpochMs: trade.executedAtEpochMs,
    sequence: trade.sequence,
  };
}
