import { beforeEach, expect, test } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import { cachedCount } from './cached-count.ts';

let time: ManualTime;
beforeEach(() => {
  time = new ManualTime();
});

test('counts once for all callers, and again when the result is too old', async () => {
  let count = 0;
  const counted = cachedCount(time, 10_000, async () => ++count);
  expect(await Promise.all([counted(), counted()])).toEqual([1, 1]);
  time.pass(9_999);
  expect(await counted()).toBe(1);
  time.pass(1);
  expect(await counted()).toBe(2);
});

test('starts no second count while one is in progress', async () => {
  const pendingCounts: PromiseWithResolvers<number>[] = [];
  const counted = cachedCount(time, 10_000, () => {
    pendingCounts.push(Promise.withResolvers());
    return pendingCounts.at(-1)!.promise;
  });
  const first = counted();
  time.pass(60_000);
  const second = counted();
  pendingCounts[0]!.resolve(7);
  expect([await first, await second, await counted(), pendingCounts.length]).toEqual([7, 7, 7, 1]);
});

test('counts again at once after a failure, and returns no older result', async () => {
  const outcomes = [async () => 1, () => Promise.reject(new Error('no')), async () => 3];
  const counted = cachedCount(time, 10_000, () => outcomes.shift()!());
  expect(await counted()).toBe(1);
  time.pass(10_000);
  await expect(counted()).rejects.toThrow('no');
  expect(await counted()).toBe(3);
});
