import { describe, expect, test } from 'vitest';
import { BTC, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import { leverageHundredths, leverageXOf } from '#units/leverage.ts';
import type { SetLeverage } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { RISK_RULES } from '#venue/risk/risk-rules.ts';
import { tier } from '#venue/risk/testing/exposures.ts';
import { holdingsOf, refusalCode, tradesOf } from '#venue/testing/outcome.ts';
import { SMALL_MARKET } from '#venue/testing/venues.ts';

/** One BTC: 1,000 USD.E at 1,000.0. */
const UNIT = 1_000;
const account = 1 as AccountOrdinal;

/** A venue with the rules of the product. */
function productScenario(specification: MarketSpecification = SMALL_MARKET): Scenario {
  const scenario = new Scenario(RISK_RULES);
  scenario.populate(2, specification);
  return scenario;
}

function choose(scenario: Scenario, leverageX: number, of = account, market = BTC) {
  return scenario.run({ type: 'SetLeverage', account: of, market, leverageHundredths: leverageHundredths(leverageX) });
}

/** The leverage with which a bid for a quantity is accepted, and the margin that it reserves. */
function bid(scenario: Scenario, options: { leverageX?: number; quantity?: number } = {}) {
  const { quantity = UNIT, ...rest } = options;
  const before = holdingsOf(scenario.venue.state, 1).reserved;
  const [accepted] = scenario.limit(1, 'buy', 10_000, quantity, rest);
  const fee = quantity * 500;
  return [
    accepted?.type === 'OrderAccepted' ? leverageXOf(accepted.leverageHundredths) : accepted,
    holdingsOf(scenario.venue.state, 1).reserved - before - fee,
  ];
}

describe('an order without a leverage', () => {
  test('uses 10 if its account has chosen none', () => {
    expect(bid(productScenario())).toEqual([10, 100_000_000]);
  });

  test('uses the highest leverage of a market that permits less', () => {
    expect(bid(productScenario({ ...SMALL_MARKET, maxLeverageX: 8, initialMarginBps: 1_250 as never }))).toEqual([
      8, 125_000_000,
    ]);
  });

  test('uses what its account has chosen in the market, and the default after a return to it', () => {
    const scenario = productScenario();
    expect(choose(scenario, 20)).toEqual([{ type: 'LeverageSet', account, market: BTC, leverageHundredths: 2_000 }]);
    expect(bid(scenario)).toEqual([20, 50_000_000]);
    choose(scenario, 3);
    expect(bid(scenario)).toEqual([3, 333_333_334]);
    choose(scenario, 0);
    expect(bid(scenario)).toEqual([10, 100_000_000]);
  });

  test('is not affected by the choice of other accounts', () => {
    const scenario = productScenario();
    choose(scenario, 20, 2 as AccountOrdinal);
    expect(bid(scenario)).toEqual([10, 100_000_000]);
  });

  test('uses the initial margin of the exposure that it reaches if that margin is higher', () => {
    // From 2,000 USD.E on, the initial margin is 5 % × 700 ÷ 250 = 14 %.
    const tiers = [tier(0, 250), tier(2_000_000_000, 700)];
    const scenario = productScenario({ ...SMALL_MARKET, maintenanceMarginTiers: tiers });
    expect(bid(scenario, { quantity: UNIT })).toEqual([10, 100_000_000]);
    expect(bid(scenario, { quantity: UNIT })).toEqual([0, 140_000_000]);
    choose(scenario, 7);
    expect(bid(scenario, { quantity: UNIT })).toEqual([7, 142_857_143]);
    expect(refusalCode(scenario.limit(1, 'buy', 10_000, UNIT, { leverageX: 8 }))).toBe('leverage_too_high');
  });

  test('locks that margin when it fills at once', () => {
    const scenario = productScenario();
    scenario.limit(2, 'sell', 10_000, UNIT);
    choose(scenario, 4);
    expect(tradesOf(scenario.market(1, 'buy', UNIT))).toEqual([[10_000, UNIT]]);
    expect([holdingsOf(scenario.venue.state, 1).margin, holdingsOf(scenario.venue.state, 2).margin]).toEqual([
      250_000_000, 100_000_000,
    ]);
  });
});

test("an order's own leverage precedes what its account has chosen", () => {
  const scenario = productScenario();
  choose(scenario, 4);
  expect(bid(scenario, { leverageX: 20 })).toEqual([20, 50_000_000]);
});

describe('a leverage in hundredths', () => {
  test('rounds the margin up', () => {
    const scenario = productScenario();
    choose(scenario, 2.55);
    // 1,000,000,000 ÷ 2.55 = 392,156,862.7…
    expect(bid(scenario)).toEqual([2.55, 392_156_863]);
    expect(bid(scenario, { leverageX: 19.99 })).toEqual([19.99, 50_025_013]);
    expect(scenario.limit(1, 'buy', 10_000, UNIT, { leverageX: 20.01 })).toMatchObject([
      { code: 'leverage_too_high', bound: 20 },
    ]);
    expect(choose(scenario, 20.01)).toMatchObject([{ code: 'leverage_too_high', bound: 20 }]);
  });

  test('is at most the whole leverage that the exposure permits', () => {
    // From 2,000 USD.E on, the initial margin is 14 %: a leverage of 7, since 7.14 would need less than 14.006 %.
    const scenario = productScenario({ ...SMALL_MARKET, maintenanceMarginTiers: [tier(0, 250), tier(2_000_000_000, 700)] });
    const twice = { quantity: 2 * UNIT };
    expect(bid(scenario, { ...twice, leverageX: 7 })).toEqual([7, 285_714_286]);
    expect(bid(scenario, { ...twice, leverageX: 7.01 })).toMatchObject([
      { code: 'leverage_too_high', bound: 7 },
      expect.anything(),
    ]);
    choose(scenario, 7.01);
    expect(bid(scenario, twice)).toEqual([0, 280_000_000]);
    choose(scenario, 6.99);
    expect(bid(scenario, twice)).toEqual([6.99, 286_123_033]);
  });

  test('is kept by an amendment, a snapshot and the record', () => {
    const scenario = productScenario();
    choose(scenario, 2.5);
    expect(bid(scenario)).toEqual([2.5, 400_000_000]);
    const { reserved } = holdingsOf(scenario.venue.state, 1);
    scenario.amend(1, 1, 0, UNIT / 2);
    expect(holdingsOf(scenario.venue.state, 1).reserved).toBe(reserved / 2);
    choose(scenario, 0);
    scenario.amend(1, 1, 9_990, UNIT);
    expect(holdingsOf(scenario.venue.state, 1).reserved).toBe(399_600_000 + 499_500);
  });
});

test('a choice leaves open orders and positions as they are', () => {
  const scenario = productScenario();
  scenario.limit(2, 'sell', 10_000, UNIT);
  scenario.limit(1, 'buy', 10_000, UNIT);
  scenario.limit(1, 'buy', 9_990, UNIT);
  const before = holdingsOf(scenario.venue.state, 1);
  choose(scenario, 2);
  expect(holdingsOf(scenario.venue.state, 1)).toEqual(before);
});

test('refuses a leverage above the maximum of the market, unknown markets and accounts that do not trade', () => {
  const scenario = productScenario();
  scenario.run({ type: 'RetireAccount', account: 2 as AccountOrdinal });
  expect(choose(scenario, 21)).toMatchObject([{ code: 'leverage_too_high', bound: 20 }]);
  expect(choose(scenario, 20)).toMatchObject([{ type: 'LeverageSet' }]);
  for (const market of [0, 2, -1] as MarketOrdinal[])
    expect(choose(scenario, 5, account, market)).toMatchObject([{ code: 'market_not_found' }]);
  expect(choose(scenario, 5, 2 as AccountOrdinal)).toMatchObject([{ code: 'account_retired' }]);
  expect(choose(scenario, 5, 3 as AccountOrdinal)).toMatchObject([{ code: 'account_not_found' }]);
});

test('has no bytes in the snapshot of accounts that use the default', () => {
  const scenario = productScenario();
  const before = scenario.venue.snapshot();
  const command: SetLeverage = { type: 'SetLeverage', account, market: BTC, leverageHundredths: 500 };
  scenario.run(command);
  expect(scenario.venue.snapshot()).not.toEqual(before);
  // The scenario goes on with a restored venue after each command.
  const { venue } = scenario;
  scenario.run({ ...command, leverageHundredths: 0 });
  expect(scenario.venue.snapshot()).toEqual(before);
  expect(venue.state.account(account)).toEqual(scenario.venue.state.account(account));
});
