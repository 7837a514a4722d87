import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { holdingsOf, ledgerMovesOf, only, postingsOf, refusalCode, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET, snapshotScenario } from '#venue/testing/venues.ts';
import { LIQUIDATIONS_PER_TURN } from './liquidation.ts';

/** Liquidations over several turns: the limit per turn, parked positions, successive episodes. */
const UNIT = 1_000;
const DUE = 9_743;

/** Accounts from 3 on are long 1 BTC each from 1,000.0. Account 1 is short all of it, account 2 has no position. */
function longs(count: number, specification: MarketSpecification = SMALL_MARKET, withSnapshots = true): Scenario {
  const scenario = withSnapshots ? snapshotScenario(count + 2, specification) : quickScenario(count + 2, specification);
  scenario.limit(1, 'sell', 10_000, count * UNIT, { leverageX: 2 });
  for (let account = 3; account < count + 3; account += 1) scenario.market(account, 'buy', UNIT);
  return scenario;
}

const OTHER_ACCOUNTS: MarketSpecification = { ...SMALL_MARKET, autoDeleveraging: false };

function advance(scenario: Scenario): VenueEvent[] {
  return scenario.run({ type: 'AdvanceMarket', market: BTC });
}

/** The accounts of which a liquidation started, in order. */
function started(events: readonly VenueEvent[]): number[] {
  return only(events, 'LiquidationStarted').map(({ account }) => account);
}

function isPending(events: readonly VenueEvent[]): boolean {
  return events.at(-1)?.type === 'MarketWorkPending';
}

test('liquidates a bounded number of positions per turn, reports pending work and continues in the next', () => {
  const scenario = longs(10);
  scenario.limit(2, 'buy', 9_700, 10 * UNIT);
  const first = scenario.price(DUE);
  expect(started(first)).toEqual([3, 4, 5, 6]);
  expect(isPending(first)).toBe(true);
  // Due positions stay due while other commands run, and no account may open.
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

test('liquidates the position whose liquidation price was reached first before the others', () => {
  const scenario = snapshotScenario(6);
  scenario.limit(1, 'sell', 10_000, 10 * UNIT, { leverageX: 2 });
  scenario.market(3, 'buy', UNIT, { leverageX: 12 });
  scenario.market(4, 'buy', UNIT, { leverageX: 20 });
  scenario.market(5, 'buy', UNIT, { leverageX: 15 });
  scenario.limit(2, 'buy', 9_000, 3 * UNIT);
  // The quotes raise the mark by 0.5 % over the index, to 939.6.
  expect(started(scenario.price(9_350))).toEqual([4, 5, 3]);
});

test('refuses to open in a market that opens again until its due liquidations have been tried', () => {
  const scenario = snapshotScenario(4);
  scenario.limit(3, 'sell', 10_000, UNIT, { leverageX: 20 });
  scenario.limit(1, 'buy', 10_000, UNIT, { leverageX: 1 });
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'cancel_only' });
  scenario.jump(12_000);
  const opened = scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'open' });
  expect(typesOf(opened)).toEqual(['MarketStatusChanged', 'MarketWorkPending']);
  expect(refusalCode(scenario.limit(4, 'buy', 12_000, UNIT, { leverageX: 20 }))).toBe('market_reduce_only');
  // Reducing is permitted, but the book is empty: the newcomer's order was refused.
  expect(tradesOf(scenario.market(1, 'sell', UNIT, { reduceOnly: true }))).toEqual([]);
  expect(tradesOf(advance(scenario))).toEqual([[10_500, UNIT]]);
  expect(refusalCode(scenario.limit(4, 'buy', 12_000, UNIT, { leverageX: 20 }))).toBeUndefined();
  expect(scenario.venue.state.ledgers.deficit).toBe(0);
});

