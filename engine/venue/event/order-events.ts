/** Events of orders: accepted, resting, filled, cancelled; and trades. */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal, TradeOrdinal } from '#units/ids.ts';
import { isWholeLeverage } from '#units/leverage.ts';
import type { BaseAtoms, Bps, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { AcceptedTerms, Side } from '#venue/order/order-terms.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { EventLayouts } from '#venue/record/layout.ts';
import { acceptedTermsLayout, SIDES } from '#venue/record/parts.ts';

/** Who placed an order: a client, or the venue to close a position. */
export const ORDER_ORIGINS = ['client', 'liquidation', 'auto_deleveraging'] as const;
export type OrderOrigin = (typeof ORDER_ORIGINS)[number];

/** An order was accepted. Its fills, and then its rest or cancellation, follow in the same turn. */
export interface OrderAccepted {
  readonly type: 'OrderAccepted';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly clientOrderId: string;
  readonly idempotencyKey: string;
  readonly side: Side;
  readonly terms: AcceptedTerms;
  readonly reduceOnly: boolean;
  readonly leverageHundredths: number;
  /** The share of its notional that the order reserves if `leverageHundredths` is 0. */
  readonly initialMarginBps: Bps;
  readonly origin: OrderOrigin;
  /** The mark when the order was placed. The order reserves and locks its loss against that mark as part of its margin. */
  readonly markPriceAtoms: PriceAtoms;
}

/** An order rests in the book. `accountReservedAtoms` is the account's whole reservation after it. */
export interface OrderRested {
  readonly type: 'OrderRested';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly side: Side;
  readonly priceAtoms: PriceAtoms;
  readonly remainingAtoms: BaseAtoms;
  readonly accountReservedAtoms: QuoteAtoms;
}

/** One match. Auto-deleveraging is a trade too, but not at a quoted price, so it does not set the last price. */
export interface TradeExecuted {
  readonly type: 'TradeExecuted';
  readonly trade: TradeOrdinal;
  readonly market: MarketOrdinal;
  readonly origin: OrderOrigin;
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly notionalAtoms: QuoteAtoms;
  readonly takerSide: Side;
}

export const LIQUIDITIES = ['maker', 'taker'] as const;
export type Liquidity = (typeof LIQUIDITIES)[number];

/** One account's side of a match. A negative `feeAtoms` is a rebate. */
export interface OrderFilled {
  readonly type: 'OrderFilled';
  readonly order: OrderOrdinal;
  readonly trade: TradeOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly position: PositionOrdinal;
  readonly side: Side;
  readonly liquidity: Liquidity;
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly notionalAtoms: QuoteAtoms;
  readonly feeAtoms: QuoteAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  /** The unfilled quantity; 0 for an order by notional, which has no quantity. */
  readonly remainingAtoms: BaseAtoms;
  /** The order has ended by this fill: no part of it rests or is cancelled. */
  readonly isComplete: boolean;
  readonly accountReservedAtoms: QuoteAtoms;
  /** The liquidation fee that the fill pays beside its own fee. Absent, as the next field, if both are 0. */
  readonly liquidationFeeAtoms?: QuoteAtoms;
  /** What the insurance fund pays for the fill, and the deficit ledger if the fund is empty; negative if the fill repays the fund. */
  readonly insuranceCoveredAtoms?: QuoteAtoms;
}

/**
 * The quantity of a reduce-only order was cut, because the account's position is too small for it beside the account's other reduce-only
 * orders. It never grows again. An order of which nothing would remain is cancelled instead (`reduce_only`).
 */
export interface OrderReduced {
  readonly type: 'OrderReduced';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly side: Side;
  /** Whether the order was in the book. Otherwise it is cut before it rests, and its `OrderRested` follows. */
  readonly wasResting: boolean;
  readonly priceAtoms: PriceAtoms;
  readonly cutAtoms: BaseAtoms;
  /** The unfilled quantity after the cut. */
  readonly remainingAtoms: BaseAtoms;
}

/**
 * The owner changed an open order. If it keeps its place, its quantity became smaller. Otherwise it left the book, and its fills, and then
 * its rest or cancellation, follow in the same turn as for a new order.
 */
export interface OrderAmended {
  readonly type: 'OrderAmended';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly side: Side;
  /** Where it was in the book. */
  readonly wasPriceAtoms: PriceAtoms;
  readonly wasRemainingAtoms: BaseAtoms;
  readonly priceAtoms: PriceAtoms;
  /** With what has filled before, and without it. */
  readonly quantityAtoms: BaseAtoms;
  readonly remainingAtoms: BaseAtoms;
  readonly keepsPlace: boolean;
  /** As of the placement if it keeps its place, otherwise new: see {@link OrderAccepted}. */
  readonly markPriceAtoms: PriceAtoms;
  readonly initialMarginBps: Bps;
  readonly accountReservedAtoms: QuoteAtoms;
}

/** A timer that cancels an account's orders was set; a deadline of 0 turned it off. Market 0 stands for all markets. */
export interface CancelAllAfterSet {
  readonly type: 'CancelAllAfterSet';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly deadlineEpochMs: EpochMs;
}

/** A fired timer has no order left to cancel. */
export interface CancelAllAfterFinished {
  readonly type: 'CancelAllAfterFinished';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
}

/** Such a timer fired: the account's orders up to `lastOrder` are cancelled in this and the next turns. It is off now. */
export interface CancelAllAfterFired {
  readonly type: 'CancelAllAfterFired';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly deadlineEpochMs: EpochMs;
  readonly lastOrder: OrderOrdinal;
}

export const CANCEL_REASONS = [
  'user',
  'self_trade',
  'reduce_only',
  'no_liquidity',
  'price_band',
  'fill_limit',
  'margin_unbacked',
  'bankruptcy_price',
  'liquidation',
  'immediate_or_cancel',
  'fill_or_kill',
  'expired',
  'cancel_all_after',
  'trigger_refused',
  'position_ended',
  'entry_ended',
  'linked_order',
] as const;
/** Why an order ended before it was filled. The owner sees all but `user` as `cancelReason`. */
export type CancelReason = (typeof CANCEL_REASONS)[number];

export interface OrderCancelled {
  readonly type: 'OrderCancelled';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly side: Side;
  readonly reason: CancelReason;
  /** Whether the order was in the book. If so, it was there at `priceAtoms` with `remainingAtoms`. */
  readonly wasResting: boolean;
  readonly priceAtoms: PriceAtoms;
  readonly remainingAtoms: BaseAtoms;
  readonly accountReservedAtoms: QuoteAtoms;
}

export type OrderEvent =
  | OrderAccepted
  | OrderRested
  | TradeExecuted
  | OrderFilled
  | OrderReduced
  | OrderAmended
  | CancelAllAfterSet
  | CancelAllAfterFired
  | CancelAllAfterFinished
  | OrderCancelled;

export const ORDER_EVENTS: EventLayouts<OrderEvent> = {
  OrderAccepted: {
    tag: 10,
    fields: (io, it) => acceptedLayout(io, it, 'wholeLeverage'),
    extended: [
      {
        tag: 115,
        applies: (it) => !isWholeLeverage(it.leverageHundredths),
        fields: (io, it) => acceptedLayout(io, it, 'leverage'),
      },
    ],
  },
  OrderRested: {
    tag: 11,
    fields: (io, it) => ({
      type: 'OrderRested',
      order: io.int(it.order),
      account: io.u32(it.account),
      market: io.u32(it.market),
      side: io.oneOf(SIDES, it.side),
      priceAtoms: io.u32(it.priceAtoms),
      remainingAtoms: io.u32(it.remainingAtoms),
      accountReservedAtoms: io.int(it.accountReservedAtoms),
    }),
  },
  TradeExecuted: {
    tag: 12,
    fields: (io, it) => ({
      type: 'TradeExecuted',
      trade: io.int(it.trade),
      market: io.u32(it.market),
      origin: io.oneOf(ORDER_ORIGINS, it.origin),
      priceAtoms: io.u32(it.priceAtoms),
      quantityAtoms: io.u32(it.quantityAtoms),
      notionalAtoms: io.int(it.notionalAtoms),
      takerSide: io.oneOf(SIDES, it.takerSide),
    }),
  },
  OrderFilled: {
    tag: 13,
    fields: filledLayout,
    extended: [
      {
        tag: 109,
        applies: ({ insuranceCoveredAtoms }) => insuranceCoveredAtoms !== undefined,
        fields: (io, it) => ({
          ...filledLayout(io, it),
          liquidationFeeAtoms: io.int(it.liquidationFeeAtoms!),
          insuranceCoveredAtoms: io.int(it.insuranceCoveredAtoms!),
        }),
      },
    ],
  },
  OrderReduced: {
    tag: 86,
    fields: (io, it) => ({
      type: 'OrderReduced',
      order: io.int(it.order),
      account: io.u32(it.account),
      market: io.u32(it.market),
      side: io.oneOf(SIDES, it.side),
      wasResting: io.flag(it.wasResting),
      priceAtoms: io.u32(it.priceAtoms),
      cutAtoms: io.u32(it.cutAtoms),
      remainingAtoms: io.u32(it.remainingAtoms),
    }),
  },
  OrderAmended: {
    tag: 103,
    fields: (io, it) => ({
      type: 'OrderAmended',
      order: io.int(it.order),
      account: io.u32(it.account),
      market: io.u32(it.market),
      side: io.oneOf(SIDES, it.side),
      wasPriceAtoms: io.u32(it.wasPriceAtoms),
      wasRemainingAtoms: io.u32(it.wasRemainingAtoms),
      priceAtoms: io.u32(it.priceAtoms),
      quantityAtoms: io.u32(it.quantityAtoms),
      remainingAtoms: io.u32(it.remainingAtoms),
      keepsPlace: io.flag(it.keepsPlace),
      markPriceAtoms: io.u32(it.markPriceAtoms),
      initialMarginBps: io.u32(it.initialMarginBps),
      accountReservedAtoms: io.int(it.accountReservedAtoms),
    }),
  },
  CancelAllAfterSet: {
    tag: 104,
    fields: (io, it) => ({
      type: 'CancelAllAfterSet',
      account: io.u32(it.account),
      market: io.u32(it.market),
      deadlineEpochMs: io.int(it.deadlineEpochMs),
    }),
  },
  CancelAllAfterFired: {
    tag: 105,
    fields: (io, it) => ({
      type: 'CancelAllAfterFired',
      account: io.u32(it.account),
      market: io.u32(it.market),
      deadlineEpochMs: io.int(it.deadlineEpochMs),
      lastOrder: io.int(it.lastOrder),
    }),
  },
  CancelAllAfterFinished: {
    tag: 106,
    fields: (io, it) => ({ type: 'CancelAllAfterFinished', account: io.u32(it.account), market: io.u32(it.market) }),
  },
  OrderCancelled: {
    tag: 15,
    fields: (io, it) => ({
      type: 'OrderCancelled',
      order: io.int(it.order),
      account: io.u32(it.account),
      market: io.u32(it.market),
      side: io.oneOf(SIDES, it.side),
      reason: io.oneOf(CANCEL_REASONS, it.reason),
      wasResting: io.flag(it.wasResting),
      priceAtoms: io.u32(it.priceAtoms),
      remainingAtoms: io.u32(it.remainingAtoms),
      accountReservedAtoms: io.int(it.accountReservedAtoms),
    }),
  },
};

function filledLayout(io: Cursor, it: OrderFilled): OrderFilled {
  return {
    type: 'OrderFilled',
    order: io.int(it.order),
    trade: io.int(it.trade),
    account: io.u32(it.account),
    market: io.u32(it.market),
    position: io.int(it.position),
    side: io.oneOf(SIDES, it.side),
    liquidity: io.oneOf(LIQUIDITIES, it.liquidity),
    priceAtoms: io.u32(it.priceAtoms),
    quantityAtoms: io.u32(it.quantityAtoms),
    notionalAtoms: io.int(it.notionalAtoms),
    feeAtoms: io.int(it.feeAtoms),
    realizedPnlAtoms: io.int(it.realizedPnlAtoms),
    remainingAtoms: io.u32(it.remainingAtoms),
    isComplete: io.flag(it.isComplete),
    accountReservedAtoms: io.int(it.accountReservedAtoms),
  };
}

function acceptedLayout(io: Cursor, it: OrderAccepted, leverage: 'leverage' | 'wholeLeverage'): OrderAccepted {
  return {
    type: 'OrderAccepted',
    order: io.int(it.order),
    account: io.u32(it.account),
    market: io.u32(it.market),
    clientOrderId: io.text(it.clientOrderId),
    idempotencyKey: io.text(it.idempotencyKey),
    side: io.oneOf(SIDES, it.side),
    terms: io.part(it.terms, acceptedTermsLayout),
    reduceOnly: io.flag(it.reduceOnly),
    leverageHundredths: io[leverage](it.leverageHundredths),
    initialMarginBps: io.u32(it.initialMarginBps),
    origin: io.oneOf(ORDER_ORIGINS, it.origin),
    markPriceAtoms: io.u32(it.markPriceAtoms),
  };
}
