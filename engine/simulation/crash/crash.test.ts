import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readCandleFile } from '#prices/candle-file.ts';
import { CandlePath } from '#prices/candle-path.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { CRASH_MARKETS, CROWD, FEED_MS, INSURANCE_START_ATOMS } from './crash-parameters.ts';
import { runCrash } from './crash-run.ts';
import { crowdOf } from './crowd.ts';
import { type CrashFigures, tableOf } from './figures.ts';
import { BTC_CRASH, ETH_CRASH, SYNTHETIC_MINUTES, syntheticCrash } from './synthetic-crash.ts';

/** Repeat a run: `OPENPERP_CRASH_SEED=… npx vitest run engine/simulation/crash`. */
const SEED = Number(process.env.OPENPERP_CRASH_SEED ?? 519);
/** `OPENPERP_CRASH=whole` plays the real month from its first candle to its last instead of its outage and its crash. */
const IS_WHOLE = process.env.OPENPERP_CRASH === 'whole';
/** `OPENPERP_REAL_CANDLES=required` makes missing candles a failure. */
const IS_REQUIRED = process.env.OPENPERP_REAL_CANDLES === 'required';

const FOLDER = new URL('../../../../shared/data/', import.meta.url).pathname;
const FILES = ['BTC', 'ETH'].map((symbol) => `${FOLDER}${symbol}USDT_1m_2021-04-20_2021-05-20_crash0519.json.gz`);
const HAS_CANDLES = IS_REQUIRED || FILES.every((file) => existsSync(file));
/** The venue of the candles was down from 04:00 to 08:45 that day. */
const OUTAGE = [Date.UTC(2021, 3, 25, 3), Date.UTC(2021, 3, 25, 10)] as const;
const OUTAGE_STEPS = (284 * 60_000) / FEED_MS;
const CRASH = [Date.UTC(2021, 4, 19, 10), Date.UTC(2021, 4, 19, 15)] as const;

function play(
  paths: readonly CandlePath[],
  [fromEpochMs, toEpochMs]: readonly [number, number],
  { autoDeleveraging = true, withStops = false } = {},
): CrashFigures {
  return runCrash({
    markets: CRASH_MARKETS.map((market) => ({ ...market, autoDeleveraging })),
    paths,
    fromEpochMs,
    toEpochMs,
    random: seededRandom(SEED),
    withStops,
    // After every turn with deleveraging, which is the run that matters. Less often without it.
    invariantsEvery: autoDeleveraging ? 1 : 10,
    report: IS_WHOLE ? console.log : undefined,
  });
}

function playAll(title: string, paths: readonly CandlePath[], window: readonly [number, number]): Runs {
  const deleveraged = play(paths, window);
  const stopped = play(paths, window, { withStops: true });
  const not = play(paths, window, { autoDeleveraging: false });
  const columns = { 'with deleveraging': deleveraged, 'and stops of half of the crowd': stopped, 'without deleveraging': not };
  console.log(tableOf(`${title}, seed ${SEED}`, columns));
  return { deleveraged, stopped, not };
}

type Runs = Readonly<Record<'deleveraged' | 'stopped' | 'not', CrashFigures>>;

/** Checks that the run covers what it is meant to cover. The auditor has checked every turn. */
function expectCrash({ deleveraged, stopped, not }: Runs): void {
  expect([deleveraged.deficit, stopped.deficit]).toEqual([0, 0]);
  expect(stopped.waited).toBeGreaterThan(CROWD.traders / 2);
  expect(stopped.triggered).toBeGreaterThan(CROWD.traders / 8);
  expect(not.deficit).toBeGreaterThan(0);
  expect(deleveraged.insuranceStart).toBe(INSURANCE_START_ATOMS);
  expect(deleveraged.liquidatedAccounts.size).toBeGreaterThan(CROWD.traders / 4);
  expect(not.insuranceSpent).toBeGreaterThan(0);
  expect(deleveraged.deleveraged.size).toBeGreaterThan(0);
  expect(not.deleveraged.size).toBe(0);
  expect(deleveraged.fundingPeriods).toBeGreaterThan(4);
  expect(deleveraged.confirmed).toBeGreaterThan(0);
}

test('gives the crowd every market’s leverages, from 1 to the maximum', () => {
  const crowd = crowdOf(CROWD.traders, CRASH_MARKETS, seededRandom(SEED));
  expect(crowd).toHaveLength(200);
  for (const [index, { maxLeverageX }] of CRASH_MARKETS.entries()) {
    const leverages = crowd.filter(({ market }) => market === index + 1).map(({ leverageX }) => leverageX);
    expect(Math.min(...leverages)).toBe(1);
    expect(Math.max(...leverages)).toBe(maxLeverageX);
    expect(new Set(leverages).size).toBeGreaterThan(maxLeverageX / 2);
  }
});

describe('holds every invariant after every turn of a crash, and limits losses to positions', () => {
  test('synthetic: seeded candles of the same drawdown and outage', () => {
    const random = seededRandom(SEED);
    const paths = [BTC_CRASH, ETH_CRASH].map((shape) => new CandlePath(syntheticCrash(shape, random)));
    const all = playAll('synthetic crash', paths, [paths[0]!.startsAtEpochMs, paths[0]!.endsAtEpochMs]);
    expectCrash(all);
    const { outageSteps, refusals, range } = all.deleveraged;
    expect(Math.abs(outageSteps - (SYNTHETIC_MINUTES.outage * 60_000) / FEED_MS)).toBeLessThanOrEqual(1);
    expect(refusals.get('index_not_current')).toBeGreaterThan(0);
    for (const [index, { drawdown }] of [BTC_CRASH, ETH_CRASH].entries()) {
      const [low, high] = range.get(index + 1)!;
      expect(Math.abs(1 - low / high - drawdown)).toBeLessThan(0.01);
    }
  });

  describe.skipIf(!HAS_CANDLES)('real: the candles of May 2021', () => {
    const paths = HAS_CANDLES ? FILES.map((file) => new CandlePath(readCandleFile(file))) : [];

    test.skipIf(IS_WHOLE)('an outage: the market stops until prices return', () => {
      const figures = play(paths, OUTAGE);
      console.log(tableOf(`real outage, seed ${SEED}`, { 'with deleveraging': figures }));
      expect(Math.abs(figures.outageSteps - OUTAGE_STEPS)).toBeLessThanOrEqual(1);
      expect(figures.returned).toBe(CRASH_MARKETS.length);
      expect(figures.refusals.get('index_not_current')).toBeGreaterThan(0);
      // Only the three of the seven hours that have prices end a period.
      expect(figures.fundingPeriods).toBeLessThan(4 * CRASH_MARKETS.length);
    });

    test(IS_WHOLE ? 'the whole month' : 'the hours of the crash', () => {
      const [from, to] = [paths[0]!.startsAtEpochMs, paths[0]!.endsAtEpochMs];
      const all = playAll(IS_WHOLE ? 'real month' : 'real crash', paths, IS_WHOLE ? [from, to] : CRASH);
      expectCrash(all);
      // With deleveraging the fund pays only for closes at the mark price or better, where the synthetic book is empty during jumps.
      expect(all.deleveraged.insuranceSpent).toBeLessThan(all.not.insuranceSpent);
    }, 3_600_000);
  });
});
