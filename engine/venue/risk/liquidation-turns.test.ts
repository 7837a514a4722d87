import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { holdingsOf, ledgerMovesOf, only, postingsOf, refusalCode, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { SMALL_MARKET, unwatched, watched } from '#venue/testing/venues.ts';
import { LIQUIDATIONS_PER_TURN } from './liquidation.ts';

/** Liquidations in time: a bounded number in a turn, some that wait for another price, episodes that follow one another. */
const UNIT = 1_000;
const DUE = 9_743;

/** Accounts from 3 on are long a BTC each from 1,000.0; account 1 is short all of it, account 2 has nothing. */
function longs(count: number, specification: MarketSpecification = SMALL_MARKET, isWatched = true): Scenario {
  const scenario = isWatched ? watched(count + 2, specification) : unwatched(count + 2, specification);
  scenario.limit(1, 'sell', 10_000, count * UNIT, { leverageX: 2 });
  for (let account = 3; account < count + 3; account += 1) scenario.market(account, 'buy', UNIT);
  return scenario;
}

const OTHER_ACCOUNTS: MarketSpecification = { ...SMALL_MARKET, autoDeleveraging: false };

function advance(scenario: Scenario): VenueEvent[] {
  return scenario.run({ type: 'AdvanceMarket', market: BTC });
}

/** The accounts whose liquidation began, in order. */
function started(events: readonly VenueEvent[]): number[] {
  return only(events, 'LiquidationStarted').map(({ account }) => account);
}

function isPending(events: readonly VenueEvent[]): boolean {
  return events.at(-1)?.type === 'MarketWorkPending';
}

test('a turn liquidates a bounded number of positions, says that more is due, and the next goes on', () => {
  const scenario = longs(10);
  scenario.limit(2, 'buy', 9_700, 10 * UNIT);
  const first = scenario.price(DUE);
  expect(started(first)).toEqual([3, 4, 5, 6]);
  expect(isPending(first)).toBe(true);
  // What is due stays due, whatever else happens meanwhile, and nobody opens.
  expect(refusalCode(scenario.limit(2, 'buy', 9_690, 1))).toBe('market_reduce_only');
  expect(refusalCode(scenario.limit(3, 'sell', 9_800, 1))).toBe('market_reduce_only');
  expect(refusalCode(scenario.limit(11, 'sell', 9_800, 1, { reduceOnly: true }))).toBeUndefined();
  const second = advance(scenario);
  expect(started(second)).toEqual([7, 8, 9, 10]);
  expect(isPending(second)).toBe(true);
  const third = advance(scenario);
  expect(started(third)).toEqual([11, 12]);
  expect(refusalCode(scenario.limit(2, 'buy', 9_690, 1))).toBeUndefined();
  expect(typesOf(third)).not.toContain('MarketWorkPending');
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  expect(LIQUIDATIONS_PER_TURN).toBe(4);
});

test('whose price was reached first is liquidated first', () => {
  const scenario = watched(6);
  scenario.limit(1, 'sell', 10_000, 10 * UNIT, { leverageX: 2 });
  scenario.market(3, 'buy', UNIT, { leverageX: 12 });
  scenario.market(4, 'buy', UNIT, { leverageX: 20 });
  scenario.market(5, 'buy', UNIT, { leverageX: 15 });
  scenario.limit(2, 'buy', 9_000, 3 * UNIT);
  // The quotes hold the mark up by 0.5 %, to 939.6.
  expect(started(scenario.price(9_350))).toEqual([4, 5, 3]);
});

test('nobody sells a profit to a newcomer before those who owe it are closed: not in a frozen market that is opened again', () => {
  const scenario = watched(4);
  scenario.limit(3, 'sell', 10_000, UNIT, { leverageX: 20 });
  scenario.limit(1, 'buy', 10_000, UNIT, { leverageX: 1 });
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'cancel_only' });
  scenario.jump(12_000);
  const opened = scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'open' });
  expect(typesOf(opened)).toEqual(['MarketStatusChanged', 'MarketWorkPending']);
  expect(refusalCode(scenario.limit(4, 'buy', 12_000, UNIT, { leverageX: 20 }))).toBe('market_reduce_only');
  // Who reduces may: but the newcomer's order is not there, and nothing else.
  expect(tradesOf(scenario.market(1, 'sell', UNIT, { reduceOnly: true }))).toEqual([]);
  expect(tradesOf(advance(scenario))).toEqual([[10_500, UNIT]]);
  expect(refusalCode(scenario.limit(4, 'buy', 12_000, UNIT, { leverageX: 20 }))).toBeUndefined();
  expect(scenario.venue.state.ledgers.deficit).toBe(0);
});

