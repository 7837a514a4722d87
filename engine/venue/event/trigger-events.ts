/** Events of orders that wait for a price. Their end before they trigger is `OrderCancelled`. */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, PriceAtoms } from '#units/money.ts';
import type { AcceptedTerms, Side } from '#venue/order/order-terms.ts';
import type { EventLayouts } from '#venue/record/layout.ts';
import { acceptedTermsLayout, SIDES } from '#venue/record/parts.ts';
import {
  TRIGGER_DIRECTIONS,
  TRIGGER_KINDS,
  TRIGGER_SOURCES,
  type TriggerDirection,
  type TriggerKind,
  type TriggerSource,
} from '#venue/trigger/trigger-terms.ts';

/** An order was accepted and waits for a price, or for its entry order. */
export interface TriggerAccepted {
  readonly type: 'TriggerAccepted';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  /** Empty for a leg of an entry order. */
  readonly clientOrderId: string;
  readonly idempotencyKey: string;
  readonly side: Side;
  readonly kind: TriggerKind;
  readonly source: TriggerSource;
  readonly direction: TriggerDirection;
  /** For a trailing stop the price at which it would trigger first. */
  readonly triggerPriceAtoms: PriceAtoms;
  readonly trailingAtoms: PriceAtoms;
  readonly trailingBps: Bps;
  /** The limit price when triggered; 0 for a market order. */
  readonly priceAtoms: PriceAtoms;
  /** 0 for an order that closes the position, and for a leg. */
  readonly quantityAtoms: BaseAtoms;
  readonly reduceOnly: boolean;
  readonly leverageHundredths: number;
  readonly closePosition: boolean;
  /** The entry order of a leg, accepted in the same turn; else 0. */
  readonly entry: OrderOrdinal;
  /** The order that is cancelled when this one triggers, and the other way round; or 0. */
  readonly linked: OrderOrdinal;
  /** The position that the order reduces and with which it ends; 0 for one that may open, and for a leg. */
  readonly position: PositionOrdinal;
}

/** A leg has another quantity, because its entry order filled or the position that it reduces ended. It waits for its price if above 0. */
export interface LegChanged {
  readonly type: 'LegChanged';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly position: PositionOrdinal;
  readonly quantityAtoms: BaseAtoms;
}

/** The price of a waiting order was reached, and it runs now. Its fills, and then its rest or cancellation, follow in the same turn. */
export interface OrderTriggered {
  readonly type: 'OrderTriggered';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly side: Side;
  /** For a trailing stop the price that it had reached. */
  readonly triggerPriceAtoms: PriceAtoms;
  readonly terms: AcceptedTerms;
  readonly reduceOnly: boolean;
  readonly leverageHundredths: number;
  readonly initialMarginBps: Bps;
  readonly markPriceAtoms: PriceAtoms;
}

export type TriggerEvent = TriggerAccepted | LegChanged | OrderTriggered;

export const TRIGGER_EVENTS: EventLayouts<TriggerEvent> = {
  TriggerAccepted: {
    tag: 93,
    fields: (io, it) => ({
      type: 'TriggerAccepted',
      order: io.int(it.order),
      account: io.u32(it.account),
      market: io.u32(it.market),
      clientOrderId: io.text(it.clientOrderId),
      idempotencyKey: io.text(it.idempotencyKey),
      side: io.oneOf(SIDES, it.side),
      kind: io.oneOf(TRIGGER_KINDS, it.kind),
      source: io.oneOf(TRIGGER_SOURCES, it.source),
      direction: io.oneOf(TRIGGER_DIRECTIONS, it.direction),
      triggerPriceAtoms: io.u32(it.triggerPriceAtoms),
      trailingAtoms: io.u32(it.trailingAtoms),
      trailingBps: io.u32(it.trailingBps),
      priceAtoms: io.u32(it.priceAtoms),
      quantityAtoms: io.u32(it.quantityAtoms),
      reduceOnly: io.flag(it.reduceOnly),
      leverageHundredths: io.leverage(it.leverageHundredths),
      closePosition: io.flag(it.closePosition),
      entry: io.int(it.entry),
      linked: io.int(it.linked),
      position: io.int(it.position),
    }),
  },
  LegChanged: {
    tag: 94,
    fields: (io, it) => ({
      type: 'LegChanged',
      order: io.int(it.order),
      account: io.u32(it.account),
      market: io.u32(it.market),
      position: io.int(it.position),
      quantityAtoms: io.u32(it.quantityAtoms),
    }),
  },
  OrderTriggered: {
    tag: 95,
    fields: (io, it) => ({
      type: 'OrderTriggered',
      order: io.int(it.order),
      account: io.u32(it.account),
      market: io.u32(it.market),
      side: io.oneOf(SIDES, it.side),
      triggerPriceAtoms: io.u32(it.triggerPriceAtoms),
      terms: io.part(it.terms, acceptedTermsLayout),
      reduceOnly: io.flag(it.reduceOnly),
      leverageHundredths: io.leverage(it.leverageHundredths),
      initialMarginBps: io.u32(it.initialMarginBps),
      markPriceAtoms: io.u32(it.markPriceAtoms),
    }),
  },
};
