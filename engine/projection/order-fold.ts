/** The lifecycle of orders: accepted, filled, cancelled. Each function folds one event into one row. */
import type { OrderOrdinal } from '#units/ids.ts';
import { minus, plus, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type {
  LegChanged,
  OrderAccepted,
  OrderAmended,
  OrderCancelled,
  OrderFilled,
  OrderReduced,
  OrderTriggered,
  TriggerAccepted,
  VenueEvent,
} from '#venue/event.ts';
import type { FillRow, Moment, OrderRow } from './rows.ts';
import { changedLeg, linkedOrder, triggeredOrder, waitingOrder, withLeg } from './trigger-fold.ts';

export function acceptedOrder(event: OrderAccepted, at: Moment): OrderRow {
  const { terms } = event;
  return {
    order: event.order,
    account: event.account,
    market: event.market,
    origin: event.origin,
    clientOrderId: event.clientOrderId,
    idempotencyKey: event.idempotencyKey,
    side: event.side,
    orderType: terms.kind === 'limit' ? 'limit' : 'market',
    priceAtoms: terms.kind === 'limit' ? terms.priceAtoms : null,
    quantityAtoms: terms.kind === 'market_notional' ? null : terms.quantityAtoms,
    notionalAtoms: terms.kind === 'market' ? null : (terms.notionalAtoms ?? null),
    postOnly: terms.kind === 'limit' && terms.postOnly ? 1 : 0,
    reduceOnly: event.reduceOnly ? 1 : 0,
    leverageHundredths: event.leverageHundredths,
    timeInForce: (terms.kind === 'limit' ? terms.timeInForce : undefined) ?? null,
    expiresAtEpochMs: (terms.kind === 'limit' ? terms.expiresAtEpochMs : undefined) ?? null,
    createdAtEpochMs: at.epochMs,
    status: 'open',
    cancelReason: null,
    filledAtoms: ZERO_BASE,
    filledNotionalAtoms: ZERO_QUOTE,
    feeAtoms: ZERO_QUOTE,
    lastFillAtEpochMs: null,
    updatedAtEpochMs: at.epochMs,
    lastSequence: at.sequence,
    trigger: null,
    attached: null,
  };
}

export function filledOrder(order: OrderRow, event: OrderFilled, at: Moment): OrderRow {
  return {
    ...order,
    status: event.isComplete ? 'filled' : 'open',
    filledAtoms: plus(order.filledAtoms, event.quantityAtoms),
    filledNotionalAtoms: plus(order.filledNotionalAtoms, event.notionalAtoms),
    feeAtoms: plus(order.feeAtoms, event.feeAtoms),
    lastFillAtEpochMs: at.epochMs,
    updatedAtEpochMs: at.epochMs,
    lastSequence: at.sequence,
  };
}

/** Its quantity is what it has filled and may still fill. */
export function reducedOrder(order: OrderRow, event: OrderReduced, at: Moment): OrderRow {
  const quantityAtoms = minus(order.quantityAtoms!, event.cutAtoms);
  return { ...order, quantityAtoms, updatedAtEpochMs: at.epochMs, lastSequence: at.sequence };
}

export function amendedOrder(order: OrderRow, { priceAtoms, quantityAtoms }: OrderAmended, at: Moment): OrderRow {
  return { ...order, priceAtoms, quantityAtoms, updatedAtEpochMs: at.epochMs, lastSequence: at.sequence };
}

export function cancelledOrder(order: OrderRow, event: OrderCancelled, at: Moment): OrderRow {
  return { ...order, status: 'cancelled', cancelReason: event.reason, updatedAtEpochMs: at.epochMs, lastSequence: at.sequence };
}

type OrderChange = OrderFilled | OrderReduced | OrderCancelled | LegChanged | OrderTriggered;

export function changedOrder(order: OrderRow, event: OrderChange, at: Moment): OrderRow {
  switch (event.type) {
    case 'OrderFilled':
      return filledOrder(order, event, at);
    case 'OrderReduced':
      return reducedOrder(order, event, at);
    case 'OrderCancelled':
      return cancelledOrder(order, event, at);
    case 'LegChanged':
      return changedLeg(order, event, at);
    case 'OrderTriggered':
      return triggeredOrder(order, event, at);
    default:
      return event satisfies never;
  }
}

/** The account's side of a trade, with fields of its order. */
export function fillOf(order: OrderRow, event: OrderFilled, at: Moment): FillRow {
  return {
    account: event.account,
    trade: event.trade,
    order: event.order,
    market: event.market,
    position: event.position,
    origin: order.origin,
    clientOrderId: order.clientOrderId,
    orderType: order.orderType,
    side: event.side,
    liquidity: event.liquidity,
    priceAtoms: event.priceAtoms,
    quantityAtoms: event.quantityAtoms,
    notionalAtoms: event.notionalAtoms,
    feeAtoms: event.feeAtoms,
    realizedPnlAtoms: event.realizedPnlAtoms,
    liquidationFeeAtoms: event.liquidationFeeAtoms ?? ZERO_QUOTE,
    insuranceCoveredAtoms: event.insuranceCoveredAtoms ?? ZERO_QUOTE,
    executedAtEpochMs: at.epochMs,
    sequence: at.sequence,
  };
}

/**
 * The orders that a placement's events accepted, in that order, as they are after the turn. Excludes orders of the venue in the same turn,
 * and legs, which their entry orders name.
 */
export function ordersPlacedBy(events: readonly VenueEvent[], at: Moment): readonly OrderRow[] {
  const orders = new Map<OrderOrdinal, OrderRow>();
  for (const event of events) {
    if (event.type === 'OrderAccepted' && event.origin === 'client') orders.set(event.order, acceptedOrder(event, at));
    else if (event.type === 'TriggerAccepted') placeWaiting(orders, event, at);
    else if (event.type === 'OrderFilled' || event.type === 'OrderReduced' || event.type === 'OrderCancelled') {
      const order = orders.get(event.order);
      if (order !== undefined) orders.set(order.order, changedOrder(order, event, at));
    }
  }
  return [...orders.values()];
}

function placeWaiting(orders: Map<OrderOrdinal, OrderRow>, event: TriggerAccepted, at: Moment): void {
  const entry = orders.get(event.entry);
  const linked = orders.get(event.linked);
  if (entry !== undefined) orders.set(entry.order, withLeg(entry, event));
  else orders.set(event.order, waitingOrder(event, at));
  if (linked !== undefined) orders.set(linked.order, linkedOrder(linked, event.order, at));
}
