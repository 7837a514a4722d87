/** Snapshots that are made in parallel to the writer equal its own, and are refused when they cannot. */
import { describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { Sequence } from '#units/ids.ts';
import type { Pause } from '#writer/journal/files.ts';
import { OfflineJournal } from '#writer/journal-tool/offline-journal.ts';
import { replayJournal } from '#writer/journal-tool/offline-replay.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';
import { expectReplayedState, placeOf } from '#writer/testing/test-snapshot.ts';
import { SnapshotBuilder, type SnapshotPosition } from './snapshot-builder.ts';
import { newestSnapshot, saveSnapshot } from './snapshot-store.ts';

const limits = { recordsPerSnapshot: 10, msPerSnapshot: 0 };

describe('snapshot in parallel to the writer', () => {
  it('equals a replay of the whole journal up to there, while the writer goes on', async () => {
    const files = new PowerCutFiles();
    const places: number[] = [];
    const maker = new SnapshotBuilder(files, toyRules);
    const make = async (place: SnapshotPosition) => {
      await maker.create(place);
      places.push(place.sequence);
      const { report } = await replayJournal(await OfflineJournal.open(files), toyRules, {
        from: 'start',
        until: place.sequence,
      });
      expect(report.confirmedSnapshots).toContain(`snapshot-${String(place.sequence).padStart(16, '0')}.state`);
    };
    const failures: unknown[] = [];
    const writer = await openToyWriter(files, {
      limits,
      createSnapshot: make,
      onSnapshotFailure: (cause) => failures.push(cause),
    });
    await writer.submit(open('alice'));
    for (let number = 0; number < 300; number += 1) {
      const pending = [writer.submit(credit(1, number, `key ${number}`)), writer.submit(credit(1, 1))];
      await (number % 3 === 0 ? Promise.all(pending) : pending[0]);
    }
    await eventually(() => expect(places.length).toBeGreaterThan(2));
    await writer.close();
    expect(failures).toEqual([]);
    const again = await openToyWriter(files);
    expect(again.recovered).toMatchObject({ sequence: 601, snapshotSequence: 601 });
  });

  it('starts from an older snapshot when the last is damaged', async () => {
    const files = new PowerCutFiles();
    // Each maker starts with what is on the disk.
    const createSnapshot = (place: SnapshotPosition) => new SnapshotBuilder(files, toyRules).create(place);
    const writer = await openToyWriter(files, { limits, createSnapshot });
    await writer.submit(open('alice'));
    const saved = (sequence: number) => eventually(() => expect(writer.status().snapshotSequence).toBeGreaterThan(sequence));
    for (const upTo of [0, 1]) {
      const before = writer.status().snapshotSequence;
      for (let number = 0; number < 25; number += 1) await writer.submit(credit(1, number));
      await saved(before);
      if (upTo > 0) break;
      const name = `snapshot-${String(writer.status().snapshotSequence).padStart(16, '0')}.state`;
      await (await files.open(name)).write(Uint8Array.of(1), 40);
    }
    const { report } = await replayJournal(await OfflineJournal.open(files), toyRules, { from: 'start' });
    expect(report.confirmedSnapshots).toContain(`snapshot-${String(writer.status().snapshotSequence).padStart(16, '0')}.state`);
  });

  it('is refused and reported when a rerun results in other events, and the venue continues', async () => {
    const files = new PowerCutFiles();
    const other = { ...toyRules, fresh: () => toyRules.restore(Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])) };
    const failures: unknown[] = [];
    const writer = await openToyWriter(files, {
      limits,
      createSnapshot: (place) => new SnapshotBuilder(files, other).create(place),
      onSnapshotFailure: (cause) => failures.push(cause),
    });
    for (let number = 0; number < 25; number += 1) await writer.submit(open(`${number}`));
    await eventually(() => expect(failures[0]).toMatchObject({ name: 'JournalDamaged', place: { sequence: 1 } }));
    expect(writer.status()).toMatchObject({
      halt: undefined,
      snapshotSequence: 0,
      snapshotFailure: expect.stringContaining('other events'),
    });
    expect((await files.list()).some((name) => name.endsWith('.state'))).toBe(false);
  });

  it('is made alone, even if the next one is due before its group is published', async () => {
    let [running, max, created] = [0, 0, 0];
    const createSnapshot = async () => {
      running += 1;
      max = Math.max(max, running);
      for (let sweeps = 0; sweeps < 5; sweeps += 1) await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      created += 1;
    };
    const writer = await openToyWriter(new PowerCutFiles(), {
      limits: { recordsPerSnapshot: 3, msPerSnapshot: 0, maxGroupRecords: 4 },
      createSnapshot,
    });
    await Promise.all(Array.from({ length: 400 }, (_, number) => writer.submit(open(`account ${number}`))));
    expect({ max, isSeveral: created > 3 }).toEqual({ max: 1, isSeveral: true });
    await writer.close();
  });

  it('is refused for a place that is not in the journal', async () => {
    const files = new PowerCutFiles();
    const writer = await openToyWriter(files);
    for (let number = 0; number < 5; number += 1) await writer.submit(open(`${number}`));
    const { sequence } = writer.status();
    const chainDigest = new Uint8Array(32);
    await expect(new SnapshotBuilder(files, toyRules).create({ sequence, chainDigest })).rejects.toThrow(
      /no group of the journal ends with record 5/,
    );
  });

  it('is given up when the writer ends, which saves its last state instead', async () => {
    const files = new PowerCutFiles();
    const failures: unknown[] = [];
    const neverCreate = (_: SnapshotPosition, isUnwanted: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        isUnwanted.addEventListener('abort', () => reject(new Error('given up')));
      });
    const writer = await openToyWriter(files, {
      limits,
      createSnapshot: neverCreate,
      onSnapshotFailure: (cause) => failures.push(cause),
    });
    for (let number = 0; number < 25; number += 1) await writer.submit(open(`${number}`));
    await writer.close();
    expect(failures).toEqual([]);
    expect(writer.status()).toMatchObject({ snapshotSequence: 25, snapshotFailure: undefined });
  });
});

