/**
 * What the venue's documents say of resting orders that an incoming order meets: one that its account cannot back any more offers nothing.
 * What it closes must leave the position enough for the fee; what it opens must have its initial margin at the mark price, for which the
 * account's available cash tops it up. In a crowded market that includes orders that would open without a loss there.
 */
import type { Listing } from './listing.ts';
import { isCrowded, raisedRate } from './open-interest.ts';
import type { OpenOrder } from './order-books.ts';
import { missingAtMark } from './order-rules.ts';
import { type Holding, initialRates, isDue } from './position-rules.ts';

export interface BackedOrder {
  readonly order: OpenOrder;
  /** All open orders of its account in the market. */
  readonly own: readonly OpenOrder[];
  /** The position of its account, and what it is after the funding that it owes. */
  readonly position: Holding;
  readonly funded: Holding;
  readonly mark: number;
  /** Before the incoming order's first match. */
  readonly openInterest: bigint;
}

/** What a fill of up to `quantity` lacks: cash of the account makes it good, or the order is cancelled. Nothing makes infinity good. */
export function missingBacking(it: BackedOrder, quantity: number, listing: Listing): number {
  const { order, own, position, funded, mark, openInterest } = it;
  const { side, priceAtoms: price } = order;
  const isBehind = side === 'buy' ? price > mark : price < mark;
  const closable = Math.max(0, side === 'buy' ? -position.signedBase : position.signedBase);
  const isHealthy = funded === position && !isDue(mark, position, listing);
  if (closable > 0 && (isBehind || !isHealthy) && !paysClosingFee(price, funded, listing)) return Number.POSITIVE_INFINITY;
  if (order.reduceOnly || !needsMarginAt(mark, order, openInterest, listing)) return 0;
  const opens = Math.min(quantity, order.remaining) - closableAfter(it, closable);
  return opens <= 0 ? 0 : missingAtMark(order, opens, mark, initialRateOf(funded, own, openInterest, listing), listing);
}

/** An order that opens without a loss at the mark has its margin unless the open interest has raised it. */
export function needsMarginAt(mark: number, { side, priceAtoms }: OpenOrder, openInterest: bigint, listing: Listing): boolean {
  return (side === 'buy' ? priceAtoms > mark : priceAtoms < mark) || isCrowded(openInterest, listing);
}

/** The tier is that of the position and all orders of the account that may open. The open interest raises its rate. */
export function initialRateOf({ entry }: Holding, own: readonly OpenOrder[], openInterest: bigint, listing: Listing): number {
  let exposure = entry;
  for (const { reduceOnly, priceAtoms, remaining } of own) if (!reduceOnly) exposure += priceAtoms * remaining * listing.tickLot;
  const tiers = listing.specification.maintenanceMarginTiers;
  const tier = tiers.findLastIndex(({ notionalThresholdAtoms }) => notionalThresholdAtoms <= exposure);
  return raisedRate(initialRates(listing)[tier]!, openInterest, listing);
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
    if (other.side === order.side && (ahead > 0 || (ahead === 0 && other.arrival < order.arrival))) left -= other.remaining;
  }
  return Math.max(0, left);
}
