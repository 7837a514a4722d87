import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { Bps, EpochMs, Ppb, QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { holdingsOf, ledgerMovesOf, only, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { RandomWorld } from '#venue/testing/random-world.ts';
import { SMALL_MARKET, snapshotScenario, unboundedPremiumScenario } from '#venue/testing/venues.ts';

/** Without a premium longs pay 0.00125 % per period: at 1,000.0 that is 12.5 atoms per lot, 0.0125 USD.E per BTC. */
const UNIT = 1_000;

function openPosition(scenario: Scenario, long: number, short: number, quantity: number, leverages = [20, 2]): void {
  scenario.limit(short, 'sell', 10_000, quantity, { leverageX: leverages[1]! });
  scenario.market(long, 'buy', quantity, { leverageX: leverages[0]! });
}

/** Waits so that the next command is at the end of the running period. */
function waitForEnd(scenario: Scenario, market: MarketOrdinal = BTC): EpochMs {
  const { endsAtEpochMs } = scenario.venue.state.market(market)!.funding;
  scenario.wait(endsAtEpochMs - 1 - scenario.now);
  return endsAtEpochMs;
}

/** Ends the running period at the given index price, after a premium sample halfway. */
function endPeriod(scenario: Scenario, price = 10_000): VenueEvent[] {
  const { funding, indexPriceAtoms } = scenario.venue.state.market(BTC)!;
  scenario.wait((funding.endsAtEpochMs - scenario.now) >> 1);
  scenario.price(indexPriceAtoms);
  waitForEnd(scenario);
  return scenario.price(price);
}

/** Waits more than half a period between two prices, so that the period has a rate. */
function watch(scenario: Scenario): void {
  scenario.wait(2_000_000);
  scenario.price(10_000);
}

/** The funding payments by account, in order. */
function paid(events: readonly VenueEvent[]): [account: number, paid: number][] {
  return only(events, 'FundingPaid').map(({ account, paidAtoms }) => [account, paidAtoms]);
}

test('ends a period on time with its rate and charges the margin of longs in favor of shorts', () => {
  const scenario = snapshotScenario(2);
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

test('rounds payments up and receipts down and gives the remainder to the insurance fund', () => {
  const scenario = snapshotScenario(3);
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

test('charges shorts when the book is below the index', () => {
  const scenario = snapshotScenario(3);
  openPosition(scenario, 1, 2, UNIT);
  // 0.4 % below the index at the second of two samples: 0.2 % on average, of which the first 0.05 % are free.
  scenario.limit(3, 'sell', 9_960, 5 * UNIT, { leverageX: 2 });
  const events = endPeriod(scenario);
  expect(events[0]).toMatchObject({ ratePpb: -1_500_000, perLotMicroAtoms: -1_500_000_000 });
  expect(paid(events).sort()).toEqual([
    [1, -1_500_000],
    [2, 1_500_000],
  ]);
});

test('limits a sample of the premium to the band of the mark', () => {
  for (const sign of [1, -1]) {
    const scenario = snapshotScenario(3);
    openPosition(scenario, 1, 2, UNIT);
    // 1 % away from the index at the second of two samples; the band is 0.5 %.
    scenario.limit(3, sign > 0 ? 'buy' : 'sell', 10_000 + sign * 100, 5 * UNIT, { leverageX: 2 });
    expect(only(endPeriod(scenario), 'FundingSettled')).toMatchObject([{ ratePpb: sign * 2_000_000 }]);
  }
});

test('ignores reduce-only orders in the premium', () => {
  const scenario = snapshotScenario(2);
  openPosition(scenario, 1, 2, UNIT);
  // 1 % above the index: orders with margin would raise the rate to the cap.
  for (let count = 0; count < 10; count += 1) scenario.limit(2, 'buy', 10_100, 500 * UNIT, { reduceOnly: true });
  expect(only(endPeriod(scenario), 'FundingSettled')).toMatchObject([{ ratePpb: 12_500 }]);
});

test('samples the premium at most once per sampling interval of the market', () => {
  const scenario = snapshotScenario(1, { ...SMALL_MARKET, premiumSampleMs: 5_000 });
  const { funding } = scenario.venue.state.markets[1]!;
  expect(funding.premiumCount).toBe(1);
  scenario.wait(4_000);
  scenario.price(10_000);
  expect(scenario.venue.state.markets[1]!.funding.premiumCount).toBe(1);
  scenario.wait(1_000);
  scenario.price(10_000);
  expect(scenario.venue.state.markets[1]!.funding.premiumCount).toBe(2);
});

test('charges to the entry what exceeds the margin', () => {
  const specification: MarketSpecification = { ...SMALL_MARKET, fundingInterestPpb: 500_000 as Ppb, autoDeleveraging: false };
  const scenario = snapshotScenario(2, specification);
  openPosition(scenario, 1, 2, UNIT);
  scenario.jump(1_000_000);
  // 0.05 % of 100,000.0 are 50, the whole margin. The position has a profit of 99,000 and stays open.
  expect(only(endPeriod(scenario, 1_000_000), 'FundingPaid')).toContainEqual(
    expect.objectContaining({ account: 1, paidAtoms: 50_000_000, marginAtoms: 0, entryNotionalAtoms: 1_000_000_000 }),
  );
  expect(only(endPeriod(scenario, 1_000_000), 'FundingPaid')).toContainEqual(
    expect.objectContaining({ account: 1, paidAtoms: 50_000_000, marginAtoms: 0, entryNotionalAtoms: 1_050_000_000 }),
  );
});

test('charges what a position cannot pay to the insurance fund, then to the deficit ledger', () => {
  const specification: MarketSpecification = { ...SMALL_MARKET, fundingCapPpb: 25_000_000 as Ppb, autoDeleveraging: false };
  const scenario = unboundedPremiumScenario(3, specification);
  scenario.run({ type: 'CreditInsurance', amountAtoms: 700_000_000 as QuoteAtoms, reference: 'test' });
  openPosition(scenario, 1, 2, UNIT, [2, 20]);
  // 6 % below the index at the second of two samples.
  scenario.limit(3, 'sell', 9_400, 5 * UNIT, { leverageX: 1 });
  scenario.wait(1_800_000);
  scenario.price(10_000);
  scenario.wait(1_900_000);
  const events = scenario.jump(900_000);
  // Account 2 owes 2.5 % of 90,000. It has a margin of 50 and an entry of 1,000, of which one atom must remain.
  const place = events.findIndex((event) => event.type === 'FundingPaid' && event.account === 2);
  expect(events.slice(place, place + 5)).toMatchObject([
    { type: 'FundingPaid', paidAtoms: 1_049_999_999, marginAtoms: 0, entryNotionalAtoms: 1 },
    { type: 'LedgerPosted', ledger: 'insurance', amountAtoms: -700_000_000, balanceAtoms: 0 },
    { type: 'LedgerPosted', ledger: 'deficit', amountAtoms: -500_000_001 },
    { type: 'FundMoved', account: 2, amountAtoms: -700_000_000, balanceAtoms: -700_000_000 },
    { type: 'LedgerPosted', ledger: 'funding', amountAtoms: 2_250_000_000 },
  ]);
  expect(paid(events)).toContainEqual([1, -2_250_000_000]);
});

test('liquidates in the same turn a position that funding drops below maintenance, after all have settled', () => {
  const scenario = snapshotScenario(3, { ...SMALL_MARKET, fundingInterestPpb: 500_000 as Ppb });
  openPosition(scenario, 1, 2, UNIT);
  scenario.limit(3, 'buy', 9_700, UNIT);
  // At 974.6 its equity is 24.6 and its maintenance 24.365. The period costs 0.4873.
  expect(only(scenario.price(9_746), 'LiquidationStarted')).toEqual([]);
  const events = endPeriod(scenario, 9_746);
  const types = typesOf(events);
  expect(types.lastIndexOf('FundingPaid')).toBeLessThan(types.indexOf('LiquidationStarted'));
  expect(only(events, 'LiquidationStarted')).toMatchObject([{ account: 1, equityAtoms: 24_600_000 - 487_300 }]);
});

test('neither samples nor settles in a cancel-only market, and ends a single period when it opens again', () => {
  const halted = snapshotScenario(2);
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

test('settles nothing while the index is not current', () => {
  const scenario = snapshotScenario(2);
  openPosition(scenario, 1, 2, UNIT);
  watch(scenario);
  waitForEnd(scenario);
  // An unconfirmed jump, then a price that is too old.
  expect(typesOf(scenario.price(20_000))).toEqual(['MarketPriced']);
  scenario.wait(3_700_000);
  const observedAtEpochMs = (scenario.now - 3_700_000) as EpochMs;
  expect(
    typesOf(scenario.run({ type: 'PublishIndexPrice', market: BTC, priceAtoms: 10_000 as never, observedAtEpochMs })),
  ).toEqual(['MarketPriced']);
  expect(paid(scenario.price(10_000))).toHaveLength(2);
});

test('settles a rate of zero when prices were missing for more than half of the period', () => {
  const scenario = snapshotScenario(2, { ...SMALL_MARKET, maxIndexAgeMs: 1_000_000 });
  openPosition(scenario, 1, 2, UNIT);
  // Prices resume a quarter of an hour before its end.
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

test('does not sample the book in the turn in which the index becomes current again', () => {
  for (const how of ['silence', 'a jump', 'a jump taken back']) {
    const scenario = snapshotScenario(2, {
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
    if (how !== 'silence') for (let count = 0; count < 2; count += 1) scenario.price(8_500);
    const events = scenario.price(how === 'silence' ? 9_100 : how === 'a jump' ? 8_500 : 10_010);
    expect(only(events, 'MarketPriced')).toMatchObject([{ indexStatus: 'current', fundingEstimatePpb: 12_500 }]);
    expect(count(), how).toBe(1);
    scenario.wait(1_000);
    scenario.price(how === 'silence' ? 9_100 : how === 'a jump' ? 8_500 : 10_010);
    expect(count(), how).toBe(2);
  }
});

test('settles funding in a reduce-only market', () => {
  const scenario = snapshotScenario(2);
  openPosition(scenario, 1, 2, UNIT);
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'reduce_only' });
  scenario.price(10_000);
  expect(paid(endPeriod(scenario))).toHaveLength(2);
});

test('ends the periods of each market separately', () => {
  const ETH = 2 as MarketOrdinal;
  const scenario = snapshotScenario(2);
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
  // 0.0025 % of 2,000.0 are 50 atoms per lot.
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

test('charges a closed position nothing and a late position the whole period', () => {
  const scenario = snapshotScenario(4);
  openPosition(scenario, 1, 2, UNIT);
  endPeriod(scenario);
  scenario.limit(3, 'buy', 10_000, UNIT);
  expect(tradesOf(scenario.market(1, 'sell', UNIT))).toHaveLength(1);
  expect(paid(endPeriod(scenario)).sort()).toEqual([
    [2, -12_500],
    [3, 12_500],
  ]);
});

/** What the insurance fund and the deficit pay of funding that positions cannot pay: their postings follow the payment. */
function paidForOthers(events: readonly VenueEvent[]): number {
  let sum = 0;
  events.forEach((event, index) => {
    if (event.type !== 'FundingPaid') return;
    for (let at = index + 1; ; at += 1) {
      const posted = events[at]!;
      if (posted.type !== 'LedgerPosted' || posted.ledger === 'funding') return;
      sum -= posted.amountAtoms;
    }
  });
  return sum;
}

test('leaves a remainder from zero to less than one atom per position in random worlds', () => {
  let periods = 0;
  for (let seed = 1; seed <= 6; seed += 1) {
    const world = new RandomWorld(seed, true);
    for (let step = 0; step < 1_500; step += 1) {
      const events = world.step();
      const settled = paid(events);
      expect(world.scenario.venue.state.ledgers.funding).toBe(0);
      if (settled.length === 0) continue;
      periods += 1;
      const remainder = settled.reduce((sum, [, amount]) => sum + amount, paidForOthers(events));
      expect(remainder).toBeGreaterThanOrEqual(0);
      expect(remainder).toBeLessThan(settled.length);
    }
  }
  expect(periods).toBeGreaterThan(20);
});
