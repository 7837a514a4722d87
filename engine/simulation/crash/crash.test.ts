import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Candle, readCandleFile } from '#prices/candle-file.ts';
import { CandlePath } from '#prices/candle-path.ts';
import { Scenario } from '#simulation/scenario.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import type { VenueEvent } from '#venue/event.ts';
import { Bookkeeper, BooksDiffer } from './bookkeeper.ts';
import { type CrashFigures, type CrashPlan, crashMarket, runCrash } from './crash-run.ts';
import { BTC_CRASH, ETH_CRASH, OUTAGE_MINUTES, syntheticCrash } from './synthetic-crash.ts';

/** Repeat a run: `OPENPERP_CRASH_SEED=… npx vitest run engine/simulation/crash`. */
const SEED = Number(process.env.OPENPERP_CRASH_SEED ?? 519);
/** `OPENPERP_CRASH=whole` plays the real month minute by minute instead of its outage and its crash. */
const IS_WHOLE = process.env.OPENPERP_CRASH === 'whole';
/** `OPENPERP_REAL_CANDLES=required` makes missing candles a failure. */
const IS_REQUIRED = process.env.OPENPERP_REAL_CANDLES === 'required';

const FOLDER = new URL('../../../../shared/data/', import.meta.url).pathname;
const FILES = ['BTC', 'ETH'].map((symbol) => `${FOLDER}${symbol}USDT_1m_2021-04-20_2021-05-20_crash0519.json.gz`);
const OUTAGE = [Date.UTC(2021, 3, 25), Date.UTC(2021, 3, 25, 12)] as const;
const CRASH = [Date.UTC(2021, 4, 17), Date.UTC(2021, 4, 20)] as const;

function run(candles: readonly Candle[][], options: Pick<CrashPlan, 'stepMs'> & Partial<CrashPlan>): CrashFigures {
  const feeds = [crashMarket('BTC', 1, 5, 200), crashMarket('ETH', 2, 4, 400)].map((specification, index) => {
    return { specification, path: new CandlePath(candles[index]!) };
  });
  const windows = [[feeds[0]!.path.beginsAtEpochMs, feeds[0]!.path.endsAtEpochMs]] as const;
  return runCrash({ feeds, windows, random: seededRandom(SEED), invariantsEvery: 500, ...options });
}

function tell(name: string, figures: CrashFigures): void {
  const usd = (atoms: bigint) => `${atoms / 1_000_000n} USD.E`;
  const ranges = figures.range.map(([low, high]) => `${low}–${high}`).join(', ');
  console.log(
    `${name}, seed ${SEED}: ${figures.commands} commands (${figures.refused} refused), ${figures.trades} trades in ${figures.steps} steps, ` +
      `${figures.outageSteps} of them without a price; index ${ranges} ticks; fees ${usd(figures.feesAtoms)}, ` +
      `deficit ${usd(figures.deficitAtoms)}; at the end ${figures.openOrders} open orders, ${figures.openPositions} positions`,
  );
}

describe('through a crash no atom is made or lost, no book crosses, reservations are what open orders need', () => {
  test('synthetic: seeded candles of the same drawdown and outage', () => {
    const random = seededRandom(SEED);
    const figures = run([syntheticCrash(BTC_CRASH, random), syntheticCrash(ETH_CRASH, random)], { stepMs: 20_000 });
    tell('synthetic crash', figures);
    expect(figures.outageSteps).toBe(OUTAGE_MINUTES * 3);
    expect(figures.trades).toBeGreaterThan(1_000);
    for (const [index, { drawdown }] of [BTC_CRASH, ETH_CRASH].entries()) {
      const [low, high] = figures.range[index]!;
      expect(Math.abs(1 - low / high - drawdown)).toBeLessThan(0.01);
    }
  }, 300_000);

  test.skipIf(!IS_REQUIRED && !FILES.every((file) => existsSync(file)))(
    'real: the candles of May 2021',
    () => {
      const candles = FILES.map(readCandleFile);
      const figures = run(
        candles,
        IS_WHOLE ? { stepMs: 60_000, report: console.log } : { stepMs: 60_000, windows: [OUTAGE, CRASH] },
      );
      tell(IS_WHOLE ? 'real crash, whole month' : 'real crash, its outage and its last three days', figures);
      expect(figures.outageSteps).toBe(284);
      expect(figures.trades).toBeGreaterThan(10_000);
    },
    1_200_000,
  );
});

describe('the bookkeeper finds', () => {
  /** The events of a small market, turn by turn, with one of them tampered with. */
  function kept(tamper: (event: VenueEvent) => VenueEvent | undefined): void {
    const books = new Bookkeeper();
    const scenario = new Scenario();
    const turns: VenueEvent[][] = [];
    const run = scenario.run.bind(scenario);
    scenario.run = (command) => {
      const events = run(command);
      turns.push(events);
      return events;
    };
    scenario.populate(3);
    scenario.limit(1, 'sell', 10_010, 1_000);
    scenario.limit(1, 'buy', 9_990, 1_000, { leverageX: 3 });
    scenario.market(2, 'buy', 600);
    scenario.market(3, 'sell', 1_000);
    scenario.cancel(1, 1);
    scenario.limit(1, 'sell', 10_020, 10);
    for (const events of turns) books.turn(events.map(tamper).filter((event) => event !== undefined));
  }

  test('nothing in books that are right', () => {
    expect(() => kept((event) => event)).not.toThrow();
  });

  const faults: [string, (event: VenueEvent) => VenueEvent | undefined][] = [
    ['a fee that nobody received', (event) => (event.type === 'LedgerPosted' ? undefined : event)],
    [
      'a posting that does not come to what it says',
      (event) => (event.type === 'CashPosted' ? { ...event, cashAtoms: (event.cashAtoms + 1) as typeof event.cashAtoms } : event),
    ],
    [
      'an atom of margin too much',
      (event) =>
        event.type === 'PositionChanged' ? { ...event, marginAtoms: (event.marginAtoms + 1) as typeof event.marginAtoms } : event,
    ],
    [
      'a reservation one atom off',
      (event) =>
        event.type === 'OrderRested'
          ? { ...event, accountReservedAtoms: (event.accountReservedAtoms - 1) as typeof event.accountReservedAtoms }
          : event,
    ],
    [
      'a crossed book',
      (event) =>
        event.type === 'OrderRested' && event.side === 'buy'
          ? { ...event, priceAtoms: 10_011 as typeof event.priceAtoms }
          : event,
    ],
    ['an order that stays in the book after its cancel', (event) => (event.type === 'OrderCancelled' ? undefined : event)],
    ['more long than short', (event) => (event.type === 'PositionChanged' && event.account === 2 ? undefined : event)],
  ];
  test.each(faults)('%s', (_, tamper) => {
    expect(() => kept(tamper)).toThrow(BooksDiffer);
  });
});
