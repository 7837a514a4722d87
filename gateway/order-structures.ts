/** Converts orders and batch outcomes of /v1 to the structures of the unified library. */
import type { OrderOutcome } from '#contract/order-batches.ts';
import type { OrderCancelOutcomes } from '#contract/order-cancels.ts';
import type { OrderResource } from '#contract/orders.ts';
import type { UnifiedCancel, UnifiedOrder, UnifiedPlacement } from '#contract/unified-order-structures.ts';
import type { UnifiedOrderEntry } from '#contract/unified-orders.ts';
import { renderIsoTime } from '#units/iso-time.ts';
import { isZero, plus } from './decimals.ts';
import { numberOf, numberOrNull } from './numbers.ts';
import type { ListedMarket } from './symbols.ts';

type CancelOutcome = OrderCancelOutcomes['outcomes'][number];

const STATUSES = { open: 'open', filled: 'closed', cancelled: 'canceled' } as const;

export function unifiedOrder(order: OrderResource, market: Pick<ListedMarket, 'symbol' | 'settlementAsset'>): UnifiedOrder {
  return { ...orderFields(order, market), info: order };
}

type LimitEntry = Extract<UnifiedOrderEntry, { type: 'limit' }>;

/** A refused entry repeats the fields of the request. */
export function unifiedPlacement(outcome: OrderOutcome, entry: LimitEntry, market: ListedMarket | undefined): UnifiedPlacement {
  const { index, accepted } = outcome;
  if (outcome.accepted) return { ...orderFields(outcome, market!), index, accepted, info: wholeOrder(outcome) };
  const { symbol, side, type, amount, price } = entry;
  return {
    ...EMPTY,
    symbol,
    side,
    type,
    amount,
    price,
    status: 'rejected',
    clientOrderId: outcome.clientOrderId,
    index,
    accepted,
    info: outcome,
  };
}

export function unifiedCancel(outcome: CancelOutcome, market: ListedMarket): UnifiedCancel {
  const { index, accepted } = outcome;
  if (outcome.accepted) return { ...orderFields(outcome, market), index, accepted, info: wholeOrder(outcome) };
  if (outcome.order !== null) return { ...orderFields(outcome.order, market), index, accepted, info: outcome };
  return { ...EMPTY, id: outcome.orderId, symbol: market.symbol, index, accepted, info: outcome };
}

/** A batch outcome as a standalone resource: the version is on the batch. */
function wholeOrder<Outcome extends Omit<OrderResource, 'version'>>(outcome: Outcome) {
  return { version: 'external-order/v1' as const, ...outcome };
}

/** The fields that orders and batch outcomes with an order share. */
function orderFields(
  order: Omit<OrderResource, 'version'>,
  { symbol, settlementAsset }: Pick<ListedMarket, 'symbol' | 'settlementAsset'>,
) {
  const average = order.averagePrice === null || isZero(order.averagePrice) ? null : order.averagePrice;
  const isMarketOrder = order.orderType === 'market';
  const amount = order.quantity ?? plus(order.filledQuantity, order.remainingQuantity);
  const fee = { cost: numberOf(order.feePaid), currency: settlementAsset };
  return {
    id: order.orderId,
    symbol,
    status: hasClosedPosition(order) ? ('closed' as const) : STATUSES[order.status],
    clientOrderId: order.clientOrderId,
    timestamp: order.createdAtEpochMs,
    datetime: renderIsoTime(order.createdAtEpochMs),
    side: order.side,
    type: order.orderType,
    timeInForce: order.timeInForce,
    price: numberOrNull(order.price ?? (isMarketOrder ? average : null)),
    amount: numberOrNull(amount),
    filled: numberOf(order.filledQuantity),
    remaining: numberOf(order.remainingQuantity),
    reduceOnly: order.reduceOnly,
    postOnly: order.postOnly,
    lastTradeTimestamp: order.lastFillAtEpochMs,
    lastUpdateTimestamp: order.updatedAtEpochMs,
    cost: numberOf(order.filledNotional),
    average: numberOrNull(average),
    fee,
    fees: [fee],
    trades: [],
    ...triggerPrices(order.trigger),
  };
}

/** Of an order that was placed on /v1 to wait for a price. /v1 has the price of a trailing stop at its placement, not the current one. */
function triggerPrices(trigger: OrderResource['trigger']) {
  const isUnknown = trigger?.type === 'trailing_stop' && trigger.status !== 'triggered';
  const price = isUnknown ? null : numberOrNull(trigger?.price ?? null);
  return {
    triggerPrice: price,
    stopPrice: price,
    takeProfitPrice: trigger?.type === 'take_profit' ? price : null,
    stopLossPrice: trigger?.type === 'stop_loss' ? price : null,
  };
}

/** Whether the order is a market order that was larger than the position and closed it: nothing is left to do, as in the ccxt class. */
function hasClosedPosition({ orderType, cancelReason, filledQuantity }: Omit<OrderResource, 'version'>): boolean {
  return orderType === 'market' && cancelReason === 'reduce_only' && !isZero(filledQuantity);
}

/** Fields of an outcome without an order. */
const EMPTY = {
  id: null,
  symbol: null,
  status: null,
  clientOrderId: null,
  timestamp: null,
  datetime: null,
  side: null,
  type: null,
  timeInForce: null,
  price: null,
  amount: null,
  filled: null,
  remaining: null,
  reduceOnly: null,
  postOnly: null,
  lastTradeTimestamp: null,
  lastUpdateTimestamp: null,
  cost: null,
  average: null,
  fee: null,
  fees: [],
  trades: [],
  ...triggerPrices(null),
};
