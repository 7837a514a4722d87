/**
 * When a period has a rate: for at least half of it there were prices to look at the book by, however often they came. The
 * estimate says what that comes to, and a book that nobody could trade in is not looked at.
 */
import { describe, expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { Bps } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import { only } from '#venue/testing/outcome.ts';
import { SMALL_MARKET, unwatched } from '#venue/testing/venues.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const PERIOD = 10 * MINUTE;
/** An index price lasts ten seconds. Without a premium a period costs 12,500 parts per billion. */
const MARKET: MarketSpecification = {
  ...SMALL_MARKET,
  fundingPeriodMs: PERIOD,
  premiumSampleMs: 5 * SECOND,
  maxIndexAgeMs: 10 * SECOND,
  maxIndexJumpBps: 1_000 as Bps,
};
const INTEREST = 12_500;

/** Two accounts quote within 0.05 % of the index; the running period has just begun. */
function quoted(change: Partial<MarketSpecification> = {}): Scenario {
  const scenario = unwatched(2, { ...MARKET, ...change });
  scenario.limit(1, 'buy', 9_999, 10_000);
  scenario.limit(2, 'sell', 10_001, 10_000);
  until(scenario, beginOf(scenario) + PERIOD);
  scenario.price(10_000);
  return scenario;
}

function beginOf(scenario: Scenario): number {
  return scenario.venue.state.market(BTC)!.funding.endsAtEpochMs - PERIOD;
}

/** The next command comes at a time. */
function until(scenario: Scenario, epochMs: number): void {
  scenario.wait(epochMs - 1 - scenario.now);
}

/** Prices that come at a pace until a time after the beginning of the period, that time included. */
function priced(scenario: Scenario, paceMs: number, untilMs: number): VenueEvent[] {
  const end = beginOf(scenario) + untilMs;
  const emitted: VenueEvent[] = [];
  while (scenario.now < end) {
    until(scenario, Math.min(scenario.now + paceMs, end));
    emitted.push(...scenario.price(10_000));
  }
  return emitted;
}

function setStatus(scenario: Scenario, status: MarketStatus): void {
  scenario.run({ type: 'SetMarketStatus', market: BTC, status });
}

const rates = (events: readonly VenueEvent[]) => only(events, 'FundingSettled').map(({ ratePpb }) => ratePpb);
const estimate = (events: readonly VenueEvent[]) => only(events, 'MarketPriced').at(-1)!.fundingEstimatePpb;
const watchedMs = (scenario: Scenario) => scenario.venue.state.market(BTC)!.funding.watchedMs;
const samples = (scenario: Scenario) => scenario.venue.state.market(BTC)!.funding.premiumCount;

describe('a period has a rate', () => {
  test.each([
    [100, 1_000],
    [100, 9_900],
    [5_000, 3_000],
    [5_000, 9_900],
    [PERIOD, 9_900],
  ])('with a look every %d ms at most, whatever the pace of its prices: %d ms', (premiumSampleMs, paceMs) => {
    const scenario = quoted({ premiumSampleMs });
    expect(rates(priced(scenario, paceMs, PERIOD))).toEqual([INTEREST]);
  });

  test('if there were prices for half of it, and none if there were for less', () => {
    for (const [silentMs, rate] of [
      [PERIOD / 2, INTEREST],
      [PERIOD / 2 + 1, 0],
    ] as const) {
      const scenario = quoted();
      const gap = PERIOD / 2 - 30 * SECOND;
      priced(scenario, 5 * SECOND, gap);
      until(scenario, beginOf(scenario) + gap + silentMs);
      scenario.price(10_000);
      expect(rates(priced(scenario, 5 * SECOND, PERIOD))).toEqual([rate]);
    }
  });

  test('and what lies before its beginning and behind its end counts for the others', () => {
    const scenario = quoted();
    // The last price of this period comes a second before its end, the next one nine after.
    priced(scenario, 5 * SECOND, PERIOD - SECOND);
    until(scenario, beginOf(scenario) + PERIOD + 8 * SECOND);
    expect(rates(scenario.price(10_000))).toEqual([INTEREST]);
    expect(watchedMs(scenario)).toBe(8 * SECOND);
  });

  test('and so does what lies in periods that came and went between two prices', () => {
    const scenario = quoted({ maxIndexAgeMs: 3 * PERIOD });
    until(scenario, beginOf(scenario) + 2 * PERIOD + MINUTE);
    expect(rates(scenario.price(10_000))).toEqual([INTEREST]);
    expect(watchedMs(scenario)).toBe(MINUTE);
  });
});

describe('the estimate', () => {
  test('is that of the whole period, if the rest of it is watched, and says so once it can have none any more', () => {
    const scenario = quoted();
    expect(estimate(priced(scenario, 5 * SECOND, MINUTE))).toBe(INTEREST);
    until(scenario, beginOf(scenario) + 6 * MINUTE);
    expect(estimate(scenario.price(10_000))).toBe(INTEREST);
    until(scenario, beginOf(scenario) + 6 * MINUTE + 11 * SECOND);
    expect(estimate(scenario.price(10_000))).toBe(0);
    const rest = priced(scenario, 5 * SECOND, PERIOD);
    expect(new Set(only(rest, 'MarketPriced').map(({ fundingEstimatePpb }) => fundingEstimatePpb))).toEqual(new Set([0]));
    expect(rates(rest)).toEqual([0]);
  });
});

describe('the book is not looked at', () => {
  test.each(['cancel_only', 'reduce_only'] as const)(
    'in the first turn after a market was %s: it is that of before',
    (status) => {
      const scenario = quoted();
      priced(scenario, 5 * SECOND, MINUTE);
      setStatus(scenario, status);
      const before = samples(scenario);
      // Nobody could trade at what the index has come to by now: a premium of 5 %.
      for (const price of [9_900, 9_500]) {
        scenario.wait(5 * SECOND);
        scenario.price(price);
      }
      const frozen = status === 'cancel_only' ? before : before + 1;
      setStatus(scenario, 'open');
      scenario.wait(5 * SECOND);
      expect(estimate(scenario.price(9_500))).toBe(INTEREST);
      expect(samples(scenario)).toBe(frozen);
      scenario.wait(SECOND);
      scenario.price(9_500);
      expect(samples(scenario)).toBe(frozen + 1);
    },
  );
});