it('reads back a snapshot that is written in several pieces', async () => {
  const files = new PowerCutFiles();
  const state = Uint8Array.from({ length: 700_001 }, (_, index) => (index * 7919) >>> 5);
  const snapshot = { sequence: 7 as Sequence, rulesVersion: 1, chainDigest: new Uint8Array(32).fill(3), state };
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  await saveSnapshot(files, snapshot, pause);
  const read = (await newestSnapshot(files)).snapshot!;
  expect(read).toMatchObject({ sequence: 7, rulesVersion: 1 });
  expect(Buffer.compare(read.state, state)).toBe(0);
  expect(pauses).toBeGreaterThan(1);
});

describe('shadow', () => {
  it('continues from the last snapshot in memory, over segments and groups of any length', async () => {
    const files = new PowerCutFiles();
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    const { maker, restored } = countedMaker(files, pause);
    const writer = await openToyWriter(files, { limits: { segmentBytes: 3 << 20 } });
    await writer.submit(open('alice'));
    const long = 'x'.repeat(60_000);
    for (const count of [3, 1, 40, 60, 2]) {
      const submissions = Array.from({ length: count }, (_, number) => credit(1, number, undefined, long));
      await Promise.all(submissions.map((submission) => writer.submit(submission)));
      const place = placeOf(writer);
      await maker.create(place);
      await expectReplayedState(files, toyRules, place);
    }
    expect(restored).toEqual(['fresh']);
    expect(pauses).toBeGreaterThan(3);
    expect((await files.list()).filter((name) => name.includes('segment-')).length).toBeGreaterThan(2);
    await writer.close();
  });

  it('starts with a group that is longer than its buffer', async () => {
    const files = new PowerCutFiles();
    const { maker } = countedMaker(files);
    const writer = await openToyWriter(files);
    const labels = Array.from({ length: 100 }, (_, number) => `${number}`.padEnd(4_000, 'x'));
    await Promise.all(labels.map((label) => writer.submit(open(label))));
    const place = placeOf(writer);
    await maker.create(place);
    await expectReplayedState(files, toyRules, place);
    await writer.close();
  });

  it('rereads only the piece that it stopped in', async () => {
    const files = new PowerCutFiles();
    const { maker } = countedMaker(files);
    const writer = await openToyWriter(files);
    for (let number = 0; number < 100; number += 1) await writer.submit(open(`${number}`));
    await maker.create(placeOf(writer));
    await writer.submit(open('another'));
    const opened: string[] = [];
    const { open: openFile } = files;
    files.open = (name) => {
      opened.push(name);
      return openFile.call(files, name);
    };
    await maker.create(placeOf(writer));
    files.open = openFile;
    expect(opened.length).toBeLessThan(3);
    expect((await files.list()).filter((name) => name.includes('segment-')).length).toBeGreaterThan(5);
    await writer.close();
  });

  it('is discarded after a failure, and the next one starts with the newest saved snapshot', async () => {
    let isFull = false;
    const files = new PowerCutFiles(({ kind, name }) =>
      isFull && kind === 'write' && name.includes('.state') ? 'ENOSPC' : undefined,
    );
    const { maker, restored } = countedMaker(files);
    const writer = await openToyWriter(files);
    const next = async () => {
      for (let number = 0; number < 30; number += 1) await writer.submit(open(`${number}`));
      return placeOf(writer);
    };
    await maker.create(await next());
    isFull = true;
    await expect(maker.create(await next())).rejects.toThrow('ENOSPC');
    isFull = false;
    const place = await next();
    await maker.create(place);
    await expectReplayedState(files, toyRules, place);
    await maker.create(await next());
    expect(restored).toEqual(['fresh', 'snapshot']);
    await writer.close();
  });

  it('finds differing events in later records', async () => {
    const files = new PowerCutFiles();
    let offBy = 0;
    const rules: StateMachineRules = {
      ...toyRules,
      fresh: () => {
        const ledger = toyRules.fresh();
        return {
          snapshot: () => ledger.snapshot(),
          turn: (sequenced, events) => {
            if (offBy > 0) ledger.turn(sequenced, events);
            ledger.turn(sequenced, events);
          },
        };
      },
    };
    const maker = new SnapshotBuilder(files, rules);
    const writer = await openToyWriter(files);
    await writer.submit(open('alice'));
    await maker.create(placeOf(writer));
    offBy = 1;
    await writer.submit(credit(1, 5));
    await expect(maker.create(placeOf(writer))).rejects.toMatchObject({ name: 'JournalDamaged', place: { sequence: 2 } });
    await writer.close();
  });
});

/** A maker, and the states that it has started from so far. */
function countedMaker(files: PowerCutFiles, pause?: Pause): { maker: SnapshotBuilder; restored: ('fresh' | 'snapshot')[] } {
  const restored: ('fresh' | 'snapshot')[] = [];
  const rules: StateMachineRules = {
    ...toyRules,
    fresh: () => {
      restored.push('fresh');
      return toyRules.fresh();
    },
    restore: (bytes) => {
      restored.push('snapshot');
      return toyRules.restore(bytes);
    },
  };
  return { maker: new SnapshotBuilder(files, rules, pause), restored };
}
