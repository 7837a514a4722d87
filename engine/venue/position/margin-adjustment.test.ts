import { describe, expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import { BTC, type Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { AdjustPositionMargin } from '#venue/command.ts';
import { holdingsOf, only, postingsOf, typesOf } from '#venue/testing/outcome.ts';
import { SMALL_MARKET } from '#venue/testing/venues.ts';

/** One BTC: 1,000 USD.E at 1,000.0. */
const UNIT = 1_000;
const account = 1 as AccountOrdinal;

/** Account 1 is long a BTC from 1,000.0 with a margin of 100, account 2 short with 500. */
function longAt10X(): Scenario {
  const scenario = new AuditedScenario();
  scenario.populate(3, SMALL_MARKET);
  scenario.limit(2, 'sell', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, 'buy', UNIT, { leverageX: 10 });
  return scenario;
}

function adjust(scenario: Scenario, direction: AdjustPositionMargin['direction'], amount: number, of = account) {
  return scenario.run({ type: 'AdjustPositionMargin', account: of, market: BTC, direction, amountAtoms: amount as QuoteAtoms });
}

const liquidationPriceOf = ({ venue }: Scenario) => venue.state.account(account)!.positionIn(BTC).liquidationPriceAtoms;

test('moves cash to the margin and back', () => {
  const scenario = longAt10X();
  const { cash } = holdingsOf(scenario.venue.state, 1);
  const added = adjust(scenario, 'add', 40_000_000);
  expect(postingsOf(added, 1)).toEqual([['margin_lock', -40_000_000]]);
  expect(only(added, 'PositionMarginAdjusted')).toEqual([
    {
      type: 'PositionMarginAdjusted',
      position: expect.any(Number),
      account: 1,
      market: BTC,
      addedAtoms: 40_000_000,
      repaidAtoms: 0,
      marginAtoms: 140_000_000,
    },
  ]);
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ cash: cash - 40_000_000, margin: 140_000_000 });
  const removed = adjust(scenario, 'remove', 60_000_000);
  expect(postingsOf(removed, 1)).toEqual([['margin_release', 60_000_000]]);
  expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ cash: cash + 20_000_000, margin: 80_000_000 });
});

test('moves the liquidation price, and revives a position at risk', () => {
  const scenario = longAt10X();
  const before = liquidationPriceOf(scenario);
  adjust(scenario, 'add', 50_000_000);
  expect(liquidationPriceOf(scenario)).toBeLessThan(before);
  expect(typesOf(scenario.price(before))).not.toContain('LiquidationStarted');
  adjust(scenario, 'add', 50_000_000);
  expect(typesOf(scenario.price(before - 400))).not.toContain('LiquidationStarted');
});

test('takes a parked position out of its liquidation', () => {
  const scenario = longAt10X();
  // The book has no bids, so the position is parked.
  scenario.price(9_200);
  const { positions } = scenario.venue.state.market(BTC)!;
  expect(positions.parkedCount).toBe(1);
  adjust(scenario, 'add', 200_000_000);
  expect(positions.parkedCount).toBe(0);
  expect(holdingsOf(scenario.venue.state, 1).base).toBe(UNIT);
});

describe('what stays', () => {
  test('is the initial margin at the mark', () => {
    const scenario = longAt10X();
    expect(adjust(scenario, 'remove', 50_000_001)).toMatchObject([{ code: 'margin_required', bound: 50_000_000 }]);
    expect(typesOf(adjust(scenario, 'remove', 50_000_000))).toContain('PositionMarginAdjusted');
    expect(adjust(scenario, 'remove', 1)).toMatchObject([{ code: 'margin_required', bound: 0 }]);
  });

  test('has it as equity: a loss stays covered', () => {
    const scenario = longAt10X();
    scenario.price(9_800);
    // 100 − 20 − 49.
    expect(adjust(scenario, 'remove', 31_000_001)).toMatchObject([{ code: 'margin_required', bound: 31_000_000 }]);
  });

  test('has it as margin: an unrealized profit stays', () => {
    const scenario = longAt10X();
    scenario.price(10_200);
    // 5 % of 1,020.
    expect(adjust(scenario, 'remove', 49_000_001)).toMatchObject([{ code: 'margin_required', bound: 49_000_000 }]);
  });
});

test('refuses what is not available, and positions and markets that there are not', () => {
  const scenario = longAt10X();
  const { cash } = holdingsOf(scenario.venue.state, 1);
  expect(adjust(scenario, 'add', cash + 1)).toMatchObject([{ code: 'insufficient_cash' }]);
  expect(adjust(scenario, 'add', 0)).toMatchObject([{ code: 'amount_out_of_bounds' }]);
  expect(adjust(scenario, 'add', 1, 3 as AccountOrdinal)).toMatchObject([{ code: 'position_not_found' }]);
  expect(adjust(scenario, 'add', 1, 4 as AccountOrdinal)).toMatchObject([{ code: 'account_not_found' }]);
  expect(
    scenario.run({ type: 'AdjustPositionMargin', account, market: 2 as never, direction: 'add', amountAtoms: 1 as never }),
  ).toMatchObject([{ code: 'market_not_found' }]);
});

test('removes nothing without a current index, but adds', () => {
  const scenario = longAt10X();
  scenario.wait(SMALL_MARKET.maxIndexAgeMs + 1);
  expect(adjust(scenario, 'remove', 1)).toMatchObject([{ code: 'index_not_current' }]);
  expect(typesOf(adjust(scenario, 'add', 1))).toContain('PositionMarginAdjusted');
});

test('repays the insurance fund with what leaves the position, before the owner gets any', () => {
  const scenario = new AuditedScenario();
  scenario.populate(3, { ...SMALL_MARKET, autoDeleveraging: false });
  scenario.run({ type: 'CreditInsurance', amountAtoms: 1_000_000_000 as QuoteAtoms, reference: 'test' });
  scenario.limit(2, 'sell', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, 'buy', UNIT, { leverageX: 20 });
  // Half of the position is closed at 940.0, below its bankruptcy price of 950.0: the fund pays 5.
  scenario.limit(3, 'buy', 9_400, UNIT / 2, { leverageX: 5 });
  scenario.price(9_400);
  const { insuredAtoms } = scenario.venue.state.account(account)!.holdingIn(BTC);
  expect(insuredAtoms).toBe(5_000_000);
  scenario.price(10_000);
  scenario.run({ type: 'CreditCash', account, amountAtoms: 500_000_000 as QuoteAtoms, reference: 'test' });
  adjust(scenario, 'add', 100_000_000);
  const before = holdingsOf(scenario.venue.state, 1).cash;
  expect(only(adjust(scenario, 'remove', 3_000_000), 'PositionMarginAdjusted')).toMatchObject([{ repaidAtoms: 3_000_000 }]);
  expect(holdingsOf(scenario.venue.state, 1).cash).toBe(before);
  expect(only(adjust(scenario, 'remove', 3_000_000), 'PositionMarginAdjusted')).toMatchObject([{ repaidAtoms: 2_000_000 }]);
  expect(holdingsOf(scenario.venue.state, 1).cash).toBe(before + 1_000_000);
  expect(scenario.venue.state.account(account)!.holdingIn(BTC).insuredAtoms).toBe(0);
});
