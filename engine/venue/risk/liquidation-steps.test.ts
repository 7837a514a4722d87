/** How far a liquidation fills at each step, and when what the book leaves is tried again. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BTC, SCENARIO_RULES, Scenario } from '#simulation/scenario.ts';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { MarkAverages } from '#venue/market/mark-averages.ts';
import { readState, writeState } from '#venue/snapshot.ts';
import { only, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { SMALL_MARKET, snapshotScenario } from '#venue/testing/venues.ts';
import { bankruptcyPriceOf } from './bankruptcy-price.ts';
import { stepAt, stepLimitOf, stepPriceOf, stepReaching } from './liquidation-steps.ts';
import type { RiskRules } from './risk-rules.ts';
import { tier } from './testing/exposures.ts';

const UNIT = 1_000;

/**
 * Account 1 has 1 BTC from 1,000.0 with a margin of 50, against account 2. As a long it is due at 974.3, has lost half at 962.0, and is
 * bankrupt at 950.0; as a short it is due at 1,024.4, has lost half at 1,037.1, and is bankrupt at 1,050.0.
 */
function opened(isLong: boolean, rules?: RiskRules): Scenario {
  const scenario = rules === undefined ? snapshotScenario(5) : new Scenario(rules);
  if (rules !== undefined) scenario.populate(5, SMALL_MARKET, 10_000_000_000);
  scenario.limit(2, isLong ? 'sell' : 'buy', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, isLong ? 'buy' : 'sell', UNIT);
  return scenario;
}

function nextStepIn(scenario: Scenario): number {
  const { positions } = scenario.venue.state.market(BTC)!;
  return positions.nextStepOf([...positions.parked()][0]!);
}

describe('the limit', () => {
  /** The prices of the steps, and one more eighth than the step of the way to the bankruptcy price. */
  const LONG = [
    [9_743, 9_713],
    [9_728, 9_671],
    [9_713, 9_634],
    [9_697, 9_599],
    [9_682, 9_569],
    [9_667, 9_542],
    [9_651, 9_519],
    [9_636, 9_500],
  ] as const;
  const SHORT = [
    [10_244, 10_276],
    [10_259, 10_319],
    [10_275, 10_359],
    [10_291, 10_395],
    [10_307, 10_427],
    [10_323, 10_455],
    [10_339, 10_479],
    [10_355, 10_500],
  ] as const;

  test.each(LONG.map(([price, limit], step) => [step, price, limit]))(
    'of a long after %i steps, at a price of %i, is %i',
    (_, price, limit) => {
      const beyond = opened(true);
      beyond.limit(3, 'buy', limit - 1, UNIT);
      expect(tradesOf(beyond.price(price))).toEqual([]);
      const within = opened(true);
      within.limit(3, 'buy', limit, UNIT);
      expect(tradesOf(within.price(price))).toEqual([[limit, UNIT]]);
    },
  );

  test.each(SHORT.map(([price, limit], step) => [step, price, limit]))(
    'of a short after %i steps, at a price of %i, is %i',
    (_, price, limit) => {
      const beyond = opened(false);
      beyond.limit(3, 'sell', limit + 1, UNIT);
      expect(tradesOf(beyond.price(price))).toEqual([]);
      const within = opened(false);
      within.limit(3, 'sell', limit, UNIT);
      expect(tradesOf(within.price(price))).toEqual([[limit, UNIT]]);
    },
  );

  test('is the bankruptcy price from the start without the rule', () => {
    const scenario = opened(true, { ...SCENARIO_RULES, stepsLimit: false });
    scenario.limit(3, 'buy', 9_500, UNIT);
    expect(tradesOf(scenario.price(9_743))).toEqual([[9_500, UNIT]]);
  });
});

describe('what the book leaves', () => {
  test('is tried again at the step that permits the best order, not before', () => {
    const scenario = opened(true);
    scenario.limit(3, 'buy', 9_600, UNIT);
    expect(only(scenario.price(9_743), 'LiquidationStarted')).toHaveLength(1);
    expect(nextStepIn(scenario)).toBe(3);
    expect(typesOf(scenario.price(9_698))).toEqual(['MarketPriced']);
    expect(tradesOf(scenario.price(9_697))).toEqual([[9_600, UNIT]]);
  });

  test('waits for its deleveraging in an empty book, and takes an order that is placed later at the next price', () => {
    const scenario = opened(true);
    scenario.price(9_743);
    expect(nextStepIn(scenario)).toBe(8);
    scenario.limit(3, 'buy', 9_700, UNIT);
    expect(tradesOf(scenario.price(9_728))).toEqual([[9_700, UNIT]]);
  });

  test('reaches no step at a price that only the mark has reached', () => {
    const scenario = opened(true, { ...SCENARIO_RULES, averagesMark: false });
    scenario.price(9_743);
    scenario.limit(4, 'sell', 9_701, 5_000);
    scenario.limit(3, 'buy', 9_699, 5_000);
    scenario.market(5, 'sell', 100);
    expect(tradesOf(scenario.price(9_743))).toEqual([]);
    expect(scenario.venue.state.market(BTC)!.markPriceAtoms).toBe(9_700);
    expect(nextStepIn(scenario)).toBe(1);
    expect(tradesOf(scenario.price(9_728))).toEqual([[9_699, UNIT]]);
  });
});

