import { beforeEach, expect, test } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import { countedSeldom } from './counted-seldom.ts';

let time: ManualTime;
beforeEach(() => {
  time = new ManualTime();
});

test('is counted once for all who ask, and again when it is as old as that', async () => {
  let count = 0;
  const counted = countedSeldom(time, 10_000, async () => ++count);
  expect(await Promise.all([counted(), counted()])).toEqual([1, 1]);
  time.pass(9_999);
  expect(await counted()).toBe(1);
  time.pass(1);
  expect(await counted()).toBe(2);
});

test('is not begun again while it lasts, however often somebody asks', async () => {
  const begun: PromiseWithResolvers<number>[] = [];
  const counted = countedSeldom(time, 10_000, () => {
    begun.push(Promise.withResolvers());
    return begun.at(-1)!.promise;
  });
  const first = counted();
  time.pass(60_000);
  const second = counted();
  begun[0]!.resolve(7);
  expect([await first, await second, await counted(), begun.length]).toEqual([7, 7, 7, 1]);
});

test('that failed is counted again at once for who asks next, and nothing is told that was counted before', async () => {
  const outcomes = [async () => 1, () => Promise.reject(new Error('no')), async () => 3];
  const counted = countedSeldom(time, 10_000, () => outcomes.shift()!());
  expect(await counted()).toBe(1);
  time.pass(10_000);
  await expect(counted()).rejects.toThrow('no');
  expect(await counted()).toBe(3);
});
