/** What the insurance fund pays for a liquidation is the shortfall of the position, to the atom. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import type { Bps, QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { holdingsOf, only, postingsOf } from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET, snapshotScenario } from '#venue/testing/venues.ts';

const UNIT = 1_000;

function insure(scenario: Scenario, amountAtoms: number): void {
  scenario.run({ type: 'CreditInsurance', amountAtoms: amountAtoms as QuoteAtoms, reference: 'test' });
}

describe('cover equals the shortfall to the atom, so that the account gains nothing from it', () => {
  /** Long 1 BTC for 1,000.0001 with a margin of 50.000005, against account 2. Equity is zero at 950.000095; ticks are 0.1. */
  const uneven = (change: Partial<MarketSpecification> = {}): Scenario => {
    const scenario = snapshotScenario(4, { ...SMALL_MARKET, liquidationFeeBps: 0 as Bps, ...change });
    scenario.limit(2, 'sell', 10_000, UNIT - 1, { leverageX: 2 });
    scenario.market(1, 'buy', UNIT - 1);
    scenario.price(10_001);
    scenario.limit(2, 'sell', 10_001, 1, { leverageX: 2 });
    scenario.market(1, 'buy', 1);
    expect(holdingsOf(scenario.venue.state, 1)).toMatchObject({ entry: 1_000_000_100, margin: 50_000_005 });
    insure(scenario, 1_000_000_000);
    return scenario;
  };
  const coversOf = (events: readonly VenueEvent[]) =>
    postingsOf(events, 1).flatMap(([kind, amount]) => (kind.endsWith('_cover') ? [amount] : []));
  /** The change of account 1's cash after its whole position is closed. */
  const leftOf = (scenario: Scenario, close: (scenario: Scenario) => VenueEvent[]) => {
    const before = holdingsOf(scenario.venue.state, 1).cash;
    const events = close(scenario);
    const { cash, base } = holdingsOf(scenario.venue.state, 1);
    expect(base).toBe(0);
    return { events, left: cash - before };
  };

  test('when the position closes in one fill', () => {
    const scenario = uneven();
    scenario.limit(3, 'buy', 9_460, UNIT);
    const { events, left } = leftOf(scenario, () => scenario.price(9_460));
    expect(only(events, 'LiquidationStarted')).toMatchObject([{ bankruptcyPriceAtoms: 9_501 }]);
    expect([coversOf(events), left]).toEqual([[4_000_095], 0]);
  });

  test('when it closes in parts: covers each share rounded up, and the rest with the last', () => {
    const scenario = uneven();
    for (const quantity of [1, 332, 667]) scenario.limit(3, 'buy', 9_460, quantity);
    const { events, left } = leftOf(scenario, () => scenario.price(9_460));
    // The exact shares are 4,000.095 and 1,328,031.54. The last close needs less by what was rounded up.
    expect([coversOf(events), left]).toEqual([[4_001, 1_328_032, 2_668_062], 0]);
  });

  test('when the parts have different prices and the first needs no cover', () => {
    const scenario = uneven();
    scenario.limit(3, 'buy', 9_510, 300, { leverageX: 1 });
    scenario.limit(3, 'buy', 9_470, 300, { leverageX: 1 });
    scenario.limit(3, 'buy', 9_460, 400);
    const { events, left } = leftOf(scenario, () => scenario.price(9_460));
    const margin = 50_000_005 - (1_000_000_100 - 300 * 951_000 - 300 * 947_000 - 400 * 946_000);
    const fees = only(events, 'OrderFilled').reduce((sum, { account, feeAtoms }) => sum + (account === 1 ? feeAtoms : 0), 0);
    expect(fees).toBeGreaterThan(0);
    expect([coversOf(events).reduce((sum, amount) => sum + amount), left]).toEqual([fees - margin, 0]);
  });

  test('without deleveraging', () => {
    const scenario = uneven({ autoDeleveraging: false });
    scenario.limit(3, 'buy', 9_460, UNIT);
    const { events, left } = leftOf(scenario, () => scenario.price(9_460));
    expect([coversOf(events), left]).toEqual([[4_000_095], 0]);
  });

  test('when the price is less than a tick beyond the exact bankruptcy price', () => {
    const scenario = uneven();
    scenario.limit(3, 'buy', 9_500, UNIT);
    const { events, left } = leftOf(scenario, () => scenario.price(9_500));
    expect([coversOf(events), left]).toEqual([[95], 0]);
  });

  test('for random sizes and prices', () => {
    const lot = fc.integer({ min: 1, max: 900 });
    const fills = fc.array(fc.record({ lots: lot, price: fc.integer({ min: 9_260, max: 9_600 }) }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(fills, fc.integer({ min: 1, max: 999 }), (bids, early) => {
        const scenario = quickScenario(4, { ...SMALL_MARKET, quantityScale: 5, liquidationFeeBps: 0 as Bps });
        insure(scenario, 1_000_000_000);
        const lots = bids.reduce((sum, bid) => sum + bid.lots, 0);
        scenario.limit(2, 'sell', 10_000, early, { leverageX: 2 });
        scenario.market(1, 'buy', early, { leverageX: 20 });
        scenario.limit(2, 'sell', 10_003, lots, { leverageX: 2 });
        scenario.market(1, 'buy', lots, { leverageX: 19 });
        for (const { lots: quantity, price } of bids) scenario.limit(3, 'buy', price, quantity, { leverageX: 1 });
        scenario.limit(3, 'buy', 9_260, early, { leverageX: 1 });
        const before = holdingsOf(scenario.venue.state, 1);
        const events = scenario.price(9_260);
        const fills = only(events, 'OrderFilled').filter(({ account, liquidity }) => account === 1 && liquidity === 'taker');
        const after = holdingsOf(scenario.venue.state, 1);
        const covered = coversOf(events).reduce((sum, amount) => sum + amount, 0);
        fc.pre(after.base === 0 && only(events, 'TradeExecuted').every(({ origin }) => origin === 'liquidation'));
        const proceeds = fills.reduce((sum, { notionalAtoms, feeAtoms }) => sum + notionalAtoms - feeAtoms, 0);
        expect(covered).toBe(Math.max(0, before.entry - before.margin - proceeds));
        expect(after.cash - before.cash).toBe(Math.max(0, proceeds + before.margin - before.entry));
      }),
      { numRuns: 150 },
    );
  });
});
