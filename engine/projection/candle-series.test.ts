/** Candles of a market: of every timeframe and series, from observations. Those of before the start have their own test. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { candleSeries, TIMEFRAME_MS, type Timeframe } from '#contract/markets.ts';
import { History } from '#simulation/history.ts';
import { BTC } from '#simulation/scenario.ts';
import { openProjection } from './projection.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function readsOf(history: History) {
  const projection = openProjection(':memory:');
  onTestFinished(() => projection.close());
  projection.follow(history.group(0));
  return projection.reads;
}

/** Two accounts that trade small quantities in turn, so that neither runs out of margin, at a current index. */
function trade(history: History, priceAtoms: number, quantityAtoms: number): void {
  history.price(10_000);
  history.limit(1, 'sell', priceAtoms, quantityAtoms, { leverageX: 10 });
  history.market(2, 'buy', quantityAtoms);
}

/** Advances the time to the next multiple of a span, minus the millisecond that the next command adds. */
function waitForNext(history: History, spanMs: number): void {
  history.wait(spanMs - (history.now % spanMs) - 1);
}

describe('candles', () => {
  /** Two minutes with trades, one without, and one with trades. */
  function minutes(): { readonly history: History; readonly start: number } {
    const history = History.begin(2);
    waitForNext(history, DAY);
    const start = history.now + 1;
    trade(history, 10_000, 10);
    trade(history, 10_020, 20);
    trade(history, 9_990, 30);
    waitForNext(history, MINUTE);
    trade(history, 10_010, 40);
    waitForNext(history, 3 * MINUTE);
    trade(history, 9_950, 50);
    return { history, start };
  }

  test('have open, high, low, close and volume; a minute without a trade has no candle', () => {
    const { history, start } = minutes();
    const { page } = readsOf(history).candles({ market: BTC, timeframe: '1m', series: 'trade', limit: 10 });
    expect(candleSeries.shape.candles.parse(page.entries)).toEqual([
      {
        openTimeEpochMs: start,
        open: '1000',
        high: '1002',
        low: '999',
        close: '999',
        volume: '0.06',
        quoteVolume: '60.01',
        synthetic: false,
      },
      {
        openTimeEpochMs: start + MINUTE,
        open: '1001',
        high: '1001',
        low: '1001',
        close: '1001',
        volume: '0.04',
        quoteVolume: '40.04',
        synthetic: false,
      },
      {
        openTimeEpochMs: start + 3 * MINUTE,
        open: '995',
        high: '995',
        low: '995',
        close: '995',
        volume: '0.05',
        quoteVolume: '49.75',
        synthetic: false,
      },
    ]);
  });

  test('of a longer timeframe equal their folded minutes', () => {
    const { history, start } = minutes();
    waitForNext(history, 5 * MINUTE);
    trade(history, 10_100, 1);
    const reads = readsOf(history);
    const whole = {
      openTimeEpochMs: start,
      open: '1000',
      high: '1002',
      low: '995',
      close: '995',
      volume: '0.15',
      quoteVolume: '149.8',
      synthetic: false,
    };
    const next = {
      openTimeEpochMs: start + 5 * MINUTE,
      open: '1010',
      high: '1010',
      low: '1010',
      close: '1010',
      volume: '0.001',
      quoteVolume: '1.01',
      synthetic: false,
    };
    const candles = (query: object) =>
      reads.candles({ market: BTC, timeframe: '5m', series: 'trade', limit: 10, ...query }).page.entries;
    expect(candles({})).toEqual([whole, next]);
    expect(candles({ limit: 1 })).toEqual([next]);
    expect(candles({ sinceEpochMs: start, limit: 1 })).toEqual([whole]);
    expect(candles({ sinceEpochMs: start + 1 })).toEqual([next]);
    expect(candles({ timeframe: '4h' })).toEqual(candles({ timeframe: '1d' }));
    expect(candles({ timeframe: '1d' })).toMatchObject([
      { openTimeEpochMs: start, open: '1000', close: '1010', low: '995', volume: '0.151' },
    ]);
  });

  test('of a week are those of its days, from Monday on', () => {
    const history = History.begin(2);
    waitForNext(history, DAY);
    history.wait(((8 - new Date(history.now + 1).getUTCDay()) % 7) * DAY);
    const monday = history.now + 1;
    for (let day = 0; day < 9; day += 1) {
      trade(history, 10_000 + day, 10);
      waitForNext(history, DAY);
    }
    const reads = readsOf(history);
    const weeks = (query: object) =>
      reads.candles({ market: BTC, timeframe: '1w', series: 'trade', limit: 10, ...query }).page.entries;
    const [first, second] = [
      { openTimeEpochMs: monday, open: '1000', high: '1000.6', low: '1000', close: '1000.6', volume: '0.07' },
      { openTimeEpochMs: monday + 7 * DAY, open: '1000.7', high: '1000.8', low: '1000.7', close: '1000.8', volume: '0.02' },
    ];
    expect(weeks({})).toMatchObject([first, second]);
    expect(weeks({ limit: 1 })).toMatchObject([second]);
    expect(weeks({ sinceEpochMs: monday, limit: 1 })).toMatchObject([first]);
    expect(weeks({ sinceEpochMs: monday + 1 })).toMatchObject([second]);
  });

  test('of a timeframe that is not stored equal their folded minutes, on pages of any size', () => {
    const history = History.begin(2);
    waitForNext(history, DAY);
    // Without trades in some minutes, and in a whole span.
    for (let minute = 0; minute < 40; minute += 1) {
      if (minute % 5 !== 4 && (minute < 12 || minute > 17)) trade(history, 10_000 + ((minute * 7) % 11), 1 + (minute % 3));
      waitForNext(history, MINUTE);
    }
    const reads = readsOf(history);
    const candles = (timeframe: Timeframe, limit: number, query: object = {}) =>
      reads.candles({ market: BTC, timeframe, series: 'trade', limit, ...query }).page.entries;
    const minutes = candles('1m', 1_000);
    for (const timeframe of ['3m', '30m', '2h', '6h', '8h', '12h'] as const) {
      const spanMs = TIMEFRAME_MS[timeframe];
      const spans = Map.groupBy(minutes, ({ openTimeEpochMs }) => openTimeEpochMs - (openTimeEpochMs % spanMs));
      const expected = [...spans].map(([openTimeEpochMs, parts]) => ({
        openTimeEpochMs,
        open: parts[0]!.open,
        close: parts.at(-1)!.close,
        high: String(Math.max(...parts.map(({ high }) => Number(high)))),
        low: String(Math.min(...parts.map(({ low }) => Number(low)))),
        volume: String(parts.reduce((total, { volume }) => total + Math.round(Number(volume) * 1_000), 0) / 1_000),
      }));
      const all = candles(timeframe, 1_000);
      expect(all).toMatchObject(expected);
      expect(all).toHaveLength(expected.length);
      for (let limit = 1; limit <= expected.length; limit += 1) {
        expect(candles(timeframe, limit)).toEqual(all.slice(-limit));
        for (const [place, { openTimeEpochMs }] of all.entries())
          expect(candles(timeframe, limit, { sinceEpochMs: openTimeEpochMs })).toEqual(all.slice(place, place + limit));
      }
    }
  });

  test('of the mark show each new mark, and no volume', () => {
    const history = History.begin(0);
    waitForNext(history, HOUR);
    const start = history.now + 1;
    for (const price of [10_000, 10_200, 10_100]) history.price(price);
    const of = (series: 'index' | 'mark') =>
      readsOf(history).candles({ market: BTC, timeframe: '1m', series, sinceEpochMs: start, limit: 100 }).page.entries;
    const marks = history.records
      .flatMap(({ epochMs, events }) => events.map((event) => ({ epochMs, event })))
      .flatMap(({ epochMs, event }) => (epochMs >= start && event.type === 'MarketPriced' ? [event.markPriceAtoms / 10] : []));
    expect(of('mark')).toEqual([
      {
        openTimeEpochMs: start,
        open: String(marks[0]),
        high: String(Math.max(...marks)),
        low: String(Math.min(...marks)),
        close: String(marks.at(-1)),
        volume: '0',
        quoteVolume: '0',
        synthetic: false,
      },
    ]);
  });

  test('of the index have no volume, and are missing while the feed is down', () => {
    const history = History.begin(0);
    waitForNext(history, HOUR);
    const start = history.now + 1;
    history.price(10_000);
    history.price(10_200);
    history.price(10_100);
    waitForNext(history, 10 * MINUTE);
    history.price(9_900);
    const { page } = readsOf(history).candles({
      market: BTC,
      timeframe: '1m',
      series: 'index',
      sinceEpochMs: start,
      limit: 100,
    });
    expect(page.entries).toEqual([
      {
        openTimeEpochMs: start,
        open: '1000',
        high: '1020',
        low: '1000',
        close: '1010',
        volume: '0',
        quoteVolume: '0',
        synthetic: false,
      },
      {
        openTimeEpochMs: start + 10 * MINUTE,
        open: '990',
        high: '990',
        low: '990',
        close: '990',
        volume: '0',
        quoteVolume: '0',
        synthetic: false,
      },
    ]);
  });
});