test('nor between two turns of a cascade, with an order that was there before', () => {
  const scenario = longs(8);
  scenario.limit(2, 'sell', 9_600, 3 * UNIT);
  expect(isPending(scenario.price(9_000))).toBe(true);
  expect(refusalCode(scenario.limit(2, 'sell', 9_000, UNIT))).toBe('market_reduce_only');
  expect(tradesOf(scenario.market(1, 'buy', UNIT, { reduceOnly: true }))).toEqual([]);
  const emitted = [...advance(scenario)];
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  expect(tradesOf(emitted)).toEqual(Array(4).fill([9_500, UNIT]));
  expect(holdingsOf(scenario.venue.state, 1).base).toBe(0);
});

test('what is due and pending is not liquidated where the mark has come back', () => {
  const scenario = longs(6);
  scenario.limit(2, 'buy', 9_600, 6 * UNIT);
  expect(isPending(scenario.price(DUE))).toBe(true);
  const back = scenario.price(DUE + 1);
  expect(started(back)).toEqual([]);
  expect(isPending(back)).toBe(false);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
});

test('where nobody takes it, it waits for a price at which somebody does, and nothing is told of trying', () => {
  const scenario = longs(1, OTHER_ACCOUNTS);
  const events = scenario.price(DUE);
  expect(typesOf(events)).toEqual(['MarketPriced', 'LiquidationStarted', 'OrderAccepted', 'OrderCancelled']);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  expect(refusalCode(scenario.limit(2, 'buy', 8_700, 1))).toBeUndefined();
  expect(typesOf(scenario.price(DUE - 1))).toEqual(['MarketPriced']);
  // A price at which it is sound again sets it free, and the next fall finds it.
  expect(started(scenario.price(9_800))).toEqual([]);
  scenario.limit(2, 'buy', 9_700, UNIT);
  expect(tradesOf(scenario.price(DUE))).toEqual([[9_700, UNIT]]);
});

test('nor where more bids stand than a turn meets, and none of them is covered', () => {
  const scenario = unwatched(6);
  scenario.limit(1, 'sell', 10_000, 1_200, { leverageX: 2 });
  scenario.market(3, 'buy', 1_200);
  // Below what it can pay, above what the fund would pay for if it held anything.
  for (let count = 0; count < 36; count += 1) scenario.batch(4 + (count % 3), Array(30).fill(['buy', 9_480, 1]));
  expect(started(scenario.price(DUE))).toEqual([3]);
  expect(typesOf(scenario.price(DUE - 30))).toEqual(['MarketPriced']);
});

/** The accounts that wait, the one that has waited longest first. */
function waiting(scenario: Scenario): number[] {
  return [...scenario.venue.state.markets[1]!.positions.parked()].map(({ account }) => account);
}

test('of those that wait a turn tries a bounded number, the ones that have waited longest first', () => {
  const scenario = longs(6, OTHER_ACCOUNTS);
  expect(started(scenario.price(DUE))).toEqual([3, 4, 5, 6]);
  expect(started(advance(scenario))).toEqual([7, 8]);
  expect(waiting(scenario)).toEqual([3, 4, 5, 6, 7, 8]);
  expect(typesOf(scenario.price(DUE - 1))).toEqual(['MarketPriced']);
  expect(waiting(scenario)).toEqual([7, 8, 3, 4, 5, 6]);
  scenario.limit(2, 'buy', 9_700, 4 * UNIT);
  const emitted = scenario.price(DUE - 2);
  expect(started(emitted)).toEqual([3, 4, 7, 8]);
  expect([isPending(emitted), waiting(scenario)]).toEqual([false, [5, 6]]);
});

test('where those that it tried were closed it goes on with the others, until somebody finds nobody', () => {
  for (const [bids, rounds, left] of [
    [10 * UNIT, [4, 4, 2], 0],
    [8 * UNIT, [4, 4], 2],
    // Of the second four one is closed in part and sound again, the others find nobody, and the last two are not tried in vain.
    [4 * UNIT + 500, [4, 4], 5],
    [4 * UNIT, [4], 6],
    // One lot is for one of them. The others were to take it too, and nobody else is tried.
    [1, [4], 10],
  ] as const) {
    const scenario = longs(10, OTHER_ACCOUNTS);
    scenario.price(DUE);
    while (refusalCode(advance(scenario)) === undefined);
    scenario.limit(2, 'buy', 9_700, bids);
    const emitted = [scenario.price(DUE - 1)];
    // Whoever goes on does so before anybody opens against it.
    while (isPending(emitted.at(-1)!)) {
      expect(refusalCode(scenario.limit(2, 'buy', 9_600, 1))).toBe('market_reduce_only');
      emitted.push(advance(scenario));
    }
    expect(emitted.map((events) => started(events).length)).toEqual(rounds);
    expect(scenario.venue.state.markets[1]!.book.bestBid).toBe(0);
    const held = Array.from({ length: 10 }, (_, one) => holdingsOf(scenario.venue.state, one + 3).base);
    expect(held.reduce((sum, base) => sum + base)).toBe(10 * UNIT - bids);
    expect(waiting(scenario)).toHaveLength(left);
    expect(refusalCode(scenario.limit(2, 'buy', 9_600, 1))).toBeUndefined();
  }
});

