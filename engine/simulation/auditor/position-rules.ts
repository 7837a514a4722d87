/** What the venue's documents say of positions: equity, maintenance margin, bankruptcy price, covers, funding and rank. */
import type { Listing } from './listing.ts';
import { shareDown, shareUp } from './rounding.ts';

/** The part of a position that the formulas use. */
export interface Holding {
  readonly signedBase: number;
  readonly entry: number;
  readonly margin: number;
}

/** Each tier's rate of the part of the notional that lies in it, added up and rounded up once. */
export function maintenanceFor(notional: number, { specification: { maintenanceMarginTiers: tiers } }: Listing): number {
  const second = tiers[1];
  if (second === undefined || notional <= second.notionalThresholdAtoms)
    return shareUp(notional, tiers[0]!.maintenanceMarginBps, 10_000);
  let scaled = 0n;
  for (const [index, { notionalThresholdAtoms, maintenanceMarginBps }] of tiers.entries()) {
    const end = Math.min(notional, tiers[index + 1]?.notionalThresholdAtoms ?? notional);
    if (end > notionalThresholdAtoms) scaled += BigInt(end - notionalThresholdAtoms) * BigInt(maintenanceMarginBps);
  }
  return Number((scaled + 9_999n) / 10_000n);
}

/** Profit at a price, below zero a loss. */
export function profitAt(price: number, { signedBase, entry }: Holding, { tickLot }: Listing): number {
  const notional = price * signedBase * tickLot;
  return signedBase < 0 ? notional + entry : notional - entry;
}

export function equityAt(price: number, holding: Holding, listing: Listing): number {
  return holding.margin + profitAt(price, holding, listing);
}

/** Whether a position has less than half of its maintenance margin at a price. */
export function isHalfLost(price: number, holding: Holding, listing: Listing): boolean {
  const notional = price * Math.abs(holding.signedBase) * listing.tickLot;
  return 2 * equityAt(price, holding, listing) < maintenanceFor(notional, listing);
}

/** Whether a position has less than its maintenance margin at a mark price. */
export function isDue(mark: number, holding: Holding, listing: Listing): boolean {
  const equity = equityAt(mark, holding, listing);
  const notional = mark * Math.abs(holding.signedBase) * listing.tickLot;
  const tiers = listing.specification.maintenanceMarginTiers;
  // An inexact comparison excludes most positions, which are far from it.
  if (equity > (notional * tiers[tiers.length - 1]!.maintenanceMarginBps) / 9_000) return false;
  return equity < maintenanceFor(notional, listing);
}

/** What the venue covers of a close at a price: the close's share, rounded up, of the shortfall of the whole position. */
export function coverFor(price: number, quantity: number, holding: Holding, listing: Listing): number {
  const missing = Math.max(0, -equityAt(price, holding, listing));
  return missing === 0 ? 0 : shareUp(missing, quantity, Math.abs(holding.signedBase));
}

/** The price at which the equity is zero, rounded toward profit; 0 for a long that cannot lose so much. */
export function bankruptcyPriceFor({ signedBase, entry, margin }: Holding, { tickLot }: Listing): number {
  const perTick = Math.abs(signedBase) * tickLot;
  if (signedBase < 0) return shareDown(entry + margin, 1, perTick);
  return entry <= margin ? 0 : shareUp(entry - margin, 1, perTick);
}

/** The initial margin of each tier: it rises with the maintenance margin, up to the whole notional. */
export function initialRates({ specification }: Listing): number[] {
  const { initialMarginBps, maintenanceMarginTiers: tiers } = specification;
  const first = tiers[0]!.maintenanceMarginBps;
  return tiers.map((tier) => Math.min(10_000, shareUp(initialMarginBps, tier.maintenanceMarginBps, first)));
}

const MICRO = 1_000_000n;
const LARGEST_LOSS = 2n ** 52n;

/**
 * The rank in the queue for auto-deleveraging, the highest first: profit over entry times leverage in millionths plus one, then
 * losses over leverage below zero. Without equity a loss counts as 0.
 */
export function deleveragingScore(mark: number, holding: Holding, listing: Listing): bigint {
  const profit = BigInt(profitAt(mark, holding, listing));
  const equity = BigInt(equityAt(mark, holding, listing));
  const notional = BigInt(mark * Math.abs(holding.signedBase) * listing.tickLot);
  const entry = BigInt(holding.entry);
  if (profit > 0n) return (profit * notional * MICRO) / (equity * entry) + 1n;
  if (equity <= 0n) return 0n;
  const score = (-profit * MICRO * equity) / (entry * notional);
  return score > LARGEST_LOSS ? -LARGEST_LOSS : -score;
}
