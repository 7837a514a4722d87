/** The flags that the venue starts with, and the reduced collection of old objects while it is busy. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { BUSY_PER_SECOND, CollectionPace, V8_FLAGS } from './v8-flags.ts';

let percents: number[];
let pace: CollectionPace;
let nowMs: number;

beforeEach(() => {
  percents = [];
  nowMs = 0;
  pace = new CollectionPace((percent) => percents.push(percent));
  during(1, 0);
});

/** Groups every 10 ms for that many seconds. */
function during(seconds: number, perSecond: number): void {
  for (let group = 0; group < 100 * seconds; group += 1) {
    nowMs += 10;
    pace.committed(perSecond / 100, nowMs);
  }
}

test.skipIf(process.platform === 'win32')('gives the same process the flags from its start, with the same options', () => {
  const program = join(import.meta.dirname, 'testing', 'flagged-process.ts');
  const { pid, status, stdout, stderr } = spawnSync(process.execPath, [program, 'start', '--port', '0'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({ pid, flags: V8_FLAGS, options: ['start', '--port', '0'] });
});

test("leaves an idle venue to V8's defaults", () => {
  during(5, BUSY_PER_SECOND - 100);
  expect(percents).toEqual([]);
});

test('detects a rush within two seconds, and sets the growth once', () => {
  during(2, BUSY_PER_SECOND);
  expect(percents).toEqual([400]);
  during(5, 10 * BUSY_PER_SECOND);
  expect(percents).toEqual([400]);
});

test('ends a rush at half the rate', () => {
  during(2, BUSY_PER_SECOND);
  during(5, BUSY_PER_SECOND / 2);
  expect(percents).toEqual([400]);
  during(2, BUSY_PER_SECOND / 2 - 100);
  expect(percents).toEqual([400, 0]);
});

test('ends a rush after silence with the next group', () => {
  during(2, BUSY_PER_SECOND);
  nowMs += 60_000;
  pace.committed(1, nowMs);
  expect(percents).toEqual([400, 0]);
});
