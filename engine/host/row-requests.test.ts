/**
 * The realtime service's initial rows arrive complete and as of the published records, whatever happens to the projection meanwhile.
 */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { JournalFollower, sqliteFault } from '#app/testing/journal-follower.ts';
import { gathered, type LiveRows } from '#projection/projection.ts';

let stage: JournalFollower;
beforeEach(async () => {
  stage = await JournalFollower.open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stage.close();
});

/** Makes the next read of rows fail with that after the first piece. */
function plantInRows(fault: () => never): void {
  const { projection } = stage.follower;
  const real = projection.livePieces;
  const failing = function* () {
    for (const piece of real(1).pieces) {
      yield piece;
      fault();
    }
  };
  vi.spyOn(projection, 'livePieces').mockImplementationOnce(() => ({ ...real(), pieces: failing() }));
}

/** Makes SQLite roll back 20 folded, uncommitted commands at the next read of rows, as on a full disk. */
async function stageRollback(): Promise<void> {
  await stage.submit(20);
  await stage.time.advance(3_000);
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  await stage.submit(20);
  const database = exec.mock.contexts.at(-1) as DatabaseSync;
  expect(database.isTransaction).toBe(true);
  plantInRows(() => {
    database.exec('ROLLBACK');
    throw sqliteFault('database or disk is full', 13);
  });
}

async function expectValid(rows: Promise<LiveRows>): Promise<void> {
  expect(await rows).toEqual(structuredClone(gathered(stage.follower.projection.livePieces())));
}

test('sends the rows as of the record at their request, even if it is folded again later', async () => {
  await stage.submit(40);
  stage.plantContradiction();
  await stage.submit(1);
  const rows = stage.requestRows();
  await stage.submit(20);
  await stage.rebuilt();
  expect((await rows).sequence).toBe(41);
  stage.expectTruth();
});

test('sends the rows after a rebuild if they turn out damaged while they are sent', async () => {
  await stage.submit(40);
  plantInRows(() => {
    throw sqliteFault('database disk image is malformed', 11);
  });
  const rows = stage.requestRows();
  expect(stage.isReadable).toBe(false);
  await stage.rebuilt();
  await expectValid(rows);
  expect(stage.internalErrors).toEqual([]);
});

test('sends the rows later if the disk does not return them', async () => {
  await stage.submit(40);
  plantInRows(() => {
    throw sqliteFault('disk I/O error', 10);
  });
  const rows = stage.requestRows();
  await stage.time.advance(5_000);
  await expectValid(rows);
  expect(stage.conditions.at(-1)?.rebuildCount ?? 0).toBe(0);
});

test('folds what SQLite rolled back while rows were sent, and sends them', async () => {
  await stageRollback();
  const rows = stage.requestRows();
  await stage.time.advance(5_000);
  await expectValid(rows);
  stage.expectTruth();
  expect(stage.conditions.at(-1)).toEqual({ isRebuilding: false, isUnwritten: false, rebuildCount: 0, writeFaultCount: 1 });
});

test('rebuilds from the journal if it cannot return to what SQLite rolled back to', async () => {
  await stageRollback();
  const rollBack = vi.spyOn(stage.follower.projection, 'rollBack').mockImplementationOnce(() => {
    throw sqliteFault('database is locked', 5);
  });
  const rows = stage.requestRows();
  await stage.rebuilt();
  expect(rollBack).toHaveBeenCalledOnce();
  await expectValid(rows);
  stage.expectTruth();
});

test('sends rows that are requested at any time during a rebuild', async () => {
  await stage.submit(40);
  stage.trade(60);
  stage.beforeOpen = () => stage.submit(25);
  const requested: { readonly sequence: number; readonly rows: Promise<LiveRows> }[] = [];
  const request = () => requested.push({ sequence: stage.publishedSequence, rows: stage.requestRows() });
  stage.beforeClose = request;
  stage.plantContradiction();
  await stage.submit(1);
  request();
  await stage.rebuilt();
  expect(requested.length).toBeGreaterThan(3);
  for (const { sequence, rows } of requested) expect((await rows).sequence).toBeGreaterThanOrEqual(sequence);
});

test('sends no rows that are older than what was published before their request', async () => {
  await stage.submit(40);
  await stage.time.advance(3_000);
  const other = new DatabaseSync(stage.file);
  other.exec('BEGIN IMMEDIATE');
  await stage.submit(20);
  expect(stage.follower.projection.sequence).toBe(40);
  const rows = stage.requestRows();
  other.exec('ROLLBACK');
  other.close();
  await stage.time.advance(10_000);
  expect((await rows).sequence).toBe(60);
});
