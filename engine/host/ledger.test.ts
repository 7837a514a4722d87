/** How a ledger handles unusable or unwritable files in the journal's folder. */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { changeBytesWithSums } from '#app/testing/damage/changed-rows.ts';
import { SEGMENT_BYTES, temporaryDirectory } from '#app/testing/test-venue.ts';
import { PAGE_BYTES } from '#projection/log-frames.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import type { AccountOrdinal, AgentDraftOrdinal, Sequence } from '#units/ids.ts';
import { draft } from '#venue/agent/testing/agents.ts';
import { registration } from '#venue/owner/testing/owners.ts';
import { saveAnchor } from '#writer/journal/anchor.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { lastWritten, SECTOR_BYTES } from '#writer/journal/group.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { archivedName, listSegments } from '#writer/journal/segment.ts';
import { surveySegments } from '#writer/journal/segment-survey.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { openWriter } from '#writer/writer.ts';
import { closeAll } from './close-all.ts';
import { openLedger, PROJECTION_FILE } from './ledger.ts';
import { StartFault } from './start-fault.ts';

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
const onHalt = () => expect.fail('halted');
const options = () => ({ ...systemTime, dataDirectory, onHalt, log, segmentBytes: SEGMENT_BYTES });
const OWNER = 1 as AccountOrdinal;
const OPEN_ACCOUNT = { type: 'OpenAccount', label: 'a', partyId: '', digestSeed: 1 } as const;

test('has the owners of durable records before their response, and after a restart', async () => {
  const started = async () => {
    const resources = new AsyncDisposableStack();
    const { writer, owners } = await openLedger(options(), resources);
    return { writer, owners, close: () => closeAll(resources) };
  };
  const first = await started();
  await first.writer.submit({ command: registration(1) });
  expect(first.owners.owner(OWNER)).toMatchObject({ setup: 'not_started', passkeys: [{ credentialId: 'passkey-1' }] });
  await first.writer.submit({ command: { type: 'StartParty', account: OWNER, ledgerKey: 'key' } });
  expect(first.owners.pendingParties()).toEqual([OWNER]);
  const before = first.owners.owner(OWNER);
  await first.close();
  const again = await started();
  expect(again.owners.owner(OWNER)).toEqual(before);
  expect(again.owners.sequence()).toBe(again.writer.recovered.sequence);
  await again.writer.submit({ command: { type: 'AllocateParty', account: OWNER, partyId: 'party' } });
  expect(again.owners.owner(OWNER)).toMatchObject({ party: { status: 'allocated', partyId: 'party', ledgerKey: 'key' } });
  await again.close();
});

test('has the drafts of durable records before their response, and after a restart', async () => {
  const started = async () => {
    const resources = new AsyncDisposableStack();
    const { writer, agents } = await openLedger(options(), resources);
    return { writer, agents, close: () => closeAll(resources) };
  };
  const [first, second] = [1 as AgentDraftOrdinal, 2 as AgentDraftOrdinal];
  const before = await started();
  await before.writer.submit({ command: registration(1) });
  await before.writer.submit({ command: draft(OWNER) });
  expect(before.agents.draft(first)).toMatchObject({ account: OWNER, name: 'breakout' });
  await before.close();
  const again = await started();
  expect(again.agents.draft(first)).toMatchObject({ account: OWNER, name: 'breakout' });
  expect(again.agents.sequence()).toBe(again.writer.recovered.sequence);
  await again.writer.submit({ command: draft(OWNER, { name: 'second' }) });
  expect(again.agents.draft(second)).toMatchObject({ name: 'second' });
  await again.close();
});

test('skips a damaged snapshot, a directory or a link in its place, with a log line', async () => {
  const journal = join(dataDirectory, 'journal');
  const snapshot = 'snapshot-0000000000000001.state';
  const started = async () => {
    const resources = new AsyncDisposableStack();
    const { writer } = await openLedger(options(), resources);
    return { writer, close: () => closeAll(resources) };
  };
  const first = await started();
  await first.writer.submit({ command: OPEN_ACCOUNT });
  await first.close();
  truncateSync(join(journal, snapshot), 20);
  const second = await started();
  expect(second.writer.recovered).toMatchObject({ sequence: 1, rerunCount: 1, damagedSnapshots: [snapshot] });
  expect(lines).toEqual([`journal: ${snapshot} is damaged and skipped: 1 commands are run again`]);
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
  rmSync(join(journal, snapshot));
  symlinkSync(snapshot, join(journal, snapshot));
  const fifth = await started();
  expect(fifth.writer.recovered).toMatchObject({ sequence: 1, rerunCount: 1 });
  await fifth.close();
  expect(lines.slice(3)).toEqual([`journal: ${snapshot} was a link, where a file belongs, and is now ${snapshot}.aside-2`]);
});

