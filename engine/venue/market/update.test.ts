import { describe, expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { Bps, QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { only, refusalCode, typesOf } from '#venue/testing/outcome.ts';
import { SMALL_MARKET } from '#venue/testing/venues.ts';
import type { MarketSpecification } from './specification.ts';
import { FIXED_FIELDS } from './update.ts';

const tiers = (...steps: (readonly [number, number])[]) =>
  steps.map(([threshold, rate]) => ({ notionalThresholdAtoms: threshold as QuoteAtoms, maintenanceMarginBps: rate as Bps }));

function market(accounts = 3): AuditedScenario {
  const scenario = new AuditedScenario();
  scenario.populate(accounts, SMALL_MARKET);
  return scenario;
}

function update(scenario: AuditedScenario, change: Partial<MarketSpecification>, of = BTC): VenueEvent[] {
  const { specification } = scenario.venue.state.market(BTC)!;
  return scenario.run({ type: 'UpdateMarket', market: of, specification: { ...specification, ...change } });
}

test('replaces the specification, and the next orders follow it', () => {
  const scenario = market();
  const change = { makerFeeBps: 1, maxLeverageX: 10, maxQuantityAtoms: 5_000, priceBandBps: 2_000 } as never;
  expect(update(scenario, change)).toEqual([
    { type: 'MarketUpdated', market: BTC, specification: { ...SMALL_MARKET, ...(change as object) } },
  ]);
  expect(scenario.limit(1, 'buy', 10_000, 1, { leverageX: 11 })).toMatchObject([{ code: 'leverage_too_high', bound: 10 }]);
  expect(scenario.limit(1, 'buy', 10_000, 5_001)).toMatchObject([{ code: 'quantity_out_of_bounds', bound: 5_000 }]);
  scenario.limit(1, 'buy', 8_500, 100);
  scenario.limit(1, 'buy', 10_000, 1_000);
  // 100 dollars at 1 basis point.
  expect(only(scenario.market(2, 'sell', 1_000), 'OrderFilled')[0]).toMatchObject({ liquidity: 'maker', feeAtoms: 100_000 });
});

test('refuses an unknown market, an invalid specification, and a change of what the listing fixes', () => {
  const scenario = market();
  expect(refusalCode(update(scenario, {}, 2 as typeof BTC))).toBe('market_not_found');
  expect(refusalCode(update(scenario, { markBandBps: 51 as Bps }))).toBe('market_invalid');
  const changed: Record<(typeof FIXED_FIELDS)[number], unknown> = {
    marketId: 'ETH-USD-PERP',
    underlyingSymbol: 'ETH',
    priceScale: 2,
    quantityScale: 2,
    minPriceAtoms: 2,
    maxPriceAtoms: 999_999,
    fundingPeriodMs: 7_200_000,
    autoDeleveraging: false,
  };
  for (const field of FIXED_FIELDS)
    expect(refusalCode(update(scenario, { [field]: changed[field] } as never)), field).toBe('market_invalid');
});

describe('maintenance', () => {
  /** Accounts 1 and 2 are long 1 and 2 BTC at 20 ×, account 3 is short at 1 ×. */
  function opened(): AuditedScenario {
    const scenario = market();
    scenario.limit(3, 'sell', 10_000, 3_000, { leverageX: 1 });
    scenario.market(1, 'buy', 1_000, { leverageX: 20 });
    scenario.market(2, 'buy', 2_000, { leverageX: 20 });
    return scenario;
  }

  test('refuses a rate with the number of positions that it would put below maintenance', () => {
    const scenario = opened();
    scenario.price(9_800);
    // They have 3 % of margin left.
    expect(update(scenario, { maintenanceMarginTiers: tiers([0, 310]) })).toMatchObject([{ code: 'market_busy', bound: 2 }]);
    expect(update(scenario, { maintenanceMarginTiers: tiers([0, 250], [1_500_000_000, 499]) })).toMatchObject([
      { code: 'market_busy', bound: 1 },
    ]);
    expect(typesOf(update(scenario, { maintenanceMarginTiers: tiers([0, 300]) }))).toEqual(['MarketUpdated']);
  });

  test('liquidates by the new rates from the next price on', () => {
    const scenario = opened();
    const prices = () =>
      [1, 2].map((account) => scenario.venue.state.account(account as never)!.positionIn(BTC).liquidationPriceAtoms);
    expect(prices()).toEqual([9_743, 9_743]);
    update(scenario, { maintenanceMarginTiers: tiers([0, 400]) });
    expect(prices()).toEqual([9_895, 9_895]);
    expect(only(scenario.price(9_896), 'LiquidationStarted')).toEqual([]);
    expect(only(scenario.price(9_895), 'LiquidationStarted')).toHaveLength(2);
  });

  test('does not count positions that are due already and reach no further step, and keeps parked ones parked', () => {
    const scenario = opened();
    expect(only(scenario.price(9_743), 'LiquidationStarted')).toHaveLength(2);
    const { positions } = scenario.venue.state.market(BTC)!;
    expect(positions.parkedCount).toBe(2);
    expect(typesOf(update(scenario, { maintenanceMarginTiers: tiers([0, 251]) }))).toEqual(['MarketUpdated']);
    expect(scenario.venue.state.market(BTC)!.positions.parkedCount).toBe(2);
    scenario.limit(3, 'buy', 9_740, 3_000, { reduceOnly: true });
    expect(only(scenario.price(9_744), 'LiquidationStarted').length).toBeGreaterThan(0);
  });

  test('counts parked positions that it would take to a further step, at which a bid may fill', () => {
    const scenario = opened();
    scenario.price(9_700);
    expect(scenario.venue.state.market(BTC)!.positions.parkedCount).toBe(2);
    expect(update(scenario, { maintenanceMarginTiers: tiers([0, 290]) })).toMatchObject([{ code: 'market_busy', bound: 2 }]);
  });

  test('counts parked positions that it would deleverage', () => {
    const scenario = opened();
    // They have 1.35 % of margin left, more than half of 2.5 %.
    scenario.price(9_630);
    expect(scenario.venue.state.market(BTC)!.positions.parkedCount).toBe(2);
    expect(update(scenario, { maintenanceMarginTiers: tiers([0, 300]) })).toMatchObject([{ code: 'market_busy', bound: 2 }]);
    expect(typesOf(update(scenario, { maintenanceMarginTiers: tiers([0, 260]) }))).toEqual(['MarketUpdated']);
  });

  test('counts a position at the index, which protects it while the mark is worse', () => {
    const scenario = market(5);
    scenario.limit(2, 'sell', 10_000, 1_000, { leverageX: 2 });
    scenario.market(1, 'buy', 1_000, { leverageX: 20 });
    scenario.price(9_744);
    scenario.limit(4, 'sell', 9_701, 8_000);
    scenario.limit(3, 'buy', 9_699, 8_000);
    scenario.market(5, 'sell', 2_000);
    scenario.wait(5_000);
    expect(only(scenario.price(9_744), 'LiquidationStarted')).toEqual([]);
    expect(scenario.venue.state.market(BTC)!.markPriceAtoms).toBeLessThan(9_743);
    expect(update(scenario, { maintenanceMarginTiers: tiers([0, 260]) })).toMatchObject([{ code: 'market_busy', bound: 1 }]);
  });
});

test('changes the taker fee only while no order rests, because each has reserved it', () => {
  const scenario = market();
  scenario.limit(1, 'buy', 9_900, 100);
  expect(update(scenario, { takerFeeBps: 6 as Bps })).toMatchObject([{ code: 'market_busy', bound: 0 }]);
  expect(typesOf(update(scenario, { makerFeeBps: 1 as Bps }))).toEqual(['MarketUpdated']);
  scenario.cancel(1, 1);
  expect(typesOf(update(scenario, { takerFeeBps: 6 as Bps }))).toEqual(['MarketUpdated']);
  scenario.limit(1, 'buy', 9_900, 100);
  expect(scenario.venue.state.account(1 as never)!.reservedAtoms).toBe(4_950_000 + 59_400);
});

test('announces the work that the market has', () => {
  const scenario = market(8);
  scenario.limit(2, 'sell', 10_000, 6_000, { leverageX: 2 });
  for (const account of [1, 3, 4, 5, 6, 7]) scenario.market(account, 'buy', 1_000);
  scenario.price(9_743);
  expect(typesOf(update(scenario, { makerFeeBps: 1 as Bps }))).toEqual(['MarketUpdated', 'MarketWorkPending']);
});
