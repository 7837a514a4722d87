/**
 * When a period has a rate: reliable prices covered at least half of it, at any frequency. The estimate follows the same
 * rule, and a book in which no client could trade is not sampled.
 */
import { describe, expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { Bps } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import { only } from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET } from '#venue/testing/venues.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const PERIOD = 10 * MINUTE;
/** An index price is current for ten seconds. Without a premium the rate is 12,500 parts per billion. */
const MARKET: MarketSpecification = {
  ...SMALL_MARKET,
  fundingPeriodMs: PERIOD,
  premiumSampleMs: 5 * SECOND,
  maxIndexAgeMs: 10 * SECOND,
  maxIndexJumpBps: 1_000 as Bps,
};
const INTEREST = 12_500;

/** Two accounts quote within 0.05 % of the index. The running period has just started. */
function quoted(change: Partial<MarketSpecification> = {}): Scenario {
  const scenario = quickScenario(2, { ...MARKET, ...change });
  scenario.limit(1, 'buy', 9_999, 10_000);
  scenario.limit(2, 'sell', 10_001, 10_000);
  until(scenario, startOf(scenario) + PERIOD);
  scenario.price(10_000);
  return scenario;
}

function startOf(scenario: Scenario): number {
  return scenario.venue.state.market(BTC)!.funding.endsAtEpochMs - PERIOD;
}

/** Waits so that the next command is at the given time. */
function until(scenario: Scenario, epochMs: number): void {
  scenario.wait(epochMs - 1 - scenario.now);
}

/** Publishes prices at an interval until `untilMs` after the start of the period, inclusive. */
function priced(scenario: Scenario, intervalMs: number, untilMs: number): VenueEvent[] {
  const end = startOf(scenario) + untilMs;
  const emitted: VenueEvent[] = [];
  while (scenario.now < end) {
    until(scenario, Math.min(scenario.now + intervalMs, end));
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
  ])('with samples at least %d ms apart and prices every %d ms', (premiumSampleMs, intervalMs) => {
    const scenario = quoted({ premiumSampleMs });
    expect(rates(priced(scenario, intervalMs, PERIOD))).toEqual([INTEREST]);
  });

  test('if prices covered half of it, and a rate of zero if less', () => {
    for (const [silentMs, rate] of [
      [PERIOD / 2, INTEREST],
      [PERIOD / 2 + 1, 0],
    ] as const) {
      const scenario = quoted();
      const gap = PERIOD / 2 - 30 * SECOND;
      priced(scenario, 5 * SECOND, gap);
      until(scenario, startOf(scenario) + gap + silentMs);
      scenario.price(10_000);
      expect(rates(priced(scenario, 5 * SECOND, PERIOD))).toEqual([rate]);
    }
  });

  test('and counts watched time before its start and after its end for the adjacent periods', () => {
    const scenario = quoted();
    // The last price of this period is one second before its end, the next one nine seconds later.
    priced(scenario, 5 * SECOND, PERIOD - SECOND);
    until(scenario, startOf(scenario) + PERIOD + 8 * SECOND);
    expect(rates(scenario.price(10_000))).toEqual([INTEREST]);
    expect(watchedMs(scenario)).toBe(8 * SECOND);
  });

  test('when a gap between two prices spans several periods', () => {
    const scenario = quoted({ maxIndexAgeMs: 3 * PERIOD });
    until(scenario, startOf(scenario) + 2 * PERIOD + MINUTE);
    expect(rates(scenario.price(10_000))).toEqual([INTEREST]);
    expect(watchedMs(scenario)).toBe(MINUTE);
  });
});

describe('the estimate', () => {
  test('assumes that the rest of the period is watched, and is zero once the period cannot have a rate', () => {
    const scenario = quoted();
    expect(estimate(priced(scenario, 5 * SECOND, MINUTE))).toBe(INTEREST);
    until(scenario, startOf(scenario) + 6 * MINUTE);
    expect(estimate(scenario.price(10_000))).toBe(INTEREST);
    until(scenario, startOf(scenario) + 6 * MINUTE + 11 * SECOND);
    expect(estimate(scenario.price(10_000))).toBe(0);
    const rest = priced(scenario, 5 * SECOND, PERIOD);
    expect(new Set(only(rest, 'MarketPriced').map(({ fundingEstimatePpb }) => fundingEstimatePpb))).toEqual(new Set([0]));
    expect(rates(rest)).toEqual([0]);
  });
});

describe('the book is not sampled', () => {
  test.each(['cancel_only', 'reduce_only'] as const)('in the first turn after the market was %s', (status) => {
    const scenario = quoted();
    priced(scenario, 5 * SECOND, MINUTE);
    setStatus(scenario, status);
    const before = samples(scenario);
    // The quotes are stale: they would give a premium of 5 % over the new index.
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
  });
});
