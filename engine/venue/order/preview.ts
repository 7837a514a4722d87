/** What placing an order would do now: refusal, fills, costs, and the resulting liquidation price. */

import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, plus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import { fundedHolding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import type { PlaceOrder } from '#venue/order/order-terms.ts';
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
import type { Preview } from '#venue/preview.ts';
import { liquidationPriceOf } from '#venue/risk/position-risk.ts';
import type { Turn } from '#venue/turn.ts';
import { NO_PRICE } from './book.ts';
import { MatchTerms } from './match.ts';
import { FILL } from './match-plan.ts';
import { planPlacement } from './placement.ts';
import type { PlacementPlan } from './placement-plan.ts';
import { closingFeeOf, fillFee, openingMargin, reservationOf, takerMargin } from './reservation.ts';

/** Plans the order and reads the plan. Changes nothing. */
export function previewPlacement(turn: Turn, command: PlaceOrder): Preview {
  const { plan } = turn;
  const refusal = planPlacement(turn, command);
  const availableBeforeAtoms = turn.state.account(command.account)?.availableAtoms ?? ZERO_QUOTE;
  if (refusal !== undefined) {
    return { ...EMPTY, refusal, availableBeforeAtoms, availableAfterAtoms: availableBeforeAtoms };
  }
  if (command.trigger !== undefined) {
    return previewWaiting(turn, command, availableBeforeAtoms);
  }
  const market = turn.state.market(command.market)!;
  const { gainAtoms, ...simulated } = simulateFills(turn, market, command);
  const { restsAtoms, matches } = plan;
  const reserved = reservedFor(market, command, plan);
  const reservedAtoms = plus(reserved.reservedMarginAtoms, reserved.reservedFeeAtoms);
  return {
    refusal: undefined,
    limitPriceAtoms: plan.terms.kind === 'limit' ? plan.terms.priceAtoms : NO_PRICE,
    filledBaseAtoms: matches.filledBase,
    filledNotionalAtoms: matches.filledNotional,
    ...simulated,
    restsBaseAtoms: restsAtoms,
    ...reserved,
    cancelReason: plan.cancels,
    liquidationPriceAtoms: liquidationPrice(market, simulated.position),
    availableBeforeAtoms,
    availableAfterAtoms: minus(plus(availableBeforeAtoms, gainAtoms), reservedAtoms),
  };
}

/** An order that waits for a price changes nothing until then. */
function previewWaiting({ state }: Turn, { account, market, terms }: PlaceOrder, availableAtoms: QuoteAtoms): Preview {
  const listed = state.market(market)!;
  const position = blankHolding();
  copyHolding(state.account(account)!.holdingIn(market), position);
  return {
    ...EMPTY,
    refusal: undefined,
    limitPriceAtoms: terms.kind === 'limit' ? terms.priceAtoms : NO_PRICE,
    position,
    liquidationPriceAtoms: liquidationPrice(listed, position),
    availableBeforeAtoms: availableAtoms,
    availableAfterAtoms: availableAtoms,
  };
}

const EMPTY: Omit<Preview, 'refusal' | 'availableBeforeAtoms' | 'availableAfterAtoms'> = {
  limitPriceAtoms: NO_PRICE,
  filledBaseAtoms: ZERO_BASE,
  filledNotionalAtoms: ZERO_QUOTE,
  feeAtoms: ZERO_QUOTE,
  realizedPnlAtoms: ZERO_QUOTE,
  lockedMarginAtoms: ZERO_QUOTE,
  restsBaseAtoms: ZERO_BASE,
  reservedMarginAtoms: ZERO_QUOTE,
  reservedFeeAtoms: ZERO_QUOTE,
  cancelReason: undefined,
  position: blankHolding(),
  liquidationPriceAtoms: NO_PRICE,
};

type SimulatedFills = Pick<Preview, 'feeAtoms' | 'realizedPnlAtoms' | 'lockedMarginAtoms' | 'position'> & {
  /** The change of the account's available cash by fills and by cancels of its own orders. */
  readonly gainAtoms: QuoteAtoms;
};

function simulateFills({ state, plan, rules }: Turn, market: Market, command: PlaceOrder): SimulatedFills {
  const position = blankHolding();
  const currentPosition = state.account(command.account)!.positions[market.ordinal];
  if (currentPosition === undefined) copyHolding(FLAT, position);
  else fundedHolding(market, currentPosition, position);
  const effect = blankFillEffect();
  let [feeAtoms, realizedPnlAtoms, lockedMarginAtoms, gainAtoms] = [ZERO_QUOTE, ZERO_QUOTE, ZERO_QUOTE, ZERO_QUOTE];
  for (let step = 0; step < plan.matches.count; step += 1) {
    const slot = plan.matches.slotAt(step);
    const kind = plan.matches.kindAt(step);
    if (kind !== FILL) {
      if (state.orders.accountOf(slot) === command.account) gainAtoms = plus(gainAtoms, state.orders.reservedOf(slot));
      continue;
    }
    const quantity = plan.matches.quantityAt(step);
    const price = state.orders.priceOf(slot);
    const fee = fillFee(market, market.notional(price, quantity), 'taker');
    const closed = smallerOf(quantity, closableBy(command.side, position));
    fillEffect(position, command.side, quantity, market.lotPrice(price), closingFeeOf(fee, closed, quantity), effect);
    const locked = takerMargin(market, termsAt(market, command, price, plan), effect.openedBaseAtoms, rules);
    applyFillEffect(position, command.side, effect, locked);
    feeAtoms = plus(feeAtoms, fee);
    realizedPnlAtoms = plus(realizedPnlAtoms, effect.realizedPnlAtoms);
    lockedMarginAtoms = plus(lockedMarginAtoms, locked);
    const proceeds = plus(plus(effect.releasedMarginAtoms, effect.realizedPnlAtoms), effect.deficitAtoms);
    gainAtoms = minus(minus(minus(plus(gainAtoms, proceeds), effect.repaidAtoms), locked), fee);
  }
  return { feeAtoms, realizedPnlAtoms, lockedMarginAtoms, position, gainAtoms };
}

type Reservation = Pick<Preview, 'reservedMarginAtoms' | 'reservedFeeAtoms'>;

/** The margin and the fee that the resting part reserves. The fee is at the taker's rate. */
function reservedFor(market: Market, command: PlaceOrder, plan: PlacementPlan): Reservation {
  if (plan.terms.kind !== 'limit' || plan.restsAtoms === 0 || command.reduceOnly) {
    return { reservedMarginAtoms: ZERO_QUOTE, reservedFeeAtoms: ZERO_QUOTE };
  }
  const terms = termsAt(market, command, plan.terms.priceAtoms, plan);
  const reservedMarginAtoms = openingMargin(market, terms, plan.restsAtoms);
  return { reservedMarginAtoms, reservedFeeAtoms: minus(reservationOf(market, terms, plan.restsAtoms), reservedMarginAtoms) };
}

function termsAt(market: Market, { side }: PlaceOrder, priceAtoms: PriceAtoms, plan: PlacementPlan): MatchTerms {
  const terms = new MatchTerms();
  terms.side = side;
  terms.priceAtoms = priceAtoms;
  terms.markPriceAtoms = market.markPriceAtoms;
  terms.leverageHundredths = plan.leverageHundredths;
  terms.initialMarginBps = plan.initialMarginBps;
  return terms;
}

function liquidationPrice(market: Market, position: Readonly<Holding>): PriceAtoms {
  if (position.signedBaseAtoms === 0) return NO_PRICE;
  const { maintenanceMarginTiers } = market.specification;
  return liquidationPriceOf(position, market.markPriceAtoms, market.tickLotAtoms, maintenanceMarginTiers).priceAtoms;
}
