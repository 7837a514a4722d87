/** The plan of an order's placement. */
import type { BaseAtoms, Bps, PriceAtoms } from '#units/money.ts';
import { ZERO_BASE } from '#units/money.ts';
import type { AcceptedTerms } from '#venue/order/order-terms.ts';
import type { ImmediateCancelReason } from '#venue/preview.ts';
import { NO_PRICE } from './book.ts';
import { MatchPlan } from './match-plan.ts';
import { ReplacedOrder } from './replaced-order.ts';

/** What placing an order will do. One plan object is reused for all turns: it is valid until the next planning. */
export class PlacementPlan {
  readonly matches = new MatchPlan();
  readonly replaced = new ReplacedOrder();
  /** The leverage of the order: its own, or that of its account. 0 uses the initial margin of the exposure. */
  leverageHundredths = 0;
  /** The share of its notional that the order reserves if `leverageHundredths` is 0. */
  initialMarginBps = 0 as Bps;
  /** The terms with which the order is accepted. */
  terms: AcceptedTerms = { kind: 'market', quantityAtoms: ZERO_BASE };
  /** The worst price at which the order may fill. */
  limitPriceAtoms: PriceAtoms = NO_PRICE;
  /** Whether that price follows from the bankruptcy price of the position that the order closes. */
  isBoundByBankruptcy = false;
  /** The quantity that rests in the book. */
  restsAtoms: BaseAtoms = ZERO_BASE;
  /** The quantity of a resting reduce-only order that is cut because the position is too small for it. */
  cutAtoms: BaseAtoms = ZERO_BASE;
  /** Why the quantity that neither fills nor rests is cancelled; `undefined` if there is no such quantity. */
  cancels: ImmediateCancelReason | undefined;
}

/** Why matching ended before the whole quantity, if the limit is the end of the band. */
export function endReasonOf({ end, leavesCrossing }: MatchPlan): 'fill_limit' | 'no_liquidity' | 'price_band' {
  if (end === 'steps') return 'fill_limit';
  return end !== 'price' || leavesCrossing ? 'no_liquidity' : 'price_band';
}
