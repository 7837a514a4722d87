import { describe, expect, test } from 'vitest';
import { BTC } from '#simulation/scenario.ts';
import type { VenueEvent } from '#venue/event.ts';
import { only } from '#venue/testing/outcome.ts';
import { RandomWorld } from '#venue/testing/random-world.ts';

/**
 * `OPENPERP_SOLVENCY_SEEDS=500 OPENPERP_SOLVENCY_FROM=1 npx vitest run engine/venue/risk/solvency` runs 500 worlds of
 * `OPENPERP_SOLVENCY_STEPS` steps, from seed 1. The invariants are checked after every step.
 */
const SEEDS = Number(process.env.OPENPERP_SOLVENCY_SEEDS ?? 10);
const FROM = Number(process.env.OPENPERP_SOLVENCY_FROM ?? 1);
const STEPS = Number(process.env.OPENPERP_SOLVENCY_STEPS ?? 2_000);
const SEED_LIST = Array.from({ length: SEEDS }, (_, place) => FROM + place);

/** The change of each liquidated account's cash after the start of its liquidation in the turn. None may be negative. */
function cashAfterLiquidation(events: readonly VenueEvent[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const event of events) {
    if (event.type === 'LiquidationStarted' && !sums.has(event.account)) sums.set(event.account, 0);
    const sum = event.type === 'CashPosted' ? sums.get(event.account) : undefined;
    if (event.type === 'CashPosted' && sum !== undefined) sums.set(event.account, sum + event.amountAtoms);
  }
  return sums;
}

/** The accounts that received cover from the fund or the venue without being liquidated. */
function paidForOutsideOfLiquidation(events: readonly VenueEvent[]): number[] {
  const liquidated = new Set<number>();
  const paidFor: number[] = [];
  for (const event of events) {
    if (event.type === 'LiquidationStarted') liquidated.add(event.account);
    const isCover = event.type === 'CashPosted' && (event.kind === 'insurance_cover' || event.kind === 'deficit_cover');
    if (isCover && !liquidated.has(event.account)) paidFor.push(event.account);
  }
  return paidFor;
}

/** The accounts that opened a position in this turn which is already due for liquidation. */
function bornDistressed({ scenario }: RandomWorld, events: readonly VenueEvent[]): number[] {
  const { state } = scenario.venue;
  const { positions, markPriceAtoms } = state.market(BTC)!;
  const born = only(events, 'PositionChanged').filter((it) => it.signedBaseAtoms === it.changedBaseAtoms);
  return born.flatMap(({ account, position: ordinal }) => {
    const position = state.account(account)!.positionIn(BTC);
    return position.ordinal === ordinal && positions.isDue(position, markPriceAtoms) ? [account] : [];
  });
}

describe.each(SEED_LIST)('in world %i', (seed) => {
  test('has no deficit with deleveraging: margin, fund and profitable positions cover every loss', () => {
    const world = new RandomWorld(seed, true);
    let liquidations = 0;
    for (let step = 0; step < STEPS; step += 1) {
      const events = world.step();
      liquidations += only(events, 'LiquidationStarted').length;
      expect(paidForOutsideOfLiquidation(events), `step ${step}`).toEqual([]);
      expect(bornDistressed(world, events), `step ${step}`).toEqual([]);
      for (const [account, sum] of cashAfterLiquidation(events))
        expect(sum, `account ${account} pays for its liquidation in step ${step}`).toBeGreaterThanOrEqual(0);
      expect(world.scenario.venue.state.ledgers.deficit, `step ${step}`).toBe(0);
    }
    expect(liquidations).toBeGreaterThan(0);
  });
});

test('has a deficit without deleveraging only when the insurance fund is empty', () => {
  let worlds = 0;
  for (const seed of SEED_LIST) {
    const world = new RandomWorld(seed, false);
    let fund = 0;
    for (let step = 0; step < STEPS / 4; step += 1) {
      for (const { ledger, amountAtoms, balanceAtoms } of only(world.step(), 'LedgerPosted')) {
        if (ledger === 'insurance') fund = balanceAtoms;
        if (ledger !== 'deficit') continue;
        expect(amountAtoms).toBeLessThan(0);
        expect(fund, `world ${seed}, step ${step}`).toBe(0);
      }
    }
    if (world.scenario.venue.state.ledgers.deficit < 0) worlds += 1;
  }
  expect(worlds).toBeGreaterThan(0);
});