test('a snapshot of earlier rules says of a parked position only whether it waits for its deleveraging', () => {
  const scenario = opened(true);
  scenario.price(9_743);
  const { state } = scenario.venue;
  const market = state.market(BTC)!;
  const position = [...market.positions.parked()][0]!;
  const restored = () => {
    const { positions } = readState(writeState(state)).market(BTC)!;
    return positions.nextStepOf([...positions.parked()][0]!);
  };
  for (const step of [0, 3, 8]) {
    market.positions.park(market, position, step);
    expect(restored()).toBe(step);
  }
  // What only the rules of version 4 have is taken away.
  Object.assign(market.averages, new MarkAverages());
  expect(writeState(state)[0]).toBeLessThan(15);
  expect(restored()).toBe(8);
});

test('steps follow the plain arithmetic for any position', () => {
  const tiers = [tier(0, 250), tier(3_000_000_000, 300), tier(20_000_000_000, 450)];
  /** Margin plus profit, and the requirement, in ten-thousandths of an atom. */
  const isBelow = (multiple: bigint, price: number, signed: number, entry: number, margin: number) => {
    const notional = BigInt(price) * BigInt(Math.abs(signed)) * 100n;
    const profit = signed > 0 ? notional - BigInt(entry) : BigInt(entry) - notional;
    const part = (from: bigint, to: bigint, rate: bigint) =>
      notional <= from ? 0n : ((notional < to ? notional : to) - from) * rate;
    const required =
      part(0n, 3_000_000_000n, 250n) + part(3_000_000_000n, 20_000_000_000n, 300n) + part(20_000_000_000n, 2n ** 80n, 450n);
    return multiple * (BigInt(margin) + profit) * 10_000n < required;
  };
  const position = fc.record({
    isLong: fc.boolean(),
    lots: fc.integer({ min: 1, max: 40_000 }),
    leverage: fc.integer({ min: 2, max: 20 }),
    step: fc.integer({ min: 0, max: 8 }),
  });
  fc.assert(
    fc.property(position, ({ isLong, lots, leverage, step }) => {
      const entry = 10_000 * lots * 100;
      const margin = Math.floor(entry / leverage);
      const signed = isLong ? lots : -lots;
      const exposure = {
        signedBaseAtoms: signed as BaseAtoms,
        entryNotionalAtoms: entry as QuoteAtoms,
        marginAtoms: margin as QuoteAtoms,
      };
      const first = (multiple: bigint) => {
        let price = 10_000;
        while (!isBelow(multiple, price, signed, entry, margin)) price += isLong ? -1 : 1;
        return price;
      };
      const [due, halfLost] = [first(1n), first(2n)];
      const way = Math.floor((Math.abs(halfLost - due) * step) / 8);
      const price = isLong ? due - way : due + way;
      expect(stepPriceOf(exposure, step, 100, tiers)).toBe(price);
      const reached = stepAt(exposure, price as PriceAtoms, 100, tiers);
      expect(reached).toBeGreaterThanOrEqual(step);
      expect(stepPriceOf(exposure, reached, 100, tiers)).toBe(price);
      const limit = stepLimitOf(step, price as PriceAtoms, bankruptcyPriceOf(exposure, 100));
      const beyond = limit + (isLong ? -1 : 1);
      fc.pre(step < 8);
      expect(stepReaching(exposure, limit, step, 100, tiers)).toBe(step);
      expect(stepReaching(exposure, beyond as PriceAtoms, step, 100, tiers)).toBeGreaterThan(step);
    }),
    { numRuns: 150 },
  );
});

test('a market without deleveraging fills within its price band from the start', () => {
  const scenario = snapshotScenario(4, { ...SMALL_MARKET, autoDeleveraging: false, priceBandBps: 1_000 as Bps });
  scenario.limit(2, 'sell', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, 'buy', UNIT);
  scenario.limit(3, 'buy', 9_400, UNIT);
  expect(tradesOf(scenario.price(9_743))).toEqual([[9_400, UNIT]]);
});
