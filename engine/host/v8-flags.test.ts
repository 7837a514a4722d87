/** The flags that the venue begins with, and when old objects are collected seldom: while it is busy, and no longer. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { BUSY_PER_SECOND, CollectionPace, V8_FLAGS } from './v8-flags.ts';

let told: number[];
let pace: CollectionPace;
let nowMs: number;

beforeEach(() => {
  told = [];
  nowMs = 0;
  pace = new CollectionPace((percent) => told.push(percent));
  during(1, 0);
});

/** Groups every 10 ms, for so many seconds. */
function during(seconds: number, perSecond: number): void {
  for (let group = 0; group < 100 * seconds; group += 1) {
    nowMs += 10;
    pace.committed(perSecond / 100, nowMs);
  }
}

test.skipIf(process.platform === 'win32')(
  'a process has the flags from its beginning, and stays the same one with the same options',
  () => {
    const program = join(import.meta.dirname, 'testing', 'flagged-process.ts');
    const { pid, status, stdout, stderr } = spawnSync(process.execPath, [program, 'start', '--port', '0'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ pid, flags: V8_FLAGS, options: ['start', '--port', '0'] });
  },
);

test('a venue with little to do is left to V8', () => {
  during(5, BUSY_PER_SECOND - 100);
  expect(told).toEqual([]);
});

test('a rush is seen within two seconds, and told once', () => {
  during(2, BUSY_PER_SECOND);
  expect(told).toEqual([400]);
  during(5, 10 * BUSY_PER_SECOND);
  expect(told).toEqual([400]);
});

test('it lasts until there is half as much to do', () => {
  during(2, BUSY_PER_SECOND);
  during(5, BUSY_PER_SECOND / 2);
  expect(told).toEqual([400]);
  during(2, BUSY_PER_SECOND / 2 - 100);
  expect(told).toEqual([400, 0]);
});

test('silence after a rush counts with the next group', () => {
  during(2, BUSY_PER_SECOND);
  nowMs += 60_000;
  pace.committed(1, nowMs);
  expect(told).toEqual([400, 0]);
});
