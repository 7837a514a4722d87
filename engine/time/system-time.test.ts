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

test('gives the steady clock fractions of a millisecond, never decreasing', () => {
  const readings = Array.from({ length: 10_000 }, () => steadyClock.elapsedMs());
  expect(readings.every((reading, index) => index === 0 || reading >= readings[index - 1]!)).toBe(true);
  expect(readings.some((reading) => !Number.isInteger(reading))).toBe(true);
});

test('does not let the steady clock follow the wall clock', () => {
  const before = steadyClock.elapsedMs();
  vi.spyOn(Date, 'now').mockReturnValue(clock.now() - 3_600_000);
  expect(steadyClock.elapsedMs()).toBeGreaterThanOrEqual(before);
});

test('counts the time that the machine slept on the steady clock', () => {
  const before = steadyClock.elapsedMs();
  uptime.aheadSeconds = 3_600;
  const [seconds, nanoseconds] = process.hrtime();
  // The clock checks once a second of the process.
  vi.spyOn(process, 'hrtime').mockReturnValue([seconds + 2, nanoseconds]);
  const sleptMs = steadyClock.elapsedMs() - before;
  expect(sleptMs).toBeGreaterThan(3_599_000);
  expect(sleptMs).toBeLessThan(3_700_000);
});

test('does not run a cancelled timer', async () => {
  const ran: string[] = [];
  timers.setTimeout(() => ran.push('timeout'), 0).cancel();
  timers.setInterval(() => ran.push('interval'), 0).cancel();
  timers.setImmediate(() => ran.push('immediate')).cancel();
  timers.setTimeout(() => ran.push('kept'), 0);
  await sleep(timers, 5);
  expect(ran).toEqual(['kept']);
});
