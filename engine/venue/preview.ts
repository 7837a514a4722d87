/** What placing an order would do now, as the venue answers that asks itself and changes nothing. */
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { CancelReason } from './event.ts';
import type { Holding } from './position/position.ts';
import type { Refusal } from './refusal.ts';

/** Why something of an order is cancelled in the turn that takes it. */
export type ImmediateCancelReason = Extract<
  CancelReason,
  'reduce_only' | 'no_liquidity' | 'price_band' | 'fill_limit' | 'bankruptcy_price'
>;

export interface Preview {
  /** Why it would be refused; everything below but what is available is then nothing. */
  readonly refusal: Refusal | undefined;
  /** The limit that it would have; 0 for a market order. */
  readonly limitPriceAtoms: PriceAtoms;
  readonly filledBaseAtoms: BaseAtoms;
  readonly filledNotionalAtoms: QuoteAtoms;
  /** The taker fee of what fills at once (below zero: a rebate). */
  readonly feeAtoms: QuoteAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  /** The margin that its fills lock in the position. */
  readonly lockedMarginAtoms: QuoteAtoms;
  /** What goes into the book, and what of the account's cash that holds: margin, and the fee at its worst. */
  readonly restsBaseAtoms: BaseAtoms;
  readonly reservedMarginAtoms: QuoteAtoms;
  readonly reservedFeeAtoms: QuoteAtoms;
  /** Why something of it would be cancelled at once. */
  readonly cancelReason: ImmediateCancelReason | undefined;
  /** The position after the fills, and the price that liquidates it (0: none). */
  readonly position: Readonly<Holding>;
  readonly liquidationPriceAtoms: PriceAtoms;
  /** What the account may use for orders now, and what it may use then. */
  readonly availableBeforeAtoms: QuoteAtoms;
  readonly availableAfterAtoms: QuoteAtoms;
}
