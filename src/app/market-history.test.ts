/**
 * The synthetic history of a new venue: the first start lists its markets with it, and every later start and rebuild reads the
 * same.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runJournalCommand } from '#cli/journal-command.ts';
import { runProjectionsCommand } from '#cli/projections-command.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { CandlePath } from '#prices/candle-path.ts';
import type { EpochMs } from '#units/money.ts';
import { historyOf } from './market-history.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const HISTORY = { historyMs: 30 * DAY };
const SPANS = { '1m': MINUTE, '5m': 5 * MINUTE, '1h': 60 * MINUTE, '4h': 240 * MINUTE };
const MARKETS = DEVNET_MARKETS.map(({ specification }) => specification.marketId);

const undo: (() => void | Promise<void>)[] = [];
let directory: string;
beforeEach(() => {
  const { path, remove } = temporaryDirectory();
  directory = path;
  undo.push(remove);
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function started(changes: object): Promise<TestVenue> {
  const venue = await startTestVenue(testConfig(directory, changes));
  undo.push(() => venue.stop());
  return venue;
}

interface Candle {
  readonly openTimeEpochMs: number;
  readonly open: string;
  readonly close: string;
  readonly synthetic: boolean;
}

async function read(venue: TestVenue, path: string): Promise<string> {
  const response = await fetch(`${venue.url}/v1/markets/${path}`);
  expect(response.status, path).toBe(200);
  return response.text();
}

async function candlesOf(venue: TestVenue, path: string): Promise<readonly Candle[]> {
  return JSON.parse(await read(venue, path)).candles;
}

/** Candles and rates before a time, as text. */
async function pastOf(venue: TestVenue, before: number): Promise<string> {
  const parts: string[] = [];
  for (const [timeframe, spanMs] of Object.entries({ ...SPANS, '15m': 15 * MINUTE, '1d': DAY })) {
    for (const series of ['trade', 'index']) {
      const path = `ETH-USD-PERP/candles?timeframe=${timeframe}&series=${series}&limit=500&since=0`;
      const candles = (await candlesOf(venue, path)).filter((candle) => candle.openTimeEpochMs + spanMs <= before);
      expect(candles.length).toBeGreaterThan(80);
      parts.push(JSON.stringify(candles));
    }
  }
  const { rates } = JSON.parse(await read(venue, `ETH-USD-PERP/funding?limit=500&until=${before}`));
  expect(rates).toHaveLength(500);
  return [...parts, JSON.stringify(rates)].join('\n');
}

test('the history has 500 candles of 1m, 5m, 1h and 4h right after the first start, and its prices continue them', async () => {
  const venue = await started(HISTORY);
  for (const marketId of MARKETS) {
    for (const [timeframe, spanMs] of Object.entries(SPANS)) {
      for (const series of ['trade', 'index']) {
        const candles = await candlesOf(venue, `${marketId}/candles?timeframe=${timeframe}&series=${series}&limit=500`);
        expect(candles, `${timeframe} ${series}`).toHaveLength(500);
        for (const [place, { openTimeEpochMs }] of candles.entries())
          expect(openTimeEpochMs).toBe(candles[0]!.openTimeEpochMs + place * spanMs);
        expect(candles[0]!.synthetic).toBe(true);
      }
    }
    const { indexPrice } = JSON.parse(await read(venue, `${marketId}/stats`));
    const [before] = (await candlesOf(venue, `${marketId}/candles?series=trade&limit=1`)).slice(-1);
    expect(Math.abs(indexPrice / Number(before!.close) - 1)).toBeLessThan(0.005);
  }
});

test('the history is the same in later starts, snapshots and rebuilds, with any options', async () => {
  const first = await started(HISTORY);
  const before = Date.now() - MINUTE;
  const past = await pastOf(first, before);
  await first.stop();
  const second = await started({ seed: 9, historyMs: 0 });
  expect(await pastOf(second, before)).toBe(past);
  await second.stop();
  await runProjectionsCommand(['rebuild', '--data-dir', directory], () => {});
  const third = await started({ seed: 4, historyMs: DAY });
  expect(await pastOf(third, before)).toBe(past);
  await third.stop();
  for (const command of ['verify', 'replay'])
    expect(await runJournalCommand([command, '--data-dir', directory])).toMatchObject({ status: 0 });
  rmSync(join(directory, 'projection.sqlite'));
  expect(await pastOf(await started({ historyMs: 0 }), before)).toBe(past);
});

