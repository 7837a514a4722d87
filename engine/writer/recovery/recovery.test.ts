/** How a start handles what it finds: cuts a torn tail, refuses damage with its place, and uses snapshots only as a shortcut. */
import { describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import type { EpochMs } from '#units/money.ts';
import { GROUP_HEADER_BYTES, paddedLength, readGroupHeader, SECTOR_BYTES } from '#writer/journal/group.ts';
import { JournalDamaged } from '#writer/journal/journal-scan.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { FollowerJournalMismatch, RecoveryRefused, refuseOtherVersions } from './recovery.ts';

type Contents = Map<string, Uint8Array>;

/** Ten groups of one to three records over a few segments, without snapshots. The last group occupies three sectors. */
async function journalOfTenGroups(): Promise<Contents> {
  const files = new PowerCutFiles();
  const writer = await openToyWriter(files);
  await writer.submit(open('alice'));
  for (let group = 2; group < 10; group += 1) {
    await Promise.all(
      Array.from({ length: (group % 3) + 1 }, (_, index) => writer.submit(credit(1, index, undefined, 'r'.repeat(200)))),
    );
  }
  await writer.submit(credit(1, 1, 'key', 'last'.repeat(250)));
  expect(writer.groups).toHaveLength(10);
  return new Map([...files.contents()].filter(([name]) => name.endsWith('.journal')));
}

/** The positions of a journal's groups. */
function groupsOf(contents: Contents) {
  return [...contents].flatMap(([name, bytes]) => {
    const groups = [];
    for (let offset = 0; offset < bytes.length; ) {
      const header = readGroupHeader(bytes, offset);
      if (header === undefined) break;
      groups.push({
        name,
        offset,
        byteLength: header.byteLength,
        firstSequence: header.firstSequence,
        recordCount: header.recordCount,
      });
      offset += paddedLength(header.byteLength);
    }
    return groups;
  });
}

function copyOf(contents: Contents): Contents {
  return new Map([...contents].map(([name, bytes]) => [name, bytes.slice()]));
}

/** The error of a start on the contents, and the contents afterwards. */
async function refusal(contents: Contents): Promise<{ error: unknown; after: Contents }> {
  const files = new PowerCutFiles(undefined, contents);
  const error = await openToyWriter(files).then(
    () => 'it started',
    (cause: unknown) => cause,
  );
  return { error, after: files.contents() };
}

describe('torn tail', () => {
  /** Expects a start to cut the last group and continue, and the next start to find nothing torn. */
  async function expectCut(contents: Contents, lastWhole: number, what: string): Promise<void> {
    const files = new PowerCutFiles(undefined, contents);
    const writer = await openToyWriter(files);
    expect(writer.recovered.sequence, what).toBe(lastWhole);
    expect((await writer.submit(open('next'))).sequence, what).toBe(lastWhole + 1);
    const again = await openToyWriter(files);
    expect(again.recovered, what).toMatchObject({ sequence: lastWhole + 1, tornTail: undefined });
  }

  it('is cut wherever the last group ends early', async () => {
    const whole = await journalOfTenGroups();
    const last = groupsOf(whole).at(-1)!;
    for (let length = 0; length < last.byteLength; length += 1) {
      const contents = copyOf(whole);
      contents.get(last.name)!.fill(0, last.offset + length, -SECTOR_BYTES);
      await expectCut(contents, last.firstSequence - 1, `${length} bytes of it`);
    }
  });

  it('is cut and reported whichever sectors of the last group are missing', async () => {
    const whole = await journalOfTenGroups();
    const last = groupsOf(whole).at(-1)!;
    const sectors = paddedLength(last.byteLength) / SECTOR_BYTES;
    expect(sectors).toBe(3);
    for (let missing = 1; missing < 2 ** sectors; missing += 1) {
      const contents = copyOf(whole);
      for (let sector = 0; sector < sectors; sector += 1) {
        const start = last.offset + sector * SECTOR_BYTES;
        if ((missing >> sector) & 1) contents.get(last.name)!.fill(0, start, start + SECTOR_BYTES);
      }
      const { recovered } = await openToyWriter(new PowerCutFiles(undefined, copyOf(contents)));
      const isAllGone = missing === 2 ** sectors - 1;
      expect(recovered.tornTail).toEqual(
        isAllGone ? undefined : expect.objectContaining({ segment: last.name, offset: last.offset }),
      );
      await expectCut(contents, last.firstSequence - 1, `sectors ${missing.toString(2)} missing`);
    }
  });

  it('stays if it is a whole group, even if it was not acknowledged', async () => {
    const whole = await journalOfTenGroups();
    const writer = await openToyWriter(new PowerCutFiles(undefined, whole));
    expect(writer.groups).toHaveLength(10);
    expect(writer.recovered.tornTail).toBeUndefined();
  });
});

describe('damage', () => {
  it('of any bit of any group refuses the start, names the place and the record, and changes nothing', async () => {
    const whole = await journalOfTenGroups();
    const random = seededRandom(1);
    for (const group of groupsOf(whole)) {
      for (let at = group.offset; at < group.offset + paddedLength(group.byteLength); at += 1 + Math.floor(random() * 5)) {
        const contents = copyOf(whole);
        contents.get(group.name)![at]! ^= 1 << Math.floor(random() * 8);
        const { error, after } = await refusal(contents);
        expect(error, `byte ${at} of ${group.name}`).toBeInstanceOf(JournalDamaged);
        const { place, message } = error as JournalDamaged;
        expect(message).toContain(`${group.name} at byte ${place.offset}, record ${place.sequence}`);
        expect(place.segment).toBe(group.name);
        expect(place.offset).toBeGreaterThanOrEqual(group.offset);
        expect(place.sequence).toBeGreaterThanOrEqual(group.firstSequence);
        expect(place.sequence).toBeLessThan(group.firstSequence + group.recordCount);
        expect(after).toEqual(contents);
      }
    }
  });

  it('inside a record names that record', async () => {
    const whole = await journalOfTenGroups();
    const group = groupsOf(whole).find(({ recordCount }) => recordCount === 3)!;
    const length = new DataView(whole.get(group.name)!.buffer).getUint32(group.offset + GROUP_HEADER_BYTES + 4, true);
    whole.get(group.name)![group.offset + GROUP_HEADER_BYTES + length + 60]! ^= 4;
    const { error } = await refusal(whole);
    expect((error as JournalDamaged).place).toEqual({
      segment: group.name,
      offset: group.offset + GROUP_HEADER_BYTES + length,
      sequence: group.firstSequence + 1,
    });
  });

  it('that blanks a group before good ones refuses the start', async () => {
    const whole = await journalOfTenGroups();
    for (const group of groupsOf(whole).slice(0, -1)) {
      const contents = copyOf(whole);
      contents.get(group.name)!.fill(0, group.offset, group.offset + paddedLength(group.byteLength));
      const { error } = await refusal(contents);
      expect(error, `record ${group.firstSequence}`).toBeInstanceOf(JournalDamaged);
    }
  });

  it('is a missing, short or swapped segment', async () => {
    const whole = await journalOfTenGroups();
    const names = [...whole.keys()].sort();
    expect(names.length).toBeGreaterThan(2);
    const missing = copyOf(whole);
    missing.delete(names[1]!);
    expect((await refusal(missing)).error).toMatchObject({
      place: { segment: names[1], offset: 0 },
      message: expect.stringContaining('missing'),
    });
    const short = copyOf(whole);
    short.set(names[0]!, whole.get(names[0]!)!.slice(0, 1_024));
    expect((await refusal(short)).error).toBeInstanceOf(JournalDamaged);
    const swapped = copyOf(whole);
    swapped.set(names[0]!, whole.get(names[1]!)!);
    expect((await refusal(swapped)).error).toBeInstanceOf(JournalDamaged);
  });

  it('is an intact group from another journal', async () => {
    const journalAt = async (epochMs: number) => {
      const files = new PowerCutFiles();
      const writer = await openToyWriter(files, { clock: { now: () => epochMs as EpochMs } });
      for (const label of ['a', 'b', 'c']) await writer.submit(open(label));
      return files.contents();
    };
    const [ours, other] = [await journalAt(1), await journalAt(2)];
    const second = groupsOf(ours)[1]!;
    const end = second.offset + paddedLength(second.byteLength);
    ours.get(second.name)!.set(other.get(second.name)!.subarray(second.offset, end), second.offset);
    const { error } = await refusal(ours);
    expect(error).toMatchObject({
      place: { segment: second.name, offset: second.offset, sequence: 2 },
      message: expect.stringContaining('does not follow'),
    });
  });

  it('is a last segment that was cut short', async () => {
    const whole = await journalOfTenGroups();
    const last = groupsOf(whole).at(-1)!;
    whole.set(last.name, whole.get(last.name)!.slice(0, last.offset + SECTOR_BYTES));
    expect((await refusal(whole)).error).toBeInstanceOf(JournalDamaged);
  });

  it('is a file that ends within a sector; the record there is named', async () => {
    const whole = await journalOfTenGroups();
    const last = groupsOf(whole).at(-1)!;
    whole.set(last.name, whole.get(last.name)!.slice(0, last.offset + last.byteLength - 100));
    const { error, after } = await refusal(whole);
    expect(error).toMatchObject({
      name: 'JournalDamaged',
      place: { segment: last.name, offset: last.offset + GROUP_HEADER_BYTES, sequence: last.firstSequence },
      message: expect.stringContaining('ends within a sector'),
    });
    expect(after).toEqual(whole);
  });

  it('is a command that results in other events than before', async () => {
    const whole = await journalOfTenGroups();
    const rules = { ...toyRules, fresh: () => toyRules.restore(Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])) };
    const start = openToyWriter(new PowerCutFiles(undefined, whole), { rules });
    await expect(start).rejects.toMatchObject({ name: 'JournalDamaged', place: { sequence: 1 } });
  });
});

