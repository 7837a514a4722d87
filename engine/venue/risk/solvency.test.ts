import { describe, expect, test } from 'vitest';
import { BTC } from '#simulation/scenario.ts';
import type { VenueEvent } from '#venue/event.ts';
import { only } from '#venue/testing/outcome.ts';
import { RandomWorld } from '#venue/testing/random-world.ts';

/**
 * `OPENPERP_SOLVENCY_SEEDS=500 OPENPERP_SOLVENCY_FROM=1 npx vitest run engine/venue/risk/solvency` runs as many worlds of
 * `OPENPERP_SOLVENCY_STEPS` steps as it says, from that seed on. The invariants are checked after every step.
 */
const SEEDS = Number(process.env.OPENPERP_SOLVENCY_SEEDS ?? 10);
const FROM = Number(process.env.OPENPERP_SOLVENCY_FROM ?? 1);
const STEPS = Number(process.env.OPENPERP_SOLVENCY_STEPS ?? 2_000);
const SEED_LIST = Array.from({ length: SEEDS }, (_, place) => FROM + place);

/** What the turn of a liquidation took from an account's cash after it began, by account; nothing is to be below zero. */
function cashAfterLiquidation(events: readonly VenueEvent[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const event of events) {
    if (event.type === 'LiquidationStarted' && !sums.has(event.account)) sums.set(event.account, 0);
    const sum = event.type === 'CashPosted' ? sums.get(event.account) : undefined;
    if (event.type === 'CashPosted' && sum !== undefined) sums.set(event.account, sum + event.amountAtoms);
  }
  return sums;
}

/** The accounts that anybody else paid for, though nobody was closing their positions. */
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

/** The accounts whose position began in this turn and is to be liquidated already. */
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
  test('with deleveraging, no loss is larger than what backs it, the fund and those in profit: there is no deficit', () => {
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

test('without deleveraging there can be a deficit, but never while the fund holds anything', () => {
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