test('the history stays empty when the first start had no history', async () => {
  const first = await started({ historyMs: 0 });
  const allSynthetic = async (venue: TestVenue) => {
    const candles = await candlesOf(venue, 'BTC-USD-PERP/candles?series=index&since=0');
    expect(candles.length).toBeGreaterThan(0);
    return candles.filter(({ synthetic }) => synthetic);
  };
  expect(await allSynthetic(first)).toEqual([]);
  await first.stop();
  const second = await started(HISTORY);
  expect(await allSynthetic(second)).toEqual([]);
  expect(JSON.parse(await read(second, 'BTC-USD-PERP/funding')).rates).toEqual([]);
});

/** Minute candles from a price, each moving by `move`. */
function candleFile(name: string, from: number, move: number, begin = Date.UTC(2024, 0, 1)): string {
  const rows = Array.from({ length: 200 }, (_, minute) => {
    const [open, close] = [from * (1 + (minute % 2) * move), from * (1 + ((minute + 1) % 2) * move)];
    return [begin + minute * MINUTE, open, Math.max(open, close), Math.min(open, close), close, 1];
  });
  const path = join(directory, name);
  writeFileSync(path, JSON.stringify(rows));
  return path;
}

test('the history of a replayed market ends at the first price of the replay, and later starts need no file for it', async () => {
  const file = candleFile('ETH.json', 4_000, 0.001);
  const first = await started({ ...HISTORY, prices: `file:${file}` });
  const candles = await candlesOf(first, 'ETH-USD-PERP/candles?series=index&limit=500');
  expect(candles).toHaveLength(500);
  // The candle in which the venue started continues with the prices of the file.
  const last = candles.filter(({ synthetic }) => synthetic).at(-1)!;
  expect(Math.abs(Number(last.close) / 4_000 - 1)).toBeLessThan(0.002);
  const before = Date.now() - MINUTE;
  const past = await pastOf(first, before);
  await first.stop();
  rmSync(file);
  expect(await pastOf(await started({}), before)).toBe(past);
});

test('the history has the volatility of the replayed candles, at the speed of the replay', () => {
  const [btc] = DEVNET_MARKETS;
  const rows = (begin: number, count: number) =>
    Array.from({ length: count }, (_, minute) => {
      const price = 40_000 * (1 + (minute % 2) * 0.001);
      return { openedAtEpochMs: begin + minute * MINUTE, open: price, high: price, low: price, close: price };
    });
  const begin = Date.UTC(2024, 0, 1);
  const replayed = new Map([
    ['BTC-USD-PERP', new CandlePath(rows(begin, 100))],
    ['ETH-USD-PERP', new CandlePath(rows(begin + 31 * MINUTE, 100))],
  ]);
  const terms = (speed: number) =>
    historyOf(
      btc!,
      { seed: 3, speed, ...HISTORY },
      { prices: 'file:', hasPrices: true, replayed },
      1_800_000_000_000 as EpochMs,
    )!;
  // 0.1 % a minute; the replay starts when both files have started, in the 31st minute.
  expect(terms(1)).toMatchObject({ seed: 3, startedAtEpochMs: 1_800_000_000_000, lengthMs: 30 * DAY, startPriceAtoms: 400_400 });
  expect(terms(1).volatilityPpb).toBeCloseTo(1_000_000 / Math.sqrt(60), -3);
  expect(terms(4).volatilityPpb / terms(1).volatilityPpb).toBeCloseTo(2, 3);
  expect(terms(100_000).volatilityPpb).toBe(500_000);
  expect(
    historyOf(btc!, { seed: 3, speed: 1, historyMs: 0 }, { prices: 'file:', hasPrices: true, replayed }, 1 as EpochMs),
  ).toBeUndefined();
  const none = { prices: 'none', hasPrices: false, replayed: new Map() };
  expect(historyOf(btc!, { seed: 3, speed: 1, ...HISTORY }, none, 1 as EpochMs)).toBeUndefined();
});