test('rebuilds a projection that SQLite cannot read, even if its page sums are right', async () => {
  const resources = new AsyncDisposableStack();
  const { writer } = await openLedger(options(), resources);
  await writer.submit({ command: OPEN_ACCOUNT });
  await closeAll(resources);
  const file = join(dataDirectory, PROJECTION_FILE);
  damageAccounts(file);
  const again = new AsyncDisposableStack();
  const { projection } = await openLedger(options(), again);
  expect(parseRendered(await projection.reads.accountList({ limit: 10 })).accounts).toHaveLength(1);
  await closeAll(again);
  expect(lines).toEqual([
    'projection: projection.sqlite contradicts the journal and is folded again from it: database disk image is malformed',
  ]);
});

test('reports a snapshot that cannot be saved, and closes normally', async () => {
  const resources = new AsyncDisposableStack();
  const { writer } = await openLedger(options(), resources);
  await writer.submit({ command: OPEN_ACCOUNT });
  // Obstructs the snapshot's file.
  const obstacle = join(dataDirectory, 'journal', 'snapshot-0000000000000001.state.unfinished');
  mkdirSync(obstacle);
  await closeAll(resources);
  expect(lines).toEqual([expect.stringMatching(/^journal: a snapshot cannot be saved, the next start runs more .*EISDIR/)]);
  expect(writer.status().snapshotFailure).toContain('EISDIR');

  rmSync(obstacle, { recursive: true });
  const again = new AsyncDisposableStack();
  const { writer: recovered } = await openLedger(options(), again);
  expect(recovered.recovered.rerunCount).toBe(1);
  await closeAll(again);
  expect(lines).toHaveLength(1);
});

describe('journal without its first record', () => {
  const file = () => join(dataDirectory, PROJECTION_FILE);
  const archived = () => join(dataDirectory, 'journal', archivedName(1));
  const started = async () => {
    await using resources = new AsyncDisposableStack();
    const { projection } = await openLedger(options(), resources);
    return parseRendered(await projection.reads.accountList({ limit: 10 })).accounts.length;
  };

  beforeEach(async () => {
    await writeArchivedJournal(dataDirectory);
    expect(await started()).toBe(ACCOUNTS);
    rmSync(archived());
    renameSync(`${archived()}.copy`, join(dataDirectory, 'copy'));
  });

  test('starts with a valid projection', async () => {
    expect(await started()).toBe(ACCOUNTS);
    expect(lines).toEqual([]);
  });

  test.each([
    ['is damaged', /not as it was written/, (path: string) => changeBytes(path, (bytes) => bytes.fill(0xa5, 5_000, 5_100))],
    ['contradicts the journal', /contradicts the journal/, damageAccounts],
  ])('leaves a projection that %s unchanged, says what to put back, and rebuilds it afterwards', async (_, problem, damage) => {
    damage(file());
    const before = readFileSync(file());
    const refusal = started();
    await expect(refusal).rejects.toThrow(StartFault);
    await expect(refusal).rejects.toThrow(problem);
    await expect(refusal).rejects.toThrow(/put it back as archive\/.+ The file was left as it is/);
    expect(readFileSync(file())).toEqual(before);
    expect(lines).toEqual([]);
    renameSync(join(dataDirectory, 'copy'), archived());
    expect(await started()).toBe(ACCOUNTS);
    expect(lines).toEqual([expect.stringContaining('is folded again from')]);
  });
});

test.each([
  ['is damaged', /not as it was written/, (path: string) => changeBytes(path, (bytes) => bytes.fill(0xa5, 5_000, 5_100))],
  ['contradicts the journal', /contradicts the journal/, damageAccounts],
])(
  'leaves a projection that %s unchanged if an archived segment is damaged after its first group',
  async (_, problem, damage) => {
    const started = async () => {
      await using resources = new AsyncDisposableStack();
      await openLedger(options(), resources);
    };
    await writeArchivedJournal(dataDirectory);
    await started();
    const archived = join(dataDirectory, 'journal', archivedName(1));
    changeBytes(archived, (bytes) => bytes.fill(0xa5, SECTOR_BYTES + 200, SECTOR_BYTES + 210));
    await started();
    const file = join(dataDirectory, PROJECTION_FILE);
    damage(file);
    const before = readFileSync(file);
    const refusal = started();
    await expect(refusal).rejects.toThrow(StartFault);
    await expect(refusal).rejects.toThrow(problem);
    await expect(refusal).rejects.toThrow(/segment-00000001.+ The file was left as it is/);
    expect(readFileSync(file)).toEqual(before);
    expect(lines).toEqual([]);
    renameSync(`${archived}.copy`, archived);
    await started();
    expect(lines).toEqual([expect.stringContaining('is folded again from')]);
  },
);

