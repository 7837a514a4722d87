import { expect, test } from 'vitest';
import { systemTime } from '#time/system-time.ts';
import type { Timers } from '#time/timers.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { type SliceParts, Slices } from './slices.ts';

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
