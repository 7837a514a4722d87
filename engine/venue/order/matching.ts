/**
 * Which resting orders an incoming order meets, in price-time priority, without touching any of them. The list that
 * comes out is bounded: an order that would meet more than `MAX_MATCH_STEPS` ends there. So is the way past those that offer nothing.
 */
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { mulDivDown } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import { closableBy } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import { isBackedIn, unbackedReasonAt } from './backing.ts';
import { NO_PRICE } from './book.ts';
import { type Incoming, MAX_MATCH_STEPS, MAX_SKIPPED, type MatchPlan, SELF_TRADE, UNBACKED } from './match-plan.ts';
import type { Slot } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';

/** Fills `plan` with what the order meets. */
export function planMatches(turn: Turn, market: Market, incoming: Incoming, plan: MatchPlan): void {
  plan.clear();
  const { book } = market;
  const { side, limitPrice } = incoming;
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
    // What is just enough ends here: then nothing further is met, whatever it costs.
    if (left === 0) plan.end = 'filled';
    if (plan.end !== 'empty') return;
  }
}

/** How much the order takes at a price, having filled what it could at better ones. */
function quantityWantedAt(market: Market, { quantity, notional }: Incoming, price: PriceAtoms, plan: MatchPlan): number {
  const wantedQuantity = quantity - plan.filledBase;
  if (notional === undefined) return wantedQuantity;
  return Math.min(wantedQuantity, mulDivDown<number>(notional - plan.filledNotional, 1, market.lotPrice(price)));
}

/** Plans what the orders of one price give, and answers what is still wanted after them. */
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
  const doubt = unbackedReasonAt(market, side, price);
  let left = wantedQuantity;
  for (let slot = market.book.firstAt(price); slot !== NO_SLOT && left > 0; slot = orders.behind(slot)) {
    if (plan.visitedMakers === MAX_MATCH_STEPS) {
      plan.end = 'steps';
      return left;
    }
    plan.visitedMakers += 1;
    if (orders.accountOf(slot) === account) {
      plan.addCancel(slot, SELF_TRADE);
      continue;
    }
    if (!isBackedIn(doubt, turn, market, slot)) {
      plan.addCancel(slot, UNBACKED);
      continue;
    }
    if (!mayOpen && isNotReducing(state, market, slot)) {
      if (plan.skipped === MAX_SKIPPED) {
        plan.end = 'passed_over';
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
    if (quantity > 0) plan.addFill(slot, quantity as BaseAtoms);
    left -= quantity;
    // A reduce-only order that offers less than it is for ends with this turn.
    if (!mayOpen && !reduceOnly && left > 0 && offered < orders.remainingOf(slot)) plan.leavesCrossing = true;
  }
  return left;
}

/** Whether its account holds nothing that it could close. */
function isNotReducing({ orders, accounts }: VenueState, market: Market, slot: Slot): boolean {
  return closableBy(orders.sideOf(slot), accounts[orders.accountOf(slot)]!.holdingIn(market.ordinal)) === 0;
}

/** What an order offers that is only to reduce: what remains of it, and no more than its account still holds. */
function reducibleBy(state: VenueState, market: Market, slot: Slot, plan: MatchPlan): number {
  const { orders } = state;
  const account = orders.accountOf(slot);
  let closable: number = closableBy(orders.sideOf(slot), state.account(account)!.holdingIn(market.ordinal));
  // Steps before this one may have met other orders of the same account, all on the same side as this one.
  for (let step = 0; step < plan.count; step += 1) {
    if (orders.accountOf(plan.slotAt(step)) === account) closable -= plan.quantityAt(step);
  }
  return Math.max(0, Math.min(orders.remainingOf(slot), closable));
}
