/** Candles and funding rates before the venue's start: reads continue across the start, page by page in both directions. */
import { expect, onTestFinished, test } from 'vitest';
import { settledFundingRate } from '#contract/funding.ts';
import {
  CANDLE_SERIES,
  type CandleSeriesName,
  candleSeries,
  TIMEFRAME_MS,
  TIMEFRAMES,
  type Timeframe,
} from '#contract/markets.ts';
import { cursorScope, pageQuery } from '#reads/paging.ts';
import type { PageQuery, Reads } from '#reads/reads.ts';
import { renderRead, resourceReads } from '#reads/resource-reads.ts';
import { History } from '#simulation/history.ts';
import { BTC, SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { EpochMs, Ppb, PriceAtoms } from '#units/money.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import { openProjection } from './projection.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Within a candle of every timeframe. */
const START = 1_700_000_000_000 + 17 * MINUTE + 12_345;

type Candle = Reads['candles'] extends (query: never) => { readonly page: { readonly entries: readonly (infer Entry)[] } }
  ? Entry
  : never;

function withPast(lengthMs = 30 * DAY, terms: Partial<MarketHistory> = {}): History {
  const history = new History();
  history.now = START as EpochMs;
  const past = {
    seed: 3,
    startedAtEpochMs: START as EpochMs,
    startPriceAtoms: 10_000 as PriceAtoms,
    volatilityPpb: 80_000 as Ppb,
  };
  history.run({ type: 'ListMarket', specification: SCENARIO_MARKET, status: 'open', history: { ...past, lengthMs, ...terms } });
  history.price(10_000);
  for (const account of [1, 2]) {
    history.run({ type: 'OpenAccount', label: `${account}`, partyId: `party-${account}`, digestSeed: 7 });
    history.run({ type: 'CreditCash', account: account as never, amountAtoms: 10_000_000_000 as never, reference: 'test' });
  }
  return history;
}

/** Trades and prices for the given minutes. */
function traded(history: History, minutes: number): History {
  for (let minute = 0; minute < minutes; minute += 1) {
    history.price(10_000 + (minute % 7));
    history.limit(1, 'sell', 10_000 + (minute % 5), 5);
    history.market(2, 'buy', 5);
    history.limit(1, 'buy', 9_990, 5);
    history.market(2, 'sell', 5);
    history.wait(MINUTE - 6);
  }
  return history;
}

function readsOf(history: History): Reads {
  const projection = openProjection(':memory:');
  onTestFinished(() => projection.close());
  projection.follow(history.group(0));
  return projection.reads;
}

function candlesOf(reads: Reads, series: CandleSeriesName, timeframe: Timeframe, limit: number, sinceEpochMs?: number): Candle[] {
  const since = sinceEpochMs === undefined ? {} : { sinceEpochMs };
  return [...reads.candles({ market: BTC, series, timeframe, limit, ...since }).page.entries];
}

/** All candles, oldest first, paged like a client. */
function allCandles(reads: Reads, series: CandleSeriesName, timeframe: Timeframe, pageSize: number): Candle[] {
  const all: Candle[] = [];
  for (let since = 0; ; since = all.at(-1)!.openTimeEpochMs + 1) {
    const page = candlesOf(reads, series, timeframe, pageSize, since);
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}

/** By the calendar: a week starts on the Monday before a time. */
function openTimeOf(epochMs: number, timeframe: Timeframe): number {
  if (timeframe !== '1w') return epochMs - (epochMs % TIMEFRAME_MS[timeframe]);
  const date = new Date(epochMs);
  const daysSinceMonday = (date.getUTCDay() + 6) % 7;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - daysSinceMonday);
}

/** Folds minutes into one candle; amounts in atoms. */
function folded(minutes: readonly Candle[]): Omit<Candle, 'openTimeEpochMs' | 'synthetic'> {
  const sum = (name: 'volume' | 'quoteVolume') =>
    minutes.reduce((total, minute) => total + Math.round(Number(minute[name]) * 1e6), 0) / 1e6;
  return {
    open: minutes[0]!.open,
    high: minutes.reduce((highest, { high }) => (Number(high) > Number(highest) ? high : highest), minutes[0]!.high),
    low: minutes.reduce((least, { low }) => (Number(low) < Number(least) ? low : least), minutes[0]!.low),
    close: minutes.at(-1)!.close,
    volume: String(sum('volume')),
    quoteVolume: String(sum('quoteVolume')),
  };
}

test.each(CANDLE_SERIES)('%s candles of longer timeframes equal their folded minutes, across the start', (series) => {
  const reads = readsOf(traded(withPast(70 * DAY), 40));
  const minutes = allCandles(reads, series, '1m', 1_000);
  for (const timeframe of TIMEFRAMES.slice(1)) {
    const bySpan = Map.groupBy(minutes, ({ openTimeEpochMs }) => openTimeOf(openTimeEpochMs, timeframe));
    // The minutes start within a longer candle, and longer candles go further back.
    const whole = [...bySpan].filter(([openTime]) => openTime >= minutes[0]!.openTimeEpochMs);
    const candles = allCandles(reads, series, timeframe, 1_000).filter((candle) => candle.openTimeEpochMs >= whole[0]![0]);
    expect(whole.length).toBeGreaterThan(8);
    expect(candles.map(({ synthetic: _, ...candle }) => candle)).toEqual(
      whole.map(([openTimeEpochMs, parts]) => ({ openTimeEpochMs, ...folded(parts) })),
    );
    expect(candles.map(({ synthetic }) => synthetic)).toEqual(whole.map(([, parts]) => parts.some(({ synthetic }) => synthetic)));
  }
});

test('continues without a gap or a jump across the start, whose minute has both parts', () => {
  const reads = readsOf(traded(withPast(), 10));
  for (const series of CANDLE_SERIES) {
    const candles = candleSeries.shape.candles.parse(candlesOf(reads, series, '1m', 500));
    expect(candles).toHaveLength(500);
    const startMinute = START - (START % MINUTE);
    for (const [place, { openTimeEpochMs, open, synthetic }] of candles.entries()) {
      const before = candles[place - 1];
      expect(synthetic).toBe(openTimeEpochMs <= startMinute);
      if (before === undefined) continue;
      expect(openTimeEpochMs - before.openTimeEpochMs).toBe(MINUTE);
      expect(Math.abs(Number(open) / Number(before.close) - 1)).toBeLessThan(0.002);
    }
  }
});

test('has 500 candles up to 4h for a short history, and days for the whole history', () => {
  const short = { '1m': 500, '3m': 500, '5m': 500, '15m': 500, '30m': 500, '1h': 500, '2h': 500, '4h': 500 };
  const spans = { ...short, '6h': 333, '8h': 250, '12h': 166, '1d': 83, '1w': 12 };
  for (const series of CANDLE_SERIES) {
    const reads = readsOf(withPast(HOUR));
    for (const [timeframe, count] of Object.entries(spans))
      expect(allCandles(reads, series, timeframe as Timeframe, 1_000), timeframe).toHaveLength(count);
  }
  // Only whole candles, and the candle of the start.
  expect(allCandles(readsOf(withPast(10 * DAY)), 'index', '1m', 1_000)).toHaveLength((10 * DAY) / MINUTE);
  expect(allCandles(readsOf(withPast(100 * DAY)), 'index', '1d', 1_000)).toHaveLength(100);
});

test('pages of any size show the same candles, newest first and from a time on', () => {
  const reads = readsOf(traded(withPast(), 10));
  for (const timeframe of ['1m', '3m', '1h'] as const) {
    const all = allCandles(reads, 'trade', timeframe, 1_000);
    expect(allCandles(reads, 'trade', timeframe, 333)).toEqual(all);
    for (const limit of [1, 5, 11, 12, 13, 400]) {
      expect(candlesOf(reads, 'trade', timeframe, limit)).toEqual(all.slice(-limit));
      for (const from of [0, all.length - 15, all.length - 11, all.length - 10, all.length - 1]) {
        const { openTimeEpochMs } = all[from]!;
        expect(candlesOf(reads, 'trade', timeframe, limit, openTimeEpochMs)).toEqual(all.slice(from, from + limit));
        expect(candlesOf(reads, 'trade', timeframe, limit, openTimeEpochMs - 1)).toEqual(all.slice(from, from + limit));
        expect(candlesOf(reads, 'trade', timeframe, limit, openTimeEpochMs + 1)).toEqual(all.slice(from + 1, from + 1 + limit));
      }
    }
  }
});

test('a series without observations has its past, and a market without a history has no past', () => {
  const reads = readsOf(withPast());
  expect(candlesOf(reads, 'trade', '1m', 500)).toHaveLength(500);
  expect(candlesOf(reads, 'trade', '1m', 500).at(-1)).toMatchObject({
    openTimeEpochMs: START - (START % MINUTE),
    synthetic: true,
  });
  const without = readsOf(History.begin(0));
  expect(candlesOf(without, 'trade', '1m', 500)).toEqual([]);
  expect(candlesOf(without, 'index', '1d', 500)).toMatchObject([{ synthetic: false }]);
  expect(without.fundingRates({ market: BTC, direction: 'newest_first', limit: 5 }).entries).toEqual([]);
});

test('settled rates continue across the start, page by page in both directions', () => {
  const history = withPast(30 * DAY);
  for (let period = 0; period < 5; period += 1) {
    history.price(10_000);
    history.wait(HOUR);
  }
  history.price(10_000);
  const reads = readsOf(history);
  const responses = resourceReads(reads);
  const rates = (requested: Partial<PageQuery> & { since?: number; until?: number }, limit: number) => {
    const range = { since: requested.since, until: requested.until };
    const scope = cursorScope('listFundingRates', range);
    const all: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const query = { market: BTC, ...pageQuery(scope, { ...range, limit, cursor }, 2) };
      const page = JSON.parse(renderRead(responses, 'fundingRateList', [scope, 'BTC-USD-PERP', query])!);
      all.push(...page.rates);
      if (page.nextCursor === null) return settledFundingRate.array().parse(all);
      expect(page.rates).toHaveLength(limit);
      cursor = page.nextCursor;
    }
  };
  const all = rates({ since: 0 }, 500);
  const past = all.filter(({ synthetic }) => synthetic);
  expect(past).toHaveLength(720);
  expect(all.slice(720)).toMatchObject(Array.from({ length: 5 }, (_, place) => ({ period: place + 1, synthetic: false })));
  for (const [place, { settledAtEpochMs, synthetic }] of all.entries()) {
    if (synthetic) expect(settledAtEpochMs % HOUR).toBe(0);
    if (place === 0) continue;
    expect(settledAtEpochMs).toBeGreaterThan(all[place - 1]!.settledAtEpochMs);
    expect(settledAtEpochMs).toBeLessThanOrEqual(all[place - 1]!.settledAtEpochMs + 2 * HOUR);
  }
  const newest = [...all].reverse();
  const { settledAtEpochMs: moment } = all[400]!;
  for (const limit of [3, 5, 7, 500]) {
    expect(rates({}, limit)).toEqual(newest);
    expect(rates({ since: 0 }, limit)).toEqual(all);
    expect(rates({ since: moment }, limit)).toEqual(all.slice(400));
    expect(rates({ until: moment }, limit)).toEqual(newest.slice(-401));
    expect(rates({ since: moment, until: all[722]!.settledAtEpochMs }, limit)).toEqual(all.slice(400, 723));
  }
  // In most hours the rate is the interest; in others it has a premium.
  expect(past.filter(({ fundingRate }) => fundingRate === '0.0000125').length).toBeGreaterThan(360);
  expect(new Set(past.map(({ fundingRate }) => fundingRate)).size).toBeGreaterThan(5);
});

test('a page of the past is rendered in steps of a few hundred minutes', () => {
  const reads = readsOf(withPast());
  for (const timeframe of TIMEFRAMES) {
    const { pending } = reads.candles({ market: BTC, series: 'index', timeframe, limit: 500 }).page;
    const minutes = (pending.entriesPerStep! * TIMEFRAME_MS[timeframe]) / MINUTE;
    expect(minutes).toBeLessThanOrEqual(Math.max(750, TIMEFRAME_MS[timeframe] / MINUTE));
  }
});

test('evicted candles are computed again with the same values', () => {
  const reads = readsOf(withPast(400 * DAY));
  const first = candlesOf(reads, 'trade', '15m', 500);
  // More blocks than are cached.
  allCandles(reads, 'index', '15m', 1_000);
  expect(candlesOf(reads, 'trade', '15m', 500)).toEqual(first);
  expect(candlesOf(readsOf(withPast(400 * DAY)), 'trade', '15m', 500)).toEqual(first);
});
