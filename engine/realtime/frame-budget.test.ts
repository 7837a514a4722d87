/** Frames that several sockets send together: how many are taken at once, how the others wait, and what counts as too heavy. */
import { expect, test } from 'vitest';
import { REALTIME_LIMITS } from '#contract/realtime-limits.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { FrameBudget, type FrameSource } from './frame-budget.ts';

function budgetOf(sharedFrameBurst: number, sharedFramesPerSecond: number) {
  const time = new ManualTime();
  const taken: string[] = [];
  const budget = new FrameBudget({ ...REALTIME_LIMITS, sharedFrameBurst, sharedFramesPerSecond } as never, time, time);
  const source = (name: string) => {
    const it: FrameSource & { isPaused: boolean; send: (count: number, tokens?: number) => void } = {
      waiting: [],
      isPaused: false,
      pause: () => {
        it.isPaused = true;
      },
      resume: () => {
        it.isPaused = false;
      },
      send: (count, tokens = 1) => {
        for (let sent = 0; sent < count; sent += 1) budget.admit(it, tokens, () => taken.push(name));
      },
    };
    return it;
  };
  return { time, taken, budget, source };
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
  budget.admit(it, 1, () => time.pass(500));
  expect(budget.isHeavy).toBe(false);
  budget.admit(it, 1, () => time.pass(500));
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
