/**
 * Checks whether a resting order may still fill at the current mark price. Called when an incoming order meets it; an unbacked
 * order is then cancelled (`margin_unbacked`) before it trades. An order is *behind the mark* if what it opens would start with a
 * loss at the mark price: a bid above it, an ask below it.
 */
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import { bpsOfUp, minus, mulDivDown, plus, WHOLE_BPS } from '#units/money.ts';
import { fundedHolding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Position } from '#venue/position/position.ts';
import { closableBy, isLong } from '#venue/position/position.ts';
import { closingPriceBoundOf } from '#venue/risk/bankruptcy-price.ts';
import { maintenanceTierAt } from '#venue/risk/position-risk.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import type { Slot } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';
import { openingMargin } from './reservation.ts';
import { readOpeningTerms } from './resting.ts';

/** The check that the orders at a price need: no check, only the margin of what they open, or all checks. */
export type BackingCheck = 'none' | 'margin' | 'any';

/**
 * Orders that are not behind the mark can lack backing only while a position waits for funding or liquidation. Orders behind
 * it need the margin check for what they open. What they close needs a check only if a position would be liquidated at that
 * price: until then each position has its maintenance margin left, which is at least the fee.
 */
export function backingCheckAt(
  { positions, funding, markPriceAtoms, specification }: Market,
  takerSide: Side,
  price: PriceAtoms,
): BackingCheck {
  const isBehind = takerSide === 'buy' ? price < markPriceAtoms : price > markPriceAtoms;
  if (funding.isSweeping || positions.hasParked) return 'any';
  if (positions.nextDistressed(isBehind ? price : markPriceAtoms) !== undefined) return 'any';
  if (!isBehind) return 'none';
  return specification.maintenanceMarginTiers[0]!.maintenanceMarginBps < specification.takerFeeBps ? 'any' : 'margin';
}

/** Whether a resting order is backed, given the check that its price needs. Equals `isBacked`, but is cheaper. */
export function isBackedIn(check: BackingCheck, turn: Turn, market: Market, slot: Slot): boolean {
  if (check === 'none' || (check === 'margin' && isWellMargined(turn.state, market, slot))) return true;
  return isBacked(turn, market, slot);
}

/**
 * What the order closes must not leave its position with negative equity. What it opens, valued at the mark price, must have
 * its maintenance margin from the margin that it has reserved. At a given price this holds for the whole order, so it also
 * holds for any part of it and for the position that it adds to.
 */
export function isBacked(turn: Turn, market: Market, slot: Slot): boolean {
  const { orders } = turn.state;
  const side = orders.sideOf(slot);
  const price = orders.priceOf(slot);
  const position = turn.state.account(orders.accountOf(slot))!.positions[market.ordinal]!;
  const isBehind = side === 'buy' ? price > market.markPriceAtoms : price < market.markPriceAtoms;
  const closes = closableBy(side, position);
  if (!isBehind && (closes === 0 || meetsMaintenance(market, position))) return true;
  if (closes > 0 && !canPayClosingFeeAt(turn, market, position, price)) return false;
  if (!isBehind || orders.isReduceOnly(slot) || isWellMargined(turn.state, market, slot)) return true;
  const opens = minus(orders.remainingOf(slot), closableAfterOwnOrders(turn.state, position, slot, closes));
  return opens <= 0 || isOpeningBacked(turn, market, slot, position, opens);
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
    const isAhead = ahead > 0 || (ahead === 0 && orders.orderOf(own) < orders.orderOf(slot));
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
 * Whether each lot that the order opens has the maintenance margin of the highest tier, in ticks × basis points and without
 * rounding up. If so, the whole order has it. This cheap test settles most orders that the mark price has just passed.
 */
function isWellMargined({ orders }: VenueState, { specification, markPriceAtoms: mark }: Market, slot: Slot): boolean {
  const { maintenanceMarginTiers } = specification;
  const price = orders.priceOf(slot);
  const leverageX = orders.leverageOf(slot);
  const sign = orders.sideOf(slot) === 'buy' ? 1 : -1;
  const share = leverageX === 0 ? price * orders.initialMarginBpsOf(slot) : mulDivDown<number>(price, WHOLE_BPS, leverageX);
  const reservedLoss = Math.max(0, sign * (price - orders.markOf(slot)));
  const equity = share + (reservedLoss - sign * (price - mark)) * WHOLE_BPS;
  return equity >= mark * maintenanceMarginTiers[maintenanceMarginTiers.length - 1]!.maintenanceMarginBps;
}

function isOpeningBacked(turn: Turn, market: Market, slot: Slot, position: Position, opens: BaseAtoms): boolean {
  const { maintenanceMarginTiers } = market.specification;
  const { terms } = turn;
  readOpeningTerms(turn.state, slot, terms);
  const mark = market.markPriceAtoms;
  const behind = terms.side === 'buy' ? minus(terms.priceAtoms, mark) : minus(mark, terms.priceAtoms);
  const equity = minus(openingMargin(market, terms, opens), market.notional(behind, opens));
  const exposure = plus(position.entryNotionalAtoms, position.restingNotionalAtoms);
  const tier = maintenanceMarginTiers[maintenanceTierAt(exposure, maintenanceMarginTiers)]!;
  return equity >= bpsOfUp(market.notional(mark, opens), tier.maintenanceMarginBps);
}
