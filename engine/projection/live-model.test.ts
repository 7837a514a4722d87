/**
 * Property tests: the model in memory, started anywhere in the journal, equals the file. `OPENPERP_PROJECTION_RUNS` and
 * `OPENPERP_PROJECTION_SEED` are as in `any-history.test.ts`.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIVE_CANDLE_SERIES, TIMEFRAME_MS, TIMEFRAMES } from '#contract/markets.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { candleResource } from './candle-series.ts';
import { spanStart } from './candle-spans.ts';
import { LiveModel } from './live-model.ts';
import { bookSides, tickerOf } from './market-resource.ts';
import { gathered, openProjection, type Projection } from './projection.ts';
import type { CoveringGroup } from './record-changes.ts';
import { ACCOUNTS, historyOf, MARKETS, step } from './testing/any-history.ts';

const RUNS = Number(process.env.OPENPERP_PROJECTION_RUNS ?? 40);
const SEED = process.env.OPENPERP_PROJECTION_SEED;
const GROUP = {} as CoveringGroup;

/** The whole content of the model. */
function everythingIn(model: LiveModel): unknown {
  const ordered = <Row extends object>(rows: Iterable<Row>) =>
    [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return {
    place: [model.sequence, model.epochMs],
    orders: ordered(model.orders.all()),
    episodes: Array.from({ length: ACCOUNTS }, (_, index) => model.openEpisodes((index + 1) as AccountOrdinal)),
    accounts: ordered(model.accounts.all()),
    markets: ordered(model.markets.all()),
    activity: ordered(model.marketActivity.all()),
    shown: MARKETS.map((market) => {
      const scales = model.scales(market);
      const activity = model.marketActivity.find(market)!;
      const ticker = tickerOf(scales, activity, model.books, model.dayWindows.at(market, model.epochMs));
      return { book: bookSides(model.books, scales, 500), ticker };
    }),
  };
}

/** The current and the previous candle of every timeframe. */
function expectSameCandles(model: LiveModel, { reads }: Projection): void {
  for (const market of MARKETS)
    for (const series of LIVE_CANDLE_SERIES)
      for (const timeframe of TIMEFRAMES) {
        const span = TIMEFRAME_MS[timeframe];
        const sinceEpochMs = Math.max(0, spanStart(model.epochMs, span) - span);
        const { entries: candles } = reads.candles({ market, series, timeframe, limit: 10, sinceEpochMs }).page;
        const live = model.candles.since({ market, series }, timeframe, sinceEpochMs);
        expect(live.map((candle) => candleResource(candle, model.scales(market)))).toEqual(candles);
      }
}

test('the model in memory equals the file, wherever it starts', () => {
  const property = fc.property(fc.array(step, { minLength: 1, maxLength: 200, size: 'max' }), fc.nat(1_000), (steps, roll) => {
    const history = historyOf(steps);
    const count = history.records.length;
    const initialCount = roll % (count + 1);
    const projection = openProjection(':memory:');
    try {
      if (initialCount > 0) projection.follow(history.group(0, initialCount));
      // In many pieces, as from the other thread.
      const { pieces, ...place } = projection.livePieces(3);
      const sent = [...pieces];
      expect(sent.every(({ rows }) => rows.length > 0 && rows.length <= 3)).toBe(true);
      const model = new LiveModel(gathered({ ...place, pieces: structuredClone(sent) }));
      for (const record of history.records.slice(initialCount)) model.fold(record, GROUP);
      if (count > initialCount) projection.follow(history.group(initialCount));
      expect(everythingIn(model)).toEqual(everythingIn(new LiveModel(gathered(projection.livePieces()))));
      expectSameCandles(model, projection);
    } finally {
      projection.close();
    }
  });
  fc.assert(property, { numRuns: RUNS, endOnFailure: true, ...(SEED !== undefined && { seed: Number(SEED) }) });
});

test('has exactly the keys that can still be revoked', () => {
  const history = historyOf([]);
  const account = 1 as AccountOrdinal;
  const key = { account, digest: '0'.repeat(64), scopes: ['read'], label: '', expiresAtEpochMs: 0 as EpochMs } as const;
  for (const keyId of ['a', 'b', 'c'].map((letter) => letter.repeat(16))) history.run({ type: 'IssueApiKey', keyId, ...key });
  history.run({ type: 'RevokeApiKey', account, keyId: 'a'.repeat(16) });
  const projection = openProjection(':memory:');
  projection.follow(history.group(0));
  const model = new LiveModel(gathered(projection.livePieces()));
  const remaining = () => [...model.apiKeys.all()].map(({ keyId }) => keyId[0]);
  expect(remaining()).toEqual(['b', 'c']);
  const initialCount = history.records.length;
  history.run({ type: 'RevokeApiKey', account, keyId: 'b'.repeat(16) });
  for (const record of history.records.slice(initialCount)) model.fold(record, GROUP);
  expect(remaining()).toEqual(['c']);
  projection.close();
});
