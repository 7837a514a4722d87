/** What placing an order would do now: whether it is taken, what fills, what it costs, where that would be liquidated. */
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { plus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { PlaceOrder } from '#venue/command.ts';
import type { CancelReason } from '#venue/event.ts';
import { fundedHolding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import type { Holding } from '#venue/position/position.ts';
import {
  applyFillEffect,
  blankFillEffect,
  blankHolding,
  closableBy,
  copyHolding,
  FLAT,
  fillEffect,
} from '#venue/position/position.ts';
import type { Refusal } from '#venue/refusal.ts';
import { liquidationPriceOf } from '#venue/risk/position-risk.ts';
import type { VenueState } from '#venue/state.ts';
import { NO_PRICE } from './book.ts';
import { MatchTerms } from './match.ts';
import { FILL } from './matching.ts';
import type { PlacementPlan } from './placement.ts';
import { planPlacement } from './placement.ts';
import { closingFeeOf, fillFee, openingMargin, reservationOf } from './reservation.ts';

export interface Preview {
  /** Why it would be refused; everything below is then nothing. */
  readonly refusal: Refusal | undefined;
  readonly filledBaseAtoms: BaseAtoms;
  readonly filledNotionalAtoms: QuoteAtoms;
  /** The taker fee of what fills at once (below zero: a rebate). */
  readonly feeAtoms: QuoteAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  /** The margin that its fills lock in the position. */
  readonly lockedMarginAtoms: QuoteAtoms;
  /** What goes into the book, and what of the account's cash that holds. */
  readonly restsBaseAtoms: BaseAtoms;
  readonly reservedAtoms: QuoteAtoms;
  /** Why something of it would be cancelled at once. */
  readonly cancelReason: CancelReason | undefined;
  /** The position after the fills, and the price that liquidates it (0: none). */
  readonly position: Readonly<Holding>;
  readonly liquidationPriceAtoms: PriceAtoms;
}

/** Plans the order and reads the plan. Changes nothing. */
export function previewPlacement(state: VenueState, command: PlaceOrder, now: EpochMs, plan: PlacementPlan): Preview {
  const refusal = planPlacement(state, command, now, plan);
  if (refusal !== undefined) return { ...NOTHING, refusal };
  const market = state.market(command.market)!;
  const played = playFills(state, market, command, plan);
  const { restsAtoms, matches } = plan;
  return {
    refusal: undefined,
    filledBaseAtoms: matches.filledBase,
    filledNotionalAtoms: matches.filledNotional,
    ...played,
    restsBaseAtoms: restsAtoms,
    reservedAtoms: reservedFor(market, command, plan),
    cancelReason: plan.cancels,
    liquidationPriceAtoms: liquidationPrice(market, played.position),
  };
}

const NOTHING: Omit<Preview, 'refusal'> = {
  filledBaseAtoms: ZERO_BASE,
  filledNotionalAtoms: ZERO_QUOTE,
  feeAtoms: ZERO_QUOTE,
  realizedPnlAtoms: ZERO_QUOTE,
  lockedMarginAtoms: ZERO_QUOTE,
  restsBaseAtoms: ZERO_BASE,
  reservedAtoms: ZERO_QUOTE,
  cancelReason: undefined,
  position: blankHolding(),
  liquidationPriceAtoms: NO_PRICE,
};

type Played = Pick<Preview, 'feeAtoms' | 'realizedPnlAtoms' | 'lockedMarginAtoms' | 'position'>;

function playFills(state: VenueState, market: Market, command: PlaceOrder, plan: PlacementPlan): Played {
  const position = blankHolding();
  const held = state.account(command.account)!.positions[market.ordinal];
  if (held === undefined) copyHolding(FLAT, position);
  else fundedHolding(market, held, position);
  const effect = blankFillEffect();
  let [feeAtoms, realizedPnlAtoms, lockedMarginAtoms] = [ZERO_QUOTE, ZERO_QUOTE, ZERO_QUOTE];
  for (let step = 0; step < plan.matches.count; step += 1) {
    if (plan.matches.kindAt(step) !== FILL) continue;
    const quantity = plan.matches.quantityAt(step);
    const price = state.orders.priceOf(plan.matches.slotAt(step));
    const fee = fillFee(market, market.notional(price, quantity), 'taker');
    const closed = smallerOf(quantity, closableBy(command.side, position));
    fillEffect(position, command.side, quantity, market.lotPrice(price), closingFeeOf(fee, closed, quantity), effect);
    const locked = openingMargin(market, termsAt(market, command, price, plan), effect.openedBaseAtoms);
    applyFillEffect(position, command.side, effect, locked);
    feeAtoms = plus(feeAtoms, fee);
    realizedPnlAtoms = plus(realizedPnlAtoms, effect.realizedPnlAtoms);
    lockedMarginAtoms = plus(lockedMarginAtoms, locked);
  }
  return { feeAtoms, realizedPnlAtoms, lockedMarginAtoms, position };
}

function reservedFor(market: Market, command: PlaceOrder, plan: PlacementPlan): QuoteAtoms {
  if (command.terms.kind !== 'limit' || plan.restsAtoms === 0 || command.reduceOnly) return ZERO_QUOTE;
  return reservationOf(market, termsAt(market, command, command.terms.priceAtoms, plan), plan.restsAtoms);
}

function termsAt(market: Market, { side, leverageX }: PlaceOrder, priceAtoms: PriceAtoms, plan: PlacementPlan): MatchTerms {
  const terms = new MatchTerms();
  terms.side = side;
  terms.priceAtoms = priceAtoms;
  terms.markPriceAtoms = market.markPriceAtoms;
  terms.leverageX = leverageX;
  terms.initialMarginBps = plan.initialMarginBps;
  return terms;
}

function liquidationPrice(market: Market, position: Readonly<Holding>): PriceAtoms {
  if (position.signedBaseAtoms === 0) return NO_PRICE;
  const { maintenanceMarginTiers } = market.specification;
  return liquidationPriceOf(position, market.markPriceAtoms, market.tickLotAtoms, maintenanceMarginTiers).priceAtoms;
}
