/**
 * What the venue's documents say of reduce-only orders: an account's orders in a market never offer more together than its position. The
 * best price keeps its quantity, then the oldest; the order that would be met last is cut, or cancelled if nothing of it would remain.
 */
import type { OpenOrder } from './order-books.ts';

type Priced = Pick<OpenOrder, 'side' | 'priceAtoms' | 'arrival'>;

/** By how much an account's reduce-only orders in a market exceed its position, before this event. */
export function excessOf(own: readonly OpenOrder[], closable: number): number {
  return own.reduce((sum, { remaining }) => sum + remaining, -closable);
}

/** Whether every other one of the orders would be met before this one. */
export function isMetLast(order: OpenOrder, own: readonly OpenOrder[]): boolean {
  return own.every((other) => other === order || isMetBefore(other, order));
}

/** What the orders that would be met before it leave an order to reduce. */
export function roomFor(order: Priced, own: readonly OpenOrder[], closable: number): number {
  return own.reduce((left, other) => left - (isMetBefore(other, order) ? other.remaining : 0), closable);
}

function isMetBefore(other: Priced, order: Priced): boolean {
  const ahead = order.side === 'buy' ? other.priceAtoms - order.priceAtoms : order.priceAtoms - other.priceAtoms;
  return ahead > 0 || (ahead === 0 && other.arrival < order.arrival);
}
