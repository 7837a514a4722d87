/** A liquidation needs mark and index: quotes and trades away from the index liquidate no position that the index has not reached. */
import { describe, expect, test } from 'vitest';
import { BTC, SCENARIO_RULES, Scenario } from '#simulation/scenario.ts';
import type { VenueEvent } from '#venue/event.ts';
import { only } from '#venue/testing/outcome.ts';
import { SMALL_MARKET } from '#venue/testing/venues.ts';

/** Account 1 is long or short 1 BTC from 1,000.0 at 20 ×. `near` is a tick before its liquidation, which `reached` starts. */
const SIDES = [
  { name: 'long', side: 'buy', other: 'sell', near: 9_744, reached: 9_743, towardLoss: -1 },
  { name: 'short', side: 'sell', other: 'buy', near: 10_243, reached: 10_244, towardLoss: 1 },
] as const;

type Case = (typeof SIDES)[number];

/** Quotes and a trade so many ticks from the index move the mark. The index stays before the liquidation price. */
function leaned(
  { side, other, near }: Case,
  distance: number,
  rules = SCENARIO_RULES,
): { scenario: Scenario; events: VenueEvent[] } {
  const scenario = new Scenario(rules);
  scenario.populate(5, SMALL_MARKET);
  scenario.limit(2, other, 10_000, 1_000, { leverageX: 2 });
  scenario.market(1, side, 1_000, { leverageX: 20 });
  expect(only(scenario.price(near), 'LiquidationStarted')).toEqual([]);
  scenario.limit(4, 'sell', near + distance + 2, 8_000);
  scenario.limit(3, 'buy', near + distance, 8_000);
  scenario.market(5, 'sell', 2_000);
  scenario.wait(5_000);
  return { scenario, events: scenario.price(near) };
}

function markOf(scenario: Scenario): number {
  return scenario.venue.state.market(BTC)!.markPriceAtoms;
}

describe.each(SIDES)('a $name', (it) => {
  test('is liquidated at the mark alone without the rule', () => {
    const { events } = leaned(it, it.towardLoss * 45, { ...SCENARIO_RULES, confirmsByIndex: false });
    expect(only(events, 'LiquidationStarted')).toMatchObject([{ account: 1 }]);
  });

  test('is not due at the mark alone, and other accounts may open', () => {
    const { scenario, events } = leaned(it, it.towardLoss * 45);
    expect((markOf(scenario) - it.reached) * it.towardLoss).toBeGreaterThan(0);
    expect(events.at(-1)!.type).toBe('MarketPriced');
    expect(only(events, 'LiquidationStarted')).toEqual([]);
    expect(only(scenario.market(5, it.side, 10), 'OrderFilled')).toHaveLength(2);
    expect(only(scenario.price(it.reached), 'LiquidationStarted')).toMatchObject([{ account: 1 }]);
  });

  test('is not due at the index alone', () => {
    const { scenario } = leaned(it, -it.towardLoss * 45);
    scenario.wait(1_000);
    expect(only(scenario.price(it.reached), 'LiquidationStarted')).toEqual([]);
    expect((markOf(scenario) - it.reached) * it.towardLoss).toBeLessThan(0);
  });
});
