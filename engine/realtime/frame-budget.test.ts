/**
 * Frames that several sockets send together: how many are processed at once, how the others wait, and what counts as too
 * expensive.
 */
import { expect, test } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import { TokenBucket } from '#time/token-bucket.ts';
import { FrameBudget, type FrameSource } from './frame-budget.ts';
import { FrameTurns } from './frame-turns.ts';
import { FAIR_TIME_MS } from './networks.ts';

const PLENTY = { burst: 1e9, perSecond: 1e9 };

function budgetOf(sharedFrameBurst: number, sharedFramesPerSecond: number, time = new ManualTime(), turns?: FrameTurns) {
  const taken: string[] = [];
  const failures: unknown[] = [];
  const tokens = new TokenBucket({ burst: sharedFrameBurst, perSecond: sharedFramesPerSecond }, time);
  const milliseconds = new TokenBucket(FAIR_TIME_MS, time);
  const budget = new FrameBudget(tokens, milliseconds, time, turns ?? new FrameTurns(PLENTY, time, time));
  const source = (name: string, log = taken) => {
    const it: FrameSource & { isPaused: boolean; send: (count: number, tokens?: number, isAuth?: boolean) => void } = {
      waiting: [],
      authsWaiting: 2,
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

test('processes a burst at once, then sources in turns at the steady rate, and pauses those that wait', async () => {
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

test('charges a frame its number of tokens', async () => {
  const { time, taken, source } = budgetOf(4, 100);
  source('long').send(3, 3);
  expect(taken).toHaveLength(1);
  await time.advance(20);
  expect(taken).toHaveLength(2);
  await time.advance(30);
  expect(taken).toHaveLength(3);
});

test('gives waiting sources the same number of tokens, however large their frames are', async () => {
  const { time, taken, source } = budgetOf(4, 100);
  source('full').send(4);
  source('long').send(10, 4);
  source('short').send(30);
  await time.advance(250);
  const count = (name: string) => taken.filter((it) => it === name).length;
  expect([count('long') * 4, count('short')]).toEqual([12, 12]);
});

test('processes auth frames first, up to a number per source, and keeps each source’s order', async () => {
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

test('gives budgets turns if all together send too many, and a budget at its own limit delays no other', async () => {
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
  // Only frames of the greedy source wait.
  crowds[0]!.send(1);
  expect(log.at(-1)).toBe('a');
});

test('lets no new source overtake waiting ones', async () => {
  const { time, taken, source } = budgetOf(1, 100);
  source('first').send(3);
  time.pass(10);
  source('new').send(1);
  await time.advance(40);
  expect(taken).toEqual(['first', 'first', 'new', 'first']);
});

test('skips a source that has left, and processes the waiting frames of one that has joined', async () => {
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

test('is expensive once its frames took more than the fair time, until that time has refilled', () => {
  const { time, budget, source } = budgetOf(1_000, 1);
  const it = source('it');
  budget.admit(it, { tokens: 1, take: () => time.pass(500), isAuth: false });
  expect(budget.isExpensive).toBe(false);
  budget.admit(it, { tokens: 1, take: () => time.pass(500), isAuth: false });
  expect(budget.isExpensive).toBe(true);
  time.pass(2_000);
  expect(budget.isExpensive).toBe(false);
});

test('is idle if it has no sockets and its buckets are full', () => {
  const { time, budget, source } = budgetOf(10, 10);
  budget.sockets += 1;
  source('it').send(10);
  time.pass(1_000);
  expect(budget.isIdle).toBe(false);
  budget.sockets -= 1;
  expect(budget.isIdle).toBe(true);
  source('it').send(1);
  expect(budget.isIdle).toBe(false);
});

test('fails the source whose turn throws and continues with the others', async () => {
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
