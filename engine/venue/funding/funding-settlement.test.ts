import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { Bps, EpochMs, Ppb, QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { holdingsOf, ledgerMovesOf, only, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { RandomWorld } from '#venue/testing/random-world.ts';
import { SMALL_MARKET, watched } from '#venue/testing/venues.ts';

/** Without a premium longs pay 0.00125 % a period: at 1,000.0 that is 12.5 atoms a lot, 0.0125 USD.E a BTC. */
const UNIT = 1_000;

function openPosition(scenario: Scenario, long: number, short: number, quantity: number, leverages = [20, 2]): void {
  scenario.limit(short, 'sell', 10_000, quantity, { leverageX: leverages[1]! });
  scenario.market(long, 'buy', quantity, { leverageX: leverages[0]! });
}

/** The next command comes when the running period ends. */
function waitForEnd(scenario: Scenario, market: MarketOrdinal = BTC): EpochMs {
  const { endsAtEpochMs } = scenario.venue.state.market(market)!.funding;
  scenario.wait(endsAtEpochMs - 1 - scenario.now);
  return endsAtEpochMs;
}

/** Lets the running period end with the index where it says, after a look at the book halfway. */
function endPeriod(scenario: Scenario, price = 10_000): VenueEvent[] {
  const { funding, indexPriceAtoms } = scenario.venue.state.market(BTC)!;
  scenario.wait((funding.endsAtEpochMs - scenario.now) >> 1);
  scenario.price(indexPriceAtoms);
  waitForEnd(scenario);
  return scenario.price(price);
}

/** Lets time pass between two prices: more than half a period, so that it has a rate. */
function watch(scenario: Scenario): void {
  scenario.wait(2_000_000);
  scenario.price(10_000);
}

/** What accounts paid, in order. */
function paid(events: readonly VenueEvent[]): [account: number, paid: number][] {
  return only(events, 'FundingPaid').map(({ account, paidAtoms }) => [account, paidAtoms]);
}

test('a period ends at its time, with its rate, and longs pay shorts out of their margin', () => {
  const scenario = watched(2);
  openPosition(scenario, 1, 2, UNIT);
  const end = waitForEnd(scenario);
  scenario.wait(-1);
  expect(typesOf(scenario.price(10_000))).toEqual(['MarketPriced']);
  const events = scenario.price(10_000);
  expect(typesOf(events)).toEqual([
    ...['FundingSettled', 'MarketPriced', 'FundingPaid', 'LedgerPosted', 'FundingPaid', 'LedgerPosted'],
  ]);
  expect(events[0]).toMatchObject({
    period: 1,
    ratePpb: 12_500,
    indexPriceAtoms: 10_000,
    perLotMicroAtoms: 12_500_000,
    settledAtEpochMs: end,
  });
  expect(only(events, 'FundingPaid')).toMatchObject([
    { account: 1, position: 2, period: 1, paidAtoms: 12_500, marginAtoms: 49_987_500, entryNotionalAtoms: 1_000_000_000 },
    { account: 2, position: 1, period: 1, paidAtoms: -12_500, marginAtoms: 500_012_500, entryNotionalAtoms: 1_000_000_000 },
  ]);
  expect(events[1]).toMatchObject({ fundingEstimatePpb: 0, nextFundingAtEpochMs: end + 3_600_000 });
});

test('who pays rounds up and who gets rounds down: what that leaves over is the insurance fund’s', () => {
  const scenario = watched(3);
  openPosition(scenario, 1, 2, 1);
  openPosition(scenario, 1, 3, 2);
  const events = endPeriod(scenario);
  // 37.5 for three lots, 12.5 and 25 for one and two.
  expect(paid(events).sort()).toEqual([
    [1, 38],
    [2, -12],
    [3, -25],
  ]);
  expect(ledgerMovesOf(events, 'funding').reduce((sum, amount) => sum + amount, 0)).toBe(0);
  expect(ledgerMovesOf(events, 'insurance')).toEqual([1]);
});

test('a book below the index makes shorts pay', () => {
  const scenario = watched(3);
  openPosition(scenario, 1, 2, UNIT);
  // 1 % below at the second of two samples: half of it on average, of which the first 0.05 % cost nothing.
  scenario.limit(3, 'sell', 9_900, 5 * UNIT, { leverageX: 2 });
  const events = endPeriod(scenario);
  expect(events[0]).toMatchObject({ ratePpb: -4_500_000, perLotMicroAtoms: -4_500_000_000 });
  expect(paid(events).sort()).toEqual([
    [1, -4_500_000],
    [2, 4_500_000],
  ]);
});

test('orders that only reduce make no premium, however large they are', () => {
  const scenario = watched(2);
  openPosition(scenario, 1, 2, UNIT);
  // 1 % above the index: with money behind it that would be the most that a period can cost.
  for (let count = 0; count < 10; count += 1) scenario.limit(2, 'buy', 10_100, 500 * UNIT, { reduceOnly: true });
  expect(only(endPeriod(scenario), 'FundingSettled')).toMatchObject([{ ratePpb: 12_500 }]);
});

test('a premium is looked at as often as the market says, and not more', () => {
  const scenario = watched(1, { ...SMALL_MARKET, premiumSampleMs: 5_000 });
  const { funding } = scenario.venue.state.markets[1]!;
  expect(funding.premiumCount).toBe(1);
  scenario.wait(4_000);
  scenario.price(10_000);
  expect(scenario.venue.state.markets[1]!.funding.premiumCount).toBe(1);
  scenario.wait(1_000);
  scenario.price(10_000);
  expect(scenario.venue.state.markets[1]!.funding.premiumCount).toBe(2);
});

test('what margin does not hold is charged to the entry', () => {
  const specification: MarketSpecification = { ...SMALL_MARKET, fundingInterestPpb: 500_000 as Ppb, autoDeleveraging: false };
  const scenario = watched(2, specification);
  openPosition(scenario, 1, 2, UNIT);
  scenario.jump(1_000_000);
  // 0.05 % of 100,000.0 are 50, all the margin there is; the position has won 99,000 and stays open.
  expect(only(endPeriod(scenario, 1_000_000), 'FundingPaid')).toContainEqual(
    expect.objectContaining({ account: 1, paidAtoms: 50_000_000, marginAtoms: 0, entryNotionalAtoms: 1_000_000_000 }),
  );
  expect(only(endPeriod(scenario, 1_000_000), 'FundingPaid')).toContainEqual(
    expect.objectContaining({ account: 1, paidAtoms: 50_000_000, marginAtoms: 0, entryNotionalAtoms: 1_050_000_000 }),
  );
});

test('what a position cannot carry is paid by the insurance fund, and then by the venue', () => {
  const specification: MarketSpecification = { ...SMALL_MARKET, fundingCapPpb: 25_000_000 as Ppb, autoDeleveraging: false };
  const scenario = watched(3, specification);
  scenario.run({ type: 'CreditInsurance', amountAtoms: 700_000_000 as QuoteAtoms, reference: 'test' });
  openPosition(scenario, 1, 2, UNIT, [2, 20]);
  // 6 % below the index, at the second of two samples.
  scenario.limit(3, 'sell', 9_400, 5 * UNIT, { leverageX: 1 });
  scenario.wait(1_800_000);
  scenario.price(10_000);
  scenario.wait(1_900_000);
  const events = scenario.jump(900_000);
  // Account 2 owes 2.5 % of 90,000 and has a margin of 50 and an entry of 1,000, of which an atom stays.
  const place = events.findIndex((event) => event.type === 'FundingPaid' && event.account === 2);
  expect(events.slice(place, place + 4)).toMatchObject([
    { type: 'FundingPaid', paidAtoms: 1_049_999_999, marginAtoms: 0, entryNotionalAtoms: 1 },
    { type: 'LedgerPosted', ledger: 'insurance', amountAtoms: -700_000_000, balanceAtoms: 0 },
    { type: 'LedgerPosted', ledger: 'deficit', amountAtoms: -500_000_001 },
    { type: 'LedgerPosted', ledger: 'funding', amountAtoms: 2_250_000_000 },
  ]);
  expect(paid(events)).toContainEqual([1, -2_250_000_000]);
});

test('whom funding leaves with too little is liquidated in the same turn, after all have settled', () => {
  const scenario = watched(3, { ...SMALL_MARKET, fundingInterestPpb: 500_000 as Ppb });
  openPosition(scenario, 1, 2, UNIT);
  scenario.limit(3, 'buy', 9_700, UNIT);
  // At 974.6 it has 24.6 and needs 24.365; the period costs 0.4873.
  expect(only(scenario.price(9_746), 'LiquidationStarted')).toEqual([]);
  const events = endPeriod(scenario, 9_746);
  const types = typesOf(events);
  expect(types.lastIndexOf('FundingPaid')).toBeLessThan(types.indexOf('LiquidationStarted'));
  expect(only(events, 'LiquidationStarted')).toMatchObject([{ account: 1, equityAtoms: 24_600_000 - 487_300 }]);
});

test('nothing is sampled or settled while the market stands still, and one period ends once it goes on', () => {
  const halted = watched(2);
  openPosition(halted, 1, 2, UNIT);
  const period = () => halted.venue.state.markets[1]!.funding.period;
  watch(halted);
  halted.run({ type: 'SetMarketStatus', market: BTC, status: 'cancel_only' });
  for (let hours = 0; hours < 3; hours += 1) {
    halted.wait(3_600_000);
    expect(typesOf(halted.price(10_000))).toEqual(['MarketPriced']);
  }
  halted.run({ type: 'SetMarketStatus', market: BTC, status: 'open' });
  expect(paid(halted.price(10_000))).toHaveLength(2);
  expect(period()).toBe(1);
  halted.wait(60_000);
  expect(typesOf(halted.price(10_000))).toEqual(['MarketPriced']);
});

test('nor is it by an index that is not current', () => {
  const scenario = watched(2);
  openPosition(scenario, 1, 2, UNIT);
  watch(scenario);
  waitForEnd(scenario);
  // A jump that nobody has confirmed, and a price too old to say anything.
  expect(typesOf(scenario.price(20_000))).toEqual(['MarketPriced']);
  scenario.wait(3_700_000);
  const observedAtEpochMs = (scenario.now - 3_700_000) as EpochMs;
  expect(
    typesOf(scenario.run({ type: 'PublishIndexPrice', market: BTC, priceAtoms: 10_000 as never, observedAtEpochMs })),
  ).toEqual(['MarketPriced']);
  expect(paid(scenario.price(10_000))).toHaveLength(2);
});

test('a period without prices for more than half of it has no rate, and nobody pays', () => {
  const scenario = watched(2, { ...SMALL_MARKET, maxIndexAgeMs: 1_000_000 });
  openPosition(scenario, 1, 2, UNIT);
  // A quarter of an hour before its end prices come again.
  waitForEnd(scenario);
  scenario.wait(-900_000);
  scenario.price(10_000);
  waitForEnd(scenario);
  const events = scenario.price(10_000);
  expect(only(events, 'FundingSettled')).toMatchObject([{ ratePpb: 0, perLotMicroAtoms: 0 }]);
  expect(paid(events)).toEqual([]);
  for (let quarter = 0; quarter < 3; quarter += 1) {
    scenario.wait(900_000);
    scenario.price(10_000);
  }
  waitForEnd(scenario);
  expect(paid(scenario.price(10_000))).toHaveLength(2);
});

test('the turn in which the index holds again looks at no book: it is the one of before', () => {
  for (const how of ['silence', 'a jump', 'a jump taken back']) {
    const scenario = watched(2, {
      ...SMALL_MARKET,
      premiumSampleMs: 5_000,
      maxIndexAgeMs: 60_000,
      maxIndexJumpBps: 1_000 as Bps,
    });
    const count = () => scenario.venue.state.market(BTC)!.funding.premiumCount;
    scenario.limit(1, 'buy', 9_999, 10 * UNIT);
    scenario.limit(2, 'sell', 10_001, 10 * UNIT);
    if (how === 'silence') scenario.wait(61_000);
    else scenario.wait(30_000);
    if (how !== 'silence') for (let seen = 0; seen < 2; seen += 1) scenario.price(8_500);
    const events = scenario.price(how === 'silence' ? 9_100 : how === 'a jump' ? 8_500 : 10_010);
    expect(only(events, 'MarketPriced')).toMatchObject([{ indexStatus: 'current', fundingEstimatePpb: 12_500 }]);
    expect(count(), how).toBe(1);
    scenario.wait(1_000);
    scenario.price(how === 'silence' ? 9_100 : how === 'a jump' ? 8_500 : 10_010);
    expect(count(), how).toBe(2);
  }
});

test('in reduce-only it goes on', () => {
  const scenario = watched(2);
  openPosition(scenario, 1, 2, UNIT);
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'reduce_only' });
  scenario.price(10_000);
  expect(paid(endPeriod(scenario))).toHaveLength(2);
});

