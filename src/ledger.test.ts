/** What a ledger does where files of the journal's folder cannot be used or written. */
import { mkdirSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readBack } from '#http/answers.ts';
import { PAGE_BYTES } from '#projection/log-frames.ts';
import { systemTime } from '#time/system-time.ts';
import { openLedger, PROJECTION_FILE } from './ledger.ts';
import { Opened } from './opened.ts';
import { changeBytesWithSums } from './testing/damage/changed-rows.ts';
import { temporaryDirectory } from './testing/test-venue.ts';

/** Each test starts threads several times. */
vi.setConfig({ testTimeout: 120_000 });

let dataDirectory: string;
let remove: () => void;
let lines: string[];
beforeEach(() => {
  ({ path: dataDirectory, remove } = temporaryDirectory());
  lines = [];
});
afterEach(() => remove());

const log = (line: string) => lines.push(line);
const options = () => ({ ...systemTime, dataDirectory, onHalt: () => expect.fail('halted'), log });
const OPEN_ACCOUNT = { type: 'OpenAccount', label: 'a', partyId: '', digestSeed: 1 } as const;

test('a snapshot that is damaged is passed over with a line, and so is a directory in its place', async () => {
  const journal = join(dataDirectory, 'journal');
  const snapshot = 'snapshot-0000000000000001.state';
  const started = async () => {
    const opened = new Opened();
    const { writer } = await openLedger(options(), opened);
    return { writer, close: () => opened.close() };
  };
  const first = await started();
  await first.writer.submit({ command: OPEN_ACCOUNT });
  await first.close();
  truncateSync(join(journal, snapshot), 20);
  const second = await started();
  expect(second.writer.recovered).toMatchObject({ sequence: 1, rerunCount: 1, damagedSnapshots: [snapshot] });
  expect(lines).toEqual([`journal: ${snapshot} is damaged and passed over: 1 commands are run again`]);
  await second.close();
  rmSync(join(journal, snapshot));
  mkdirSync(join(journal, snapshot, 'own'), { recursive: true });
  mkdirSync(join(journal, 'segment-00000009.journal.unfinished'));
  const third = await started();
  expect(third.writer.recovered).toMatchObject({ sequence: 1, rerunCount: 1 });
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^journal: segment-00000009\.journal\.unfinished was a directory, .+, and is now .+\.aside-1$/),
    `journal: ${snapshot} was a directory, where a file belongs, and is now ${snapshot}.aside-1`,
  ]);
  await third.close();
  expect(readdirSync(join(journal, `${snapshot}.aside-1`))).toEqual(['own']);
  const fourth = await started();
  expect(fourth.writer.recovered.rerunCount).toBe(0);
  await fourth.close();
  expect(lines).toHaveLength(3);
});

test('a projection that SQLite cannot read is folded again with a line, also where its page sums are right', async () => {
  const opened = new Opened();
  const { writer } = await openLedger(options(), opened);
  await writer.submit({ command: OPEN_ACCOUNT });
  await opened.close();
  const file = join(dataDirectory, PROJECTION_FILE);
  const database = new DatabaseSync(file);
  const page = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'accounts'").get()?.rootpage);
  database.close();
  changeBytesWithSums(file, (bytes) => bytes.fill(0xa5, (page - 1) * PAGE_BYTES, page * PAGE_BYTES));
  const again = new Opened();
  const { projection } = await openLedger(options(), again);
  expect(readBack(await projection.ask.accountList({ limit: 10 })).accounts).toHaveLength(1);
  await again.close();
  expect(lines).toEqual([
    'projection: projection.sqlite contradicts the journal and is folded again from it: database disk image is malformed',
  ]);
});

test('a snapshot that cannot be saved is told, and the ledger ends in order all the same', async () => {
  const opened = new Opened();
  const { writer } = await openLedger(options(), opened);
  await writer.submit({ command: OPEN_ACCOUNT });
  // What stands in the way of the snapshot's file.
  const obstacle = join(dataDirectory, 'journal', 'snapshot-0000000000000001.state.unfinished');
  mkdirSync(obstacle);
  await opened.close();
  expect(lines).toEqual([expect.stringMatching(/^journal: a snapshot cannot be saved, the next start runs more .*EISDIR/)]);
  expect(writer.status().snapshotFailure).toContain('EISDIR');

  rmSync(obstacle, { recursive: true });
  const again = new Opened();
  const { writer: recovered } = await openLedger(options(), again);
  expect(recovered.recovered.rerunCount).toBe(1);
  await again.close();
  expect(lines).toHaveLength(1);
});