describe('snapshot', () => {
  /** A journal of eight records, with snapshots after the fourth and the eighth. */
  async function withSnapshots(): Promise<{ contents: Contents; records: readonly CommittedRecord[] }> {
    const files = new PowerCutFiles();
    const first = await openToyWriter(files);
    for (let number = 1; number <= 4; number += 1) await first.submit(open(`${number}`));
    await first.close();
    const second = await openToyWriter(files);
    for (let number = 1; number <= 4; number += 1) await second.submit(credit(number, number));
    await second.close();
    return { contents: files.contents(), records: second.groups.flatMap((group) => group.records) };
  }

  const [OLDER, NEWER] = ['snapshot-0000000000000004.state', 'snapshot-0000000000000008.state'];

  it('saves the start from rerunning the records before it', async () => {
    const { contents, records } = await withSnapshots();
    const writer = await openToyWriter(new PowerCutFiles(undefined, contents));
    expect(writer.recovered).toMatchObject({ sequence: 8, snapshotSequence: 8, rerunCount: 0, republishedCount: 8 });
    expect(writer.groups.flatMap((group) => group.records)).toEqual(records);
    expect((await writer.submit(credit(4, 1))).events.at(-1)).toMatchObject({ cashAtoms: 5 });
  });

  it('is skipped for an older one if a sector of it is unreadable', async () => {
    const { contents } = await withSnapshots();
    const files = new PowerCutFiles(undefined, contents);
    const fault = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
    const open = files.open.bind(files);
    files.open = async (name) => ({ ...(await open(name)), ...(name === NEWER && { read: () => Promise.reject(fault) }) });
    await refuseOtherVersions(files, toyRules);
    const { recovered } = await openToyWriter(files);
    expect(recovered).toMatchObject({ snapshotSequence: 4, rerunCount: 4, damagedSnapshots: [NEWER] });
  });

  it('is skipped for an older one, or for the whole journal, if it is damaged in any way', async () => {
    const { contents } = await withSnapshots();
    for (let at = 0; at < contents.get(NEWER)!.length; at += 1) {
      const damaged = copyOf(contents);
      damaged.get(NEWER)![at]! ^= 0x10;
      const { recovered } = await openToyWriter(new PowerCutFiles(undefined, damaged));
      expect(recovered).toMatchObject({ snapshotSequence: 4, rerunCount: 4, damagedSnapshots: [NEWER] });
    }
    contents.set(NEWER, new Uint8Array());
    contents.get(OLDER)!.fill(0, 20);
    const { recovered } = await openToyWriter(new PowerCutFiles(undefined, contents));
    expect(recovered).toMatchObject({ snapshotSequence: 0, rerunCount: 8, damagedSnapshots: [NEWER, OLDER] });
  });

  it('refuses the start if it is from another journal or ahead of this one', async () => {
    const { contents } = await withSnapshots();
    const other = new PowerCutFiles();
    const writer = await openToyWriter(other);
    for (let number = 1; number <= 8; number += 1) await writer.submit(open(`other ${number}`));
    const mixed = new Map([...other.contents(), [NEWER, contents.get(NEWER)!] as const]);
    expect((await refusal(mixed)).error).toMatchObject({
      name: 'RecoveryRefused',
      message: expect.stringContaining('not taken from this journal'),
    });
    const last = groupsOf(contents).at(-1)!;
    contents.get(last.name)!.fill(0, last.offset, -SECTOR_BYTES);
    expect((await refusal(contents)).error).toMatchObject({
      name: 'RecoveryRefused',
      message: expect.stringContaining('ends with record 7'),
    });
  });

  it('refuses the start if it is of other rules, and so do records of other rules after it', async () => {
    const { contents } = await withSnapshots();
    const start = (rulesVersion: number, of = contents) =>
      openToyWriter(new PowerCutFiles(undefined, copyOf(of)), { rules: { ...toyRules, rulesVersion } });
    await expect(start(2)).rejects.toThrow(
      /snapshot after record 8 was made by version 1 .* run: npm run openperp -- journal upgrade$/,
    );
    await expect(start(0)).rejects.toThrow(/start a program of the newer version$/);
    const bare = new Map([...contents].filter(([name]) => name.endsWith('.journal')));
    await expect(start(2, bare)).rejects.toThrow(/record 1 was made by version 1 .* journal upgrade$/);
  });

  it('is checked for its rules before anything else is opened, and read whole only if they may differ', async () => {
    const { contents } = await withSnapshots();
    const rules = (rulesVersion: number) => ({ ...toyRules, rulesVersion });
    const recover = async (rulesVersion: number, of = contents) => {
      const files = new PowerCutFiles(undefined, copyOf(of));
      let read = 0;
      const opened = async (name: string) => {
        const file = await files.open(name);
        return {
          ...file,
          read: async (into: Uint8Array, at: number) => {
            const length = await file.read(into, at);
            if (name.startsWith('snapshot')) read += length;
            return length;
          },
        };
      };
      await refuseOtherVersions({ list: () => files.list(), open: opened }, rules(rulesVersion));
      return read;
    };
    expect(await recover(1)).toBe(2 * 20);
    await expect(recover(2)).rejects.toThrow(/snapshot after record 8 was made by version 1/);
    // Only its damaged head says so: the snapshot before it counts.
    const damaged = copyOf(contents);
    damaged.get(NEWER)![16]! ^= 2;
    expect(await recover(1, damaged)).toBeGreaterThan(damaged.get(OLDER)!.length);
    await expect(recover(3, damaged)).rejects.toThrow(/snapshot after record 4 was made by version 1/);
    damaged.set(NEWER, new Uint8Array(3));
    await recover(1, damaged);
  });

  it('is kept together with the previous one', async () => {
    const { contents } = await withSnapshots();
    const files = new PowerCutFiles(undefined, contents);
    const writer = await openToyWriter(files, { limits: { recordsPerSnapshot: 1 } });
    await writer.submit(open('five'));
    await writer.close();
    const names = (await files.list()).filter((name) => name.startsWith('snapshot'));
    expect(names.sort()).toEqual([NEWER, 'snapshot-0000000000000009.state']);
  });
});

