/**
 * What a resting order lacks to fill at the current mark price and open interest. Checked when an incoming order meets it: its account's
 * available cash tops the margin up, or the order is cancelled (`margin_unbacked`) before it trades. An order is *behind the mark* if what
 * it opens would start with a loss at the mark price: a bid above it, an ask below it.
 */
import { ONE_X } from '#units/leverage.ts';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, mulDivDown, plus, smallerOf, WHOLE_BPS, ZERO_QUOTE } from '#units/money.ts';
import { fundedHolding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import { MAX_EXPOSURE_ATOMS, type MarketSpecification } from '#venue/market/specification.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Position } from '#venue/position/position.ts';
import { closableBy, isLong } from '#venue/position/position.ts';
import { closingPriceBoundOf } from '#venue/risk/bankruptcy-price.ts';
import { initialMarginIn, isCrowded, marginAtOpenInterest } from '#venue/risk/open-interest.ts';
import { maintenanceTierAt } from '#venue/risk/position-risk.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import type { Slot } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';
import { missingAtMark, openingMargin } from './reservation.ts';
import { readOpeningTerms } from './resting.ts';

/** The check that the orders at a price need: no check, only the margin of what they open, or all checks. */
export type BackingCheck = 'none' | 'margin' | 'any';

/**
 * Orders that are not behind the mark can lack backing only while a position waits for funding or liquidation, or the open interest
 * raises the rates. Orders behind it need the margin check for what they open. What they close needs a check only if a position would be
 * liquidated at that price: until then each position has its maintenance margin left, which is at least the fee.
 */
export function backingCheckAt(
  { positions, funding, markPriceAtoms, specification }: Market,
  takerSide: Side,
  price: PriceAtoms,
  openInterestAtoms: QuoteAtoms,
): BackingCheck {
  const isBehind = takerSide === 'buy' ? price < markPriceAtoms : price > markPriceAtoms;
  if (funding.isSweeping || positions.hasParked) return 'any';
  const worst = isBehind ? price : markPriceAtoms;
  if (positions.nextDistressed(worst, worst) !== undefined) return 'any';
  if (!isBehind) return isCrowded(specification, openInterestAtoms) ? 'margin' : 'none';
  return specification.maintenanceMarginTiers[0]!.maintenanceMarginBps < specification.takerFeeBps ? 'any' : 'margin';
}

/** What no cash makes good: the order is cancelled. */
export const UNPAYABLE = Number.MAX_SAFE_INTEGER as QuoteAtoms;

/** What a fill of up to `quantity` lacks, given the check that its price needs. Equals `missingBacking`, but is cheaper. */
export function missingBackingIn(
  check: BackingCheck,
  turn: Turn,
  market: Market,
  slot: Slot,
  quantity: number,
  openInterestAtoms: QuoteAtoms,
): QuoteAtoms {
  if (check === 'none' || (check === 'margin' && isWellMargined(turn, market, slot, openInterestAtoms))) return ZERO_QUOTE;
  return missingBacking(turn, market, slot, quantity, openInterestAtoms);
}

/**
 * What the order closes must not leave its position with negative equity. What it opens, valued at the mark price, must have its
 * initial margin: the order's share of its reservation has it, or the account's available cash pays what is missing. Without the check
 * a resting order would open with a leverage that no new order may have, a few ticks from its liquidation.
 */
export function missingBacking(
  turn: Turn,
  market: Market,
  slot: Slot,
  quantity: number,
  openInterestAtoms: QuoteAtoms,
): QuoteAtoms {
  const { state, rules } = turn;
  const { orders } = state;
  const side = orders.sideOf(slot);
  const price = orders.priceOf(slot);
  const position = state.account(orders.accountOf(slot))!.positions[market.ordinal]!;
  const isBehind = side === 'buy' ? price > market.markPriceAtoms : price < market.markPriceAtoms;
  const closes = closableBy(side, position);
  const mayLackForClosing = closes > 0 && (isBehind || !meetsMaintenance(market, position));
  if (mayLackForClosing && !canPayClosingFeeAt(turn, market, position, price)) return UNPAYABLE;
  if (!isBehind && !isCrowded(market.specification, openInterestAtoms)) return ZERO_QUOTE;
  if (orders.isReduceOnly(slot) || isWellMargined(turn, market, slot, openInterestAtoms)) return ZERO_QUOTE;
  const closesFirst = closableAfterOwnOrders(state, position, slot, closes);
  const remaining = orders.remainingOf(slot);
  const opens = minus(rules.needsInitialMargin ? smallerOf(remaining, quantity as BaseAtoms) : remaining, closesFirst);
  if (opens <= 0) return ZERO_QUOTE;
  const missing = missingMargin(turn, market, slot, position, opens, openInterestAtoms);
  return rules.needsInitialMargin || missing === 0 ? missing : UNPAYABLE;
}

/**
 * The quantity that is left for this order to close. An incoming order that meets it has already met the account's orders
 * ahead of it, and those have closed what they could.
 */
function closableAfterOwnOrders({ orders }: VenueState, position: Position, slot: Slot, closable: BaseAtoms): BaseAtoms {
  const price = orders.priceOf(slot);
  const side = orders.sideOf(slot);
  let left: number = closable;
  for (let own = position.firstOwnOrder; own !== NO_SLOT && left > 0; own = orders.ownAfter[own]! as Slot) {
    if (orders.sideOf(own) !== side) continue;
    const ahead = side === 'buy' ? orders.priceOf(own) - price : price - orders.priceOf(own);
    const isAhead = ahead > 0 || (ahead === 0 && orders.compareArrival(own, slot) < 0);
    if (isAhead) left -= orders.remainingOf(own);
  }
  return Math.max(0, left) as BaseAtoms;
}

/** Whether the position has its maintenance margin, and no unpaid funding that could change that. */
function meetsMaintenance({ positions, markPriceAtoms, funding }: Market, position: Position): boolean {
  const hasSettled = position.fundingPeriod === funding.period || funding.perLotMicroAtoms === 0;
  return hasSettled && !positions.isDue(position, markPriceAtoms);
}

/** Whether closing the position at this price leaves enough to pay the fee. */
function canPayClosingFeeAt({ holding }: Turn, market: Market, position: Position, price: PriceAtoms): boolean {
  fundedHolding(market, position, holding);
  const bound = closingPriceBoundOf(holding, market.tickLotAtoms, market.specification.takerFeeBps);
  return isLong(position) ? price >= bound : price <= bound;
}

/**
 * Whether each lot that the order opens has the margin of the highest tier, in ticks × basis points and without rounding up.
 * If so, the whole order has it. This cheap test settles most orders that the mark price has just passed.
 */
function isWellMargined({ state: { orders }, rules }: Turn, market: Market, slot: Slot, openInterestAtoms: QuoteAtoms): boolean {
  const { specification, markPriceAtoms: mark } = market;
  const price = orders.priceOf(slot);
  const leverageHundredths = orders.leverageOf(slot);
  const sign = orders.sideOf(slot) === 'buy' ? 1 : -1;
  const share =
    leverageHundredths === 0
      ? price * orders.initialMarginBpsOf(slot)
      : mulDivDown<number>(price, WHOLE_BPS * ONE_X, leverageHundredths);
  const reservedLoss = Math.max(0, sign * (price - orders.markOf(slot)));
  const behind = sign * (price - mark);
  const equity = share + (reservedLoss - Math.max(0, behind)) * WHOLE_BPS;
  return equity >= (behind > 0 ? mark : price) * openingRateAt(MAX_EXPOSURE_ATOMS, specification, rules, openInterestAtoms);
}

/** What the margin of what opens lacks to be the margin at the mark. The tier is that of the position and all orders of the account. */
function missingMargin(
  turn: Turn,
  market: Market,
  slot: Slot,
  position: Position,
  opens: BaseAtoms,
  openInterestAtoms: QuoteAtoms,
): QuoteAtoms {
  const { terms, holding } = turn;
  readOpeningTerms(turn.state, slot, terms);
  fundedHolding(market, position, holding);
  const exposure = plus(holding.entryNotionalAtoms, position.restingNotionalAtoms);
  const rate = openingRateAt(exposure, market.specification, turn.rules, openInterestAtoms);
  return missingAtMark(market, terms, opens, openingMargin(market, terms, opens), rate);
}

/** The margin rate at the mark of what opens; it rises with the exposure and the open interest. */
function openingRateAt(
  exposure: QuoteAtoms,
  specification: MarketSpecification,
  { needsInitialMargin }: RiskRules,
  openInterestAtoms: QuoteAtoms,
): Bps {
  if (needsInitialMargin) return initialMarginIn(specification, exposure, openInterestAtoms);
  const { maintenanceMarginTiers, openInterest } = specification;
  const { maintenanceMarginBps } = maintenanceMarginTiers[maintenanceTierAt(exposure, maintenanceMarginTiers)]!;
  return marginAtOpenInterest(maintenanceMarginBps, openInterestAtoms, openInterest);
}
