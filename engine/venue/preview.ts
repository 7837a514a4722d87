/** The result of a preview: what placing an order would do now. A preview changes nothing. */
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { CancelReason } from './event.ts';
import type { Holding } from './position/position.ts';
import type { Refusal } from './refusal.ts';

/** Why a part of an order is cancelled in the turn that places it. */
export type ImmediateCancelReason = Extract<
  CancelReason,
  'reduce_only' | 'no_liquidity' | 'price_band' | 'fill_limit' | 'bankruptcy_price' | 'immediate_or_cancel' | 'fill_or_kill'
>;

export interface Preview {
  /** Why the order would be refused. Then all fields below except the available cash are zero or empty. */
  readonly refusal: Refusal | undefined;
  /** The limit price of the order; 0 for a market order. */
  readonly limitPriceAtoms: PriceAtoms;
  readonly filledBaseAtoms: BaseAtoms;
  readonly filledNotionalAtoms: QuoteAtoms;
  /** The taker fee of the immediate fills. */
  readonly feeAtoms: QuoteAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  /** The margin that the fills lock in the position. */
  readonly lockedMarginAtoms: QuoteAtoms;
  /** The quantity that rests in the book, and the cash that it reserves: margin, and the highest possible fee. */
  readonly restsBaseAtoms: BaseAtoms;
  readonly reservedMarginAtoms: QuoteAtoms;
  readonly reservedFeeAtoms: QuoteAtoms;
  /** Why a part of the order would be cancelled at once. */
  readonly cancelReason: ImmediateCancelReason | undefined;
  /** The position after the fills, and its liquidation price; 0 if there is no such price. */
  readonly position: Readonly<Holding>;
  readonly liquidationPriceAtoms: PriceAtoms;
  /** The cash available for orders, before and after the order. */
  readonly availableBeforeAtoms: QuoteAtoms;
  readonly availableAfterAtoms: QuoteAtoms;
}
