/**
 * Plans which resting orders an incoming order meets, in price-time priority. Does not change them. The plan is bounded:
 * matching ends after `MAX_MATCH_STEPS` met orders, or if more than `MAX_SKIPPED` orders offer nothing.
 */
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { mulDivDown } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import { closableBy } from '#venue/position/position.ts';
import { ratedOpenInterest } from '#venue/risk/open-interest.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import { backingCheckAt, missingBackingIn } from './backing.ts';
import { NO_PRICE } from './book.ts';
import { EXPIRED, type Incoming, MAX_MATCH_STEPS, MAX_SKIPPED, type MatchPlan, SELF_TRADE, UNBACKED } from './match-plan.ts';
import type { Slot } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';
import { isExpired } from './time-in-force.ts';

/** Writes the matches of the incoming order to `plan`. */
export function planMatches(turn: Turn, market: Market, incoming: Incoming, plan: MatchPlan): void {
  plan.clear();
  const { book } = market;
  const { side, limitPrice } = incoming;
  if (market.specification.openInterest !== undefined) plan.openInterestAtoms = ratedOpenInterest(turn, market);
  for (let price = book.bestAgainst(side); price !== NO_PRICE; price = book.nextAgainst(side, price)) {
    if (side === 'buy' ? price > limitPrice : price < limitPrice) {
      plan.end = 'price';
      return;
    }
    const wantedQuantity = quantityWantedAt(market, incoming, price, plan);
    const left = planLevel(turn, market, incoming, price, wantedQuantity, plan);
    const filled = (wantedQuantity - left) as BaseAtoms;
    plan.filledBase = (plan.filledBase + filled) as BaseAtoms;
    plan.filledNotional = (plan.filledNotional + market.notional(price, filled)) as QuoteAtoms;
    // Matching ends at the level that fills the order, whatever the price of the next one.
    if (left === 0) plan.end = 'filled';
    if (plan.end !== 'empty') return;
  }
}

/** The quantity that the order still wants at a price, after its fills at better prices. */
function quantityWantedAt(market: Market, { quantity, notional }: Incoming, price: PriceAtoms, plan: MatchPlan): number {
  const wantedQuantity = quantity - plan.filledBase;
  if (notional === undefined) return wantedQuantity;
  return Math.min(wantedQuantity, mulDivDown<number>(notional - plan.filledNotional, 1, market.lotPrice(price)));
}

/** Plans the fills at one price. Returns the quantity that is still wanted. */
function planLevel(
  turn: Turn,
  market: Market,
  { account, side, mayOpen }: Incoming,
  price: PriceAtoms,
  wantedQuantity: number,
  plan: MatchPlan,
): number {
  const { state } = turn;
  const { orders } = state;
  const { openInterestAtoms } = plan;
  const check = backingCheckAt(market, side, price, openInterestAtoms);
  let left = wantedQuantity;
  for (let slot = market.book.firstAt(price); slot !== NO_SLOT && left > 0; slot = orders.behind(slot)) {
    if (plan.visitedMakers === MAX_MATCH_STEPS) {
      plan.end = 'steps';
      return left;
    }
    plan.visitedMakers += 1;
    if (isExpired(state, slot, turn.now)) {
      plan.addCancel(slot, EXPIRED);
      continue;
    }
    if (orders.accountOf(slot) === account) {
      plan.addCancel(slot, SELF_TRADE);
      continue;
    }
    const missing = missingBackingIn(check, turn, market, slot, left, openInterestAtoms);
    if (missing > 0 && missing > availableFor(state, slot, plan)) {
      plan.addCancel(slot, UNBACKED);
      continue;
    }
    if (!mayOpen && hasNothingToReduce(state, market, slot)) {
      if (plan.skipped === MAX_SKIPPED) {
        plan.end = 'skips';
        return left;
      }
      plan.visitedMakers -= 1;
      plan.skipped += 1;
      plan.leavesCrossing = true;
      continue;
    }
    const reduceOnly = orders.isReduceOnly(slot);
    const offered = mayOpen && !reduceOnly ? orders.remainingOf(slot) : reducibleBy(state, market, slot, plan);
    const quantity = left < offered ? left : offered;
    if (quantity > 0) plan.addFill(slot, quantity as BaseAtoms, missing);
    left -= quantity;
    // A reduce-only order that offers less than its quantity does not stay: its position is closed, so it is cancelled in this turn.
    if (!mayOpen && !reduceOnly && left > 0 && offered < orders.remainingOf(slot)) plan.leavesCrossing = true;
  }
  return left;
}

/** The cash that the order's account has for margin, after what earlier steps take. Fills add to it, so it is there when they settle. */
function availableFor({ orders, accounts }: VenueState, slot: Slot, plan: MatchPlan): number {
  const account = orders.accountOf(slot);
  let available: number = accounts[account]!.availableAtoms;
  for (let step = 0, left = plan.topUpCount; left > 0; step += 1) {
    if (!plan.isToppedUp(step)) continue;
    left -= 1;
    if (orders.accountOf(plan.slotAt(step)) === account) available -= plan.topUpAt(step);
  }
  return available;
}

/** Whether the order's account has no position that the order could close. */
function hasNothingToReduce({ orders, accounts }: VenueState, market: Market, slot: Slot): boolean {
  return closableBy(orders.sideOf(slot), accounts[orders.accountOf(slot)]!.holdingIn(market.ordinal)) === 0;
}

/** What an order offers if it may only reduce: its remaining quantity, at most what is left of its account's position. */
function reducibleBy(state: VenueState, market: Market, slot: Slot, plan: MatchPlan): number {
  const { orders } = state;
  const account = orders.accountOf(slot);
  let closable: number = closableBy(orders.sideOf(slot), state.account(account)!.holdingIn(market.ordinal));
  // Earlier steps may have met other orders of the same account, all on the same side as this one.
  for (let step = 0; step < plan.count; step += 1) {
    if (orders.accountOf(plan.slotAt(step)) === account) closable -= plan.quantityAt(step);
  }
  return Math.max(0, Math.min(orders.remainingOf(slot), closable));
}
