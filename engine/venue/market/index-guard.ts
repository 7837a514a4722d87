/**
 * Decides which observations of the index a market accepts. It ignores old prices and holds jumps back until they are confirmed.
 * `market-status.ts` says what stops while no index price is current.
 */
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import { smallerOf, WHOLE_BPS } from '#units/money.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { IndexStatus, MarketSpecification } from './specification.ts';

export type IndexLimits = Pick<MarketSpecification, 'maxIndexAgeMs' | 'maxIndexJumpBps' | 'indexConfirmations'>;

export interface IndexObservation {
  readonly priceAtoms: PriceAtoms;
  readonly observedAtEpochMs: EpochMs;
}

/** The state of the guard. */
export interface IndexMemory {
  /** The accepted price, and when it was observed; `NO_PRICE` before the first one. */
  readonly acceptedPriceAtoms: PriceAtoms;
  readonly acceptedAtEpochMs: EpochMs;
  /** The newest price of a jump that is not confirmed yet (`NO_PRICE` without such a jump), and when it was observed. */
  readonly pendingPriceAtoms: PriceAtoms;
  readonly pendingAtEpochMs: EpochMs;
  /** How many observations confirm the jump. Each is compared with the previous one, so that a fast fall is confirmed too. */
  readonly confirmations: number;
}

/** Before the first observation. */
export const NO_INDEX: IndexMemory = Object.freeze({
  acceptedPriceAtoms: NO_PRICE,
  acceptedAtEpochMs: 0 as EpochMs,
  pendingPriceAtoms: NO_PRICE,
  pendingAtEpochMs: 0 as EpochMs,
  confirmations: 0,
});

/** The layout in a snapshot. */
export function indexLayout(io: Cursor, it: IndexMemory): IndexMemory {
  return {
    acceptedPriceAtoms: io.int(it.acceptedPriceAtoms),
    acceptedAtEpochMs: io.int(it.acceptedAtEpochMs),
    pendingPriceAtoms: io.int(it.pendingPriceAtoms),
    pendingAtEpochMs: io.int(it.pendingAtEpochMs),
    confirmations: io.u32(it.confirmations),
  };
}

/** `pending`: the price is a jump that is not confirmed yet. `ignored`: it is too old, or not newer than the last one. */
export type IndexVerdict = 'accepted' | 'pending' | 'ignored';

export interface IndexStep {
  readonly verdict: IndexVerdict;
  readonly memory: IndexMemory;
}

/**
 * Evaluates an observation at the time `now`. An observation from the future, from a source whose clock is fast, counts as made
 * now. Otherwise it would block later observations.
 *
 * - dYdX, 2025-10-10: after a halt, the chain resumed before its price feeds, and liquidated at outdated prices. Hence the age of
 *   an observation counts from when it was made, not from when it arrives.
 * - Deribit, 2019-10-31: the BTC index included one bad source, and positions were liquidated at a price that was gone minutes
 *   later. Hence a jump waits for confirmations.
 * - Aster, 2025-09-25: XPL rose from 1.30 to 4 when a limit was lifted; analysts say that the index was a constant. Hence the jump
 *   limit is never lifted: after a gap, it applies to the last accepted price.
 */
export function observeIndex(memory: IndexMemory, observation: IndexObservation, now: EpochMs, limits: IndexLimits): IndexStep {
  const { priceAtoms } = observation;
  const at = smallerOf(observation.observedAtEpochMs, now);
  const hasPending = memory.pendingPriceAtoms !== NO_PRICE;
  const isKnown = memory.acceptedPriceAtoms !== NO_PRICE;
  // Each observation must be newer than the last one. Otherwise many small steps at one moment could lead to any price.
  const isOutOfOrder = (isKnown && at <= memory.acceptedAtEpochMs) || (hasPending && at <= memory.pendingAtEpochMs);
  if (isOutOfOrder || now - at > limits.maxIndexAgeMs) return { verdict: 'ignored', memory };
  if (!isKnown || isNear(priceAtoms, memory.acceptedPriceAtoms, limits)) return accept(priceAtoms, at);
  const isConfirming =
    hasPending && at - memory.pendingAtEpochMs <= limits.maxIndexAgeMs && isNear(priceAtoms, memory.pendingPriceAtoms, limits);
  if (!isConfirming)
    return { verdict: 'pending', memory: { ...memory, pendingPriceAtoms: priceAtoms, pendingAtEpochMs: at, confirmations: 0 } };
  const confirmations = memory.confirmations + 1;
  if (confirmations >= limits.indexConfirmations) return accept(priceAtoms, at);
  return { verdict: 'pending', memory: { ...memory, pendingPriceAtoms: priceAtoms, pendingAtEpochMs: at, confirmations } };
}

/**
 * Whether the accepted price is reliable at the time `now`. An unconfirmed jump expires like any other price; then the index is
 * `stale`.
 *
 * - Paradex, 2026-01-19: a restart published corrupt data. Funding indices and displayed prices fell to 0, and positions were
 *   liquidated until the chain was rolled back. Hence any status but `current` stops funding and liquidations automatically.
 */
export function indexStatusAt(memory: IndexMemory, now: EpochMs, { maxIndexAgeMs }: IndexLimits): IndexStatus {
  if (memory.pendingPriceAtoms !== NO_PRICE && now - memory.pendingAtEpochMs <= maxIndexAgeMs) return 'unconfirmed';
  if (memory.acceptedPriceAtoms === NO_PRICE || now - memory.acceptedAtEpochMs > maxIndexAgeMs) return 'stale';
  return 'current';
}

function accept(priceAtoms: PriceAtoms, at: EpochMs): IndexStep {
  return { verdict: 'accepted', memory: { ...NO_INDEX, acceptedPriceAtoms: priceAtoms, acceptedAtEpochMs: at } };
}

function isNear(price: PriceAtoms, from: PriceAtoms, { maxIndexJumpBps }: IndexLimits): boolean {
  return Math.abs(price - from) * WHOLE_BPS <= from * maxIndexJumpBps;
}
