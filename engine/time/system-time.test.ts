import { afterEach, expect, test, vi } from 'vitest';
import { systemTime } from './system-time.ts';
import { sleep } from './timers.ts';

const uptime = vi.hoisted(() => ({ aheadSeconds: 0 }));
vi.mock('node:os', async (load) => {
  const os = await load<typeof import('node:os')>();
  return { ...os, uptime: () => os.uptime() + uptime.aheadSeconds };
});
afterEach(() => {
  uptime.aheadSeconds = 0;
  vi.restoreAllMocks();
});

const { clock, steadyClock, timers } = systemTime;

test('the steady clock has fractions of a millisecond and never decreases', () => {
  const readings = Array.from({ length: 10_000 }, () => steadyClock.elapsedMs());
  expect(readings.every((reading, index) => index === 0 || reading >= readings[index - 1]!)).toBe(true);
  expect(readings.some((reading) => !Number.isInteger(reading))).toBe(true);
});

test('the steady clock does not follow the wall clock', () => {
  const before = steadyClock.elapsedMs();
  vi.spyOn(Date, 'now').mockReturnValue(clock.now() - 3_600_000);
  expect(steadyClock.elapsedMs()).toBeGreaterThanOrEqual(before);
});

test('the steady clock counts the time that the machine slept', () => {
  const before = steadyClock.elapsedMs();
  uptime.aheadSeconds = 3_600;
  const [seconds, nanoseconds] = process.hrtime();
  // It looks once a second of the process.
  vi.spyOn(process, 'hrtime').mockReturnValue([seconds + 2, nanoseconds]);
  const sleptMs = steadyClock.elapsedMs() - before;
  expect(sleptMs).toBeGreaterThan(3_599_000);
  expect(sleptMs).toBeLessThan(3_700_000);
});

test('a timer that is cancelled does not run', async () => {
  const ran: string[] = [];
  timers.setTimeout(() => ran.push('timeout'), 0).cancel();
  timers.setInterval(() => ran.push('interval'), 0).cancel();
  timers.setImmediate(() => ran.push('immediate')).cancel();
  timers.setTimeout(() => ran.push('kept'), 0);
  await sleep(timers, 5);
  expect(ran).toEqual(['kept']);
});
