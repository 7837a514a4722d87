/** Scenarios in a market with fewer prices. Its book is created faster, which matters with a snapshot after every command. */
import { SCENARIO_MARKET, SCENARIO_RULES, Scenario } from '#simulation/scenario.ts';
import type { PriceAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

/** The scenario market, up to 100,000.0. A funding period has two premium samples, so that a few prices suffice for a premium. */
export const SMALL_MARKET: MarketSpecification = {
  ...SCENARIO_MARKET,
  maxPriceAtoms: 1_000_000 as PriceAtoms,
  premiumSampleMs: 1_800_000,
};

/** Like `Scenario.withAccounts`: checks the invariants and compares a snapshot after every command. */
export function snapshotScenario(count: number, specification = SMALL_MARKET, depositAtoms = 10_000_000_000): Scenario {
  return Scenario.withAccounts(count, specification, depositAtoms);
}

/** A scenario without the limit of premium samples: an hour may cost more than a margin. */
export function unboundedPremiumScenario(count: number, specification: MarketSpecification): Scenario {
  const scenario = new Scenario({ ...SCENARIO_RULES, boundsPremium: false });
  scenario.populate(count, specification);
  return scenario;
}

/** For hundreds of scenarios: checks the invariants after every command, and compares no snapshots. */
export function quickScenario(count: number, specification = SMALL_MARKET, depositAtoms = 10_000_000_000): Scenario {
  const scenario = new Scenario();
  scenario.snapshotEvery = Number.POSITIVE_INFINITY;
  scenario.populate(count, specification, depositAtoms);
  return scenario;
}
