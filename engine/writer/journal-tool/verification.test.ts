/** Distinguishes a whole journal from a damaged one, whatever the damage, also while the journal is being written. */
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import type { ReadableFiles } from '#writer/journal/files.ts';
import { GROUP_HEADER_BYTES, paddedLength, readGroupHeader, SECTOR_BYTES, sha256 } from '#writer/journal/group.ts';
import { archivedName } from '#writer/journal/segment.ts';
import { consistentFiles } from './consistent-files.ts';
import { OfflineJournal } from './offline-journal.ts';
import { replayJournal } from './offline-replay.ts';
import { verifyJournal } from './verification.ts';

type Contents = Map<string, Uint8Array>;

/** Records 1 to 41 over a few segments, with snapshots after 21 and 41. */
async function wholeJournal(): Promise<Contents> {
  const files = new PowerCutFiles();
  for (const part of [0, 1]) {
    const writer = await openToyWriter(files);
    if (part === 0) await writer.submit(open('alice', 'first'));
    for (let number = 0; number < 10; number += 1) {
      await Promise.all([writer.submit(credit(1, number, `key ${part} ${number}`)), writer.submit(credit(1, number))]);
    }
    await writer.close();
  }
  return files.contents();
}

async function verified(files: ReadableFiles) {
  return verifyJournal(await OfflineJournal.open(await consistentFiles(files)));
}

function onFiles(contents: Contents): PowerCutFiles {
  return new PowerCutFiles(undefined, contents);
}

function lastGroup(contents: Contents): { name: string; offset: number; byteLength: number } {
  const groups = [...contents].sort().flatMap(([name, bytes]) => {
    const found = [];
    for (let offset = 0; name.endsWith('.journal'); ) {
      const header = readGroupHeader(bytes, offset);
      if (header === undefined) break;
      found.push({ name, offset, byteLength: header.byteLength });
      offset += paddedLength(header.byteLength);
    }
    return found;
  });
  return groups.at(-1)!;
}

/** Changes the last group and corrects its header's checksum and its digest, as a bug of the writer would. */
function forgeLast(contents: Contents, change: (view: DataView, bytes: Uint8Array) => void): { name: string; offset: number } {
  const { name, offset, byteLength } = lastGroup(contents);
  const group = contents.get(name)!.subarray(offset, offset + byteLength);
  const view = new DataView(group.buffer, group.byteOffset, group.byteLength);
  change(view, group);
  view.setUint32(GROUP_HEADER_BYTES - 4, crc32(group.subarray(0, GROUP_HEADER_BYTES - 4)), true);
  group.set(sha256(group.subarray(0, byteLength - 36)), byteLength - 36);
  return { name, offset };
}

describe('whole journal', () => {
  it('is described by its numbers, its digest and its snapshots', async () => {
    const contents = await wholeJournal();
    const found = await verified(onFiles(contents));
    const writer = await openToyWriter(onFiles(contents));
    expect(found).toMatchObject({
      afterSequence: 0,
      sequence: 41,
      chainDigest: writer.status().chainDigest,
      recordCount: 41,
      rules: [{ rulesVersion: 1, firstSequence: 1, lastSequence: 41 }],
      boundaries: [],
      tornTail: undefined,
      firstEpochMs: 1_700_000_000_000,
    });
    expect(found.groupCount).toBe(21);
    expect(found.segmentNames.length).toBeGreaterThan(2);
    expect(found.snapshots.map(({ sequence, state }) => [sequence, state])).toEqual([
      [41, 'sound'],
      [21, 'sound'],
    ]);
  });

  it('may end in a torn group, which is reported', async () => {
    const contents = await wholeJournal();
    const { name, offset, byteLength } = lastGroup(contents);
    contents.get(name)!.fill(0, offset + byteLength - 50, offset + byteLength);
    for (const snapshot of [...contents.keys()].filter((key) => key.endsWith('.state'))) contents.delete(snapshot);
    expect(await verified(onFiles(contents))).toMatchObject({ sequence: 39, tornTail: { segment: name, offset } });
  });

  it('is read up to some group while it is being written', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files, { limits: { segmentBytes: 48 * 1024 } });
    await writer.submit(open('alice'));
    let reads = 0;
    const busy: ReadableFiles = {
      list: () => files.list(),
      open: async (name) => {
        const file = await files.open(name);
        const read: typeof file.read = async (into, position) => {
          reads += 1;
          for (const part of [1, 2, 3]) await writer.submit(credit(part, reads));
          return file.read(into, position);
        };
        return { ...file, read };
      },
    };
    for (let round = 0; round < 60; round += 1) {
      const before = writer.status().sequence;
      const found = await verified(busy);
      expect(found.sequence).toBeGreaterThanOrEqual(before);
      expect(found.tornTail).toBeUndefined();
    }
    expect((await files.list()).length).toBeGreaterThan(5);
  });
});

