/** Segments are archived by the policy only, a start knows where the journal begins, and a power cut does no harm. */
import { describe, expect, it } from 'vitest';
import { type Faults, PowerCutFiles, TEARS } from '#simulation/power-cut-files.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, FROM_THE_START, open, openToyWriter, type ToyWriter } from '#simulation/toy-writer.ts';
import { OfflineJournal } from '#writer/journal-tool/offline-journal.ts';
import { verifyJournal } from '#writer/journal-tool/verification.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { type CreateSnapshot, SnapshotBuilder } from '#writer/snapshot/snapshot-builder.ts';
import { readAnchor } from './anchor.ts';

const RETENTION_MS = 1_000;
const limits = { recordsPerSnapshot: 10, msPerSnapshot: 0, retentionMs: RETENTION_MS };
const archiving = { limits, archiveAfterMs: 2_000 };

const live = (files: PowerCutFiles) => [...files.contents().keys()].filter((name) => name.startsWith('segment')).sort();
const archived = (files: PowerCutFiles) => [...files.contents().keys()].filter((name) => name.startsWith('archive')).sort();

/** Writes records some time apart, each with a key; returns them as they were acknowledged. */
async function write(writer: ToyWriter, count: number, apartMs = 100, reference?: string): Promise<CommittedRecord[]> {
  const responded: CommittedRecord[] = [];
  for (let number = 0; number < count; number += 1) {
    writer.pass(apartMs);
    const sequence = writer.status().sequence + 1;
    const { replayed: _, ...record } = await writer.submit(
      sequence === 1 ? open('alice') : credit(1, sequence, `key ${sequence}`, reference),
    );
    responded.push(record);
  }
  return responded;
}

/** A journal of 100 records over ten seconds, most of it archived, and its last place. */
async function archivedJournal() {
  const files = new PowerCutFiles();
  const writer = await openToyWriter(files, archiving);
  const records = await write(writer, 100);
  await writer.close();
  const { sequence, chainDigest } = writer.status();
  return { files, records, followFrom: { sequence, chainDigest } };
}

describe('policy', () => {
  it('keeps everything by default', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files, { limits });
    await write(writer, 100);
    await writer.close();
    expect(archived(files)).toEqual([]);
    expect(await readAnchor(files)).toBeUndefined();
  });

  it('archives what is older than configured, than any key, and than both snapshots', async () => {
    const { files, records } = await archivedJournal();
    expect(archived(files).length).toBeGreaterThan(5);
    const { follows, segment } = (await readAnchor(files))!;
    expect(live(files)[0]).toBe(`segment-${String(segment).padStart(8, '0')}.journal`);
    const snapshots = [...files.contents().keys()].filter((name) => name.startsWith('snapshot')).sort();
    expect(follows.sequence).toBeLessThanOrEqual(Number(/[0-9]{16}/.exec(snapshots[0]!)![0]));
    expect(records[follows.sequence - 1]!.epochMs).toBeLessThan(records.at(-1)!.epochMs - 2_000);
    expect(records[follows.sequence + 15]!.epochMs).toBeGreaterThan(records.at(-1)!.epochMs - 2_500);
  });

  it.each([
    ['a longer retention', { archiveAfterMs: 0, limits: { ...limits, retentionMs: 1e9 } }],
    ['a snapshot alone', { archiveAfterMs: 0, limits: { ...limits, recordsPerSnapshot: 1e9 } }],
    ['a longer time', { archiveAfterMs: 1e9, limits }],
  ])('is limited by %s', async (_, options) => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files, options);
    await write(writer, 60);
    await writer.close();
    expect(archived(files)).toEqual([]);
  });

  it('keeps the stored responses of all keys that have not expired', async () => {
    const { files, records, followFrom } = await archivedJournal();
    const writer = await openToyWriter(files, { ...archiving, followFrom });
    const last = records.at(-1)!;
    writer.clock.epochMs = last.epochMs;
    for (const { sequence, epochMs } of records.slice(80)) {
      if (epochMs + RETENTION_MS < last.epochMs) continue;
      expect(await writer.submit(credit(1, sequence, `key ${sequence}`))).toMatchObject({ sequence, replayed: true });
    }
  });

  it('reports a failure to archive, and the venue continues', async () => {
    const failures: unknown[] = [];
    const files = new PowerCutFiles(({ kind, name }) =>
      kind === 'rename' && /^segment-[0-9]+\.journal$/.test(name) ? 'EIO' : undefined,
    );
    const writer = await openToyWriter(files, { ...archiving, onArchiveFailure: (cause) => failures.push(cause) });
    const records = await write(writer, 100);
    await writer.close();
    expect(failures.length).toBeGreaterThan(0);
    expect(archived(files)).toEqual([]);
    const again = await openToyWriter(files.afterKill());
    expect(again.groups.flatMap((group) => group.records)).toEqual(records);
  });
});

