/** Frames that several sockets send together: how many are taken at once, how the others wait, and what counts as too heavy. */
import { expect, test } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import { TokenBucket } from '#time/token-bucket.ts';
import { FrameBudget, type FrameSource } from './frame-budget.ts';
import { FrameTurns } from './frame-turns.ts';
import { FAIR_TIME } from './networks.ts';

const PLENTY = { burst: 1e9, perSecond: 1e9 };

function budgetOf(sharedFrameBurst: number, sharedFramesPerSecond: number, time = new ManualTime(), turns?: FrameTurns) {
  const taken: string[] = [];
  const failures: unknown[] = [];
  const tokens = new TokenBucket({ burst: sharedFrameBurst, perSecond: sharedFramesPerSecond }, time);
  const milliseconds = new TokenBucket(FAIR_TIME, time);
  const budget = new FrameBudget(tokens, milliseconds, time, turns ?? new FrameTurns(PLENTY, time, time));
  const source = (name: string, log = taken) => {
    const it: FrameSource & { isPaused: boolean; send: (count: number, tokens?: number, isAuth?: boolean) => void } = {
      waiting: [],
      authsAhead: 2,
      isPaused: false,
      pause: () => {
        it.isPaused = true;
      },
      resume: () => {
        it.isPaused = false;
      },
      fail: (error) => failures.push(error),
      send: (count, tokens = 1, isAuth = false) => {
        const take = () => log.push(isAuth ? `${name}: auth` : name);
        for (let sent = 0; sent < count; sent += 1) budget.admit(it, { tokens, take, isAuth });
      },
    };
    return it;
  };
  return { time, taken, failures, budget, source };
}

test('takes a burst at once, then sources in turns at the steady rate, and pauses those that wait', async () => {
  const { time, taken, source } = budgetOf(4, 100);
  const [greedy, modest] = [source('greedy'), source('modest')];
  greedy.send(10);
  modest.send(1);
  expect(taken).toEqual(Array(4).fill('greedy'));
  expect([greedy.isPaused, modest.isPaused]).toEqual([true, true]);
  await time.advance(20);
  expect(taken.slice(4)).toEqual(['greedy', 'modest']);
  expect([greedy.isPaused, modest.isPaused]).toEqual([true, false]);
  await time.advance(50);
  expect(taken).toHaveLength(11);
  expect([greedy.isPaused, greedy.waiting, time.timerCount]).toEqual([false, [], 0]);
});

test('takes tokens by what a frame counts as', async () => {
  const { time, taken, source } = budgetOf(4, 100);
  source('long').send(3, 3);
  expect(taken).toHaveLength(1);
  await time.advance(20);
  expect(taken).toHaveLength(2);
  await time.advance(30);
  expect(taken).toHaveLength(3);
});

test('gives sources that wait the same tokens, however large their frames are', async () => {
  const { time, taken, source } = budgetOf(4, 100);
  source('full').send(4);
  source('long').send(10, 4);
  source('short').send(30);
  await time.advance(250);
  const count = (name: string) => taken.filter((it) => it === name).length;
  expect([count('long') * 4, count('short')]).toEqual([12, 12]);
});

test('takes auth frames first, so many of each source, and each source’s frames in their order', async () => {
  const { time, taken, source } = budgetOf(1, 100);
  source('full').send(1);
  source('other').send(2);
  const it = source('it');
  it.send(1);
  it.send(1, 1, true);
  source('late').send(4, 1, true);
  await time.advance(200);
  expect(taken.slice(1)).toEqual(['late: auth', 'late: auth', 'other', 'it', 'it: auth', 'late: auth', 'other', 'late: auth']);
});

test('takes the frames of budgets in turns where all together send too many, and a budget at its own limit holds up no other', async () => {
  const time = new ManualTime();
  const turns = new FrameTurns({ burst: 4, perSecond: 100 }, time, time);
  const log: string[] = [];
  const crowds = ['a', 'b', 'c'].map((name) => budgetOf(100, 1_000, time, turns).source(name, log));
  for (const crowd of crowds) crowd.send(4);
  expect(log).toEqual(['a', 'a', 'a', 'a']);
  budgetOf(1, 1, time, turns).source('greedy', log).send(5);
  await time.advance(100);
  expect(log.slice(4).sort()).toEqual(['b', 'b', 'b', 'b', 'c', 'c', 'c', 'c', 'greedy']);
  expect(log.slice(4, 8).filter((name) => name === 'b')).toHaveLength(2);
  // Nothing but frames of the greedy one waits.
  crowds[0]!.send(1);
  expect(log.at(-1)).toBe('a');
});

test('lets no new source go ahead of those that wait', async () => {
  const { time, taken, source } = budgetOf(1, 100);
  source('first').send(3);
  time.pass(10);
  source('new').send(1);
  await time.advance(40);
  expect(taken).toEqual(['first', 'first', 'new', 'first']);
});

test('takes nothing of a source that has left, and what waits of one that has joined', async () => {
  const [one, other] = [budgetOf(1, 100), budgetOf(1, 100)];
  const leaver = one.source('leaver');
  leaver.send(2);
  one.budget.leave(leaver);
  other.budget.join(leaver);
  await one.time.advance(100);
  expect(one.taken).toEqual(['leaver']);
  await other.time.advance(10);
  expect([one.taken, leaver.isPaused]).toEqual([['leaver', 'leaver'], false]);
});

test('is heavy once its frames have taken more time than is fair, and for as long as that takes to come back', () => {
  const { time, budget, source } = budgetOf(1_000, 1);
  const it = source('it');
  budget.admit(it, { tokens: 1, take: () => time.pass(500), isAuth: false });
  expect(budget.isHeavy).toBe(false);
  budget.admit(it, { tokens: 1, take: () => time.pass(500), isAuth: false });
  expect(budget.isHeavy).toBe(true);
  time.pass(2_000);
  expect(budget.isHeavy).toBe(false);
});

test('is forgotten when it has no sockets and all that it took has come back', () => {
  const { time, budget, source } = budgetOf(10, 10);
  budget.sockets += 1;
  source('it').send(10);
  time.pass(1_000);
  expect(budget.isForgettable).toBe(false);
  budget.sockets -= 1;
  expect(budget.isForgettable).toBe(true);
  source('it').send(1);
  expect(budget.isForgettable).toBe(false);
});

test('ends the source whose turn throws, and the others have theirs', async () => {
  const { time, taken, failures, budget, source } = budgetOf(1, 100);
  const [first, failing, other] = [source('first'), source('failing'), source('other')];
  first.send(1);
  const planted = new Error('planted');
  const take = () => {
    throw planted;
  };
  budget.admit(failing, { tokens: 1, take, isAuth: false });
  other.send(1);
  await time.advance(100);
  expect(failures).toEqual([planted]);
  expect(taken).toEqual(['first', 'other']);
});