test('leaves a damaged projection unchanged if the last group of the journal is damaged', async () => {
  const resources = new AsyncDisposableStack();
  const { writer } = await openLedger(options(), resources);
  for (const label of ['a', 'b']) await writer.submit({ command: { ...OPEN_ACCOUNT, label } });
  await closeAll(resources);
  const file = join(dataDirectory, PROJECTION_FILE);
  changeBytes(join(dataDirectory, 'journal', 'segment-00000001.journal'), (bytes) => {
    const last = lastWritten(bytes, 0, bytes.length - SECTOR_BYTES);
    bytes[last - 20]! ^= 1;
  });
  changeBytes(file, (bytes) => bytes.fill(0xa5, 5_000, 5_100));
  const before = readFileSync(file);
  const refused = new AsyncDisposableStack();
  await expect(openLedger(options(), refused)).rejects.toThrow(/segment-00000001.+ The file was left as it is/);
  await closeAll(refused);
  expect(readFileSync(file)).toEqual(before);
});

test('sets aside a projection of another journal', async () => {
  const resources = new AsyncDisposableStack();
  const { writer } = await openLedger(options(), resources);
  await writer.submit({ command: OPEN_ACCOUNT });
  await closeAll(resources);
  rmSync(join(dataDirectory, 'journal'), { recursive: true });
  const own = new AsyncDisposableStack();
  const other = temporaryDirectory();
  const { writer: otherWriter } = await openLedger({ ...options(), dataDirectory: other.path }, own);
  for (const label of ['b', 'c']) await otherWriter.submit({ command: { ...OPEN_ACCOUNT, label } });
  await closeAll(own);
  renameSync(join(other.path, 'journal'), join(dataDirectory, 'journal'));
  other.remove();
  const before = readFileSync(join(dataDirectory, PROJECTION_FILE));
  const again = new AsyncDisposableStack();
  await openLedger(options(), again);
  await closeAll(again);
  expect(lines).toEqual([
    expect.stringMatching(/contradicts the journal .+ \(what was there is in projection\.sqlite\.aside-1\)/),
  ]);
  expect(readFileSync(join(dataDirectory, `${PROJECTION_FILE}.aside-1`))).toEqual(before);
});

test.each([
  ['read', (path: string) => rmSync(path)],
  ['verified before the projection is folded again', (path: string) => changeBytes(path, (bytes) => bytes.fill(0xa5, 0, 100))],
])('logs the progress of a long start: the journal is %s', async (what, damage) => {
  const first = new AsyncDisposableStack();
  const { writer } = await openLedger(options(), first);
  for (let account = 0; account < 20; account += 1) await writer.submit({ command: { ...OPEN_ACCOUNT, label: `${account}` } });
  await closeAll(first);
  const path = join(dataDirectory, PROJECTION_FILE);
  const started = async (msPerReading: number) => {
    damage(path);
    lines = [];
    let elapsedMs = 0;
    const steadyClock = { elapsedMs: () => (elapsedMs += msPerReading) };
    const resources = new AsyncDisposableStack();
    await openLedger({ ...options(), steadyClock }, resources);
    await closeAll(resources);
    return lines.filter((line) => line.startsWith('journal: '));
  };
  expect(await started(0)).toEqual([]);
  const logged = (await started(2_000)).filter((line) => line.includes(what));
  const percents = logged.map((line) => {
    const found = /^journal: (\d+) % (.+) \(\d+\.\d of \d+\.\d MB\)$/.exec(line);
    expect(found?.[2]).toBe(what);
    return Number(found?.[1]);
  });
  // 20 groups with one reading of the clock each: a line for every three.
  expect(percents).toEqual([15, 30, 45, 60, 75, 90]);
});

const ACCOUNTS = 8;

/** A journal of several segments, the first archived, with a copy beside it. */
async function writeArchivedJournal(path: string): Promise<void> {
  const lock = lockDirectory(path);
  const files = await nodeFiles(lock, 'journal');
  const writer = await openWriter({
    ...systemTime,
    files,
    rules: venueRules,
    follow: () => {},
    followFrom: { sequence: 0 as Sequence, chainDigest: '' },
    onHalt: () => expect.fail('halted'),
    limits: { segmentBytes: 4_096 },
  });
  for (let account = 0; account < ACCOUNTS; account += 1)
    await writer.submit({ command: { ...OPEN_ACCOUNT, label: `${account}` } });
  await writer.close();
  const [first, second] = await surveySegments(files, await listSegments(files));
  await saveAnchor(files, second!);
  await files.rename(first!.name, archivedName(1));
  copyFileSync(join(path, 'journal', archivedName(1)), join(path, 'journal', `${archivedName(1)}.copy`));
  lock.release();
}

/** Makes a page unreadable for SQLite, with a right sum. */
function damageAccounts(path: string): void {
  const database = new DatabaseSync(path);
  const page = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'accounts'").get()?.rootpage);
  database.close();
  changeBytesWithSums(path, (bytes) => bytes.fill(0xa5, (page - 1) * PAGE_BYTES, page * PAGE_BYTES));
}

function changeBytes(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
}