test('does not fill an earlier opening order between two turns of a cascade', () => {
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

test('does not liquidate a pending position when the mark has recovered', () => {
  const scenario = longs(6);
  scenario.limit(2, 'buy', 9_600, 6 * UNIT);
  expect(isPending(scenario.price(DUE))).toBe(true);
  const back = scenario.price(DUE + 1);
  expect(started(back)).toEqual([]);
  expect(isPending(back)).toBe(false);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
});

test('parks a position that the book cannot close and retries it at later prices without events', () => {
  const scenario = longs(1, OTHER_ACCOUNTS);
  const events = scenario.price(DUE);
  expect(typesOf(events)).toEqual(['MarketPriced', 'LiquidationStarted', 'OrderAccepted', 'OrderCancelled']);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  expect(refusalCode(scenario.limit(2, 'buy', 8_700, 1))).toBeUndefined();
  expect(typesOf(scenario.price(DUE - 1))).toEqual(['MarketPriced']);
  // A price at which it is healthy unparks it, and the next fall liquidates it.
  expect(started(scenario.price(9_800))).toEqual([]);
  scenario.limit(2, 'buy', 9_700, UNIT);
  expect(tradesOf(scenario.price(DUE))).toEqual([[9_700, UNIT]]);
});

test('retries without events when more bids rest than a turn meets and no bid is covered', () => {
  const scenario = quickScenario(6);
  scenario.limit(1, 'sell', 10_000, 1_200, { leverageX: 2 });
  scenario.market(3, 'buy', 1_200);
  // Below the bankruptcy price, but at a price that a fund with money would cover.
  for (let count = 0; count < 36; count += 1) scenario.batch(4 + (count % 3), Array(30).fill(['buy', 9_480, 1]));
  expect(started(scenario.price(DUE))).toEqual([3]);
  expect(typesOf(scenario.price(DUE - 30))).toEqual(['MarketPriced']);
});

/** The accounts of the parked positions, the longest parked first. */
function parkedAccounts(scenario: Scenario): number[] {
  return [...scenario.venue.state.markets[1]!.positions.parked()].map(({ account }) => account);
}

test('retries a bounded number of parked positions per turn, the longest parked first', () => {
  const scenario = longs(6, OTHER_ACCOUNTS);
  expect(started(scenario.price(DUE))).toEqual([3, 4, 5, 6]);
  expect(started(advance(scenario))).toEqual([7, 8]);
  expect(parkedAccounts(scenario)).toEqual([3, 4, 5, 6, 7, 8]);
  expect(typesOf(scenario.price(DUE - 1))).toEqual(['MarketPriced']);
  expect(parkedAccounts(scenario)).toEqual([7, 8, 3, 4, 5, 6]);
  scenario.limit(2, 'buy', 9_700, 4 * UNIT);
  const emitted = scenario.price(DUE - 2);
  expect(started(emitted)).toEqual([3, 4, 7, 8]);
  expect([isPending(emitted), parkedAccounts(scenario)]).toEqual([false, [5, 6]]);
});

test('retries more parked positions while retries close quantity', () => {
  for (const [bids, rounds, left] of [
    [10 * UNIT, [4, 4, 2], 0],
    [8 * UNIT, [4, 4], 2],
    // Of the second four, one is closed in part and healthy again. The others find no bids, and the last two are not retried.
    [4 * UNIT + 500, [4, 4], 5],
    [4 * UNIT, [4], 6],
    // All of the first four expect to fill the one lot, but only one does. The others are parked again without further retries.
    [1, [4], 10],
  ] as const) {
    const scenario = longs(10, OTHER_ACCOUNTS);
    scenario.price(DUE);
    while (refusalCode(advance(scenario)) === undefined);
    scenario.limit(2, 'buy', 9_700, bids);
    const emitted = [scenario.price(DUE - 1)];
    // Retries continue before any account may open.
    while (isPending(emitted.at(-1)!)) {
      expect(refusalCode(scenario.limit(2, 'buy', 9_600, 1))).toBe('market_reduce_only');
      emitted.push(advance(scenario));
    }
    expect(emitted.map((events) => started(events).length)).toEqual(rounds);
    expect(scenario.venue.state.markets[1]!.book.bestBid).toBe(0);
    const bases = Array.from({ length: 10 }, (_, index) => holdingsOf(scenario.venue.state, index + 3).base);
    expect(bases.reduce((sum, base) => sum + base)).toBe(10 * UNIT - bids);
    expect(parkedAccounts(scenario)).toHaveLength(left);
    expect(refusalCode(scenario.limit(2, 'buy', 9_600, 1))).toBeUndefined();
  }
});

test('liquidates due positions before it retries more parked ones', () => {
  const scenario = longs(8, OTHER_ACCOUNTS);
  scenario.limit(1, 'sell', 10_000, 3 * UNIT, { leverageX: 2 });
  scenario.market(2, 'buy', 3 * UNIT, { leverageX: 12 });
  scenario.price(DUE);
  advance(scenario);
  scenario.run({ type: 'OpenAccount', label: 'bidder', partyId: 'bidder', digestSeed: 7 });
  scenario.run({ type: 'CreditCash', account: 11 as never, amountAtoms: 20_000_000_000 as never, reference: 'test' });
  scenario.limit(11, 'buy', 9_300, 11 * UNIT);
  const emitted = [scenario.price(9_300)];
  expect(parkedAccounts(scenario)).toEqual([7, 8, 9, 10]);
  while (isPending(emitted.at(-1)!)) emitted.push(advance(scenario));
  expect(emitted.map((events) => started(events))).toEqual([[3, 4, 5, 6], [2], [7, 8, 9, 10]]);
});

test('unparks all positions that are healthy again at a price', () => {
  const scenario = longs(10, OTHER_ACCOUNTS);
  scenario.price(DUE);
  while (refusalCode(advance(scenario)) === undefined);
  expect(parkedAccounts(scenario)).toHaveLength(10);
  expect(typesOf(scenario.price(DUE + 1))).toEqual(['MarketPriced']);
  expect(parkedAccounts(scenario)).toEqual([]);
});

test('parks a position with half of its requirement and makes it due again when it is bankrupt', () => {
  const scenario = longs(10);
  scenario.price(DUE);
  advance(scenario);
  expect(tradesOf(advance(scenario))).toEqual([]);
  const parkedCount = () => scenario.venue.state.markets[1]!.positions.parkedCount;
  expect(parkedCount()).toBe(10);
  // At 962.1 they have more than half of their requirement.
  expect(typesOf(scenario.price(9_621))).toEqual(['MarketPriced']);
  expect(refusalCode(scenario.limit(2, 'buy', 8_700, 1))).toBeUndefined();
  const emitted = scenario.price(9_499);
  expect(isPending(emitted)).toBe(true);
  // No account may take over account 1's profit before all of them are closed against it.
  expect(refusalCode(scenario.limit(2, 'sell', 9_499, UNIT))).toBe('market_reduce_only');
  emitted.push(...advance(scenario), ...advance(scenario));
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  expect(tradesOf(emitted)).toEqual(Array(10).fill([9_500, UNIT]));
  expect([parkedCount(), scenario.venue.state.ledgers.deficit]).toEqual([0, 0]);
});

test('leaves the orders of owners in the book if a step closes nothing', () => {
  const scenario = longs(6);
  const bid = only(scenario.limit(2, 'buy', 9_600, 1), 'OrderAccepted')[0]!.order;
  scenario.price(DUE);
  advance(scenario);
  expect(parkedAccounts(scenario)).toEqual([3, 4, 5, 6, 7, 8]);
  for (const account of [3, 4, 5, 6, 7, 8]) scenario.limit(account, 'sell', 9_790, 10, { reduceOnly: true });
  scenario.cancel(2, bid);
  // The first four find the empty book before their step; the others try it.
  expect(started(scenario.price(9_697))).toEqual([7, 8]);
  for (const account of [3, 4, 5, 6, 7, 8]) expect(scenario.venue.state.account(account as never)!.openOrders).toBe(1);
});

test('keeps a position parked after its owner closes a part, so that others may open', () => {
  const scenario = longs(1, OTHER_ACCOUNTS);
  scenario.price(DUE);
  scenario.limit(2, 'buy', 9_740, 10);
  scenario.market(3, 'sell', 10, { reduceOnly: true });
  expect(scenario.venue.state.markets[1]!.positions.parkedCount).toBe(1);
  expect(refusalCode(scenario.limit(2, 'buy', 9_740, UNIT))).toBeUndefined();
  expect(tradesOf(scenario.price(DUE - 1))).toEqual([[9_740, UNIT - 10]]);
});

test('removes a parked position when its owner closes it', () => {
  const scenario = longs(1, OTHER_ACCOUNTS);
  scenario.price(DUE);
  scenario.limit(2, 'buy', 9_740, UNIT);
  expect(tradesOf(scenario.market(3, 'sell', UNIT, { reduceOnly: true }))).toEqual([[9_740, UNIT]]);
  expect(scenario.venue.state.markets[1]!.positions.hasParked).toBe(false);
  expect(typesOf(scenario.price(DUE))).toEqual(['MarketPriced']);
});

test('emits the same events when a cascade is restored from a snapshot at any point', () => {
  const run = (withSnapshots: boolean) => {
    const scenario = longs(14, SMALL_MARKET, withSnapshots);
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

test('stops a liquidation that restores the margin, and charges each part its fee when it is liquidated', () => {
  const scenario = longs(1, OTHER_ACCOUNTS);
  scenario.limit(2, 'buy', 9_700, 400);
  const first = scenario.price(DUE);
  // 0.4 BTC lose 12 and pay 0.194 and 1 % of 388: 33.926 back 0.6 BTC, which need 14.6 at 974.3.
  expect(holdingsOf(scenario.venue.state, 3)).toMatchObject({ base: 600, margin: 33_926_000 });
  expect(ledgerMovesOf(first, 'insurance')).toEqual([3_880_000]);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
  scenario.limit(2, 'buy', 9_600, 600);
  // Due when 97.5 % of its notional is 600 − 33.926: at 967.6. It then pays 1 % of 576 from the remaining 9.9.
  expect(postingsOf(scenario.price(9_676), 3).filter(([kind]) => kind === 'liquidation_fee')).toEqual([
    ['liquidation_fee', -5_760_000],
  ]);
});

/** Liquidates a position in part, lets `ending` close the rest, then liquidates the next episode. Returns its events. */
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

test('charges a new episode no fee for an earlier liquidation', () => {
  const events = twoEpisodes((scenario) => {
    scenario.limit(2, 'buy', 10_000, 600);
    scenario.market(3, 'sell', 600);
  });
  expect(postingsOf(events, 3)).toContainEqual(['liquidation_fee', -9_700_000]);
});

test('parks a position when no resting order may fill and deleverages it when it is bankrupt', () => {
  const scenario = quickScenario(8, SMALL_MARKET);
  scenario.limit(1, 'sell', 10_000, 2 * UNIT, { leverageX: 2 });
  for (const account of [3, 8]) scenario.market(account, 'buy', UNIT);
  // More orders than a turn visits, of accounts without positions: they may not fill while no account may open, and stay.
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

test('fills against any bid in an open market, but only against reducing bids in a reduce-only market', () => {
  const closed = (status: 'open' | 'reduce_only') => {
    const scenario = longs(1);
    scenario.limit(2, 'buy', 9_720, UNIT);
    scenario.limit(1, 'buy', 9_715, 400, { reduceOnly: true });
    if (status === 'reduce_only') scenario.run({ type: 'SetMarketStatus', market: BTC, status });
    const events = scenario.price(DUE);
    return { scenario, trades: tradesOf(events) };
  };
  expect(closed('open').trades).toEqual([[9_720, UNIT]]);
  const { scenario, trades } = closed('reduce_only');
  expect(trades).toEqual([[9_715, 400]]);
  expect(holdingsOf(scenario.venue.state, 2).base).toBe(0);
  // 0.4 BTC lost 11.4 of its margin of 50 and paid 0.1943. The rest is deleveraged when it is bankrupt.
  const bankrupt = scenario.price(9_300);
  expect(only(bankrupt, 'TradeExecuted')).toMatchObject([{ origin: 'auto_deleveraging', quantityAtoms: 600 }]);
  expect(holdingsOf(scenario.venue.state, 2).base).toBe(0);
});
