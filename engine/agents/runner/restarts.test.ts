/** The runner over the real core: a crash, a stop or a lost state changes no action. */
import { expect, test } from 'vitest';
import { WriterBusy } from '#writer/port/submit.ts';
import { FIRST_MINUTE, LONG_ABOVE, MINUTE_MS, orders, RunnerVenue } from './testing/runner-venue.ts';

/** Long above 1,000, short below; a trailing stop and a loss close it between. */
const FLIPPING = `//@version=6
strategy("Flip")
level = ta.sma(close, 3)
if close > level
    strategy.entry("Long", strategy.long)
if close < level
    strategy.entry("Short", strategy.short, 4)
strategy.exit("Guard", loss = 40, trail_points = 20, trail_offset = 15)
if bar_index % 11 == 0
    strategy.close_all()
    strategy.entry("Again", strategy.long)
`;

/** A wave of prices, the same in every run. */
function priceAt(minute: number): number {
  return 10_000 + ((minute * 37) % 101) - 50 + ((minute * minute) % 23);
}

const CRASH_MINUTES = 100;
/** Crashes at each so many submissions; `OPENPERP_RUNNER_CRASH_EVERY=1` at all of them. Even and odd ones differ, so it is odd. */
const CRASH_EVERY = Number(process.env.OPENPERP_RUNNER_CRASH_EVERY ?? 3);

