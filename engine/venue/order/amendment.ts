/**
 * Changes the price or the quantity of an open order. A smaller quantity at the same price keeps the order's place in the queue. Any other
 * change takes the order out of the book and plans it like a new one with the same number: it may fill at once, and queues behind all
 * others at its price. A refused amendment leaves the order as it was.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import { minus, plus } from '#units/money.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { PlaceOrder } from '#venue/order/order-terms.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkLegsAt } from '#venue/trigger/placing.ts';
import type { Turn } from '#venue/turn.ts';
import { planCancellation } from './cancellation.ts';
import { checkQuantity } from './order-rules.ts';
import { NO_SLOT, type Slot } from './order-table.ts';
import { carryOut, planPlacement } from './placement.ts';
import { shrinkOrder, takeOut } from './resting.ts';
import { isExpired } from './time-in-force.ts';

export interface AmendOrder {
  readonly type: 'AmendOrder';
  readonly account: AccountOrdinal;
  /** The market in which the sender expects the order. */
  readonly market: MarketOrdinal;
  readonly order: OrderOrdinal;
  /** The new limit price; 0 keeps it. */
  readonly priceAtoms: PriceAtoms;
  /** The new quantity, with what has filled; 0 keeps it. */
  readonly quantityAtoms: BaseAtoms;
}

export type AmendmentCommand = AmendOrder;

export const AMENDMENT_COMMANDS: CommandRules<AmendmentCommand> = {
  AmendOrder: {
    plan: planAmendment,
    commit: commitAmendment,
    layout: {
      tag: 88,
      fields: (io, it) => ({
        type: 'AmendOrder',
        account: io.int(it.account),
        market: io.int(it.market),
        order: io.int(it.order),
        priceAtoms: io.int(it.priceAtoms),
        quantityAtoms: io.int(it.quantityAtoms),
      }),
    },
  },
};

/** What an amendment makes of its order. */
interface Amended {
  readonly slot: Slot;
  readonly priceAtoms: PriceAtoms;
  /** With what has filled, and without it. */
  readonly quantityAtoms: BaseAtoms;
  readonly remainingAtoms: BaseAtoms;
  readonly keepsPlace: boolean;
}

export function planAmendment(turn: Turn, command: AmendOrder): Refusal | undefined {
  const refusal = planCancellation(turn, { ...command, type: 'CancelOrder' });
  if (refusal !== undefined) return refusal;
  const { state, plan } = turn;
  // An order that waits for a price is not in the book.
  if (state.orders.slotOf(command.order) === NO_SLOT) return { code: 'order_not_amendable' };
  const amended = amendedBy(turn, command);
  const { slot } = amended;
  if (state.orders.marketOf(slot) !== command.market) return { code: 'order_not_found' };
  if (isExpired(state, slot, turn.now)) return { code: 'order_not_open', order: command.order };
  if (!state.orders.isAmendable(slot)) return { code: 'order_not_amendable' };
  const market = state.market(command.market)!;
  const filled = state.orders.filledOf(slot);
  if (amended.remainingAtoms <= 0) return { code: 'quantity_already_filled', bound: filled };
  const outOfBounds = checkQuantity(market, amended.quantityAtoms);
  if (outOfBounds !== undefined || amended.keepsPlace) return outOfBounds;
  const isMoved = amended.priceAtoms !== state.orders.priceOf(slot);
  const reached = isMoved ? checkLegsAt(turn, command.order, amended.priceAtoms) : undefined;
  if (reached !== undefined) return reached;
  plan.replaced.read(state, market, slot);
  const refused = planPlacement(turn, placementOf(turn, command, amended));
  if (refused !== undefined) plan.replaced.clear();
  return refused;
}

export function commitAmendment(turn: Turn, command: AmendOrder): void {
  const { state, plan } = turn;
  const { orders } = state;
  const amended = amendedBy(turn, command);
  const { slot, priceAtoms, quantityAtoms, remainingAtoms, keepsPlace } = amended;
  const account = state.account(command.account)!;
  const market = state.market(command.market)!;
  const placement = placementOf(turn, command, amended);
  const { side } = placement;
  const was = { wasPriceAtoms: orders.priceOf(slot), wasRemainingAtoms: orders.remainingOf(slot) };
  const markPriceAtoms = keepsPlace ? orders.markOf(slot) : market.markPriceAtoms;
  const initialMarginBps = keepsPlace ? orders.initialMarginBpsOf(slot) : plan.initialMarginBps;
  const excess = minus(was.wasRemainingAtoms, remainingAtoms);
  if (!keepsPlace) takeOut(turn, market, account, slot);
  else if (excess > 0) shrinkOrder(turn, market, account, slot, excess);
  turn.events.emit({
    type: 'OrderAmended',
    order: command.order,
    account: account.ordinal,
    market: market.ordinal,
    side,
    ...was,
    priceAtoms,
    quantityAtoms,
    remainingAtoms,
    keepsPlace,
    markPriceAtoms,
    initialMarginBps,
    accountReservedAtoms: account.reservedAtoms,
  });
  if (keepsPlace) return;
  orders.late.add(command.order, state.lastOrder);
  carryOut(turn, market, account, command.order, placement);
  if (orders.slotOf(command.order) === NO_SLOT) orders.late.remove(command.order);
  plan.replaced.clear();
}

function amendedBy({ state: { orders } }: Turn, command: AmendOrder): Amended {
  const slot = orders.slotOf(command.order);
  const filled = orders.filledOf(slot);
  const remaining = orders.remainingOf(slot);
  const priceAtoms = command.priceAtoms === 0 ? orders.priceOf(slot) : command.priceAtoms;
  const quantityAtoms = command.quantityAtoms === 0 ? plus(filled, remaining) : command.quantityAtoms;
  const remainingAtoms = minus(quantityAtoms, filled);
  const keepsPlace = priceAtoms === orders.priceOf(slot) && remainingAtoms <= remaining;
  return { slot, priceAtoms, quantityAtoms, remainingAtoms, keepsPlace };
}

/** The order that takes the place of the amended one. Its expiry stays, so it has no time in force to check. */
function placementOf({ state: { orders } }: Turn, { account, market, order }: AmendOrder, amended: Amended): PlaceOrder {
  const { slot, priceAtoms, remainingAtoms } = amended;
  return {
    type: 'PlaceOrder',
    account,
    market,
    clientOrderId: `amended-${order}`,
    side: orders.sideOf(slot),
    terms: { kind: 'limit', priceAtoms, quantityAtoms: remainingAtoms, postOnly: orders.isPostOnly(slot) },
    reduceOnly: orders.isReduceOnly(slot),
    leverageHundredths: orders.leverageOf(slot),
    idempotencyKey: '',
  };
}
