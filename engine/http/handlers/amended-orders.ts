/** Renders the orders that a record amended, from the record alone: a replay is the same. */
import type { AmendedOrder } from '#contract/order-amendments.ts';
import { renderDecimal } from '#units/decimal.ts';
import { type OrderOrdinal, renderAccountId, renderOrdinal } from '#units/ids.ts';
import { minus, plus } from '#units/money.ts';
import type { OrderAmended, VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { Outcome } from '#writer/port/submit.ts';

/** An amended order at the end of its turn. */
export interface Amended {
  readonly event: OrderAmended;
  readonly status: AmendedOrder['status'];
  readonly quantityAtoms: OrderAmended['quantityAtoms'];
  readonly filledAtoms: OrderAmended['quantityAtoms'];
}

/** The amended orders by number. An order that was amended twice is as its last amendment made it. */
export function amendedIn(events: readonly VenueEvent[]): ReadonlyMap<OrderOrdinal, Amended> {
  const orders = new Map<OrderOrdinal, Amended>();
  for (const event of events) {
    if (event.type === 'OrderAmended') {
      const { quantityAtoms, remainingAtoms } = event;
      const filledAtoms = minus(quantityAtoms, remainingAtoms);
      orders.set(event.order, { event, status: 'open', quantityAtoms, filledAtoms });
    }
    const amended = 'order' in event ? orders.get(event.order) : undefined;
    if (amended !== undefined) orders.set(amended.event.order, changed(amended, event));
  }
  return orders;
}

function changed(order: Amended, event: VenueEvent): Amended {
  switch (event.type) {
    case 'OrderFilled':
      return {
        ...order,
        status: event.isComplete ? 'filled' : 'open',
        filledAtoms: plus(order.filledAtoms, event.quantityAtoms),
      };
    case 'OrderReduced':
      return { ...order, quantityAtoms: minus(order.quantityAtoms, event.cutAtoms) };
    case 'OrderCancelled':
      return { ...order, status: 'cancelled' };
    default:
      return order;
  }
}

export function renderAmended(
  { event, status, quantityAtoms, filledAtoms }: Amended,
  { marketId, priceScale, quantityScale }: MarketSpecification,
  { sequence, epochMs }: Outcome,
  idempotencyKey: string,
): Omit<AmendedOrder, 'version'> {
  const quantity = (atoms: number) => renderDecimal(atoms, quantityScale);
  return {
    orderId: renderOrdinal(event.order),
    accountId: renderAccountId(event.account),
    marketId,
    status,
    side: event.side,
    price: renderDecimal(event.priceAtoms, priceScale),
    quantity: quantity(quantityAtoms),
    filledQuantity: quantity(filledAtoms),
    remainingQuantity: quantity(minus(quantityAtoms, filledAtoms)),
    keepsPriority: event.keepsPlace,
    lastSequence: sequence,
    idempotencyKey,
    amendedAtEpochMs: epochMs,
  };
}
