/** The runner over the real core: when it places which order, and that a crash at any submission changes no action. */
import { expect, test } from 'vitest';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import { systemTime } from '#time/system-time.ts';
import type { Timers } from '#time/timers.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms } from '#units/money.ts';
import { agentOwner } from '#venue/agent/testing/agents.ts';
import type { Command } from '#venue/command.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { ordersOf } from './bar-orders.ts';
import { type SliceParts, Slices } from './slices.ts';
import { FIRST_MINUTE, MINUTE_MS, RunnerVenue } from './testing/runner-venue.ts';

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

const LONG_ABOVE = `//@version=6
strategy("Above")
if close > 1000
    strategy.entry("Long", strategy.long)
else
    strategy.close("Long")
`;

/** A wave of prices, the same in every run. */
function priceAt(minute: number): number {
  return 10_000 + ((minute * 37) % 101) - 50 + ((minute * minute) % 23);
}

function orders({ actions }: RunnerVenue) {
  return actions.map(({ recordedAtEpochMs: _, ...action }) => action);
}

test('starts a pending deployment, and places the order of a bar once it has closed', async () => {
  const venue = new RunnerVenue();
  for (let minute = -5; minute < 2; minute += 1) venue.bar(minute, 10_010);
  const deployed = venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  expect(orders(venue)).toMatchObject([{ kind: 'deployment_started' }]);
  await venue.reach(1);
  const [, order] = orders(venue);
  expect(order).toMatchObject({ kind: 'entry', barEpochMs: FIRST_MINUTE, barIndex: 0, filledBaseAtoms: 10 });
  await venue.reach(2);
  expect(orders(venue)).toHaveLength(2);
  expect(venue.runner.counts()).toMatchObject({ running: 1, pending: 0, behind: 0, barsWorked: 7, ordersPlaced: 1 });
  venue.take({ type: 'ChangeAgentDeployment', deployment: deployed, state: 'stopped', reason: '', expectedStateVersion: 2 });
  venue.bar(2, 9_000);
  await venue.reach(3);
  expect(orders(venue)).toHaveLength(3);
  expect(venue.runner.counts()).toMatchObject({ running: 0, pending: 0 });
  expect(venue.errors).toEqual([]);
});

test('places nothing for bars that closed longer than a bar ago, but knows them', async () => {
  const venue = new RunnerVenue();
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  venue.bar(0, 10_010);
  venue.bar(1, 9_990);
  await venue.reach(3);
  expect(orders(venue)).toHaveLength(1);
  venue.bar(2, 9_990);
  venue.bar(3, 10_010);
  await venue.reach(4);
  expect(orders(venue).slice(1)).toMatchObject([{ kind: 'entry', barEpochMs: FIRST_MINUTE + 3 * MINUTE_MS }]);
});

test('places nothing while agents may not act', async () => {
  const venue = new RunnerVenue();
  venue.mayAct = false;
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  expect(orders(venue)).toEqual([]);
  venue.mayAct = true;
  venue.bar(0, 9_990);
  await venue.reach(1);
  venue.mayAct = false;
  venue.bar(1, 10_010);
  await venue.reach(2);
  expect(orders(venue)).toMatchObject([{ kind: 'deployment_started' }]);
  venue.mayAct = true;
  venue.bar(2, 10_010);
  await venue.reach(3);
  expect(orders(venue).slice(1)).toMatchObject([{ barEpochMs: FIRST_MINUTE + 2 * MINUTE_MS }]);
});

test('repeats what the writer was too busy for, and gives up when the bar is too old', async () => {
  const venue = new RunnerVenue();
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  let refused = 0;
  venue.intercept = async (turn) => {
    refused += 1;
    if (refused < 4) throw new WriterBusy();
    return turn();
  };
  venue.bar(0, 10_010);
  await venue.reach(1);
  expect([refused, orders(venue).length]).toEqual([4, 2]);
  venue.intercept = async () => {
    venue.scenario.wait(MINUTE_MS / 3);
    throw new WriterBusy();
  };
  venue.bar(1, 9_990);
  await venue.reach(2);
  venue.intercept = async (turn) => turn();
  venue.bar(4, 9_990);
  await venue.reach(5);
  expect(orders(venue).slice(2)).toMatchObject([{ kind: 'close', barEpochMs: FIRST_MINUTE + 4 * MINUTE_MS }]);
  expect(venue.errors).toEqual([]);
});

