/** Folds what an order waits for, and the legs of an entry order. */
import type { OrderOrdinal } from '#units/ids.ts';
import { ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { LegChanged, OrderTriggered, TriggerAccepted } from '#venue/event.ts';
import type { StoredTrigger } from './order-conditions.ts';
import type { Moment, OrderRow } from './rows.ts';

/** In SQL, for open orders: whether the order is in the book. `isResting` says the same of a row. */
export const IS_RESTING = "(o.trigger IS NULL OR o.trigger ->> 'status' = 'triggered')";

export function isResting(order: OrderRow): boolean {
  return order.trigger === null || storedTrigger(order)!.status === 'triggered';
}

export function storedTrigger({ trigger }: Pick<OrderRow, 'trigger'>): StoredTrigger | undefined {
  return trigger === null ? undefined : (JSON.parse(trigger) as StoredTrigger);
}

export function attachedOrders({ attached }: Pick<OrderRow, 'attached'>): readonly OrderOrdinal[] {
  return attached === null ? [] : (JSON.parse(attached) as OrderOrdinal[]);
}

export function waitingOrder(event: TriggerAccepted, at: Moment): OrderRow {
  const { kind, source, direction, trailingAtoms, trailingBps, closePosition, entry, linked, priceAtoms } = event;
  const status = entry === 0 ? 'waiting' : 'entry';
  const terms = { kind, source, direction, priceAtoms: event.triggerPriceAtoms, trailingAtoms, trailingBps, closePosition };
  const trigger: StoredTrigger = { ...terms, entry, linked, status, triggeredAtEpochMs: null };
  return {
    order: event.order,
    account: event.account,
    market: event.market,
    origin: 'client',
    clientOrderId: event.clientOrderId,
    idempotencyKey: event.idempotencyKey,
    side: event.side,
    orderType: priceAtoms === 0 ? 'market' : 'limit',
    priceAtoms: priceAtoms === 0 ? null : priceAtoms,
    quantityAtoms: closePosition ? null : event.quantityAtoms,
    notionalAtoms: null,
    postOnly: 0,
    timeInForce: null,
    expiresAtEpochMs: null,
    reduceOnly: event.reduceOnly ? 1 : 0,
    leverageHundredths: event.leverageHundredths,
    createdAtEpochMs: at.epochMs,
    status: 'open',
    cancelReason: null,
    filledAtoms: ZERO_BASE,
    filledNotionalAtoms: ZERO_QUOTE,
    feeAtoms: ZERO_QUOTE,
    lastFillAtEpochMs: null,
    updatedAtEpochMs: at.epochMs,
    lastSequence: at.sequence,
    trigger: JSON.stringify(trigger),
    attached: null,
  };
}

/** The entry order with one more leg. */
export function withLeg(entry: OrderRow, { order }: TriggerAccepted): OrderRow {
  return { ...entry, attached: JSON.stringify([...attachedOrders(entry), order]) };
}

/** The order with a new link, if another one was linked with it. */
export function linkedOrder(order: OrderRow, linked: OrderOrdinal, at: Moment): OrderRow {
  return changed(order, { linked }, at);
}

export function changedLeg(order: OrderRow, { quantityAtoms }: LegChanged, at: Moment): OrderRow {
  return { ...changed(order, { status: quantityAtoms === 0 ? 'entry' : 'waiting' }, at), quantityAtoms };
}

export function triggeredOrder(
  order: OrderRow,
  { triggerPriceAtoms, terms, leverageHundredths }: OrderTriggered,
  at: Moment,
): OrderRow {
  const status = { status: 'triggered', priceAtoms: triggerPriceAtoms, triggeredAtEpochMs: at.epochMs } as const;
  const after = { ...changed(order, status, at), leverageHundredths };
  return terms.kind === 'market_notional' ? after : { ...after, quantityAtoms: terms.quantityAtoms };
}

function changed(order: OrderRow, change: Partial<StoredTrigger>, at: Moment): OrderRow {
  const trigger = JSON.stringify({ ...storedTrigger(order)!, ...change });
  return { ...order, trigger, updatedAtEpochMs: at.epochMs, lastSequence: at.sequence };
}
