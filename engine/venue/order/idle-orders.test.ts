/**
 * While opening is not permitted, orders of accounts without a position (idle orders) offer nothing and stay in the book.
 * A closing order skips them, and fills with the orders behind them; the number skipped per turn is bounded.
 */
import { describe, expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { Side } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketStatus } from '#venue/market/specification.ts';
import { cancelsOf, holdingsOf, only, refusalCode, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET } from '#venue/testing/venues.ts';
import { MAX_MATCH_STEPS, MAX_SKIPPED } from './match-plan.ts';

const UNIT = 1_000;
const MINUTE = 60_000;
const MARKET = { ...SMALL_MARKET, maxIndexAgeMs: MINUTE };
/** Accounts from here on have no position. Each places up to BIDS_EACH bids for one lot. */
const FIRST_IDLE = 8;
const BIDS_EACH = 480;

/** Accounts 1 and 4 are long against account 2, which bids to close 0.4 BTC at 995.0 behind `idle` bids of other accounts. */
function crowded(idle: number): Scenario {
  const scenario = quickScenario(FIRST_IDLE - 1 + Math.ceil(idle / BIDS_EACH), MARKET);
  scenario.limit(2, 'sell', 10_000, UNIT + 1, { leverageX: 2 });
  scenario.market(1, 'buy', UNIT, { leverageX: 2 });
  scenario.market(4, 'buy', 1);
  for (let placed = 0; placed < idle; placed += 30)
    bidForLots(scenario, FIRST_IDLE + Math.floor(placed / BIDS_EACH), 9_980, Math.min(30, idle - placed));
  scenario.limit(2, 'buy', 9_950, 400, { reduceOnly: true });
  return scenario;
}

function bidForLots(scenario: Scenario, account: number, price: number, count: number): void {
  for (let placed = 0; placed < count; placed += 30) {
    const length = Math.min(30, count - placed);
    const bids = Array.from({ length }, (): readonly [Side, number, number] => ['buy', price, 1]);
    scenario.batch(account, bids);
  }
}

function setStatus(scenario: Scenario, status: MarketStatus): VenueEvent[] {
  return scenario.run({ type: 'SetMarketStatus', market: BTC, status });
}

const FREEZES = {
  'the market is reduce_only': (scenario: Scenario) => setStatus(scenario, 'reduce_only'),
  'the index price is too old': (scenario: Scenario) => scenario.wait(MINUTE + 1),
  'a jump of the index price is not confirmed': (scenario: Scenario) => scenario.price(4_000),
  /** Account 4 became due while the market was cancel-only, and no turn has tried its liquidation. */
  'a liquidation is due': (scenario: Scenario) => {
    setStatus(scenario, 'cancel_only');
    scenario.price(9_743);
    setStatus(scenario, 'open');
    expect(refusalCode(scenario.limit(3, 'buy', 9_000, 1))).toBe('market_reduce_only');
  },
};

describe.each(Object.entries(FREEZES))('while %s', (_, freeze) => {
  test('fills orders behind more idle orders than a turn has steps', () => {
    const scenario = crowded(MAX_MATCH_STEPS + 200);
    freeze(scenario);
    const events = scenario.market(1, 'sell', UNIT, { reduceOnly: true });
    expect(tradesOf(events)).toEqual([[9_950, 400]]);
    // Sending the rest again would not fill it.
    expect(cancelsOf(events).map(([, reason]) => reason)).toEqual(['no_liquidity']);
    expect(holdingsOf(scenario.venue.state, 1).base).toBe(600);
    expect(scenario.venue.state.orders.count).toBe(MAX_MATCH_STEPS + 200);
  });

  test('never rests the remainder across idle orders', () => {
    const scenario = crowded(MAX_MATCH_STEPS + 200);
    freeze(scenario);
    const events = scenario.limit(1, 'sell', 9_900, UNIT, { reduceOnly: true });
    expect(tradesOf(events)).toEqual([[9_950, 400]]);
    expect(only(events, 'OrderRested')).toEqual([]);
  });
});

test('skips a bounded number of idle orders per turn, then reports no liquidity', () => {
  for (const [idle, filled] of [
    [MAX_SKIPPED, 400],
    [MAX_SKIPPED + 1, 0],
  ] as const) {
    const scenario = crowded(idle);
    setStatus(scenario, 'reduce_only');
    const events = scenario.market(1, 'sell', UNIT, { reduceOnly: true });
    expect(tradesOf(events).reduce((sum, [, quantity]) => sum + quantity, 0)).toBe(filled);
    expect(cancelsOf(events).map(([, reason]) => reason)).toEqual(['no_liquidity']);
    // A liquidation without a fill waits: the next turn would not fill it either.
    const due = scenario.price(9_743);
    expect(typesOf(due)).toEqual(['MarketPriced', 'LiquidationStarted', 'OrderAccepted', 'OrderCancelled']);
  }
});

test('counts only orders that offer something as steps, and gets further when an order is repeated after fill_limit', () => {
  const scenario = crowded(MAX_MATCH_STEPS);
  for (const short of [5, 6, 7]) {
    scenario.limit(short, 'sell', 10_000, 400, { leverageX: 2 });
    scenario.market(1, 'buy', 400, { leverageX: 2 });
    bidForLots(scenario, short, 9_970, 400);
  }
  setStatus(scenario, 'reduce_only');
  const first = scenario.market(1, 'sell', 1_300, { reduceOnly: true });
  expect([tradesOf(first).length, cancelsOf(first).at(-1)![1]]).toEqual([MAX_MATCH_STEPS, 'fill_limit']);
  const second = scenario.market(1, 'sell', 300, { reduceOnly: true });
  expect([tradesOf(second).length, cancelsOf(second)]).toEqual([201, []]);
});

test('skips idle orders in a liquidation', () => {
  const scenario = crowded(MAX_MATCH_STEPS + 200);
  scenario.limit(2, 'buy', 9_940, 1, { reduceOnly: true });
  setStatus(scenario, 'reduce_only');
  const events = scenario.price(9_743);
  expect(only(events, 'LiquidationStarted').map(({ account }) => account)).toEqual([4]);
  expect(tradesOf(events)).toEqual([[9_950, 1]]);
});