test.each([
  ['a script that is refused', 'strategy("x")\nwhile true', {}, 'line '],
  ['a parameter that the script lacks', LONG_ABOVE, { parameters: '{"length":2}' }, 'length: the script has no such parameter'],
  ['parameters that are no values', LONG_ABOVE, { parameters: '[1]' }, 'the parameters are not'],
  ['another interpreter', LONG_ABOVE, { modelId: 'script-0' }, 'the interpreter is script-1, the deployment needs script-0'],
  ['a timeframe without candles', LONG_ABOVE, { timeframeMs: 61_000 }, 'the venue records no candles of 61000 ms'],
])('fails a deployment with %s', async (_, text, changes, reason) => {
  const venue = new RunnerVenue();
  const changed: Command[] = [];
  venue.intercept = async (turn, _number, command) => {
    changed.push(command);
    return turn();
  };
  venue.deploy(text, changes);
  await venue.runner.settled();
  expect(changed).toMatchObject([{ type: 'ChangeAgentDeployment', state: 'failed', reason: expect.stringContaining(reason) }]);
});

test('fails a deployment whose script is not the one that was reviewed', async () => {
  const venue = new RunnerVenue();
  const deployed = venue.deploy(LONG_ABOVE);
  const { drafts, deployments } = venue.scenario.venue.state.agents;
  const { draft } = deployments.get(deployed)!;
  drafts.set(draft, { ...drafts.get(draft)!, textDigest: 'another' });
  await venue.runner.settled();
  expect(venue.actions).toMatchObject([{ kind: 'deployment_failed' }]);
});

test('fails a deployment whose run ends, and leaves its position', async () => {
  const venue = new RunnerVenue();
  venue.deploy(
    `//@version=6\nstrategy("x")\nif close > 1000\n    strategy.entry("L", strategy.long)\nx = close[int(1000 - close)]`,
  );
  await venue.runner.settled();
  venue.bar(0, 10_000);
  await venue.reach(1);
  venue.bar(1, 10_010);
  await venue.reach(2);
  expect(orders(venue).map(({ kind }) => kind)).toEqual(['deployment_started', 'deployment_failed']);
  expect(venue.states.size).toBe(0);
});

test('stops with a halted venue', async () => {
  const venue = new RunnerVenue();
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  venue.intercept = async () => {
    throw new VenueHalted();
  };
  venue.bar(0, 10_010);
  await venue.reach(1);
  venue.intercept = async (turn) => turn();
  venue.bar(1, 10_010);
  await venue.reach(2);
  expect(orders(venue)).toHaveLength(1);
  expect(venue.errors).toEqual([]);
});

