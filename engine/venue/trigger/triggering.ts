/**
 * Triggers orders whose price was reached, a bounded number per turn. Each then runs like an order that is placed now, under its own
 * number. What would refuse the placement ends the order with a reason instead.
 */
import type { CancelReason } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { MAX_MATCH_STEPS } from '#venue/order/match-plan.ts';
import { checkInMarket, checkLimitPrice, checkTerms } from '#venue/order/order-rules.ts';
import { NO_SLOT } from '#venue/order/order-table.ts';
import type { PlaceOrder } from '#venue/order/order-terms.ts';
import { carryOut, planChecked } from '#venue/order/placement.ts';
import { cancelResting } from '#venue/order/resting.ts';
import { closableBy } from '#venue/position/position.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { cancelWaiting, emitEnd, removeWaiting } from './waiting.ts';
import type { WaitingTrigger } from './waiting-trigger.ts';

/** How many orders a turn triggers at most. It also stops after an order with which it has met `MAX_MATCH_STEPS` resting orders. */
export const TRIGGERS_PER_TURN = 50;

/** Triggers due orders up to the limits of the turn. Stops if a liquidation becomes due: it comes first. */
export function triggerDue(turn: Turn, market: Market): void {
  let met = 0;
  for (let count = 0; count < TRIGGERS_PER_TURN && met < MAX_MATCH_STEPS && !market.hasLiquidationDue; count += 1) {
    const trigger = market.triggers.firstDue;
    if (trigger === undefined) return;
    met += fire(turn, market, trigger);
  }
}

/** Returns how many resting orders it has met. */
function fire(turn: Turn, market: Market, trigger: WaitingTrigger): number {
  const { state, plan } = turn;
  cancelEntry(turn, trigger);
  const command = orderOf(turn, market, trigger);
  const account = state.account(trigger.account)!;
  const refusal =
    checkInMarket(turn, account, market, command) ??
    // A leg may have less than an order may, and a position more: what reduces is checked for its size when it is placed.
    (trigger.reduceOnly ? checkLimitPrice(market, command.terms, command.side) : checkTerms(turn, market, command)) ??
    planChecked(turn, command);
  const linked = state.triggers.find(trigger.linked);
  removeWaiting(state, trigger);
  if (refusal !== undefined) {
    emitEnd(turn, trigger, reasonOf(refusal.code));
    return 1;
  }
  const { order, side, reduceOnly } = trigger;
  turn.events.emit({
    type: 'OrderTriggered',
    order,
    account: trigger.account,
    market: market.ordinal,
    side,
    triggerPriceAtoms: trigger.triggerPriceAtoms,
    terms: plan.terms,
    reduceOnly,
    leverageHundredths: plan.leverageHundredths,
    initialMarginBps: plan.initialMarginBps,
    markPriceAtoms: market.markPriceAtoms,
  });
  if (linked !== undefined) cancelWaiting(turn, linked, 'linked_order');
  const { visitedMakers, skipped } = plan.matches;
  if (plan.restsAtoms > 0) state.orders.late.add(order, state.lastOrder);
  carryOut(turn, market, account, order, command);
  return 1 + visitedMakers + skipped;
}

/** What its entry order has not filled would open a position that no leg protects. */
function cancelEntry(turn: Turn, { entry }: WaitingTrigger): void {
  if (entry === 0) return;
  const slot = turn.state.orders.slotOf(entry);
  if (slot !== NO_SLOT) cancelResting(turn, slot, 'linked_order');
}

/** The order that the trigger places. A market order that reduces is cut to what it can close. */
function orderOf({ state }: Turn, market: Market, trigger: WaitingTrigger): PlaceOrder {
  const { account, side, priceAtoms, reduceOnly, leverageHundredths, closePosition } = trigger;
  const closable = closableBy(side, state.account(account)!.holdingIn(market.ordinal));
  const isCut = reduceOnly && priceAtoms === NO_PRICE && trigger.quantityAtoms > closable;
  const quantityAtoms = closePosition || isCut ? closable : trigger.quantityAtoms;
  return {
    type: 'PlaceOrder',
    account,
    market: market.ordinal,
    clientOrderId: '',
    side,
    terms:
      priceAtoms === NO_PRICE ? { kind: 'market', quantityAtoms } : { kind: 'limit', priceAtoms, quantityAtoms, postOnly: false },
    reduceOnly,
    leverageHundredths,
    idempotencyKey: '',
  };
}

function reasonOf(code: RefusalCode): CancelReason {
  switch (code) {
    case 'reduce_only_would_increase':
      return 'reduce_only';
    case 'insufficient_margin':
      return 'margin_unbacked';
    case 'price_out_of_band':
      return 'price_band';
    default:
      return 'trigger_refused';
  }
}
