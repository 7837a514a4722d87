/** Builds positions and tiers from plain numbers, for tests of this folder. */
import type { BaseAtoms, Bps, QuoteAtoms } from '#units/money.ts';
import type { MaintenanceTier } from '#venue/market/specification.ts';
import type { Exposure } from '#venue/risk/position-risk.ts';

export function exposure(signedBase: number, entryNotional: number, margin: number): Exposure {
  return {
    signedBaseAtoms: signedBase as BaseAtoms,
    entryNotionalAtoms: entryNotional as QuoteAtoms,
    marginAtoms: margin as QuoteAtoms,
  };
}

export function tier(threshold: number, rate: number): MaintenanceTier {
  return { notionalThresholdAtoms: threshold as QuoteAtoms, maintenanceMarginBps: rate as Bps };
}