/** Runs the flipping script. The process dies at a submission: before its turn, or after it without the response. */
async function runWithCrash(crashAt = 0, moment: 'before' | 'after' = 'before', isStateLost = false): Promise<RunnerVenue> {
  const venue = new RunnerVenue();
  let hasCrashed = false;
  venue.intercept = (turn, number) => {
    if (number !== crashAt) return Promise.resolve(turn());
    if (moment === 'after') turn();
    hasCrashed = true;
    return new Promise(() => {});
  };
  for (let minute = -5; minute < 0; minute += 1) venue.bar(minute, priceAt(minute + 1_000));
  venue.deploy(FLIPPING);
  for (let minute = 0; minute < CRASH_MINUTES; minute += 1) {
    // A crashed runner never settles.
    for (let turn = 0; turn < 1_000 && !hasCrashed && venue.runner.counts().behind > 0; turn += 1) await nextTurn();
    if (hasCrashed) {
      hasCrashed = false;
      if (isStateLost) venue.states.clear();
      venue.start();
      await venue.runner.settled();
    }
    venue.bar(minute, priceAt(minute));
    venue.scenario.now = (FIRST_MINUTE + (minute + 1) * MINUTE_MS) as typeof venue.scenario.now;
    venue.runner.timePassed();
    await nextTurn();
  }
  await venue.runner.settled();
  expect(venue.errors).toEqual([]);
  return venue;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

test('has the same actions after a crash at any submission, with its state or without', { timeout: 120_000 }, async () => {
  const expected = await runWithCrash();
  const count = expected.submissions;
  expect(count).toBeGreaterThan(40);
  expect(new Set(expected.actions.map(({ kind }) => kind))).toEqual(new Set(['deployment_started', 'entry', 'exit', 'close']));
  expect(expected.actions.some(({ barIndex }) => barIndex! > 0)).toBe(true);
  expect(expected.states.size).toBe(1);
  for (let crashAt = 1; crashAt <= count; crashAt += CRASH_EVERY) {
    for (const moment of ['before', 'after'] as const) {
      const crashed = await runWithCrash(crashAt, moment, crashAt % 2 === 0);
      expect(orders(crashed), `${moment} submission ${crashAt}`).toEqual(orders(expected));
    }
  }
});

test('ignores a damaged state with a log line, and acts the same', async () => {
  const expected = await runWithCrash();
  const damaged = await runWithCrash();
  const [[number, text]] = [...damaged.states] as [[never, string]];
  damaged.states.set(number, text.replace('"lastAction"', '"lastActiom"'));
  damaged.start();
  await damaged.runner.settled();
  expect(damaged.lines).toEqual([expect.stringContaining('is damaged or of another journal and ignored')]);
  expected.start();
  await expected.runner.settled();
  expect(expected.lines).toEqual([]);
  for (const venue of [expected, damaged]) {
    venue.bar(CRASH_MINUTES, 9_000);
    await venue.reach(CRASH_MINUTES + 1);
    venue.bar(CRASH_MINUTES + 1, 11_000);
    await venue.reach(CRASH_MINUTES + 2);
  }
  expect(orders(damaged)).toEqual(orders(expected));
});

test.each<[what: string, change: (venue: RunnerVenue) => void]>([
  [
    'has a later time than the venue',
    (venue) => {
      venue.scenario.now = (FIRST_MINUTE - 1) as typeof venue.scenario.now;
    },
  ],
  [
    'has an action that is of another journal there',
    (venue) => {
      venue.actions[1] = { ...venue.actions[1]!, action: 7 as never };
    },
  ],
])('ignores a state that %s', async (_, change) => {
  const venue = new RunnerVenue();
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  venue.bar(0, 10_010);
  await venue.reach(1);
  await venue.runner.close();
  expect(venue.states.size).toBe(1);
  change(venue);
  venue.start();
  await venue.runner.settled();
  expect(venue.lines).toEqual([expect.stringContaining('is damaged or of another journal and ignored')]);
});

test('places nothing for the bar that closed when the deployment started, also after its state was lost', async () => {
  const venue = new RunnerVenue();
  venue.bar(0, 10_010);
  venue.scenario.now = (FIRST_MINUTE + MINUTE_MS) as typeof venue.scenario.now;
  venue.intercept = async (turn) => {
    // The start has the time at which the bar closed: several records can have the same.
    venue.scenario.now = (FIRST_MINUTE + MINUTE_MS - 1) as typeof venue.scenario.now;
    return turn();
  };
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  expect(venue.actions[0]?.recordedAtEpochMs).toBe(FIRST_MINUTE + MINUTE_MS);
  venue.start();
  await venue.runner.settled();
  expect(orders(venue)).toMatchObject([{ kind: 'deployment_started' }]);
});

test('saves its states when it closes, and continues from them', async () => {
  const venue = new RunnerVenue();
  const deployed = venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  venue.bar(0, 10_010);
  await venue.reach(1);
  await venue.runner.close();
  expect(venue.states.has(deployed)).toBe(true);
  venue.start();
  await venue.runner.settled();
  expect(venue.runner.counts().barsWorked).toBe(0);
  venue.bar(1, 9_990);
  await venue.reach(2);
  expect(orders(venue).map(({ kind }) => kind)).toEqual(['deployment_started', 'entry', 'close']);
});

test('saves no state in the middle of a bar', async () => {
  const venue = new RunnerVenue();
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  venue.intercept = async () => {
    throw new WriterBusy();
  };
  venue.bar(0, 10_010);
  venue.scenario.now = (FIRST_MINUTE + MINUTE_MS) as typeof venue.scenario.now;
  venue.runner.timePassed();
  while (venue.submissions < 3) await nextTurn();
  await venue.runner.close();
  expect(venue.states.size).toBe(0);
  venue.intercept = async (turn) => turn();
  venue.start();
  await venue.runner.settled();
  expect(orders(venue).map(({ kind }) => kind)).toEqual(['deployment_started', 'entry']);
});

test('places the second order of a bar after a stop between both', async () => {
  const venue = new RunnerVenue();
  venue.deploy(`//@version=6
strategy("Two")
if bar_index == 0
    strategy.entry("Long", strategy.long)
if bar_index == 1
    strategy.close_all()
    strategy.entry("Short", strategy.short)
`);
  await venue.runner.settled();
  venue.bar(0, 10_000);
  await venue.reach(1);
  let closing: Promise<void> | undefined;
  venue.intercept = async (turn) => {
    closing ??= venue.runner.close();
    return turn();
  };
  venue.bar(1, 10_000);
  await venue.reach(2);
  await closing;
  expect(orders(venue)).toHaveLength(3);
  venue.start();
  await venue.runner.settled();
  expect(orders(venue).slice(2)).toMatchObject([
    { kind: 'close', barIndex: 0 },
    { kind: 'entry', barIndex: 2, positionBaseAtoms: -10 },
  ]);
});
