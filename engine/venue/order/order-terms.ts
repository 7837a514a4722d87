/** What an order is placed with. */
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';

export type Side = 'buy' | 'sell';

/** An order at a price or better. What does not fill at once rests. */
export interface LimitTerms {
  readonly kind: 'limit';
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly postOnly: boolean;
  /** For an order that was sent without a price and by notional: what was asked for. */
  readonly notionalAtoms?: QuoteAtoms;
}

/** An order that fills at once, for a quantity or for an amount of money, and never rests. */
export type MarketTerms =
  | { readonly kind: 'market'; readonly quantityAtoms: BaseAtoms }
  | { readonly kind: 'market_notional'; readonly notionalAtoms: QuoteAtoms };

/** A limit order without a price: its limit is the worst price in the market's band when it takes its turn. */
export type BandTerms =
  | { readonly kind: 'band_limit'; readonly quantityAtoms: BaseAtoms }
  | { readonly kind: 'band_notional'; readonly notionalAtoms: QuoteAtoms };

/** What an order is sent with. */
export type OrderTerms = LimitTerms | MarketTerms | BandTerms;

/** What an order is accepted with: a limit order has its price and quantity by then. */
export type AcceptedTerms = LimitTerms | MarketTerms;

export interface PlaceOrder {
  readonly type: 'PlaceOrder';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly terms: OrderTerms;
  readonly reduceOnly: boolean;
  /** The leverage whose margin this order reserves; 0 asks for the market's initial margin. */
  readonly leverageX: number;
  /** The caller's header, echoed in every answer about the order. */
  readonly idempotencyKey: string;
}

/** One order of a batch: what {@link PlaceOrder} says of it. */
export type BatchEntry = Omit<PlaceOrder, 'type' | 'account' | 'idempotencyKey'>;

/** How many orders a batch may have. */
export const MAX_BATCH_ENTRIES = 32;
