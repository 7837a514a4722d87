import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { epochMs } from '#units/money.ts';
import type { Candle } from './candle-file.ts';
import { CandlePath } from './candle-path.ts';
import { readPriceChoice } from './price-choice.ts';
import { replayedPrices } from './replay.ts';
import { readReplayPosition, writeReplayPosition } from './replay-position.ts';

const MINUTE_MS = 60_000;
const BEGIN = 1_618_951_320_000;
const START = epochMs(1_800_000_000_000);

function candle(minute: number, open: number, high: number, low: number, close: number): Candle {
  return { openedAtEpochMs: BEGIN + minute * MINUTE_MS, open, high, low, close };
}

/** Two minutes, three minutes of outage, one minute. */
const withGap = new CandlePath([candle(0, 100, 110, 90, 105), candle(1, 105, 107, 99, 101), candle(5, 80, 86, 74, 83)]);

describe('the path through candles', () => {
  test('passes a rising candle through its low first, a falling one through its high', () => {
    expect([0, 20_000, 40_000, 59_999.999].map((ms) => Math.round(withGap.priceAt(BEGIN + ms) ?? -1))).toEqual([
      100, 90, 110, 105,
    ]);
    expect([0, 20_000, 40_000, 59_999.999].map((ms) => Math.round(withGap.priceAt(BEGIN + MINUTE_MS + ms) ?? -1))).toEqual([
      105, 107, 99, 101,
    ]);
    expect(withGap.priceAt(BEGIN + 10_000)).toBe(95);
  });

  test('has no price before, after, and in a gap', () => {
    expect(withGap.priceAt(BEGIN - 1)).toBeUndefined();
    expect(withGap.priceAt(BEGIN + 2 * MINUTE_MS - 1)).toBeDefined();
    expect(withGap.priceAt(BEGIN + 2 * MINUTE_MS)).toBeUndefined();
    expect(withGap.priceAt(BEGIN + 5 * MINUTE_MS - 1)).toBeUndefined();
    expect(withGap.priceAt(BEGIN + 5 * MINUTE_MS)).toBe(80);
    expect(withGap.priceAt(BEGIN + 6 * MINUTE_MS)).toBeUndefined();
    expect(withGap.resumesAfter(BEGIN + 3 * MINUTE_MS)).toBe(BEGIN + 5 * MINUTE_MS);
  });
});

describe('a replay', () => {
  test('runs at its speed, has no prices in a gap, reports it, and ends', () => {
    const lines: string[] = [];
    const replay = replayedPrices({
      paths: new Map([['BTC-USD-PERP', withGap]]),
      speed: 60,
      startedAtEpochMs: START,
      placeEpochMs: undefined,
      report: (line) => lines.push(line),
    });
    const seen = [0, 1, 2, 3, 4, 5, 6, 7].map((second) => replay.observe(epochMs(START + second * 1_000)));
    expect(seen.map((observations) => observations[0]?.price)).toEqual([
      100,
      105,
      undefined,
      undefined,
      undefined,
      80,
      undefined,
      undefined,
    ]);
    expect(seen[1]?.[0]?.observedAtEpochMs).toBe(START + 1_000);
    expect(lines).toEqual([
      'BTC-USD-PERP: the candles have a gap at 2021-04-20 20:44: no prices for 3 s',
      'BTC-USD-PERP: the feed is back at 2021-04-20 20:47',
      'BTC-USD-PERP: the candles ended at 2021-04-20 20:48; the index keeps its last value',
    ]);
  });

  test('replays several markets on one timeline, from where all have started', () => {
    const later = new CandlePath([candle(1, 10, 10, 10, 10), candle(2, 12, 12, 12, 12)]);
    const replay = replayedPrices({
      paths: new Map([
        ['BTC-USD-PERP', withGap],
        ['ETH-USD-PERP', later],
      ]),
      speed: 1,
      startedAtEpochMs: START,
      placeEpochMs: undefined,
      report: () => {},
    });
    expect(replay.observe(START).map(({ marketId, price }) => [marketId, price])).toEqual([
      ['BTC-USD-PERP', 105],
      ['ETH-USD-PERP', 10],
    ]);
  });

  test('refuses files without a common time', () => {
    const muchLater = new CandlePath([candle(500, 1, 1, 1, 1)]);
    const options = { speed: 1, startedAtEpochMs: START, placeEpochMs: undefined, report: () => {} };
    const paths = new Map([
      ['BTC-USD-PERP', withGap],
      ['ETH-USD-PERP', muchLater],
    ]);
    expect(() => replayedPrices({ ...options, paths })).toThrow(
      /BTC-USD-PERP end at 2021-04-20 20:48, before another file starts/,
    );
  });

  test('continues at the position of an earlier run', () => {
    const options = { paths: new Map([['BTC-USD-PERP', withGap]]), speed: 2, report: () => {} };
    const first = replayedPrices({ ...options, startedAtEpochMs: START, placeEpochMs: undefined });
    const place = first.positionAt(epochMs(START + 10_000));
    const second = replayedPrices({ ...options, startedAtEpochMs: epochMs(START + 999_000), placeEpochMs: place });
    expect(second.observe(epochMs(START + 999_000))[0]?.price).toBe(first.observe(epochMs(START + 10_000))[0]?.price);
  });
});