describe('start', () => {
  it('reads the live segments, and archived ones only for subscribers', async () => {
    const { files, records, followFrom } = await archivedJournal();
    const opened: string[] = [];
    const openFile = files.open.bind(files);
    files.open = (name) => {
      opened.push(name);
      return openFile(name);
    };
    await openToyWriter(files, { ...archiving, followFrom });
    expect(opened.some((name) => name.startsWith('archive'))).toBe(false);
    const writer = await openToyWriter(files, { ...archiving, followFrom: FROM_THE_START });
    expect(opened.some((name) => name.startsWith('archive'))).toBe(true);
    expect(writer.groups.flatMap((group) => group.records)).toEqual(records);
  });

  it('continues without the archive unless it is needed', async () => {
    const { files, followFrom } = await archivedJournal();
    const contents = files.contents();
    const gone = archived(files)[3]!;
    contents.delete(gone);
    const started = await openToyWriter(new PowerCutFiles(undefined, contents), { ...archiving, followFrom });
    expect(started.recovered.sequence).toBe(100);
    const start = () => openToyWriter(new PowerCutFiles(undefined, contents), archiving);
    await expect(start()).rejects.toMatchObject({
      name: 'RecoveryRefused',
      message: expect.stringContaining(`put it back as ${gone}`),
    });
    for (const name of [...contents.keys()].filter((key) => key.startsWith('snapshot'))) contents.delete(name);
    await expect(openToyWriter(new PowerCutFiles(undefined, contents), { ...archiving, followFrom })).rejects.toThrow(
      /no snapshot that is whole/,
    );
  });

  it('uses the older snapshot when the newer one is damaged, also if the live journal starts exactly there', async () => {
    let startsThere = 0;
    for (let count = 60; count < 84; count += 1) {
      const files = new PowerCutFiles();
      const writer = await openToyWriter(files, { ...archiving, archiveAfterMs: 0, limits: { ...limits, retentionMs: 0 } });
      const records = await write(writer, count);
      await writer.close();
      const contents = files.contents();
      const [older, newer] = [...contents.keys()].filter((name) => name.startsWith('snapshot')).sort() as [string, string];
      contents.get(newer)![40]! ^= 1;
      const { sequence, chainDigest } = writer.status();
      const again = await openToyWriter(new PowerCutFiles(undefined, contents), {
        ...archiving,
        followFrom: { sequence, chainDigest },
      });
      const snapshotSequence = Number(/[0-9]{16}/.exec(older)![0]);
      expect(again.recovered).toMatchObject({ sequence: records.length, snapshotSequence, damagedSnapshots: [newer] });
      if ((await readAnchor(files))!.follows.sequence === snapshotSequence) startsThere += 1;
    }
    expect(startsThere).toBeGreaterThan(0);
  });

  it('distinguishes archived first segments from missing ones', async () => {
    const { files, followFrom } = await archivedJournal();
    const without = (name: string) => {
      const contents = files.contents();
      contents.delete(name);
      return openToyWriter(new PowerCutFiles(undefined, contents), { ...archiving, followFrom });
    };
    const [first] = live(files);
    await expect(without(first!)).rejects.toMatchObject({ name: 'JournalDamaged', place: { segment: first, offset: 0 } });
    await expect(without('journal.anchor')).rejects.toMatchObject({
      name: 'JournalDamaged',
      place: { segment: 'segment-00000001.journal', offset: 0, sequence: 1 },
    });
  });

  it('refuses an anchor with any wrong byte, and continues without it once all segments are back', async () => {
    const { files, records } = await archivedJournal();
    const size = files.contents().get('journal.anchor')!.length;
    for (let at = 0; at < size; at += 1) {
      const contents = files.contents();
      contents.get('journal.anchor')![at]! ^= 0x10;
      const start = openToyWriter(new PowerCutFiles(undefined, contents), archiving);
      await expect(start, `byte ${at}`).rejects.toThrow(/^journal\.anchor, which says where the journal begins, is damaged/);
    }
    const back = [...files.contents()]
      .filter(([name]) => name !== 'journal.anchor')
      .map(([name, bytes]) => [name.replace('archive/', ''), bytes] as const);
    const writer = await openToyWriter(new PowerCutFiles(undefined, new Map(back)), archiving);
    expect(writer.groups.flatMap((group) => group.records)).toEqual(records);
  });

  it('refuses a live journal that does not follow the archived one', async () => {
    const { files, followFrom } = await archivedJournal();
    const other = new PowerCutFiles();
    const writer = await openToyWriter(other, archiving);
    writer.clock.epochMs += 7;
    await write(writer, 100);
    await writer.close();
    const contents = files.contents().set('journal.anchor', other.contents().get('journal.anchor')!);
    await expect(openToyWriter(new PowerCutFiles(undefined, contents), { ...archiving, followFrom })).rejects.toMatchObject({
      name: 'JournalDamaged',
      message: expect.stringContaining('does not follow'),
    });
  });
});

