/** What clients are told of margin, liquidation and funding, as formulas of this auditor's own: whole numbers of any size. */
import type { MarketSpecification } from '#venue/market/specification.ts';
import { tickLotOf } from './requirement.ts';

/** A position, as far as formulas go. */
interface Held {
  readonly signedBase: number;
  readonly entry: number;
  readonly margin: number;
}

/** What must back a notional: of each tier the share of what lies in it, all of them added up and rounded up once. */
export function maintenanceFor(notional: number, { maintenanceMarginTiers: tiers }: MarketSpecification): number {
  let scaled = 0n;
  for (const [index, { notionalThresholdAtoms, maintenanceMarginBps }] of tiers.entries()) {
    const end = Math.min(notional, tiers[index + 1]?.notionalThresholdAtoms ?? notional);
    if (end > notionalThresholdAtoms) scaled += BigInt(end - notionalThresholdAtoms) * BigInt(maintenanceMarginBps);
  }
  return Number((scaled + 9_999n) / 10_000n);
}

/** What is left of a position at a price: its margin, and what it has won or lost by then. */
export function equityAt(price: number, { signedBase, entry, margin }: Held, specification: MarketSpecification): number {
  const worth = price * signedBase * tickLotOf(specification);
  return signedBase < 0 ? margin + worth + entry : margin + worth - entry;
}

/** What closing a quantity at a price has to be covered with: its share of what closing all of it would lack, rounded up. */
export function coverFor(price: number, quantity: number, held: Held, specification: MarketSpecification): number {
  const missing = BigInt(Math.max(0, -equityAt(price, held, specification)));
  const size = BigInt(Math.abs(held.signedBase));
  return Number((missing * BigInt(quantity) + size - 1n) / size);
}

/** The price at which nothing is left of it, rounded to where something may be; 0 for a long that cannot lose so much. */
export function bankruptcyPriceFor(held: Held, specification: MarketSpecification): number {
  const perTick = BigInt(Math.abs(held.signedBase) * tickLotOf(specification));
  if (held.signedBase < 0) return Number(BigInt(held.entry + held.margin) / perTick);
  const uncovered = BigInt(held.entry - held.margin);
  return uncovered <= 0n ? 0 : Number((uncovered + perTick - 1n) / perTick);
}

/** The initial margin of each tier: it rises with maintenance, and is the whole at most. */
export function initialRates({ initialMarginBps, maintenanceMarginTiers: tiers }: MarketSpecification): number[] {
  const first = tiers[0]!.maintenanceMarginBps;
  return tiers.map((tier) => Math.min(10_000, Math.ceil((initialMarginBps * tier.maintenanceMarginBps) / first)));
}

/** What a long pays for one lot, in millionths of an atom, rounded toward zero. */
export function fundingPerLot(index: number, ratePpb: number, specification: MarketSpecification): number {
  return Number((BigInt(index * tickLotOf(specification)) * BigInt(ratePpb)) / 1_000n);
}

/** What a position pays, rounded up, or gets (below zero), rounded down: against it either way. */
export function fundingOwed(signedBase: number, perLot: number): number {
  const scaled = BigInt(signedBase) * BigInt(perLot);
  return Number(scaled > 0n ? (scaled + 999_999n) / 1_000_000n : scaled / 1_000_000n);
}

/** Periods end at whole multiples of their length. */
export function endOfPeriod(epochMs: number, { fundingPeriodMs }: MarketSpecification): number {
  return (Math.floor(epochMs / fundingPeriodMs) + 1) * fundingPeriodMs;
}
