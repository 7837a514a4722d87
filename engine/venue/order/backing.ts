/**
 * Whether a resting order may still fill, now that the mark is where it is. The venue asks when an incoming order meets
 * it; an order that has lost its backing is cancelled then (`margin_unbacked`), before anything trades with it.
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

/** Of the orders that rest at a price: whether any of them may lack backing, or only what opens for want of margin. */
export type BackingCheck = 'none' | 'margin' | 'any';

/**
 * Where the mark has not passed them, orders can lack backing only once a position waits for funding or its liquidation.
 * Where it has, what they open is in doubt; what they close is not, as long as no position would be liquidated at that
 * price itself: before that each has its maintenance left, and a fee is less.
 */
export function unbackedReasonAt(
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

/** Whether a resting order is backed, with what is known of its price. */
export function isBackedIn(doubt: BackingCheck, turn: Turn, market: Market, slot: Slot): boolean {
  if (doubt === 'none' || (doubt === 'margin' && isWellMargined(turn.state, market, slot))) return true;
  return isBacked(turn, market, slot);
}

/**
 * What it closes must not leave its position below nothing, and what it opens must have, with the margin that it has
 * reserved and valued at the mark, the maintenance that it will need. Price by price this holds for the whole order, so
 * it holds for any part of it and for the position that it adds to.
 */
export function isBacked(turn: Turn, market: Market, slot: Slot): boolean {
  const { orders } = turn.state;
  const side = orders.sideOf(slot);
  const price = orders.priceOf(slot);
  const position = turn.state.account(orders.accountOf(slot))!.positions[market.ordinal]!;
  const isBehind = side === 'buy' ? price > market.markPriceAtoms : price < market.markPriceAtoms;
  const closes = closableBy(side, position);
  if (!isBehind && (closes === 0 || maySettleAnywhere(market, position))) return true;
  if (closes > 0 && !maySettleAt(turn, market, position, price)) return false;
  if (!isBehind || orders.isReduceOnly(slot) || isWellMargined(turn.state, market, slot)) return true;
  const opens = minus(orders.remainingOf(slot), remainingBehindOwn(turn.state, position, slot, closes));
  return opens <= 0 || opensBacked(turn, market, slot, position, opens);
}

/**
 * What is left to close for this order: whoever meets it has met the orders of its account that stand before it, and
 * those have closed what they could.
 */
function remainingBehindOwn({ orders }: VenueState, position: Position, slot: Slot, closable: BaseAtoms): BaseAtoms {
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

/** It meets its maintenance requirement, and has no funding to pay that could change that. */
function maySettleAnywhere({ positions, markPriceAtoms, funding }: Market, position: Position): boolean {
  const hasSettled = position.fundingPeriod === funding.period || funding.perLotMicroAtoms === 0;
  return hasSettled && !positions.isDue(position, markPriceAtoms);
}

/** Whether closing the position at this price leaves it enough for the fee. */
function maySettleAt({ holding }: Turn, market: Market, position: Position, price: PriceAtoms): boolean {
  fundedHolding(market, position, holding);
  const bound = closingPriceBoundOf(holding, market.tickLotAtoms, market.specification.takerFeeBps);
  return isLong(position) ? price >= bound : price <= bound;
}

/**
 * Whether each lot that it opens has the maintenance of the highest tier, in ticks times basis points and before anything
 * is rounded up: then so have all of them. It is what most orders that the mark has just passed answer, at little cost.
 */
function isWellMargined({ orders }: VenueState, { specification, markPriceAtoms: mark }: Market, slot: Slot): boolean {
  const { maintenanceMarginTiers } = specification;
  const price = orders.priceOf(slot);
  const leverageX = orders.leverageOf(slot);
  const sign = orders.sideOf(slot) === 'buy' ? 1 : -1;
  const share = leverageX === 0 ? price * orders.initialMarginBpsOf(slot) : mulDivDown<number>(price, WHOLE_BPS, leverageX);
  const lossHeld = Math.max(0, sign * (price - orders.markOf(slot)));
  const equity = share + (lossHeld - sign * (price - mark)) * WHOLE_BPS;
  return equity >= mark * maintenanceMarginTiers[maintenanceMarginTiers.length - 1]!.maintenanceMarginBps;
}

function opensBacked(turn: Turn, market: Market, slot: Slot, position: Position, opens: BaseAtoms): boolean {
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