test('but not before those that are due by the price itself', () => {
  const scenario = longs(8, OTHER_ACCOUNTS);
  scenario.limit(1, 'sell', 10_000, 3 * UNIT, { leverageX: 2 });
  scenario.market(2, 'buy', 3 * UNIT, { leverageX: 12 });
  scenario.price(DUE);
  advance(scenario);
  scenario.run({ type: 'OpenAccount', label: 'bidder', partyId: 'bidder', digestSeed: 7 });
  scenario.run({ type: 'CreditCash', account: 11 as never, amountAtoms: 20_000_000_000 as never, reference: 'test' });
  scenario.limit(11, 'buy', 9_300, 11 * UNIT);
  const emitted = [scenario.price(9_300)];
  expect(waiting(scenario)).toEqual([7, 8, 9, 10]);
  while (isPending(emitted.at(-1)!)) emitted.push(advance(scenario));
  expect(emitted.map((events) => started(events))).toEqual([[3, 4, 5, 6], [2], [7, 8, 9, 10]]);
});

test('whoever is sound again at a price waits no more, however many they are', () => {
  const scenario = longs(10, OTHER_ACCOUNTS);
  scenario.price(DUE);
  while (refusalCode(advance(scenario)) === undefined);
  expect(waiting(scenario)).toHaveLength(10);
  expect(typesOf(scenario.price(DUE + 1))).toEqual(['MarketPriced']);
  expect(waiting(scenario)).toEqual([]);
});

test('a position that is not bankrupt is closed in the book or waits; the price that leaves it bankrupt makes it due again', () => {
  const scenario = longs(10);
  scenario.price(DUE);
  advance(scenario);
  expect(tradesOf(advance(scenario))).toEqual([]);
  const waiting = () => scenario.venue.state.markets[1]!.positions.parkedCount;
  expect(waiting()).toBe(10);
  // At 950.0 nothing is left of them, but nothing is missing.
  expect(typesOf(scenario.price(9_500))).toEqual(['MarketPriced']);
  expect(refusalCode(scenario.limit(2, 'buy', 8_700, 1))).toBeUndefined();
  const emitted = scenario.price(9_499);
  expect(isPending(emitted)).toBe(true);
  // Before all of them are closed against account 1 nobody takes its profit over.
  expect(refusalCode(scenario.limit(2, 'sell', 9_499, UNIT))).toBe('market_reduce_only');
  emitted.push(...advance(scenario), ...advance(scenario));
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  expect(tradesOf(emitted)).toEqual(Array(10).fill([9_500, UNIT]));
  expect([waiting(), scenario.venue.state.ledgers.deficit]).toEqual([0, 0]);
});

test('who waits and closes a part of the position goes on waiting: it does not keep others from opening', () => {
  const scenario = longs(1, OTHER_ACCOUNTS);
  scenario.price(DUE);
  scenario.limit(2, 'buy', 9_740, 10);
  scenario.market(3, 'sell', 10, { reduceOnly: true });
  expect(scenario.venue.state.markets[1]!.positions.parkedCount).toBe(1);
  expect(refusalCode(scenario.limit(2, 'buy', 9_740, UNIT))).toBeUndefined();
  expect(tradesOf(scenario.price(DUE - 1))).toEqual([[9_740, UNIT - 10]]);
});

test('who waits may still close the position, and does not wait any more', () => {
  const scenario = longs(1, OTHER_ACCOUNTS);
  scenario.price(DUE);
  scenario.limit(2, 'buy', 9_740, UNIT);
  expect(tradesOf(scenario.market(3, 'sell', UNIT, { reduceOnly: true }))).toEqual([[9_740, UNIT]]);
  expect(scenario.venue.state.markets[1]!.positions.hasParked).toBe(false);
  expect(typesOf(scenario.price(DUE))).toEqual(['MarketPriced']);
});

test('a cascade that is restored from a snapshot at any point goes on alike', () => {
  const run = (isWatched: boolean) => {
    const scenario = longs(14, SMALL_MARKET, isWatched);
    const emitted: VenueEvent[] = [];
    scenario.limit(2, 'buy', 9_700, 3 * UNIT);
    scenario.limit(2, 'buy', 9_480, 4 * UNIT);
    scenario.run({ type: 'CreditInsurance', amountAtoms: 5_000_000 as never, reference: 'test' });
    emitted.push(...scenario.price(DUE));
    for (let turn = 0; turn < 4; turn += 1) emitted.push(...advance(scenario));
    emitted.push(...scenario.price(9_400), ...advance(scenario), ...scenario.price(9_900));
    return emitted;
  };
  expect(run(true)).toEqual(run(false));
  expect(new Set(started(run(true)).filter((account) => account > 2))).toHaveLength(14);
});