test('every market has its own periods', () => {
  const ETH = 2 as MarketOrdinal;
  const scenario = watched(2);
  const specification = {
    ...SMALL_MARKET,
    marketId: 'ETH-USD-PERP',
    fundingPeriodMs: 1_800_000,
    fundingInterestPpb: 25_000 as Ppb,
  };
  scenario.run({ type: 'ListMarket', specification, status: 'open' });
  scenario.price(20_000, ETH);
  openPosition(scenario, 1, 2, UNIT);
  scenario.limit(1, 'sell', 20_000, 10, { market: ETH });
  scenario.market(2, 'buy', 10, { market: ETH });
  waitForEnd(scenario, ETH);
  // 0.0025 % of 2,000.0 are 50 atoms a lot.
  expect(paid(scenario.price(20_000, ETH)).sort()).toEqual([
    [1, -500],
    [2, 500],
  ]);
  expect(holdingsOf(scenario.venue.state, 1).margin).toBe(50_000_000);
  expect(paid(endPeriod(scenario)).sort()).toEqual([
    [1, 12_500],
    [2, -12_500],
  ]);
});

test('a position that is closed has nothing to settle, one that was opened late settles whole', () => {
  const scenario = watched(4);
  openPosition(scenario, 1, 2, UNIT);
  endPeriod(scenario);
  scenario.limit(3, 'buy', 10_000, UNIT);
  expect(tradesOf(scenario.market(1, 'sell', UNIT))).toHaveLength(1);
  expect(paid(endPeriod(scenario)).sort()).toEqual([
    [2, -12_500],
    [3, 12_500],
  ]);
});

test('in any world a period leaves less than an atom a position over, never less than nothing', () => {
  let periods = 0;
  for (let seed = 1; seed <= 6; seed += 1) {
    const world = new RandomWorld(seed, true);
    for (let step = 0; step < 1_500; step += 1) {
      const events = world.step();
      const settled = paid(events);
      expect(world.scenario.venue.state.ledgers.funding).toBe(0);
      if (settled.length === 0) continue;
      periods += 1;
      const over = settled.reduce((sum, [, amount]) => sum + amount, 0);
      expect(over).toBeGreaterThanOrEqual(0);
      expect(over).toBeLessThan(settled.length);
    }
  }
  expect(periods).toBeGreaterThan(20);
});
