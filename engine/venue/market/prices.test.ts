import { describe, expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketStatus } from '#venue/market/specification.ts';
import { cancelsOf, holdingsOf, only, refusalCode, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { SMALL_MARKET, snapshotScenario } from '#venue/testing/venues.ts';
import { MICRO_TICKS } from './mark-averages.ts';

/** In these tests an index price is current for a minute. A change by more than half is a jump, which two further observations confirm. */
const UNIT = 1_000;
const MINUTE = 60_000;
const MARKET = { ...SMALL_MARKET, maxIndexAgeMs: MINUTE };

/** Account 1 is long 1 BTC from 1,000.0 at 20 ×, account 2 is short at 2 ×; account 3 has no position. */
function oneLong(): Scenario {
  const scenario = snapshotScenario(3, MARKET);
  scenario.limit(2, 'sell', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, 'buy', UNIT);
  return scenario;
}

function advance(scenario: Scenario): VenueEvent[] {
  return scenario.run({ type: 'AdvanceMarket', market: BTC });
}

function setStatus(scenario: Scenario, status: MarketStatus): VenueEvent[] {
  return scenario.run({ type: 'SetMarketStatus', market: BTC, status });
}

/** Publishes an observation that is `agoMs` old; a negative age is in the future. */
function observed(scenario: Scenario, price: number, agoMs: number): VenueEvent[] {
  const observedAtEpochMs = (scenario.now + 1 - agoMs) as EpochMs;
  return scenario.run({ type: 'PublishIndexPrice', market: BTC, priceAtoms: price as PriceAtoms, observedAtEpochMs });
}

/** What account 1 with a position and account 3 without one may do now: `yes` or the refusal. */
function permitted(scenario: Scenario): Record<string, string> {
  return {
    open: refusalCode(scenario.limit(3, 'buy', 9_000, 1)) ?? 'yes',
    close: refusalCode(scenario.limit(1, 'sell', 10_400, 1)) ?? 'yes',
    reduce: refusalCode(scenario.limit(1, 'sell', 10_400, 1, { reduceOnly: true })) ?? 'yes',
    cancel: refusalCode(scenario.cancel(1, 3)) ?? 'yes',
  };
}

test('refuses a price outside of the market bounds or of an unknown market', () => {
  const scenario = snapshotScenario(1);
  expect(scenario.price(0)).toMatchObject([{ code: 'price_out_of_bounds', bound: 1 }]);
  expect(scenario.price(-1)).toMatchObject([{ code: 'price_out_of_bounds', bound: 1 }]);
  expect(scenario.price(1_000_001)).toMatchObject([{ code: 'price_out_of_bounds', bound: 1_000_000 }]);
  expect(refusalCode(scenario.price(10_000, 7 as typeof BTC))).toBe('market_not_found');
  expect(refusalCode(scenario.run({ type: 'AdvanceMarket', market: 7 as typeof BTC }))).toBe('market_not_found');
});

test('permits only reducing and cancelling while the index is stale, and liquidates no position', () => {
  const scenario = oneLong();
  scenario.limit(1, 'sell', 10_500, 1);
  // The next command runs when the price has its maximum age, the one after it a millisecond later.
  scenario.wait(scenario.venue.state.markets[1]!.index.acceptedAtEpochMs + MINUTE - 1 - scenario.now);
  expect(refusalCode(scenario.limit(3, 'buy', 9_900, 1))).toBeUndefined();
  expect(permitted(scenario)).toEqual({
    open: 'index_not_current',
    close: 'index_not_current',
    reduce: 'yes',
    cancel: 'yes',
  });
  // A reducing order fills only against what others reduce: the earlier bid of account 3 at the same price does not open.
  scenario.limit(2, 'buy', 9_900, 1, { reduceOnly: true });
  expect(tradesOf(scenario.market(1, 'sell', 2, { reduceOnly: true }))).toEqual([[9_900, 1]]);
  expect(holdingsOf(scenario.venue.state, 3).base).toBe(0);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  scenario.price(10_000);
  expect(permitted(scenario)).toMatchObject({ open: 'yes', close: 'yes' });
});

test('delays due liquidations while the index is not current', () => {
  const scenario = snapshotScenario(9, MARKET);
  scenario.limit(2, 'sell', 10_000, 6 * UNIT, { leverageX: 2 });
  for (const account of [1, 3, 4, 5, 6, 7]) scenario.market(account, 'buy', UNIT);
  expect(only(scenario.price(9_743), 'LiquidationStarted')).toHaveLength(4);
  scenario.wait(MINUTE + 1);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  // An outdated price does not resume them, a new one does.
  expect(typesOf(observed(scenario, 9_000, MINUTE + 1))).toEqual(['MarketPriced']);
  expect(only(scenario.price(9_743), 'LiquidationStarted')).toHaveLength(2);
});

test('judges an observation by the time when it was made', () => {
  const scenario = snapshotScenario(1, MARKET);
  scenario.price(10_000);
  scenario.wait(MINUTE);
  // Too old; recent enough; older than the last one.
  expect(observed(scenario, 9_500, MINUTE + 1)).toMatchObject([{ indexPriceAtoms: 10_000 }]);
  expect(observed(scenario, 9_600, 10_000)).toMatchObject([{ indexPriceAtoms: 9_600, observedAtEpochMs: scenario.now - 10_000 }]);
  expect(observed(scenario, 9_700, 20_000)).toMatchObject([{ indexPriceAtoms: 9_600 }]);
  // An observation from the future counts as made now, and does not block later ones.
  expect(observed(scenario, 9_800, -MINUTE)).toMatchObject([{ indexPriceAtoms: 9_800, observedAtEpochMs: scenario.now }]);
  expect(scenario.price(9_900)).toMatchObject([{ indexPriceAtoms: 9_800 }]);
  expect(scenario.price(9_900)).toMatchObject([{ indexPriceAtoms: 9_900, indexStatus: 'current' }]);
});

test('accepts one price per moment, so that small steps within it do not add up', () => {
  const scenario = snapshotScenario(1, MARKET);
  scenario.wait(1_000);
  const observedAtEpochMs = scenario.now;
  let price = 10_000;
  for (let count = 0; count < 5; count += 1) {
    price -= 300;
    scenario.run({ type: 'PublishIndexPrice', market: BTC, priceAtoms: price as PriceAtoms, observedAtEpochMs });
  }
  expect(scenario.venue.state.markets[1]!.indexPriceAtoms).toBe(9_700);
});

test('changes neither index nor mark by a jump until it is confirmed', () => {
  const scenario = oneLong();
  // Quotes and a trade that would move the averages if they were updated.
  scenario.limit(3, 'buy', 10_030, 5 * UNIT);
  scenario.limit(2, 'sell', 10_050, 5 * UNIT);
  scenario.market(3, 'buy', 1);
  const averages = () => ({ ...scenario.venue.state.markets[1]!.averages });
  const before = averages();
  for (const price of [4_999, 4_950]) {
    expect(scenario.price(price)).toMatchObject([
      { indexPriceAtoms: 10_000, markPriceAtoms: 10_000, indexStatus: 'unconfirmed' },
    ]);
    expect(refusalCode(scenario.limit(3, 'buy', 9_000, 1))).toBe('index_not_current');
    expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
    expect(averages()).toEqual(before);
  }
  const confirmed = scenario.price(4_900);
  expect(confirmed[0]).toMatchObject({ indexPriceAtoms: 4_900, markPriceAtoms: 4_900, indexStatus: 'current' });
  expect(averages().bookMicroTicks).toBeGreaterThan(0);
  // The trade was at an index that no longer was current.
  expect(averages().tradedAtoms).toBe(0);
  expect(only(confirmed, 'LiquidationStarted').map(({ account }) => account)).toContain(1);
});

test('drops a jump that is not confirmed, and has no current index when no price follows', () => {
  const scenario = oneLong();
  scenario.price(4_999);
  expect(scenario.price(10_050)).toMatchObject([{ indexPriceAtoms: 10_050, indexStatus: 'current' }]);
  scenario.price(4_999);
  expect(permitted(scenario)).toMatchObject({ open: 'index_not_current', reduce: 'yes' });
  scenario.wait(MINUTE + 1);
  expect(permitted(scenario)).toMatchObject({ open: 'index_not_current', reduce: 'yes' });
  // Three observations are needed again: those before the gap confirm nothing.
  expect(scenario.price(5_000)[0]).toMatchObject({ indexStatus: 'unconfirmed' });
  scenario.price(5_000);
  expect(scenario.price(5_000)[0]).toMatchObject({ indexPriceAtoms: 5_000, indexStatus: 'current' });
});

describe.each(['stale', 'unconfirmed', 'reduce_only'] as const)('an order that rested before the market became %s', (how) => {
  /** Account 1 is long 1 BTC, account 2 is short 1 BTC. Account 3 has bid for two before the change. */
  function frozen(): Scenario {
    const scenario = oneLong();
    scenario.limit(3, 'buy', 9_990, 2 * UNIT);
    if (how === 'stale') scenario.wait(MINUTE + 1);
    if (how === 'unconfirmed') scenario.price(4_000);
    if (how === 'reduce_only') setStatus(scenario, 'reduce_only');
    return scenario;
  }

  test('fills only what it reduces, and does not open', () => {
    const scenario = frozen();
    expect(cancelsOf(scenario.market(1, 'sell', 10, { reduceOnly: true }))).toEqual([[4, 'no_liquidity']]);
    // The order of account 2 only closes a part of its position.
    scenario.limit(2, 'buy', 9_980, 400, { reduceOnly: true });
    const events = scenario.market(1, 'sell', UNIT, { reduceOnly: true });
    expect(tradesOf(events)).toEqual([[9_980, 400]]);
    expect(cancelsOf(events)).toEqual([[6, 'no_liquidity']]);
    expect([1, 2, 3].map((account) => holdingsOf(scenario.venue.state, account).base)).toEqual([600, -600, 0]);
  });

  test('keeps an incoming remainder that crosses it out of the book', () => {
    const scenario = frozen();
    const events = scenario.limit(1, 'sell', 9_990, UNIT, { reduceOnly: true });
    expect(cancelsOf(events)).toEqual([[4, 'no_liquidity']]);
    expect(refusalCode(scenario.limit(1, 'sell', 9_990, UNIT, { reduceOnly: true, postOnly: true }))).toBe(
      'post_only_would_cross',
    );
    expect(typesOf(scenario.limit(1, 'sell', 9_991, UNIT, { reduceOnly: true }))).toEqual(['OrderAccepted', 'OrderRested']);
  });
});

test('fills an order that would enlarge or flip a position only up to what it closes', () => {
  const scenario = oneLong();
  // Account 3 takes over 0.6 of the short position.
  scenario.limit(3, 'sell', 10_000, 600);
  scenario.market(2, 'buy', 600);
  scenario.limit(2, 'buy', 9_990, 100);
  scenario.limit(2, 'buy', 9_980, 3 * UNIT);
  scenario.wait(MINUTE + 1);
  const events = scenario.market(1, 'sell', UNIT, { reduceOnly: true });
  expect(tradesOf(events)).toEqual([
    [9_990, 100],
    [9_980, 300],
  ]);
  expect(holdingsOf(scenario.venue.state, 1).base).toBe(600);
  expect(holdingsOf(scenario.venue.state, 2)).toMatchObject({ base: 0, margin: 0 });
});

test('permits the activities of each status', () => {
  const inStatus = (...statuses: MarketStatus[]) => {
    const scenario = oneLong();
    scenario.limit(1, 'sell', 10_500, 1);
    for (const status of statuses) expect(typesOf(setStatus(scenario, status))).toEqual(['MarketStatusChanged']);
    return { ...permitted(scenario), liquidate: only(scenario.price(9_000), 'LiquidationStarted').length > 0 };
  };
  const yes = { open: 'yes', close: 'yes', reduce: 'yes', cancel: 'yes', liquidate: true };
  const halted = {
    open: 'market_not_open',
    close: 'market_not_open',
    reduce: 'market_not_open',
    cancel: 'yes',
    liquidate: false,
  };
  expect(inStatus()).toEqual(yes);
  expect(inStatus('reduce_only')).toEqual({ ...yes, open: 'market_reduce_only', close: 'market_reduce_only' });
  expect(inStatus('cancel_only')).toEqual(halted);
  expect(inStatus('cancel_only', 'reduce_only')).toEqual({ ...yes, open: 'market_reduce_only', close: 'market_reduce_only' });
  expect(inStatus('reduce_only', 'open')).toEqual(yes);
});

test('refuses with the code of the status when both status and index forbid an order', () => {
  const scenario = oneLong();
  setStatus(scenario, 'reduce_only');
  scenario.wait(MINUTE + 1);
  expect(refusalCode(scenario.limit(3, 'buy', 9_000, 1))).toBe('market_reduce_only');
  setStatus(scenario, 'cancel_only');
  expect(refusalCode(scenario.limit(3, 'buy', 9_000, 1))).toBe('market_not_open');
});

test('updates prices while trading is halted, and liquidates after it resumes', () => {
  const scenario = oneLong();
  setStatus(scenario, 'cancel_only');
  expect(scenario.price(9_600)).toMatchObject([{ type: 'MarketPriced', markPriceAtoms: 9_600, indexStatus: 'current' }]);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  setStatus(scenario, 'open');
  expect(only(advance(scenario), 'LiquidationStarted')).toMatchObject([{ account: 1, markPriceAtoms: 9_600 }]);
});

test('closes a market only without positions and orders, and never reopens it', () => {
  const scenario = oneLong();
  expect(refusalCode(setStatus(scenario, 'closed'))).toBe('market_transition_invalid');
  setStatus(scenario, 'reduce_only');
  expect(refusalCode(setStatus(scenario, 'closed'))).toBe('market_transition_invalid');
  scenario.limit(2, 'buy', 10_000, UNIT, { reduceOnly: true });
  scenario.market(1, 'sell', UNIT, { reduceOnly: true });
  setStatus(scenario, 'open');
  scenario.limit(3, 'buy', 9_000, 1);
  setStatus(scenario, 'cancel_only');
  expect(refusalCode(setStatus(scenario, 'closed'))).toBe('market_busy');
  expect(cancelsOf(scenario.cancel(3, 5))).toEqual([[5, 'user']]);
  expect(typesOf(setStatus(scenario, 'closed'))).toEqual(['MarketStatusChanged']);
  for (const status of ['draft', 'open', 'reduce_only', 'cancel_only', 'closed'] as const)
    expect(refusalCode(setStatus(scenario, status))).toBe('market_transition_invalid');
  expect(refusalCode(scenario.limit(3, 'buy', 9_000, 1))).toBe('market_not_open');
  expect(holdingsOf(scenario.venue.state, 1).base).toBe(0);
});

describe('the book price in the mark', () => {
  /** Account 1 is long 1 BTC, account 2 is short. Account 3 quotes the impact notional on both sides, around 1,000.0. */
  function quoted(): Scenario {
    const scenario = oneLong();
    scenario.limit(3, 'sell', 10_080, 5 * UNIT, { leverageX: 2 });
    scenario.limit(3, 'buy', 9_980, 5 * UNIT, { leverageX: 2 });
    return scenario;
  }
  /** How far above the index the average of the book is in the end, in ticks. */
  function bookOf(scenario: Scenario): number {
    for (let count = 0; count < 120; count += 1) {
      scenario.wait(4_999);
      scenario.price(10_000);
    }
    return Math.round(scenario.venue.state.markets[1]!.averages.bookMicroTicks / MICRO_TICKS);
  }

  test('counts only orders that reserve margin, not reduce-only orders', () => {
    const scenario = quoted();
    scenario.snapshotEvery = 50;
    // Account 2 bids for 9,500 BTC to close 1 BTC, without a reservation.
    for (let count = 0; count < 19; count += 1) scenario.limit(2, 'buy', 10_060, 500_000, { reduceOnly: true });
    expect(bookOf(scenario)).toBe(30);
    scenario.limit(3, 'buy', 10_020, 5 * UNIT, { leverageX: 2 });
    expect(bookOf(scenario)).toBe(50);
  });

  test('returns to the index while the status forbids opening, because no order can match the quotes', () => {
    for (const status of ['reduce_only', 'cancel_only'] as const) {
      const scenario = quoted();
      scenario.snapshotEvery = 50;
      expect(bookOf(scenario)).toBe(30);
      setStatus(scenario, status);
      expect(bookOf(scenario)).toBe(0);
      setStatus(scenario, 'open');
      expect(bookOf(scenario)).toBe(30);
    }
  });

  test('moves the mark together with trades of the impact notional', () => {
    const scenario = quoted();
    scenario.snapshotEvery = 50;
    expect(bookOf(scenario)).toBe(30);
    expect(scenario.venue.state.markets[1]!.markPriceAtoms).toBe(10_000);
    // 4,016 dollars against an impact notional of 4,000, 40 ticks above the index.
    scenario.limit(1, 'sell', 10_040, 4 * UNIT, { leverageX: 2 });
    scenario.market(2, 'buy', 4 * UNIT, { leverageX: 2 });
    expect(only(scenario.price(10_000), 'MarketPriced')[0]!.markPriceAtoms).toBe(10_020);
  });
});
