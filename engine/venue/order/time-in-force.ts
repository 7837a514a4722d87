/**
 * How long an order may wait for fills. Without one of these it waits until it is cancelled (GTC). An order by `IOC` or `FOK` never rests:
 * it fills at once, what of it can or all of it. One by `GTD` never fills at or after its expiry.
 */
import type { EpochMs } from '#units/money.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import type { Slot } from './order-table.ts';
import type { InForce, OrderTerms } from './order-terms.ts';

/** The bounds of an expiry, from the time of the placement. */
export const MIN_EXPIRY_MS = 1_000;
export const MAX_EXPIRY_MS = 90 * 86_400_000;

/** Time in force of any terms. A market order has none: it never rests. */
export function inForceOf(terms: OrderTerms): InForce {
  return terms.kind === 'market' || terms.kind === 'market_notional' ? GOOD_TILL_CANCELLED : terms;
}

const GOOD_TILL_CANCELLED: InForce = {};

/** When a limit order expires; 0 if it does not. */
export function expiryOf(terms: OrderTerms): EpochMs {
  const { timeInForce, expiresAtEpochMs } = inForceOf(terms);
  return timeInForce === 'GTD' ? (expiresAtEpochMs ?? NEVER) : NEVER;
}

const NEVER = 0 as EpochMs;

/** Refuses an expiry that is too near or too far. `bound` is the nearest or the furthest one that was possible. */
export function checkExpiry(terms: OrderTerms, now: EpochMs): Refusal | undefined {
  const { timeInForce, expiresAtEpochMs = NEVER } = inForceOf(terms);
  if (timeInForce !== 'GTD') return undefined;
  if (expiresAtEpochMs < now + MIN_EXPIRY_MS) return { code: 'expiry_out_of_bounds', bound: now + MIN_EXPIRY_MS };
  return expiresAtEpochMs > now + MAX_EXPIRY_MS ? { code: 'expiry_out_of_bounds', bound: now + MAX_EXPIRY_MS } : undefined;
}

/** Whether an open order may not fill any more because it has expired. */
export function isExpired({ orders, expiries }: VenueState, slot: Slot, now: EpochMs): boolean {
  return orders.mayExpire(slot) && expiries.timeOf(orders.orderOf(slot))! <= now;
}
