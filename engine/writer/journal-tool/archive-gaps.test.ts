/** Segments missing from an archive are named, and the rest is readable: to verify, to rerun, to look up records. */
import { beforeAll, describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import { readAnchor } from '#writer/journal/anchor.ts';
import { SECTOR_BYTES } from '#writer/journal/group.ts';
import { saveSnapshot } from '#writer/snapshot/snapshot-store.ts';
import { archivedIn, archivedJournal, without } from '#writer/testing/archived-journal.ts';
import { cashMovesOf, recordsBetween } from './inspection.ts';
import type { JournalGap } from './journal-gap.ts';
import { OfflineJournal } from './offline-journal.ts';
import { replayJournal } from './offline-replay.ts';
import { verifyJournal } from './verification.ts';

const ALICE = 1 as AccountOrdinal;

let contents: Map<string, Uint8Array>;
/** The last record of each segment. */
const lastIn = new Map<string, number>();
beforeAll(async () => {
  contents = await archivedJournal();
  for await (const { segment, lastSequence } of (await OfflineJournal.open(without(contents))).groups()) {
    lastIn.set(archivedIn(contents)[segment - 1]!, lastSequence);
  }
});

const verified = async (files: PowerCutFiles) => verifyJournal(await OfflineJournal.open(files));
const changed = (change: (copy: Map<string, Uint8Array>) => void) => {
  const copy = new Map([...contents].map(([name, bytes]) => [name, bytes.slice()]));
  change(copy);
  return copy;
};

describe('segment that is missing from the archive', () => {
  it('is named with its records, and all others are verified, whichever it is', async () => {
    const names = archivedIn(contents);
    expect(names.length).toBeGreaterThan(5);
    const whole = await verified(without(contents));
    expect(whole).toMatchObject({ gaps: [], recordCount: 100, afterSequence: 0 });
    for (const [index, name] of names.entries()) {
      const firstSequence = index === 0 ? 1 : lastIn.get(names[index - 1]!)! + 1;
      const lastSequence = lastIn.get(name)!;
      const found = await verified(without(contents, name));
      expect(found.gaps).toEqual([{ firstSequence, lastSequence, segmentNames: [name], isBeginning: index === 0 }]);
      expect(found).toMatchObject({
        afterSequence: index === 0 ? lastSequence : 0,
        sequence: 100,
        chainDigest: whole.chainDigest,
        recordCount: 100 - (lastSequence - firstSequence + 1),
        segmentNames: whole.segmentNames.filter((other) => other !== name),
        snapshots: whole.snapshots,
      });
      const spans =
        index === 0
          ? [[lastSequence + 1, 100]]
          : [
              [1, firstSequence - 1],
              [lastSequence + 1, 100],
            ];
      expect(found.rules.map((span) => [span.firstSequence, span.lastSequence])).toEqual(spans);
    }
  });

  it('may be one of many: each gap is reported separately, and missing first segments as such', async () => {
    const names = archivedIn(contents);
    const missing = [names[0]!, names[1]!, names[3]!, names.at(-1)!];
    const { gaps, recordCount, segmentNames } = await verified(without(contents, ...missing));
    expect(gaps.map(({ segmentNames: gone, isBeginning }) => [gone, isBeginning])).toEqual([
      [[names[0], names[1]], true],
      [[names[3]], false],
      [[names.at(-1)], false],
    ]);
    const lost = gaps.reduce((sum, { firstSequence, lastSequence }) => sum + lastSequence - firstSequence + 1, 0);
    expect(recordCount).toBe(100 - lost);
    for (const name of missing) expect(segmentNames).not.toContain(name);
  });

  it('hides no damage after it, and is named with the damage', async () => {
    const names = archivedIn(contents);
    const damaged = changed((copy) => (copy.get(names[4]!)![200]! ^= 1));
    await expect(verified(without(damaged, names[2]!))).rejects.toMatchObject({
      name: 'JournalDamaged',
      place: { segment: 'segment-00000005.journal' },
      message: expect.stringMatching(
        /segment-00000005\.journal at byte .*; and the archive lacks archive\/segment-00000003\.journal$/,
      ),
    });
    const first = changed((copy) => (copy.get(names[3]!)![10]! ^= 1));
    await expect(verified(without(first, names[2]!))).rejects.toMatchObject({
      name: 'JournalDamaged',
      place: { segment: 'segment-00000004.journal', offset: 0 },
      message: expect.stringMatching(/its first group cannot be read, and the segment before it is missing/),
    });
  });

  it('does not let an earlier segment pass for a later one', async () => {
    const names = archivedIn(contents);
    const twice = changed((copy) => copy.set(names[4]!, copy.get(names[1]!)!));
    await expect(verified(without(twice, names[3]!))).rejects.toMatchObject({
      name: 'JournalDamaged',
      message: expect.stringMatching(/it follows record [0-9]+, but the segments before those that are missing go on to record/),
    });
  });
});

describe('archive', () => {
  it('of another journal is detected by the anchor, as at a start', async () => {
    const other = await archivedJournal(100, 2_000, 'bob');
    const mixed = changed((copy) => copy.set('journal.anchor', other.get('journal.anchor')!));
    await expect(verified(without(mixed))).rejects.toMatchObject({
      name: 'JournalDamaged',
      message: expect.stringMatching(/does not follow the group that journal\.anchor names/),
    });
  });

  it('lists segments that are live as stray', async () => {
    const { segment } = (await readAnchor(without(contents)))!;
    const stray = `archive/segment-${String(segment).padStart(8, '0')}.journal`;
    const found = await verified(without(changed((copy) => copy.set(stray, new Uint8Array(SECTOR_BYTES)))));
    expect(found).toMatchObject({ recordCount: 100, strayArchived: [stray] });
  });
});

describe('snapshot', () => {
  it('of a missing place is reported as not verified, not as foreign', async () => {
    const journal = await OfflineJournal.open(without(contents));
    const [name] = archivedIn(contents).slice(3);
    const first = lastIn.get(archivedIn(contents)[2]!)! + 1;
    for (const sequence of [first, lastIn.get(name!)! - 1]) {
      const { state } = await replayJournal(journal, toyRules, { from: 'start', until: sequence });
      let chainDigest: Uint8Array | undefined;
      for await (const group of journal.groups()) if (group.lastSequence === sequence) chainDigest = group.digest;
      const saved = new PowerCutFiles();
      const snapshot = { sequence: sequence as Sequence, rulesVersion: 1, chainDigest: chainDigest!, state: state.snapshot() };
      await saveSnapshot(saved, snapshot);
      const more = new Map([...contents, ...saved.contents()]);
      const stateOf = async (files: PowerCutFiles) =>
        (await verified(files)).snapshots.find((found) => found.sequence === sequence)?.state;
      expect(await stateOf(without(more))).toBe('sound');
      expect(await stateOf(without(more, name!))).toBe('not_verified');
      expect(await stateOf(without(more, archivedIn(contents)[1]!))).toBe('sound');
    }
    // Just before the gap, only the note of a boundary's state can be missing.
    const saved = new PowerCutFiles();
    const digest = new Uint8Array(32);
    await saveSnapshot(saved, { sequence: (first - 1) as Sequence, rulesVersion: 1, chainDigest: digest, state: digest });
    const [[file, bytes]] = [...saved.contents()] as [[string, Uint8Array]];
    const more = new Map([...contents, [file, bytes], [file.replace('snapshot', 'boundary'), bytes]]);
    const found = (await verified(without(more, name!))).snapshots.filter(({ sequence }) => sequence === first - 1);
    expect(found.map(({ state }) => state)).toEqual(['not_verified', 'foreign']);
  });

  it('that was taken exactly where the present segments start is verified by that place', async () => {
    let takenThere = 0;
    for (let count = 60; count < 84; count += 1) {
      const journal = await archivedJournal(count, 0);
      const found = await verified(without(journal, ...archivedIn(journal)));
      if (found.snapshots.some(({ sequence }) => sequence === found.afterSequence)) takenThere += 1;
      expect(found.snapshots.map(({ state }) => state)).toEqual(['sound', 'sound']);
    }
    expect(takenThere).toBeGreaterThan(0);
  });
});

describe('records after a gap', () => {
  it('are not rerun, but those before the gap and those after a snapshot are', async () => {
    const [name] = archivedIn(contents).slice(3);
    const last = lastIn.get(name!)!;
    const first = lastIn.get(archivedIn(contents)[2]!)! + 1;
    const journal = await OfflineJournal.open(without(contents, name!));
    const message = new RegExp(
      `^records ${first} to ${last} cannot be run again, because they are not here: put ${name} back, or start with`,
    );
    await expect(replayJournal(journal, toyRules, { from: 'start' })).rejects.toThrow(message);
    await expect(replayJournal(journal, toyRules, { from: 'start', until: last })).rejects.toThrow(message);
    const { report } = await replayJournal(journal, toyRules, { from: 'start', until: first - 1 });
    expect(report).toMatchObject({ sequence: first - 1, rerunCount: first - 1 });
    expect((await replayJournal(journal, toyRules, { from: 'snapshot' })).report.sequence).toBe(100);
    const bare = [...contents.keys()].filter((file) => file.startsWith('snapshot'));
    const remaining = await OfflineJournal.open(without(contents, ...archivedIn(contents), ...bare));
    const nothing = await OfflineJournal.open(
      without(contents, ...[...contents.keys()].filter((file) => file !== 'journal.anchor')),
    );
    await expect(replayJournal(nothing, toyRules, { from: 'start' })).rejects.toThrow(/^records 1 to [0-9]+ cannot be run again/);
    await expect(replayJournal(remaining, toyRules, { from: 'snapshot' })).rejects.toThrow(
      /^records 1 to [0-9]+ cannot be run again, .*: put archive\/segment-00000001\.journal to archive\/segment-[0-9]+\.journal back, or/,
    );
  });

  it('are found by their sequence', async () => {
    const names = archivedIn(contents);
    const journal = await OfflineJournal.open(without(contents, names[3]!));
    const [before, behind] = [lastIn.get(names[2]!)!, lastIn.get(names[3]!)! + 1];
    const found = await recordsBetween(journal, before - 1, behind + 1);
    expect(found.map(({ sequence }) => sequence)).toEqual([before - 1, before, behind, behind + 1]);
    expect(journal.gaps).toMatchObject([{ firstSequence: before + 1, lastSequence: behind - 1 }]);
    expect(await recordsBetween(journal, behind + 1, behind + 1)).toHaveLength(1);
    expect(journal.gaps).toEqual([]);
  });

  it('do not make the cash before them look unexplained', async () => {
    const all = await cashMovesOf(await OfflineJournal.open(without(contents)), ALICE, 1_000);
    const journal = await OfflineJournal.open(without(contents, archivedIn(contents)[3]!));
    const moves = await cashMovesOf(journal, ALICE, 1_000);
    const [{ firstSequence, lastSequence }] = journal.gaps as [JournalGap];
    expect(moves).toEqual(all.filter(({ sequence }) => sequence < firstSequence || sequence > lastSequence));
  });
});
