/**
 * What the venue's documents say of resting orders that an incoming order meets: one that its account cannot back any more offers nothing.
 * What it closes must leave the position enough for the fee; what it opens must have its maintenance margin at the mark price.
 */
import type { Listing } from './listing.ts';
import type { OpenOrder } from './order-books.ts';
import { openingMargin } from './order-rules.ts';
import { type Holding, isDue } from './position-rules.ts';
import { shareUp } from './rounding.ts';

export interface BackedOrder {
  readonly order: OpenOrder;
  /** All open orders of its account in the market. */
  readonly own: readonly OpenOrder[];
  /** The position of its account, and what it is after the funding that it owes. */
  readonly position: Holding;
  readonly funded: Holding;
  readonly mark: number;
}

export function isBacked(it: BackedOrder, listing: Listing): boolean {
  const { order, position, funded, mark } = it;
  const { side, priceAtoms: price } = order;
  const isBehind = side === 'buy' ? price > mark : price < mark;
  const closable = Math.max(0, side === 'buy' ? -position.signedBase : position.signedBase);
  const isHealthy = funded === position && !isDue(mark, position, listing);
  if (!isBehind && (closable === 0 || isHealthy)) return true;
  if (closable > 0 && !paysClosingFee(price, funded, listing)) return false;
  return isOpeningBacked(it, listing);
}

/** Whether what the order opens has its maintenance margin at the mark price. It has, unless it would open with a loss. */
export function isOpeningBacked(it: Omit<BackedOrder, 'funded'>, listing: Listing): boolean {
  const { order, position, mark } = it;
  const isBehind = order.side === 'buy' ? order.priceAtoms > mark : order.priceAtoms < mark;
  if (!isBehind || order.reduceOnly) return true;
  const closable = Math.max(0, order.side === 'buy' ? -position.signedBase : position.signedBase);
  const opens = order.remaining - closableAfter(it, closable);
  return opens <= 0 || hasMaintenance(it, opens, listing);
}

/** Whether closing the whole position at the price leaves its equity at or above the fee. */
function paysClosingFee(
  price: number,
  { signedBase, entry, margin }: Holding,
  { tickLot, specification: { takerFeeBps } }: Listing,
): boolean {
  const notional = BigInt(price * Math.abs(signedBase) * tickLot);
  if (signedBase > 0) return entry <= margin || notional * BigInt(10_000 - takerFeeBps) >= BigInt(entry - margin) * 10_000n;
  return notional * BigInt(10_000 + takerFeeBps) <= BigInt(entry + margin) * 10_000n;
}

/** What the account's orders ahead of this one leave it to close. */
function closableAfter({ order, own }: Pick<BackedOrder, 'order' | 'own'>, closable: number): number {
  const sign = order.side === 'buy' ? 1 : -1;
  let left = closable;
  for (const other of own) {
    const ahead = (other.priceAtoms - order.priceAtoms) * sign;
    if (other.side === order.side && (ahead > 0 || (ahead === 0 && other.order < order.order))) left -= other.remaining;
  }
  return Math.max(0, left);
}

/** The tier is that of the position and all orders of the account that may open. */
function hasMaintenance({ order, own, position, mark }: Omit<BackedOrder, 'funded'>, opens: number, listing: Listing): boolean {
  const { tickLot, specification } = listing;
  const sign = order.side === 'buy' ? 1 : -1;
  const loss = (order.priceAtoms - mark) * sign * opens * tickLot;
  let exposure = position.entry;
  for (const { reduceOnly, priceAtoms, remaining } of own) if (!reduceOnly) exposure += priceAtoms * remaining * tickLot;
  const tier = specification.maintenanceMarginTiers.findLast(({ notionalThresholdAtoms }) => notionalThresholdAtoms <= exposure)!;
  return openingMargin(order, opens, listing) - loss >= shareUp(mark * opens * tickLot, tier.maintenanceMarginBps, 10_000);
}
