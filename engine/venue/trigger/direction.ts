/** On which side of its price an order triggers. */
import type { Side } from '#venue/order/order-terms.ts';
import type { TriggerDirection, TriggerKind } from './trigger-terms.ts';

/** A stop-loss that sells triggers at or below its price, a take-profit that sells at or above. */
export function directionOf(kind: TriggerKind, side: Side): TriggerDirection {
  return (kind === 'take_profit') === (side === 'sell') ? 'above' : 'below';
}

export function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}
