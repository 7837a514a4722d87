/**
 * The stop-loss and take-profit of an entry order. They follow what the entry opens: their quantity is what it has opened in the current
 * position. They are linked: when one triggers, the other ends.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms } from '#units/money.ts';
import { plus } from '#units/money.ts';
import type { PlaceOrder } from '#venue/order/order-terms.ts';
import type { Position } from '#venue/position/position.ts';
import type { Turn } from '#venue/turn.ts';
import { directionOf, opposite } from './direction.ts';
import type { LegTerms } from './trigger-terms.ts';
import { addWaiting, cancelWaiting, emitLeg, makeLive } from './waiting.ts';
import { WaitingTrigger } from './waiting-trigger.ts';

/** Accepts the legs of an order that was accepted just now. Their numbers follow its own. */
export function acceptLegs(turn: Turn, entry: OrderOrdinal, command: PlaceOrder): void {
  const { attached } = command;
  if (attached === undefined) return;
  const { stopLoss, takeProfit } = attached;
  const stop = stopLoss && newLeg(turn, entry, command, 'stop_loss', stopLoss);
  const profit = takeProfit && newLeg(turn, entry, command, 'take_profit', takeProfit);
  if (stop !== undefined && profit !== undefined) {
    stop.linked = profit.order;
    profit.linked = stop.order;
  }
  for (const leg of [stop, profit]) {
    if (leg === undefined) continue;
    addWaiting(turn.state, leg);
    emitAccepted(turn, leg, '', command.idempotencyKey);
  }
}

function newLeg(
  { state }: Turn,
  entry: OrderOrdinal,
  { account, market, side }: PlaceOrder,
  kind: 'stop_loss' | 'take_profit',
  terms: LegTerms,
): WaitingTrigger {
  const leg = new WaitingTrigger();
  leg.order = state.nextOrder();
  leg.account = account;
  leg.market = market;
  leg.side = opposite(side);
  leg.kind = kind;
  leg.source = terms.source;
  leg.direction = directionOf(kind, leg.side);
  leg.triggerPriceAtoms = terms.triggerPriceAtoms;
  leg.priceAtoms = terms.priceAtoms;
  leg.entry = entry;
  return leg;
}

export function emitAccepted(turn: Turn, trigger: WaitingTrigger, clientOrderId: string, idempotencyKey: string): void {
  const { order, account, market, side, kind, source, direction, triggerPriceAtoms, trailingAtoms, trailingBps } = trigger;
  const { priceAtoms, quantityAtoms, reduceOnly, leverageHundredths, closePosition, entry, linked, position } = trigger;
  turn.events.emit({
    type: 'TriggerAccepted',
    order,
    account,
    market,
    clientOrderId,
    idempotencyKey,
    side,
    kind,
    source,
    direction,
    triggerPriceAtoms,
    trailingAtoms,
    trailingBps,
    priceAtoms,
    quantityAtoms,
    reduceOnly,
    leverageHundredths,
    closePosition,
    entry,
    linked,
    position,
  });
}

/** Follows a fill of an order: its legs get what it opened. Ends them with the order if it opened nothing. */
export function followFill(turn: Turn, entry: OrderOrdinal, position: Position, opened: BaseAtoms, isComplete: boolean): void {
  const { triggers } = turn.state;
  if (!triggers.hasLegs) return;
  for (const leg of opened === 0 ? [] : triggers.legsOf(entry)) {
    leg.quantityAtoms = plus(leg.quantityAtoms, opened);
    leg.position = position.ordinal;
    if (!leg.isLive) makeLive(turn.state, leg);
    emitLeg(turn, leg);
  }
  if (isComplete) endEntry(turn, entry);
}

/** Frees the legs of an order that has ended, and cancels those for which it opened nothing. */
export function endEntry(turn: Turn, entry: OrderOrdinal): void {
  const { triggers } = turn.state;
  if (!triggers.hasLegs) return;
  for (const leg of [...triggers.legsOf(entry)]) {
    if (leg.quantityAtoms === 0) cancelWaiting(turn, leg, 'entry_ended');
    else triggers.detach(leg);
  }
}
