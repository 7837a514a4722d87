/** The projection's thread when the projection contradicts the journal. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fillDisk, JournalFollower } from '#app/testing/journal-follower.ts';
import { openProjection } from '#projection/projection.ts';

let stage: JournalFollower;
beforeEach(async () => {
  stage = await JournalFollower.open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stage.close();
});

test('rebuilds from the journal when an event contradicts the projection, while the venue continues', async () => {
  await stage.submit(40);
  stage.plantContradiction();
  await stage.submit(1);
  expect(stage.isReadable).toBe(false);
  await stage.submit(30);
  await stage.rebuilt();
  expect(stage.isReadable).toBe(true);
  stage.expectTruth();
  await stage.submit(20);
  stage.expectTruth();
  expect(stage.lines).toEqual([
    `projection: ${stage.file} contradicts the journal and is folded again from it, reads are refused until then: an event names order 7, which does not exist`,
    expect.stringMatching(/^projection: folded again up to record \d+, reads go on$/),
  ]);
  expect(stage.conditions.at(-1)).toEqual({ isRebuilding: false, isUnwritten: false, rebuildCount: 1, writeFaultCount: 0 });
  expect(stage.internalErrors).toEqual([]);
  await stage.follower.close();
  const again = openProjection(stage.file, (line) => stage.lines.push(line));
  expect(again.sequence).toBe(stage.submitted);
  again.close();
  expect(stage.lines).toHaveLength(2);
});

test('rebuilds while the journal grows into new segments', async () => {
  await stage.submit(40);
  stage.trade(60);
  // More than a segment holds, each time after the segments were listed.
  let last = Promise.resolve();
  stage.beforeOpen = () => (last = last.then(() => stage.submit(25)));
  stage.plantContradiction();
  await stage.submit(1);
  await stage.rebuilt();
  await last;
  expect(readdirSync(join(stage.path, 'journal')).filter((name) => name.startsWith('segment-')).length).toBeGreaterThan(1);
  stage.expectTruth();
});

test('shows no older state when the disk is full right after a rebuild', async () => {
  await stage.submit(40);
  stage.plantContradiction();
  await stage.submit(1);
  await stage.rebuilt();
  const disk = fillDisk();
  await stage.submit(1);
  await stage.time.advance(3_000);
  expect(disk.tries()).toBeGreaterThan(0);
  stage.expectTruth();
  disk.empty();
  await stage.time.advance(60_000);
  await stage.submit(1);
  stage.expectTruth();
  expect(stage.internalErrors).toEqual([]);
});

test('closes at once while a rebuild waits for the disk', async () => {
  await stage.submit(40);
  const disk = fillDisk();
  stage.plantContradiction();
  await stage.submit(1);
  await stage.until(() => stage.conditions.at(-1)!.isUnwritten);
  await stage.follower.close();
  disk.empty();
  expect(stage.internalErrors).toEqual([]);
  stage.reopen();
  expect(stage.follower.projection.sequence).toBe(0);
});

test('closes without saving what contradicts the journal', async () => {
  await stage.submit(40);
  await stage.time.advance(3_000);
  await stage.submit(10);
  stage.plantContradiction();
  const closed = Promise.withResolvers<void>();
  stage.beforeOpen = async () => closed.resolve(stage.follower.close());
  await stage.submit(1);
  await closed.promise;
  expect(stage.savedSequence()).toBe(40);
  expect(stage.internalErrors).toEqual([]);
});

test('logs the progress of a long rebuild', async () => {
  await stage.submit(40);
  const disk = fillDisk();
  stage.plantContradiction();
  await stage.submit(1);
  await stage.until(() => stage.conditions.at(-1)!.isUnwritten);
  await stage.time.advance(30_000);
  expect(stage.lines.at(-1)).toBe('projection: 0 of 41 records are folded again');
  disk.empty();
  await stage.time.advance(60_000);
  await stage.rebuilt();
  stage.expectTruth();
});

test('refuses the reads in progress when it finds a contradiction', async () => {
  await stage.submit(40);
  stage.plantContradiction();
  expect(stage.refusedReads).toBe(0);
  await stage.submit(1);
  expect(stage.refusedReads).toBe(1);
});

test('waits longer before each rebuild, and stops the venue if every rebuilt projection becomes invalid', async () => {
  await stage.submit(1);
  const waits = [0, 1_000, 4_000, 16_000, 64_000, 256_000];
  for (const [index, waitMs] of waits.entries()) {
    stage.lines = [];
    stage.plantContradiction();
    await stage.submit(1);
    if (waitMs > 0) await stage.time.advance(waitMs - 1);
    expect(stage.conditions.at(-1)).toMatchObject({ isRebuilding: true, rebuildCount: index + 1 });
    await stage.time.advance(1);
    await stage.rebuilt();
    stage.expectTruth();
  }
  stage.plantContradiction();
  await stage.submit(1);
  await stage.stopped();
  expect(String(stage.internalErrors[0]![0])).toMatch(
    /order 7.+ cannot be folded again .+ it was folded again 6 times, and became invalid each time/,
  );
});

test('rebuilds at once when the last time was long ago', async () => {
  await stage.submit(1);
  for (let count = 1; count <= 7; count += 1) {
    stage.lines = [];
    stage.plantContradiction();
    await stage.submit(1);
    await stage.rebuilt();
    stage.time.pass(3_700_000);
  }
  expect(stage.conditions.at(-1)).toMatchObject({ isRebuilding: false, rebuildCount: 7 });
});

test('stops the venue when the rebuilt projection fails as well: that is an internal error', async () => {
  await stage.submit(40);
  stage.plantContradiction();
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  prepare.mockImplementation(() => {
    throw new TypeError('planted in the fold');
  });
  await stage.submit(1);
  await stage.stopped();
  expect(stage.internalErrors[0]).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/order 7.+ cannot be folded again .+planted/) }),
    false,
  ]);
  expect(stage.folded).toBe(-1);
});

test('stops the venue and leaves the file when the journal lacks its first record', async () => {
  await stage.submit(90);
  await stage.time.advance(3_000);
  expect(stage.savedSequence()).toBe(90);
  const journal = join(stage.path, 'journal');
  const [first] = readdirSync(journal)
    .filter((name) => name.startsWith('segment'))
    .sort();
  renameSync(join(journal, first!), join(stage.path, 'away'));
  stage.plantContradiction();
  await stage.submit(1);
  await stage.stopped();
  expect(String(stage.internalErrors[0]![0])).toMatch(/order 7.+ cannot be folded again/);
  expect(stage.savedSequence()).toBe(90);
});

test('leaves the file when a segment is damaged after its first group', async () => {
  await stage.submit(90);
  await stage.time.advance(3_000);
  const segment = join(stage.path, 'journal', 'segment-00000001.journal');
  const bytes = readFileSync(segment);
  bytes[1_500]! ^= 1;
  writeFileSync(segment, bytes);
  stage.plantContradiction();
  await stage.submit(1);
  await stage.stopped();
  expect(String(stage.internalErrors[0]![0])).toMatch(/order 7.+ cannot be folded again.+damaged in segment-00000001/);
  expect(stage.savedSequence()).toBe(90);
});

test('finds a changed page of the file while the venue runs, and rebuilds', async () => {
  await stage.submit(60);
  await stage.follower.close();
  stage.reopenLive();
  const bytes = readFileSync(stage.file);
  bytes[bytes.length - 100]! ^= 1;
  writeFileSync(stage.file, bytes);
  await stage.time.advance(1_000);
  await stage.rebuilt();
  stage.expectTruth();
  expect(stage.lines[0]).toMatch(/is not as it was written \(page \d+\)$/);
});

test('rebuilds after an unreadable sector of the file, but not when too many files are open', async () => {
  await stage.submit(60);
  const fail = (code: string, syscall: string) =>
    vi.spyOn(stage.follower.projection, 'verifySome').mockImplementationOnce(() => {
      throw Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
    });
  fail('EMFILE', 'open');
  await stage.time.advance(1_000);
  expect(stage.isReadable).toBe(true);
  fail('EIO', 'read');
  await stage.time.advance(1_000);
  await stage.rebuilt();
  stage.expectTruth();
  expect(stage.lines[0]).toMatch(/EIO: read$/);
});

test('rebuilds once more when the log of the new file is deleted meanwhile', async () => {
  await stage.submit(40);
  stage.plantContradiction();
  // The file has its log from the first commit on.
  stage.beforeOpen = async () => rmSync(`${stage.file}-wal`, { force: true });
  await stage.submit(1);
  await stage.until(() => stage.lines.length === 2);
  expect(stage.lines[1]).toMatch(/was folded again is damaged as well, and is folded once more: has lost its log$/);
  stage.beforeOpen = () => Promise.resolve();
  await stage.time.advance(1_000);
  await stage.rebuilt();
  stage.expectTruth();
  expect(stage.lines).toHaveLength(3);
});

test('closes when the log was deleted, and leaves the rest to the next start', async () => {
  await stage.submit(40);
  rmSync(`${stage.file}-wal`);
  await stage.follower.close();
  expect(stage.internalErrors).toEqual([]);
  expect(stage.lines).toEqual([expect.stringMatching(/the next start folds the rest again: .+ has lost its log$/)]);
  stage.lines = [];
  stage.reopen();
  expect(stage.lines).toEqual([expect.stringMatching(/is folded again from the journal$/)]);
});

test('closes during a rebuild, and the next start continues', async () => {
  await stage.submit(90);
  stage.plantContradiction();
  await stage.submit(1);
  await stage.follower.close();
  expect(stage.internalErrors).toEqual([]);
  stage.reopen();
  expect(stage.follower.projection.sequence).toBeLessThan(91);
});