function snapshotsOf(files: PowerCutFiles): CreateSnapshot {
  const maker = new SnapshotBuilder(files, toyRules);
  return (place) => maker.create(place);
}

it('loses nothing, live and archived together, after a power cut at any operation', async () => {
  const random = seededRandom(11);
  // Two records fill a segment.
  const writeLong = (writer: ToyWriter, count: number) => write(writer, count, 700, 'x'.repeat(1_200));
  // Snapshots are made in parallel, so that they and the moves interleave with other operations.
  const often = (files: PowerCutFiles) => ({
    ...archiving,
    limits: { ...limits, recordsPerSnapshot: 4 },
    createSnapshot: snapshotsOf(files),
  });
  let moved = 0;
  for (let cutAt = 20, isCut = true; isCut; cutAt += 1) {
    const faults: Faults = ({ ordinal }) => (ordinal === cutAt ? 'power_cut' : undefined);
    const files = new PowerCutFiles(faults);
    const responded: CommittedRecord[] = [];
    try {
      const writer = await openToyWriter(files, often(files));
      for (let part = 0; part < 20; part += 1) responded.push(...(await writeLong(writer, 1)));
      await writer.close();
    } catch {
      expect(files.hasPower).toBe(false);
    }
    isCut = !files.hasPower;
    const contents = isCut ? files.afterPowerCut(TEARS[cutAt % TEARS.length]!, random) : files.contents();
    const restarted = new PowerCutFiles(undefined, contents);
    const writer = await openToyWriter(restarted, often(restarted));
    const records = writer.groups.flatMap((group) => group.records);
    expect(records.slice(0, responded.length), `cut at operation ${cutAt}`).toEqual(responded);
    writer.clock.epochMs = responded.at(-1)?.epochMs ?? writer.clock.epochMs;
    await writeLong(writer, 9);
    await writer.close();
    const found = await verifyJournal(await OfflineJournal.open(restarted));
    expect(found).toMatchObject({ afterSequence: 0, sequence: records.length + 9, tornTail: undefined });
    moved += archived(restarted).length;
  }
  expect(moved).toBeGreaterThan(100);
});

it('verifies the rest when the archive is kept elsewhere', async () => {
  const { files } = await archivedJournal();
  const whole = await verifyJournal(await OfflineJournal.open(files));
  expect(whole).toMatchObject({ afterSequence: 0, sequence: 100, recordCount: 100 });
  const here = new Map([...files.contents()].filter(([name]) => !name.startsWith('archive')));
  const rest = await verifyJournal(await OfflineJournal.open(new PowerCutFiles(undefined, here)));
  expect(rest).toMatchObject({ sequence: 100, chainDigest: whole.chainDigest, recordCount: 100 - rest.afterSequence });
  expect(rest.afterSequence).toBeGreaterThan(40);
});
