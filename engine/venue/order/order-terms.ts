/** The terms of orders, and the command that places one. */
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { AttachedLegs, TriggerTerms } from '#venue/trigger/trigger-terms.ts';

export type Side = 'buy' | 'sell';

export const TIMES_IN_FORCE = ['IOC', 'FOK', 'GTD'] as const;

/** How long a limit order may wait for fills (`time-in-force.ts`); absent if until it is cancelled. */
export interface InForce {
  readonly timeInForce?: (typeof TIMES_IN_FORCE)[number];
  /** When a `GTD` order expires; only such an order has it. */
  readonly expiresAtEpochMs?: EpochMs;
}

/** An order that fills at its price or better. What does not fill at once rests. */
export interface LimitTerms extends InForce {
  readonly kind: 'limit';
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly postOnly: boolean;
  /** The requested notional, if the order was sent by notional and without a price. */
  readonly notionalAtoms?: QuoteAtoms;
}

/** An order for a quantity or a notional that fills at once and never rests. */
export type MarketTerms =
  | { readonly kind: 'market'; readonly quantityAtoms: BaseAtoms }
  | { readonly kind: 'market_notional'; readonly notionalAtoms: QuoteAtoms };

/** A limit order without a price. Its limit is the worst price in the market's band at the time of its turn. */
export type BandTerms = InForce &
  (
    | { readonly kind: 'band_limit'; readonly quantityAtoms: BaseAtoms }
    | { readonly kind: 'band_notional'; readonly notionalAtoms: QuoteAtoms }
  );

/** The terms that a client sends. */
export type OrderTerms = LimitTerms | MarketTerms | BandTerms;

/** The terms with which an order is accepted. Limit orders have a price and a quantity by then. */
export type AcceptedTerms = LimitTerms | MarketTerms;

export interface PlaceOrder {
  readonly type: 'PlaceOrder';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly terms: OrderTerms;
  readonly reduceOnly: boolean;
  /** The leverage that determines the order's margin. 0 uses the account's leverage in the market. */
  readonly leverageHundredths: number;
  /** The idempotency key of the request, repeated in each response about the order. */
  readonly idempotencyKey: string;
  /** The order waits for a price. Its terms are then a market or a limit order by quantity. */
  readonly trigger?: TriggerTerms;
  /** The stop-loss and take-profit of what the order opens. Not for an order that waits for a price. */
  readonly attached?: AttachedLegs;
}

/** One order of a batch, with the fields of {@link PlaceOrder}. */
export type BatchEntry = Omit<PlaceOrder, 'type' | 'account' | 'idempotencyKey'>;

/** The maximum number of orders in a batch. */
export const MAX_BATCH_ENTRIES = 32;
