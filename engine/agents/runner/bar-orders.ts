/** Turns an action of a script into the paper orders that carry it out. */
import type { ScriptAction } from '#agents/script/order-desk.ts';
import type { ScriptPosition } from '#agents/script/run.ts';
import type { BaseAtoms } from '#units/money.ts';
import type { PlacePaperOrder } from '#venue/command.ts';
import { cutText } from './cut-text.ts';
import type { RunMarket } from './ports.ts';

export type BarOrder = Pick<PlacePaperOrder, 'kind' | 'signal' | 'side' | 'quantityAtoms' | 'reduceOnly'>;

export interface OrderTerms extends Pick<RunMarket, 'minQuantityAtoms' | 'maxQuantityAtoms'> {
  /** The quantity of an entry for which the script names none. */
  readonly orderSizeAtoms: number;
}

/** An action results in at most so many orders. */
export const ORDERS_PER_ACTION = 2;
/** An id of a script can be longer than the signal of an order. */
const MAX_SIGNAL_LENGTH = 64;

type Entry = Extract<ScriptAction, { kind: 'entry' }>;

/**
 * An entry in the direction of the position, and a close without one, are no order: an earlier order of the bar did not fill as the
 * script expected.
 */
export function ordersOf(action: ScriptAction, position: ScriptPosition, terms: OrderTerms): readonly BarOrder[] {
  const { quantityAtoms: held } = position;
  if (action.kind === 'entry') return entryOrders(action, held, terms);
  if (held === 0) return [];
  const isOfScript = action.cause === 'close' || action.cause === 'close_all';
  return [closingOrder(isOfScript ? 'close' : 'exit', action.orderId ?? action.entryId ?? '', held, terms)];
}

/**
 * An entry against the position is one order that closes it and opens the other side. If the market's bounds do not permit that order, it
 * is two, as in a backtest: the position is closed also if the entry is then refused.
 */
function entryOrders({ id, direction, quantityAtoms }: Entry, held: number, terms: OrderTerms): readonly BarOrder[] {
  const isLong = direction === 'long';
  if (isLong ? held > 0 : held < 0) return [];
  const size = quantityAtoms ?? terms.orderSizeAtoms;
  const whole = Math.abs(held) + size;
  const isOneOrder = held === 0 || (size >= terms.minQuantityAtoms && whole <= terms.maxQuantityAtoms);
  const entry: BarOrder = {
    kind: 'entry',
    signal: cutText(id, MAX_SIGNAL_LENGTH),
    side: isLong ? 'buy' : 'sell',
    quantityAtoms: (isOneOrder ? whole : size) as BaseAtoms,
    reduceOnly: false,
  };
  return isOneOrder ? [entry] : [closingOrder('entry', id, held, terms), entry];
}

/** An order of the whole position. A position below the smallest order is closed by that order, which is cut to the position. */
function closingOrder(kind: BarOrder['kind'], signal: string, held: number, { minQuantityAtoms }: OrderTerms): BarOrder {
  return {
    kind,
    signal: cutText(signal, MAX_SIGNAL_LENGTH),
    side: held > 0 ? 'sell' : 'buy',
    quantityAtoms: Math.max(minQuantityAtoms, Math.abs(held)) as BaseAtoms,
    reduceOnly: true,
  };
}