test('what a liquidation leaves healthy is its owner’s again, and pays the fee when it is liquidated after all', () => {
  const scenario = longs(1, OTHER_ACCOUNTS);
  scenario.limit(2, 'buy', 9_700, 400);
  const first = scenario.price(DUE);
  // 0.4 BTC lose 12 and pay 0.194: 37.806 back 0.6 BTC, which need 14.6 at 974.3. It has paid no fee for that yet.
  expect(holdingsOf(scenario.venue.state, 3)).toMatchObject({ base: 600, margin: 37_806_000 });
  expect(ledgerMovesOf(first, 'insurance')).toEqual([]);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  scenario.limit(2, 'buy', 9_600, 600);
  // Due where 600 − 37.806 are 97.5 % of its worth: 960.9. It then pays 1 % of 388 and of 576 of the 13.5 that are left.
  expect(postingsOf(scenario.price(9_609), 3).filter(([kind]) => kind === 'liquidation_fee')).toEqual([
    ['liquidation_fee', -(3_880_000 + 5_760_000)],
  ]);
});

/** A position is liquidated in part, its owner ends what is left of it, and the next one is liquidated as well. */
function twoEpisodes(ending: (scenario: Scenario) => void): VenueEvent[] {
  const scenario = longs(1, { ...SMALL_MARKET, autoDeleveraging: false }, false);
  scenario.limit(2, 'buy', 9_700, 400);
  scenario.price(DUE);
  scenario.price(10_000);
  ending(scenario);
  scenario.limit(1, 'sell', 10_000, UNIT, { leverageX: 2 });
  scenario.market(3, 'buy', UNIT - holdingsOf(scenario.venue.state, 3).base);
  scenario.limit(2, 'buy', 9_700, UNIT);
  return scenario.price(DUE);
}

test('a new episode pays nothing for what was liquidated before it', () => {
  const events = twoEpisodes((scenario) => {
    scenario.limit(2, 'buy', 10_000, 600);
    scenario.market(3, 'sell', 600);
  });
  expect(postingsOf(events, 3)).toContainEqual(['liquidation_fee', -9_700_000]);
});

test('where only orders stand that may not fill, a position waits, and is closed against others once it is bankrupt', () => {
  const scenario = unwatched(8, SMALL_MARKET);
  scenario.limit(1, 'sell', 10_000, 2 * UNIT, { leverageX: 2 });
  for (const account of [3, 8]) scenario.market(account, 'buy', UNIT);
  // More than a turn looks at, of accounts that hold nothing: while nobody may open, they offer nothing, and stay.
  for (const account of [4, 5, 6])
    for (let count = 0; count < 334; count += 1) scenario.limit(account, 'buy', 9_700 + (count % 20), 1);
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'reduce_only' });
  expect(isPending(scenario.price(DUE))).toBe(false);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  const bankrupt = scenario.price(9_400);
  expect(new Set(started(bankrupt))).toEqual(new Set([3, 8]));
  expect(only(bankrupt, 'TradeExecuted').map(({ origin }) => origin)).toEqual(['auto_deleveraging', 'auto_deleveraging']);
  expect(isPending(bankrupt)).toBe(false);
});

test('a liquidation meets whoever bids in an open market, and in a reduce-only one those who reduce: nobody is made to open there', () => {
  const closed = (status: 'open' | 'reduce_only') => {
    const scenario = longs(1);
    scenario.limit(2, 'buy', 9_720, UNIT);
    scenario.limit(1, 'buy', 9_700, 400, { reduceOnly: true });
    if (status === 'reduce_only') scenario.run({ type: 'SetMarketStatus', market: BTC, status });
    const events = scenario.price(DUE);
    return { scenario, trades: tradesOf(events) };
  };
  expect(closed('open').trades).toEqual([[9_720, UNIT]]);
  const { scenario, trades } = closed('reduce_only');
  expect(trades).toEqual([[9_700, 400]]);
  expect(holdingsOf(scenario.venue.state, 2).base).toBe(0);
  // What is left is closed against those who are in it already, once it is bankrupt: 0.4 lost 12 of its 50, with a fee of 0.194.
  const bankrupt = scenario.price(9_300);
  expect(only(bankrupt, 'TradeExecuted')).toMatchObject([{ origin: 'auto_deleveraging', quantityAtoms: 600 }]);
  expect(holdingsOf(scenario.venue.state, 2).base).toBe(0);
});
