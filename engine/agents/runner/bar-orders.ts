/** Turns an action of a script into the paper order that carries it out. */
import type { ScriptAction } from '#agents/script/order-desk.ts';
import type { ScriptPosition } from '#agents/script/run.ts';
import type { BaseAtoms } from '#units/money.ts';
import type { PlacePaperOrder } from '#venue/command.ts';
import { cutText } from './cut-text.ts';

export type BarOrder = Pick<PlacePaperOrder, 'kind' | 'signal' | 'side' | 'quantityAtoms' | 'reduceOnly'>;

/** An id of a script can be longer than the signal of an order. */
const MAX_SIGNAL_LENGTH = 64;

/**
 * An entry against the position is one order that closes it and opens the other side. An entry in the direction of the position, and a
 * close without one, are no order: an earlier order of the bar did not fill as the script expected.
 */
export function orderOf(action: ScriptAction, position: ScriptPosition, orderSizeAtoms: number): BarOrder | null {
  const { quantityAtoms: held } = position;
  if (action.kind === 'close') {
    if (held === 0) return null;
    const isOfScript = action.cause === 'close' || action.cause === 'close_all';
    return {
      kind: isOfScript ? 'close' : 'exit',
      signal: cutText(action.orderId ?? action.entryId ?? '', MAX_SIGNAL_LENGTH),
      side: held > 0 ? 'sell' : 'buy',
      quantityAtoms: Math.abs(held) as BaseAtoms,
      reduceOnly: true,
    };
  }
  const isLong = action.direction === 'long';
  if (isLong ? held > 0 : held < 0) return null;
  // An amount beyond the market's bounds is the core's to refuse; it must only be an integer that a command can carry.
  const quantity = Math.min(Number.MAX_SAFE_INTEGER, Math.abs(held) + (action.quantityAtoms ?? orderSizeAtoms));
  return {
    kind: 'entry',
    signal: cutText(action.id, MAX_SIGNAL_LENGTH),
    side: isLong ? 'buy' : 'sell',
    quantityAtoms: quantity as BaseAtoms,
    reduceOnly: false,
  };
}