describe('the choice of prices', () => {
  const directory = mkdtempSync(join(tmpdir(), 'openperp-replay-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const markets = [
    { marketId: 'BTC-USD-PERP', underlyingSymbol: 'BTC' },
    { marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' },
  ];
  const rows = JSON.stringify([[BEGIN, 1, 1, 1, 1, 1]]);
  const file = (name: string): string => {
    writeFileSync(join(directory, name), rows);
    return join(directory, name);
  };

  test('infers the market from the name of a file, or uses the given one', () => {
    const option = `file:${file('BTCUSDT_1m_2021.json')},ETH-USD-PERP=${file('candles.json')}`;
    expect([...readPriceChoice(option, markets).replayed.keys()]).toEqual(['BTC-USD-PERP', 'ETH-USD-PERP']);
    expect([...readPriceChoice(`file:${file('eth.csv')}`, markets).replayed.keys()]).toEqual(['ETH-USD-PERP']);
    expect([...readPriceChoice(`file:DOGE-USD-PERP=${file('candles.json')}`, markets).replayed.keys()]).toEqual([
      'DOGE-USD-PERP',
    ]);
    expect(readPriceChoice('generated', markets).replayed.size).toBe(0);
  });

  test.each([
    ['other', /write generated, none, or file:/],
    ['file:', /names no file/],
    [`file:${join(directory, 'BTCDOM.json')}`, /cannot infer the market of .*BTCDOM\.json; write file:BTC-USD-PERP=/],
    [
      'file:btc-usd-perp=candles.json',
      /^--prices: there is no market btc-usd-perp, only BTC-USD-PERP, ETH-USD-PERP; write file:BTC-USD-PERP=candles\.json with one of these names, or a new id in capital letters such as DOGE-USD-PERP$/,
    ],
    ['file:/data/a=b/x.json', /cannot infer the market of \/data\/a=b\/x\.json; write file:BTC-USD-PERP=\/data\/a=b\/x\.json/],
    [`file:BTC-USD-PERP=${join(directory, 'nowhere.json')}`, /nowhere\.json: cannot be read/],
  ])('reports in one line what is wrong with %s', (option, message) => {
    expect(() => readPriceChoice(option, markets)).toThrow(message);
  });

  test('accepts one file per market', () => {
    expect(() => readPriceChoice(`file:${file('BTC-1.json')},${file('BTC-2.json')}`, markets)).toThrow(
      /two files for BTC-USD-PERP/,
    );
  });

  test('restores the position for the same choice only', () => {
    const path = join(directory, 'replay.json');
    expect(readReplayPosition(path, 'file:a')).toEqual({ placeEpochMs: undefined });
    writeReplayPosition(path, { prices: 'file:a', placeEpochMs: BEGIN }, expect.fail);
    expect(readReplayPosition(path, 'file:a')).toEqual({ placeEpochMs: BEGIN });
    expect(readReplayPosition(path, 'file:b')).toEqual({ placeEpochMs: undefined });
  });

  test('reports a damaged position file, whichever bit is damaged', () => {
    const path = join(directory, 'damaged.json');
    writeReplayPosition(path, { prices: 'file:a', placeEpochMs: BEGIN }, expect.fail);
    const bytes = readFileSync(path);
    // The final line break carries no data.
    for (let bit = 0; bit < 8 * (bytes.length - 1); bit += 1) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(path, damaged);
      expect(readReplayPosition(path, 'file:a'), String(damaged)).toEqual({ problem: 'is damaged' });
    }
    for (const text of ['', '{"prices":"fi', 'null', '[]']) {
      writeFileSync(path, text);
      expect(readReplayPosition(path, 'file:a')).toEqual({ problem: 'is damaged' });
    }
  });

  test('sets aside a directory and a link in the place of its file, logs each, and leaves other entries', () => {
    const path = join(directory, 'folder.json');
    const lines: string[] = [];
    mkdirSync(join(path, 'own'), { recursive: true });
    mkdirSync(join(`${path}.new`, 'own'), { recursive: true });
    const aside = (kind: string, number: number) => `was ${kind}, where a file belongs, and is now folder.json.aside-${number}`;
    expect(readReplayPosition(path, 'file:a')).toEqual({ problem: aside('a directory', 1) });
    const keep = () => writeReplayPosition(path, { prices: 'file:a', placeEpochMs: BEGIN }, (line) => lines.push(line));
    keep();
    expect(lines).toEqual([]);
    rmSync(path);
    symlinkSync(`${path}.new`, path);
    keep();
    expect(lines).toEqual([`folder.json ${aside('a link', 2)}`]);
    expect(readReplayPosition(path, 'file:a')).toEqual({ placeEpochMs: BEGIN });
    for (const left of [`${path}.aside-1/own`, `${path}.aside-2`, `${path}.new/own`]) expect(existsSync(left)).toBe(true);
  });
});
