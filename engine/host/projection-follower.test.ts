/** The projection's thread at a start, and on a full disk. */
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fillDisk, JournalFollower } from '#app/testing/journal-follower.ts';

let stage: JournalFollower;
beforeEach(async () => {
  stage = await JournalFollower.open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stage.close();
});

test('reports at a start that the projection contradicts the journal, so that the caller starts over', async () => {
  await stage.follower.close();
  rmSync(stage.file);
  stage.reopen();
  await stage.submit(40);
  stage.plantContradiction();
  await stage.submit(1);
  expect(stage.internalErrors).toEqual([[expect.objectContaining({ message: expect.stringContaining('order 7') }), true]]);
  expect(stage.folded).toBe(-1);
});

test('serves reads while the disk is full, retries with growing delays, and loses nothing', async () => {
  await stage.submit(40);
  await stage.time.advance(3_000);
  const disk = fillDisk();
  await stage.submit(20);
  await stage.time.advance(3_000);
  expect(disk.tries()).toBe(1);
  stage.expectTruth();
  await stage.submit(20);
  stage.expectTruth();
  await stage.time.advance(60_000);
  expect(disk.tries()).toBe(6);
  expect(stage.conditions.at(-1)).toEqual({ isRebuilding: false, isUnwritten: true, rebuildCount: 0, writeFaultCount: 6 });
  stage.expectTruth();
  disk.empty();
  await stage.time.advance(30_000);
  expect(stage.conditions.at(-1)).toMatchObject({ isUnwritten: false });
  await stage.submit(5);
  stage.expectTruth();
  expect(stage.lines).toEqual([
    'projection: the disk rejects writes, which are retried: database or disk is full',
    'projection: the disk accepts writes again',
  ]);
  await stage.follower.close();
  expect(stage.internalErrors).toEqual([]);
  stage.reopen();
  expect(stage.follower.projection.sequence).toBe(85);
});

test('closes on a full disk with what was committed before, and the next start folds the rest', async () => {
  await stage.submit(40);
  await stage.time.advance(3_000);
  const disk = fillDisk();
  await stage.submit(20);
  await stage.follower.close();
  disk.empty();
  expect(stage.internalErrors).toEqual([]);
  expect(stage.lines).toEqual([
    expect.stringMatching(/^projection: the file is not up to date, the next start folds the rest again/),
  ]);
  stage.reopen();
  expect(stage.follower.projection.sequence).toBe(40);
});

test('waits for a file that another program has locked, and serves what it has until then', async () => {
  await stage.submit(40);
  await stage.time.advance(3_000);
  const other = new DatabaseSync(stage.file);
  other.exec('BEGIN IMMEDIATE');
  await stage.submit(20);
  expect(stage.follower.projection.sequence).toBe(40);
  expect(stage.folded).toBe(40);
  expect(stage.isReadable).toBe(true);
  other.exec('ROLLBACK');
  other.close();
  await stage.time.advance(10_000);
  stage.expectTruth();
  expect(stage.conditions.at(-1)).toMatchObject({ isUnwritten: false, rebuildCount: 0 });
  expect(stage.internalErrors).toEqual([]);
});
