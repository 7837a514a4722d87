/**
 * Which observations of the index the market goes by. A price that is old, or that jumped and was not seen again, moves
 * nothing; while there is no price to rely on the market stands still (`market-status.ts` says what that means).
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

/** What the guard remembers. */
export interface IndexMemory {
  /** The price that holds, and when it was observed; `NO_PRICE` before the first. */
  readonly acceptedPriceAtoms: PriceAtoms;
  readonly acceptedAtEpochMs: EpochMs;
  /** The newest price of a jump that is held back (`NO_PRICE`: none is), and when it was observed. */
  readonly heldPriceAtoms: PriceAtoms;
  readonly heldAtEpochMs: EpochMs;
  /** How many observations after the first agree each with the one before: a market that falls fast is confirmed too. */
  readonly confirmations: number;
}

/** Before the first observation. */
export const NO_INDEX: IndexMemory = Object.freeze({
  acceptedPriceAtoms: NO_PRICE,
  acceptedAtEpochMs: 0 as EpochMs,
  heldPriceAtoms: NO_PRICE,
  heldAtEpochMs: 0 as EpochMs,
  confirmations: 0,
});

/** What it remembers, in a snapshot. */
export function indexLayout(io: Cursor, it: IndexMemory): IndexMemory {
  return {
    acceptedPriceAtoms: io.int(it.acceptedPriceAtoms),
    acceptedAtEpochMs: io.int(it.acceptedAtEpochMs),
    heldPriceAtoms: io.int(it.heldPriceAtoms),
    heldAtEpochMs: io.int(it.heldAtEpochMs),
    confirmations: io.u32(it.confirmations),
  };
}

/** `accepted`: the price holds now. `held`: it may, once it is confirmed. `ignored`: it is too old, or no newer than what is known. */
export type IndexVerdict = 'accepted' | 'held' | 'ignored';

export interface IndexStep {
  readonly verdict: IndexVerdict;
  readonly memory: IndexMemory;
}

/**
 * Takes an observation at the time `now`. Who observes from ahead of `now` has a clock that runs fast: it counts as
 * observed now, so that it cannot shut out those that follow.
 *
 * - dYdX, 2025-10-10: after a halt the chain went on before its price feeds did, and liquidated at outdated prices.
 *   Hence an observation counts by when it was made, not by when it arrives.
 * - Deribit, 2019-10-31: one bad source was not left out of the BTC index, and positions were liquidated at a price that
 *   was gone minutes later. Hence a jump waits until others have seen it too.
 * - Aster, 2025-09-25: XPL went from 1.30 to 4 as a limit was lifted, analysts say over an index that was a constant.
 *   Hence no limit is ever lifted: what comes after a gap is measured by the last price that held.
 */
export function observeIndex(memory: IndexMemory, observation: IndexObservation, now: EpochMs, limits: IndexLimits): IndexStep {
  const { priceAtoms } = observation;
  const at = smallerOf(observation.observedAtEpochMs, now);
  const isHolding = memory.heldPriceAtoms !== NO_PRICE;
  const isKnown = memory.acceptedPriceAtoms !== NO_PRICE;
  // Each is newer than the one before: of one moment there is one price, not a walk of small steps to any other.
  const isOutOfOrder = (isKnown && at <= memory.acceptedAtEpochMs) || (isHolding && at <= memory.heldAtEpochMs);
  if (isOutOfOrder || now - at > limits.maxIndexAgeMs) return { verdict: 'ignored', memory };
  if (!isKnown || isNear(priceAtoms, memory.acceptedPriceAtoms, limits)) return accept(priceAtoms, at);
  const isConfirming =
    isHolding && at - memory.heldAtEpochMs <= limits.maxIndexAgeMs && isNear(priceAtoms, memory.heldPriceAtoms, limits);
  if (!isConfirming)
    return { verdict: 'held', memory: { ...memory, heldPriceAtoms: priceAtoms, heldAtEpochMs: at, confirmations: 0 } };
  const confirmations = memory.confirmations + 1;
  if (confirmations >= limits.indexConfirmations) return accept(priceAtoms, at);
  return { verdict: 'held', memory: { ...memory, heldPriceAtoms: priceAtoms, heldAtEpochMs: at, confirmations } };
}

/**
 * Whether the price that holds can be relied on at the time `now`. A jump that nothing confirms grows old like any other
 * price, and then the market is `stale`.
 *
 * - Paradex, 2026-01-19: a restart published corrupt data, funding indices and shown prices fell to 0, and positions were
 *   liquidated until the chain was rolled back. Hence anything but `current` stops both at once, before anybody looks.
 */
export function indexStatusAt(memory: IndexMemory, now: EpochMs, { maxIndexAgeMs }: IndexLimits): IndexStatus {
  if (memory.heldPriceAtoms !== NO_PRICE && now - memory.heldAtEpochMs <= maxIndexAgeMs) return 'unconfirmed';
  if (memory.acceptedPriceAtoms === NO_PRICE || now - memory.acceptedAtEpochMs > maxIndexAgeMs) return 'stale';
  return 'current';
}

function accept(priceAtoms: PriceAtoms, at: EpochMs): IndexStep {
  return { verdict: 'accepted', memory: { ...NO_INDEX, acceptedPriceAtoms: priceAtoms, acceptedAtEpochMs: at } };
}

function isNear(price: PriceAtoms, from: PriceAtoms, { maxIndexJumpBps }: IndexLimits): boolean {
  return Math.abs(price - from) * WHOLE_BPS <= from * maxIndexJumpBps;
}
