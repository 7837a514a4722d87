/** The history of open interest: one entry for each span with a change, with the value after the last one. */
import { expect, onTestFinished, test } from 'vitest';
import { TIMEFRAME_MS } from '#contract/markets.ts';
import { OPEN_INTEREST_TIMEFRAMES, type OpenInterestTimeframe, openInterestSeries } from '#contract/open-interest.ts';
import { History } from '#simulation/history.ts';
import { BTC } from '#simulation/scenario.ts';
import { openProjection } from './projection.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function readerOf(history: History) {
  const projection = openProjection(':memory:');
  onTestFinished(() => projection.close());
  projection.follow(history.group(0));
  return (timeframe: OpenInterestTimeframe, query: { limit?: number; sinceEpochMs?: number } = {}) =>
    openInterestSeries.shape.entries.parse(
      projection.reads.openInterest({ market: BTC, timeframe, limit: 500, ...query }).page.entries,
    );
}

/** Account 1 sells to account 2, so that open interest grows by the quantity, or shrinks if account 1 buys. */
function trade(history: History, side: 'sell' | 'buy', quantityAtoms: number): void {
  history.price(10_000);
  history.limit(1, side, 10_000, quantityAtoms, { leverageX: 10 });
  history.market(2, side === 'sell' ? 'buy' : 'sell', quantityAtoms);
}

/** To the millisecond before the next multiple of a span: the next command is in it. */
function waitForNext(history: History, spanMs: number): void {
  history.wait(spanMs - (history.now % spanMs) - 1);
}

test('has the value after the last change of a span, at the mark of that moment', () => {
  const history = History.begin(2);
  waitForNext(history, DAY);
  const start = history.now + 1;
  trade(history, 'sell', 30);
  trade(history, 'buy', 10);
  waitForNext(history, 5 * MINUTE);
  waitForNext(history, 5 * MINUTE);
  history.wait(6 * MINUTE);
  trade(history, 'buy', 20);
  const read = readerOf(history);
  const five = [
    { openTimeEpochMs: start, openInterest: '0.02', openInterestNotional: '20' },
    { openTimeEpochMs: start + 10 * MINUTE, openInterest: '0', openInterestNotional: '0' },
  ];
  expect(read('5m')).toEqual(five);
  expect(read('5m', { limit: 1 })).toEqual(five.slice(1));
  expect(read('5m', { sinceEpochMs: start, limit: 1 })).toEqual(five.slice(0, 1));
  expect(read('5m', { sinceEpochMs: start + 1 })).toEqual(five.slice(1));
  expect(read('1h')).toEqual([{ openTimeEpochMs: start, openInterest: '0', openInterestNotional: '0' }]);
});

test('has the same value after a trade that only changes who holds the positions', () => {
  const history = History.begin(3);
  trade(history, 'sell', 30);
  waitForNext(history, HOUR);
  history.price(10_000);
  history.limit(2, 'sell', 10_000, 30);
  history.market(3, 'buy', 30);
  expect(readerOf(history)('1h').map(({ openInterest }) => openInterest)).toEqual(['0.03', '0.03']);
});

test('of a timeframe that is not stored has the newest value of its parts, on pages of any size', () => {
  const history = History.begin(2);
  waitForNext(history, DAY);
  for (let change = 0; change < 60; change += 1) {
    trade(history, change % 3 === 2 ? 'buy' : 'sell', 1 + (change % 4));
    history.wait(change % 10 === 9 ? 13 * HOUR : 4 * MINUTE);
  }
  const read = readerOf(history);
  const newest = read('5m');
  for (const timeframe of OPEN_INTEREST_TIMEFRAMES) {
    const spanMs = TIMEFRAME_MS[timeframe];
    const offsetMs = timeframe === '1w' ? 4 * DAY : 0;
    const expected = Map.groupBy(newest, ({ openTimeEpochMs: time }) => time - ((time - offsetMs) % spanMs));
    const all = read(timeframe);
    expect(all).toEqual([...expected].map(([openTimeEpochMs, parts]) => ({ ...parts.at(-1)!, openTimeEpochMs })));
    for (const limit of [1, 2, 3, all.length]) {
      expect(read(timeframe, { limit })).toEqual(all.slice(-limit));
      for (const [place, { openTimeEpochMs }] of all.entries())
        expect(read(timeframe, { limit, sinceEpochMs: openTimeEpochMs })).toEqual(all.slice(place, place + limit));
    }
  }
});