describe('projections', () => {
  it('get exactly the groups that they have not folded', async () => {
    const contents = await journalOfTenGroups();
    const all = await openToyWriter(new PowerCutFiles(undefined, contents));
    for (const [index, group] of all.groups.entries()) {
      const followFrom = { sequence: group.records.at(-1)!.sequence, chainDigest: group.chainDigest };
      const writer = await openToyWriter(new PowerCutFiles(undefined, contents), { followFrom });
      expect(writer.groups).toEqual(all.groups.slice(index + 1));
    }
  });

  it('are refused if they are of another journal or ahead of this one', async () => {
    const contents = await journalOfTenGroups();
    const { groups } = await openToyWriter(new PowerCutFiles(undefined, contents));
    const end = groups.at(-1)!.records.at(-1)!.sequence;
    const start = (sequence: number, chainDigest: string) =>
      openToyWriter(new PowerCutFiles(undefined, contents), { followFrom: { sequence: sequence as typeof end, chainDigest } });
    await expect(start(1, groups[1]!.chainDigest)).rejects.toBeInstanceOf(FollowerJournalMismatch);
    await expect(start(end + 1, '')).rejects.toBeInstanceOf(RecoveryRefused);
  });
});

it.each(['1', '2'])('distinguishes a journal in the older layout %s from a damaged one', async (layout) => {
  const contents = await journalOfTenGroups();
  contents.get('segment-00000001.journal')![6] = layout.charCodeAt(0);
  const { error, after } = await refusal(contents);
  expect(error).toMatchObject({
    name: 'RecoveryRefused',
    message: expect.stringMatching(
      /^segment-00000001\.journal was written by an older version of this program, .*: continue with the program that wrote it, or start over /,
    ),
  });
  expect(after).toEqual(contents);
});

it('removes files that an ended process did not finish', async () => {
  const contents = await journalOfTenGroups();
  contents.set('segment-00000099.journal.unfinished', new Uint8Array(100));
  const files = new PowerCutFiles(undefined, contents);
  await openToyWriter(files);
  expect(await files.list()).not.toContain('segment-00000099.journal.unfinished');
  // A start that refuses the journal does not remove them.
  contents.get('segment-00000001.journal')![6] = '2'.charCodeAt(0);
  expect((await refusal(contents)).after).toEqual(contents);
});
