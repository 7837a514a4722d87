/** No item is passed in a hot loop, whatever its passes say, and the others go on meanwhile. */
import { expect, test } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { DepositOrdinal } from '#units/ids.ts';
import { type Item, nameOf } from './item.ts';
import { ItemQueue, type Next } from './item-queue.ts';

const loop: Item = { kind: 'deposit', deposit: 1 as DepositOrdinal };
const other: Item = { kind: 'deposit', deposit: 2 as DepositOrdinal };

function queueOf(next: (item: Item) => Next) {
  const time = new ManualTime();
  const passes = new Map<string, number>();
  const queue: ItemQueue = new ItemQueue({
    pass: async (item) => {
      passes.set(nameOf(item), (passes.get(nameOf(item)) ?? 0) + 1);
      return next(item);
    },
    timers: time,
    onError: (error) => expect.fail(String(error)),
  });
  return { time, queue, passes };
}

/** Each pause is twice as long as the one before, up to 30 seconds: 8 of them in the first minute, then two a minute. */
const MAX_PASSES_AN_HOUR = 32 + 8 + 2 * 60;

test('pauses an item that always goes on at once', async () => {
  const { time, queue, passes } = queueOf((item) => (item === loop ? 'again' : 'idle'));
  queue.wake(loop);
  await time.advance(3_600_000);
  expect(passes.get(nameOf(loop))).toBeGreaterThan(100);
  expect(passes.get(nameOf(loop))).toBeLessThanOrEqual(MAX_PASSES_AN_HOUR);
  queue.wake(other);
  await time.settle();
  expect(passes.get(nameOf(other))).toBe(1);
  await queue.close();
});

test('pauses an item whose passes wake it', async () => {
  const { time, queue, passes } = queueOf((item) => {
    queue.wake(item);
    return 'retry';
  });
  queue.wake(loop);
  await time.advance(3_600_000);
  expect(passes.get(nameOf(loop))).toBeLessThanOrEqual(MAX_PASSES_AN_HOUR);
  await queue.close();
});

test('takes the steps of a flow at once', async () => {
  let steps = 0;
  const { time, queue, passes } = queueOf(() => {
    steps += 1;
    return steps < 30 ? 'again' : 'idle';
  });
  const settled = queue.settled(loop);
  await time.settle();
  await settled;
  expect(passes.get(nameOf(loop))).toBe(30);
  await queue.close();
});
