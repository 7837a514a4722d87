import { expect, test } from 'vitest';
import { sleep, timeoutSignal, withTimeout, yieldToEventLoop } from '#time/timers.ts';
import { ManualTime } from './manual-time.ts';

test('fires timers in the order in which they fall due, each at its time', async () => {
  const time = new ManualTime();
  const fired: [string, number][] = [];
  const note = (name: string) => () => fired.push([name, time.elapsedMs()]);
  time.setTimeout(note('late'), 30);
  time.setTimeout(note('early'), 10);
  time.setTimeout(note('early, set second'), 10);
  const every = time.setInterval(note('every 20'), 20);
  await time.advance(25);
  expect(fired).toEqual([
    ['early', 10],
    ['early, set second', 10],
    ['every 20', 20],
  ]);
  await time.advance(15);
  every.cancel();
  await time.advance(100);
  expect(fired.slice(3)).toEqual([
    ['late', 30],
    ['every 20', 40],
  ]);
  expect([time.elapsedMs(), time.timerCount]).toEqual([140, 0]);
});

test('fires timers that a task sets repeatedly during an advance', async () => {
  const time = new ManualTime();
  const steps: number[] = [];
  const run = async () => {
    for (let step = 0; step < 3; step += 1) {
      await sleep(time, 10);
      await yieldToEventLoop(time);
      steps.push(time.elapsedMs());
    }
  };
  const running = run();
  await time.advance(30);
  await running;
  expect(steps).toEqual([10, 20, 30]);
});

test('moves the clocks without firing, as for a suspended process, and fires overdue timers at the next advance', async () => {
  const time = new ManualTime();
  const firedAt: number[] = [];
  time.setTimeout(() => firedAt.push(time.elapsedMs()), 10);
  time.pass(1_000);
  expect(firedAt).toEqual([]);
  await time.advance(0);
  expect(firedAt).toEqual([1_000]);
});

test('sets the wall clock without moving the steady one', () => {
  const time = new ManualTime();
  const before = time.now();
  time.setClockBy(-3_600_000);
  time.pass(5);
  expect([time.now() - before, time.elapsedMs(), time.trueEpochMs - before]).toEqual([-3_599_995, 5, 5]);
  time.correctClock();
  expect(time.now() - before).toBe(5);
});

test('ends a sleep with the reason of its signal, and leaves no timer behind', async () => {
  const time = new ManualTime();
  const stopping = new AbortController();
  const slept = sleep(time, 10, { signal: stopping.signal });
  stopping.abort(new Error('stop'));
  await expect(slept).rejects.toThrow('stop');
  await expect(sleep(time, 10, { signal: stopping.signal })).rejects.toThrow('stop');
  expect(time.timerCount).toBe(0);
});

test('limits the wait for a promise, and leaves no timer behind', async () => {
  const time = new ManualTime();
  expect(await withTimeout(time, Promise.resolve('soon'), 10)).toBe('soon');
  await expect(withTimeout(time, Promise.reject(new Error('no')), 10)).rejects.toThrow('no');
  expect(time.timerCount).toBe(0);
  const late = withTimeout(time, new Promise<string>(() => {}), 10);
  await time.advance(10);
  expect(await late).toBeUndefined();
});

test('aborts a timeout signal after its delay, unless it was cancelled', async () => {
  const time = new ManualTime();
  const [active, cancelled] = [timeoutSignal(time, 10), timeoutSignal(time, 10)];
  cancelled.cancel();
  await time.advance(10);
  expect((active.signal.reason as Error).name).toBe('TimeoutError');
  expect(cancelled.signal.aborted).toBe(false);
});
