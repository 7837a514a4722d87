/** What planning the placement of an order results in. */
import type { BaseAtoms, Bps, PriceAtoms } from '#units/money.ts';
import { ZERO_BASE } from '#units/money.ts';
import type { AcceptedTerms } from '#venue/order/order-terms.ts';
import type { ImmediateCancelReason } from '#venue/preview.ts';
import { NO_PRICE } from './book.ts';
import { MatchPlan } from './match-plan.ts';

/** What placing an order will do. One plan is reused for every turn: it is valid until the next is made. */
export class PlacementPlan {
  readonly matches = new MatchPlan();
  /** The rate at which it reserves where no leverage is asked for. */
  initialMarginBps = 0 as Bps;
  /** What the order is accepted with. */
  terms: AcceptedTerms = { kind: 'market', quantityAtoms: ZERO_BASE };
  /** The worst price that it may fill at, and whether that is for the sake of the position that it closes. */
  limitPriceAtoms: PriceAtoms = NO_PRICE;
  isBoundByBankruptcy = false;
  /** What goes into the book. */
  restsAtoms: BaseAtoms = ZERO_BASE;
  /** Why what neither fills nor rests is cancelled; `undefined` where nothing is left. */
  cancels: ImmediateCancelReason | undefined;
}