const CRASH_MINUTES = 100;

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
  for (let crashAt = 1; crashAt <= count; crashAt += 1) {
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

/** Long above 10,000, short below. */
const REVERSING = `//@version=6
strategy("Reverse")
if close > 1000
    strategy.entry("Long", strategy.long)
else
    strategy.entry("Short", strategy.short)
`;

test('reverses in one order within the bounds of the market, otherwise closes and enters', async () => {
  const specification = { ...SCENARIO_MARKET, maxQuantityAtoms: 15 as BaseAtoms };
  const placed = async (orderSizeAtoms: number) => {
    const venue = new RunnerVenue(specification);
    venue.deploy(REVERSING, { orderSizeAtoms: orderSizeAtoms as BaseAtoms });
    await venue.runner.settled();
    venue.bar(0, 10_010);
    await venue.reach(1);
    venue.bar(1, 9_990);
    await venue.reach(2);
    return orders(venue).slice(1);
  };
  expect(await placed(7)).toMatchObject([{ positionBaseAtoms: 7 }, { barIndex: 0, filledBaseAtoms: 14, positionBaseAtoms: -7 }]);
  expect(await placed(8)).toMatchObject([
    { positionBaseAtoms: 8 },
    { kind: 'entry', barIndex: 0, filledBaseAtoms: 8, positionBaseAtoms: 0 },
    { kind: 'entry', barIndex: 1, filledBaseAtoms: 8, positionBaseAtoms: -8 },
  ]);
});

test('closes a position that is smaller than the smallest order', async () => {
  const venue = new RunnerVenue({ ...SCENARIO_MARKET, minQuantityAtoms: 6 as BaseAtoms });
  venue.scenario.limit(1, 'sell', 10_020, 7);
  venue.deploy(LONG_ABOVE, { orderSizeAtoms: 38 as BaseAtoms });
  await venue.runner.settled();
  for (const [minute, price] of [10_010, 9_990, 9_990].entries()) {
    venue.bar(minute, price);
    await venue.reach(minute + 1);
  }
  // The book takes 35 of the 38.
  expect(orders(venue).map(({ positionBaseAtoms }) => positionBaseAtoms)).toEqual([0, 38, 3, 0]);
});

test('closes a position before an entry that no order may have', async () => {
  const venue = new RunnerVenue({ ...SCENARIO_MARKET, minQuantityAtoms: 6 as BaseAtoms });
  venue.deploy(REVERSING.replace('strategy.short', 'strategy.short, 0.001'));
  await venue.runner.settled();
  venue.bar(0, 10_010);
  await venue.reach(1);
  venue.bar(1, 9_990);
  await venue.reach(2);
  expect(orders(venue).slice(1)).toMatchObject([{ positionBaseAtoms: 10 }, { positionBaseAtoms: 0 }, { filledBaseAtoms: 0 }]);
});

test('cuts a long order id, and closes before a reversal beyond the integers', () => {
  const long = { quantityAtoms: 5, averagePriceAtoms: 1 };
  const terms = { orderSizeAtoms: 7, minQuantityAtoms: 1, maxQuantityAtoms: Number.MAX_SAFE_INTEGER };
  const id = `${'x'.repeat(63)}\u{1f600}`;
  const entry = { kind: 'entry', id, direction: 'short', quantityAtoms: Number.MAX_SAFE_INTEGER } as const;
  const signal = 'x'.repeat(63);
  expect(ordersOf(entry, long, terms)).toEqual([
    { kind: 'entry', signal, side: 'sell', quantityAtoms: 5, reduceOnly: true },
    { kind: 'entry', signal, side: 'sell', quantityAtoms: Number.MAX_SAFE_INTEGER, reduceOnly: false },
  ]);
  expect(ordersOf({ ...entry, quantityAtoms: null }, long, terms)).toMatchObject([{ quantityAtoms: 12, reduceOnly: false }]);
});

test('an owner with many deployments that warm up does not keep another one waiting', async () => {
  const venue = new RunnerVenue();
  for (let minute = -2_000; minute < 0; minute += 1) venue.bar(minute, 10_000);
  const long = { historyBars: 2_000 };
  const first = Array.from({ length: 12 }, () => venue.deploy(LONG_ABOVE, long));
  const other = venue.deploy(LONG_ABOVE, long, agentOwner(venue.scenario, 2));
  await venue.runner.settled();
  const started = venue.actions.map(({ deployment }) => deployment);
  expect(started).toHaveLength(first.length + 1);
  expect(started.slice(0, 3)).toContain(other);
});

const [OWNER, OTHER] = [1, 2] as AccountOrdinal[] as [AccountOrdinal, AccountOrdinal];

/** Pieces that take time, and what ran in which order; `loop` is a turn of the event loop. */
function slicedWork(parts: Partial<SliceParts> = {}) {
  const time = { elapsedMs: 0 };
  const ran: string[] = [];
  const slices = new Slices({ steadyClock: { elapsedMs: () => time.elapsedMs }, timers: systemTime.timers, ...parts });
  const work = (name: string, ms: number, owner = OWNER) =>
    slices.run(owner, () => {
      time.elapsedMs += ms;
      ran.push(name);
    });
  return { ran, work };
}

test('a slow deployment does not keep the event loop or the others from their turn', async () => {
  const { ran, work } = slicedWork();
  const all = Promise.all([work('slow', 50), work('quick', 1), work('second', 1), work('third', 1)]);
  setImmediate(() => {
    ran.push('loop');
    setImmediate(() => ran.push('loop'));
  });
  await all;
  expect(ran).toEqual(['slow', 'loop', 'quick', 'second', 'loop', 'third']);
});

test('owners take turns', async () => {
  const { ran, work } = slicedWork();
  const ofOwner = ['a', 'b', 'c', 'd'].map((name) => work(name, 3));
  await Promise.all([...ofOwner, work('other', 3, OTHER), work('next', 3, OTHER)]);
  expect(ran).toEqual(['a', 'other', 'b', 'next', 'c', 'd']);
});

test('work on past bars rests for a multiple of its time, and not for short pieces alone', async () => {
  const rests: (number | undefined)[] = [];
  const { setImmediate: soon } = systemTime.timers;
  const timers: Timers = {
    ...systemTime.timers,
    setImmediate: (callback) => {
      rests.push(undefined);
      return soon(callback);
    },
    setTimeout: (callback, ms) => {
      rests.push(ms);
      return soon(callback);
    },
  };
  const { work } = slicedWork({ timers, restPerMs: 2 });
  for (const ms of [10, 0.5, 0.5, 3]) await work('piece', ms);
  await work('last', 0);
  expect(rests).toEqual([undefined, 20, undefined, 2, 6]);
});
