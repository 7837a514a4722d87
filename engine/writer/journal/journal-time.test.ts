/** The journal's time with clocks that are set, stop and sleep. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { open, openToyWriter } from '#simulation/toy-writer.ts';
import type { EpochMs } from '#units/money.ts';
import { CLOCK_TOLERANCE_MS, JournalTime } from './journal-time.ts';

const START = 1_700_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function clocks(lastEpochMs = 0) {
  const at = { epochMs: START, elapsedMs: 5_000 };
  const time = new JournalTime({ now: () => at.epochMs as EpochMs }, { elapsedMs: () => at.elapsedMs }, lastEpochMs as EpochMs);
  const pass = (ms: number) => {
    at.epochMs += ms;
    at.elapsedMs += ms;
    return time.advance();
  };
  return { at, time, pass };
}

describe('journal time', () => {
  it('follows the wall clock as it drifts and is corrected', () => {
    const { at, time, pass } = clocks();
    for (let minute = 0; minute < 300; minute += 1) {
      at.epochMs += 40;
      expect(pass(MINUTE_MS)).toBe(at.epochMs);
      expect(time.clockOffByMs).toBe(0);
    }
    at.epochMs -= 20_000;
    const before = time.epochMs;
    expect(pass(5_000)).toBe(before);
    expect(pass(20_000)).toBe(at.epochMs);
  });

  it('continues at its pace when the wall clock is set forward by a day and back again', () => {
    const { at, time, pass } = clocks();
    at.epochMs += DAY_MS;
    expect(pass(0)).toBe(START + CLOCK_TOLERANCE_MS);
    expect(time.clockOffByMs).toBe(DAY_MS - CLOCK_TOLERANCE_MS);
    const jumped = time.epochMs;
    expect(pass(10 * MINUTE_MS)).toBe(jumped + 10 * MINUTE_MS);
    at.epochMs -= DAY_MS;
    pass(CLOCK_TOLERANCE_MS);
    expect(pass(MINUTE_MS)).toBe(at.epochMs);
    expect(time.clockOffByMs).toBe(0);
  });

  it('does not stop when the wall clock is set back by a day', () => {
    const { at, time, pass } = clocks();
    at.epochMs -= DAY_MS;
    pass(2 * MINUTE_MS);
    const before = time.epochMs;
    expect(pass(MINUTE_MS)).toBe(before + MINUTE_MS);
    expect(time.clockOffByMs).toBe(at.epochMs - time.epochMs);
  });

  it('makes up for a permanent correction by a minute an hour', () => {
    const { at, time, pass } = clocks();
    at.epochMs += 30 * MINUTE_MS;
    for (let hour = 0; hour < 27; hour += 1) pass(HOUR_MS);
    expect(time.clockOffByMs).not.toBe(0);
    for (let hour = 0; hour < 3; hour += 1) pass(HOUR_MS);
    expect(time.epochMs).toBe(at.epochMs);
  });

  it('jumps with both clocks, as after the machine slept', () => {
    const { at, pass } = clocks();
    expect(pass(8 * HOUR_MS)).toBe(START + 8 * HOUR_MS);
    expect(at.epochMs).toBe(START + 8 * HOUR_MS);
  });

  it('continues from the last record when the wall clock is behind it', () => {
    const { at, time, pass } = clocks(START + DAY_MS);
    expect(time.epochMs).toBe(START + DAY_MS);
    expect(pass(10 * MINUTE_MS)).toBe(START + DAY_MS + 9 * MINUTE_MS);
    expect(time.clockOffByMs).toBe(at.epochMs - time.epochMs);
  });

  it('never decreases, is an integer, and diverges from the steady clock by at most a minute an hour', () => {
    const step = fc.record({
      elapsedMs: fc.double({ min: 0, max: HOUR_MS, noNaN: true }),
      setByMs: fc.oneof(fc.constant(0), fc.integer({ min: -10 * DAY_MS, max: 10 * DAY_MS })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { at, time } = clocks();
        let passed = 0;
        let anchors = 1;
        for (const { elapsedMs, setByMs } of steps) {
          at.elapsedMs += elapsedMs;
          at.epochMs += Math.round(elapsedMs) + setByMs;
          passed += elapsedMs;
          const before = time.epochMs;
          const now = time.advance();
          expect(Number.isSafeInteger(now)).toBe(true);
          expect(now).toBeGreaterThanOrEqual(before);
          anchors = 1 + passed / HOUR_MS;
          expect(Math.abs(now - START - passed)).toBeLessThanOrEqual(anchors * CLOCK_TOLERANCE_MS + 1);
        }
      }),
    );
  });
});

describe('writer', () => {
  it('keeps its keys when the wall clock is set forward by days and back again', async () => {
    const writer = await openToyWriter(new PowerCutFiles());
    await writer.submit(open('alice', 'key'));
    writer.clock.epochMs += 3 * DAY_MS;
    const ahead = await writer.submit(open('bob'));
    expect(ahead.epochMs).toBeLessThanOrEqual(START + CLOCK_TOLERANCE_MS);
    expect(writer.status().clockOffByMs).toBeGreaterThan(2 * DAY_MS);
    expect((await writer.submit(open('alice', 'key'))).replayed).toBe(true);
    writer.clock.epochMs -= 3 * DAY_MS;
    writer.pass(2 * MINUTE_MS);
    expect((await writer.submit(open('carol'))).epochMs).toBe(START + 2 * MINUTE_MS);
    expect(writer.status().clockOffByMs).toBe(0);
  });

  it('reports at its start how far the clock is behind the journal, and continues from there', async () => {
    const files = new PowerCutFiles();
    const before = await openToyWriter(files);
    expect(before.recovered.clockBehindMs).toBe(0);
    before.pass(DAY_MS);
    await before.submit(open('alice'));
    await before.close();
    const again = await openToyWriter(files);
    expect(again.recovered.clockBehindMs).toBe(DAY_MS);
    again.pass(HOUR_MS);
    expect((await again.submit(open('bob'))).epochMs).toBe(START + DAY_MS + HOUR_MS - CLOCK_TOLERANCE_MS);
  });

  it('saves at most one snapshot per configured interval, however many records come', async () => {
    const limits = { recordsPerSnapshot: 2, msPerSnapshot: MINUTE_MS };
    const writer = await openToyWriter(new PowerCutFiles(), { limits });
    const submitted = async (count: number) => {
      for (let done = 0; done < count; done += 1) await writer.submit(open('x'));
      return writer.status().snapshotSequence;
    };
    expect(await submitted(10)).toBe(2);
    writer.pass(MINUTE_MS);
    expect(await submitted(10)).toBe(11);
    writer.pass(MINUTE_MS - 1);
    expect(await submitted(10)).toBe(11);
    await writer.close();
    expect(writer.status().snapshotSequence).toBe(30);
  });
});
