import { describe, expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketStatus } from '#venue/market/specification.ts';
import { cancelsOf, holdingsOf, only, refusalCode, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { SMALL_MARKET, watched } from '#venue/testing/venues.ts';

/** An index price lasts a minute here; half of it or more is a jump, which two further observations confirm. */
const UNIT = 1_000;
const MINUTE = 60_000;
const MARKET = { ...SMALL_MARKET, maxIndexAgeMs: MINUTE };

/** Account 1 is long a BTC from 1,000.0 at 20 ×, account 2 short at 2 ×; account 3 bids and asks far away. */
function oneLong(): Scenario {
  const scenario = watched(3, MARKET);
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

/** An observation that was made some time ago, or will be made. */
function observed(scenario: Scenario, price: number, agoMs: number): VenueEvent[] {
  const observedAtEpochMs = (scenario.now + 1 - agoMs) as EpochMs;
  return scenario.run({ type: 'PublishIndexPrice', market: BTC, priceAtoms: price as PriceAtoms, observedAtEpochMs });
}

/** What an owner of a BTC, and somebody with nothing, may do now. */
function permitted(scenario: Scenario): Record<string, string> {
  return {
    open: refusalCode(scenario.limit(3, 'buy', 9_000, 1)) ?? 'yes',
    close: refusalCode(scenario.limit(1, 'sell', 10_400, 1)) ?? 'yes',
    reduce: refusalCode(scenario.limit(1, 'sell', 10_400, 1, { reduceOnly: true })) ?? 'yes',
    cancel: refusalCode(scenario.cancel(1, 3)) ?? 'yes',
  };
}

test('a price outside of the bounds of the market is refused, and so is one of a market that there is not', () => {
  const scenario = watched(1);
  expect(scenario.price(0)).toMatchObject([{ code: 'price_out_of_bounds', bound: 1 }]);
  expect(scenario.price(-1)).toMatchObject([{ code: 'price_out_of_bounds', bound: 1 }]);
  expect(scenario.price(1_000_001)).toMatchObject([{ code: 'price_out_of_bounds', bound: 1_000_000 }]);
  expect(refusalCode(scenario.price(10_000, 7 as typeof BTC))).toBe('market_not_found');
  expect(refusalCode(scenario.run({ type: 'AdvanceMarket', market: 7 as typeof BTC }))).toBe('market_not_found');
});

test('without news of the index nobody opens, whoever holds something may leave, and nobody is made to', () => {
  const scenario = oneLong();
  scenario.limit(1, 'sell', 10_500, 1);
  // The next command comes when the price is as old as it may be, the one after it a millisecond later.
  scenario.wait(scenario.venue.state.markets[1]!.index.acceptedAtEpochMs + MINUTE - 1 - scenario.now);
  expect(refusalCode(scenario.limit(3, 'buy', 9_900, 1))).toBeUndefined();
  expect(permitted(scenario)).toEqual({
    open: 'index_not_current',
    close: 'index_not_current',
    reduce: 'yes',
    cancel: 'yes',
  });
  // Whoever leaves meets the open orders of those who leave as well, and no others.
  scenario.limit(2, 'buy', 9_900, 1, { reduceOnly: true });
  expect(tradesOf(scenario.market(1, 'sell', 2, { reduceOnly: true }))).toEqual([[9_900, 1]]);
  expect(holdingsOf(scenario.venue.state, 3).base).toBe(0);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  scenario.price(10_000);
  expect(permitted(scenario)).toMatchObject({ open: 'yes', close: 'yes' });
});

test('what is due waits while the index is not current', () => {
  const scenario = watched(9, MARKET);
  scenario.limit(2, 'sell', 10_000, 6 * UNIT, { leverageX: 2 });
  for (const account of [1, 3, 4, 5, 6, 7]) scenario.market(account, 'buy', UNIT);
  expect(only(scenario.price(9_743), 'LiquidationStarted')).toHaveLength(4);
  scenario.wait(MINUTE + 1);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  // Old news do not end that, new ones do.
  expect(typesOf(observed(scenario, 9_000, MINUTE + 1))).toEqual(['MarketPriced']);
  expect(only(scenario.price(9_743), 'LiquidationStarted')).toHaveLength(2);
});

test('an observation counts by when it was made', () => {
  const scenario = watched(1, MARKET);
  scenario.price(10_000);
  scenario.wait(MINUTE);
  // Too old; older than the last one; made in time.
  expect(observed(scenario, 9_500, MINUTE + 1)).toMatchObject([{ indexPriceAtoms: 10_000 }]);
  expect(observed(scenario, 9_600, 10_000)).toMatchObject([{ indexPriceAtoms: 9_600, observedAtEpochMs: scenario.now - 10_000 }]);
  expect(observed(scenario, 9_700, 20_000)).toMatchObject([{ indexPriceAtoms: 9_600 }]);
  // Made ahead of the time it is one of now, and shuts out no later one.
  expect(observed(scenario, 9_800, -MINUTE)).toMatchObject([{ indexPriceAtoms: 9_800, observedAtEpochMs: scenario.now }]);
  expect(scenario.price(9_900)).toMatchObject([{ indexPriceAtoms: 9_800 }]);
  expect(scenario.price(9_900)).toMatchObject([{ indexPriceAtoms: 9_900, indexStatus: 'current' }]);
});

test('of one moment there is one price: small steps within it lead nowhere', () => {
  const scenario = watched(1, MARKET);
  scenario.wait(1_000);
  const observedAtEpochMs = scenario.now;
  let price = 10_000;
  for (let count = 0; count < 5; count += 1) {
    price -= 300;
    scenario.run({ type: 'PublishIndexPrice', market: BTC, priceAtoms: price as PriceAtoms, observedAtEpochMs });
  }
  expect(scenario.venue.state.markets[1]!.indexPriceAtoms).toBe(9_700);
});

test('a jump moves nothing until it is confirmed', () => {
  const scenario = oneLong();
  // Quotes and a trade that would put the mark at 1,004.0, were it looked at.
  scenario.limit(3, 'buy', 10_030, 5 * UNIT);
  scenario.limit(2, 'sell', 10_050, 5 * UNIT);
  scenario.market(3, 'buy', 1);
  for (const price of [4_999, 4_950]) {
    expect(scenario.price(price)).toMatchObject([
      { indexPriceAtoms: 10_000, markPriceAtoms: 10_000, indexStatus: 'unconfirmed' },
    ]);
    expect(refusalCode(scenario.limit(3, 'buy', 9_000, 1))).toBe('index_not_current');
    expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  }
  const confirmed = scenario.price(4_900);
  expect(confirmed[0]).toMatchObject({ indexPriceAtoms: 4_900, markPriceAtoms: 4_924, indexStatus: 'current' });
  expect(only(confirmed, 'LiquidationStarted').map(({ account }) => account)).toContain(1);
});

test('a jump that nobody else sees is forgotten, and one that nothing follows leaves the market without an index', () => {
  const scenario = oneLong();
  scenario.price(4_999);
  expect(scenario.price(10_050)).toMatchObject([{ indexPriceAtoms: 10_050, indexStatus: 'current' }]);
  scenario.price(4_999);
  expect(permitted(scenario)).toMatchObject({ open: 'index_not_current', reduce: 'yes' });
  scenario.wait(MINUTE + 1);
  expect(permitted(scenario)).toMatchObject({ open: 'index_not_current', reduce: 'yes' });
  // It takes three again: what was seen before the gap confirms nothing.
  expect(scenario.price(5_000)[0]).toMatchObject({ indexStatus: 'unconfirmed' });
  scenario.price(5_000);
  expect(scenario.price(5_000)[0]).toMatchObject({ indexPriceAtoms: 5_000, indexStatus: 'current' });
});

describe.each(['stale', 'unconfirmed', 'reduce_only'] as const)(
  'while it is %s, nobody opens by an order that was there before',
  (how) => {
    /** Account 1 is long, account 2 short a BTC; account 3 bids for two from before. */
    function frozen(): Scenario {
      const scenario = oneLong();
      scenario.limit(3, 'buy', 9_990, 2 * UNIT);
      if (how === 'stale') scenario.wait(MINUTE + 1);
      if (how === 'unconfirmed') scenario.price(4_000);
      if (how === 'reduce_only') setStatus(scenario, 'reduce_only');
      return scenario;
    }

    test('it offers only what it reduces, and what is left is found by who comes when it is over', () => {
      const scenario = frozen();
      expect(cancelsOf(scenario.market(1, 'sell', 10, { reduceOnly: true }))).toEqual([[4, 'no_liquidity']]);
      // Account 2 has an order that may enlarge its position, or close it: it closes what there is.
      scenario.limit(2, 'buy', 9_980, 400, { reduceOnly: true });
      const events = scenario.market(1, 'sell', UNIT, { reduceOnly: true });
      expect(tradesOf(events)).toEqual([[9_980, 400]]);
      expect(cancelsOf(events)).toEqual([[6, 'no_liquidity']]);
      expect([1, 2, 3].map((account) => holdingsOf(scenario.venue.state, account).base)).toEqual([600, -600, 0]);
    });

    test('what it does not take never rests across it', () => {
      const scenario = frozen();
      const events = scenario.limit(1, 'sell', 9_990, UNIT, { reduceOnly: true });
      expect(cancelsOf(events)).toEqual([[4, 'no_liquidity']]);
      expect(refusalCode(scenario.limit(1, 'sell', 9_990, UNIT, { reduceOnly: true, postOnly: true }))).toBe(
        'post_only_would_cross',
      );
      expect(typesOf(scenario.limit(1, 'sell', 9_991, UNIT, { reduceOnly: true }))).toEqual(['OrderAccepted', 'OrderRested']);
    });
  },
);

test('an order that enlarges or flips a position offers as much of it as it closes', () => {
  const scenario = oneLong();
  // Account 3 takes 0.6 of the short over.
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

test('each status permits what its table says', () => {
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

test('where both the status and the index forbid it, the status is named', () => {
  const scenario = oneLong();
  setStatus(scenario, 'reduce_only');
  scenario.wait(MINUTE + 1);
  expect(refusalCode(scenario.limit(3, 'buy', 9_000, 1))).toBe('market_reduce_only');
  setStatus(scenario, 'cancel_only');
  expect(refusalCode(scenario.limit(3, 'buy', 9_000, 1))).toBe('market_not_open');
});

test('the price goes on being told where nobody trades, and what is due is closed once they do', () => {
  const scenario = oneLong();
  setStatus(scenario, 'cancel_only');
  expect(scenario.price(9_600)).toMatchObject([{ type: 'MarketPriced', markPriceAtoms: 9_600, indexStatus: 'current' }]);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  setStatus(scenario, 'open');
  expect(only(advance(scenario), 'LiquidationStarted')).toMatchObject([{ account: 1, markPriceAtoms: 9_600 }]);
});

test('a market closes when nobody has anything in it, and stays closed', () => {
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

describe('what the book says of a price', () => {
  /** Account 1 is long a BTC, account 2 short; account 3 asks and bids for as much as the book is asked about, around 1,000.0. */
  function quoted(): Scenario {
    const scenario = oneLong();
    scenario.limit(3, 'sell', 10_080, 5 * UNIT, { leverageX: 2 });
    scenario.limit(3, 'buy', 9_980, 5 * UNIT, { leverageX: 2 });
    return scenario;
  }
  const said = (scenario: Scenario) => only(scenario.price(10_000), 'MarketPriced')[0]!.markPriceAtoms;

  test('is what those say who hold money for it: nobody moves it with orders that only reduce', () => {
    const scenario = quoted();
    scenario.limit(1, 'sell', 10_040, 1, { reduceOnly: true });
    scenario.limit(2, 'buy', 10_040, 1, { reduceOnly: true });
    // It bids 9,500 BTC to close one, and holds nothing for that. The last trade, at 1,004.0, would agree.
    for (let count = 0; count < 19; count += 1) scenario.limit(2, 'buy', 10_060, 500_000, { reduceOnly: true });
    expect(said(scenario)).toBe(10_030);
    scenario.limit(3, 'buy', 10_020, 5 * UNIT, { leverageX: 2 });
    expect(said(scenario)).toBe(10_040);
  });

  test('nor does it count for anything where nobody may open: those quotes can be met by nobody', () => {
    for (const status of ['reduce_only', 'cancel_only'] as const) {
      const scenario = quoted();
      scenario.limit(1, 'sell', 10_040, 1, { reduceOnly: true });
      scenario.limit(2, 'buy', 10_040, 1, { reduceOnly: true });
      expect(said(scenario)).toBe(10_030);
      setStatus(scenario, status);
      expect(said(scenario)).toBe(10_000);
      setStatus(scenario, 'open');
      expect(said(scenario)).toBe(10_030);
    }
  });
});