describe('snapshot that its venue removes meanwhile', () => {
  it('is not reported, and ends neither a verification nor a replay', async () => {
    const names = [...(await wholeJournal()).keys()].filter((it) => it.endsWith('.state')).sort() as [string, string];
    for (const [dropped, retained, afterSequence] of [
      [names[0], names[1], 41],
      [names[1], names[0], 21],
    ] as const) {
      const files = onFiles(await wholeJournal());
      const journal = await OfflineJournal.open(await consistentFiles(files));
      await files.remove(dropped);
      expect((await verifyJournal(journal)).snapshots).toMatchObject([{ name: retained, state: 'sound' }]);
      const { report } = await replayJournal(journal, toyRules, { from: 'start' });
      expect(report).toMatchObject({ confirmedSnapshots: [retained], sequence: 41 });
      const shorter = await replayJournal(journal, toyRules, { from: 'snapshot' });
      expect(shorter.report).toMatchObject({ afterSequence, sequence: 41 });
    }
  });
});

describe('damaged journal', () => {
  it('is refused for any wrong byte, with the message of a start', async () => {
    const whole = await wholeJournal();
    const names = [...whole.keys()].filter((name) => name.endsWith('.journal'));
    let tried = 0;
    for (const name of names) {
      const end = whole
        .get(name)!
        .subarray(0, -512)
        .findLastIndex((byte) => byte !== 0);
      for (let at = 3; at < end; at += 97) {
        const contents = new Map([...whole].map(([key, bytes]) => [key, bytes.slice()]));
        contents.get(name)![at]! ^= 0x40;
        const refusal = await verified(onFiles(contents)).catch((cause: unknown) => cause);
        const started = await openToyWriter(onFiles(contents)).catch((cause: unknown) => cause);
        expect(refusal, `byte ${at} of ${name}`).toMatchObject({ name: 'JournalDamaged', message: (started as Error).message });
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(50);
  });

  it('with valid digests is detected by the numbers, times and checksums of its records', async () => {
    const whole = await wholeJournal();
    const cases: [string, (view: DataView, bytes: Uint8Array) => void, RegExp][] = [
      [
        'a record with another event',
        (_, bytes) => (bytes[bytes.length - 60]! ^= 1),
        /record 41: the check sum of the record is wrong/,
      ],
      [
        'a record that is missing',
        (view) => view.setFloat64(24, 41, true),
        /record 40: group 21 with record 41 follows group 20/,
      ],
      ['a group that is missing', (view) => view.setFloat64(16, 22, true), /group 22 with record 40 follows group 20/],
      ['one record less than it has', (view) => view.setUint32(12, 1, true), /bytes follow the last record of the group/],
    ];
    for (const [what, change, message] of cases) {
      const contents = new Map([...whole].map(([key, bytes]) => [key, bytes.slice()]));
      const { name } = forgeLast(contents, change);
      const refusal = await verified(onFiles(contents)).catch((cause: unknown) => cause);
      expect(refusal, what).toMatchObject({
        name: 'JournalDamaged',
        place: { segment: name },
        message: expect.stringMatching(message),
      });
    }
  });

  it('reports a snapshot as damaged, foreign or ahead', async () => {
    const whole = await wholeJournal();
    const [older, newer] = [...whole.keys()].filter((name) => name.endsWith('.state')).sort() as [string, string];
    const states = async (contents: Contents) => (await verified(onFiles(contents))).snapshots.map(({ state }) => state);
    const damaged = new Map(whole).set(newer, whole.get(newer)!.slice());
    damaged.get(newer)![30]! ^= 1;
    expect(await states(damaged)).toEqual(['damaged', 'sound']);
    const other = new PowerCutFiles();
    const writer = await openToyWriter(other);
    for (let number = 0; number < 21; number += 1) await writer.submit(open(`other ${number}`));
    await writer.close();
    expect(await states(new Map(whole).set(older, other.contents().get(older)!))).toEqual(['sound', 'foreign']);
    const short = new Map(whole);
    const { name, offset, byteLength } = lastGroup(short);
    short.set(name, short.get(name)!.slice());
    short.get(name)!.fill(0, offset, offset + byteLength);
    expect(await states(short)).toEqual(['ahead', 'sound']);
  });
});

describe('archive without an anchor', () => {
  it('is reported: no start would read it', async () => {
    const contents = await wholeJournal();
    expect((await verified(onFiles(contents))).strayArchived).toEqual([]);
    contents.set(archivedName(7), new Uint8Array(SECTOR_BYTES));
    const found = await verified(onFiles(contents));
    expect(found).toMatchObject({ sequence: 41, strayArchived: [archivedName(7)] });
  });
});
