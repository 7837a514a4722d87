/** A replay results in the same state from wherever it starts, and names the place where the journal and the rules differ. */
import { describe, expect, it } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { toyRules } from '#simulation/toy-ledger.ts';
import { credit, open, openToyWriter } from '#simulation/toy-writer.ts';
import { hex, sha256 } from '#writer/journal/group.ts';
import type { StateMachine } from '#writer/port/state-machine.ts';
import { OfflineJournal } from './offline-journal.ts';
import { replayJournal } from './offline-replay.ts';

/** 25 records, with snapshots after 10 and 20, and the digest of the state after each record. */
async function journal() {
  const files = new PowerCutFiles();
  let state: StateMachine | undefined;
  const remember = (created: StateMachine): StateMachine => {
    state = created;
    return created;
  };
  const rules = {
    ...toyRules,
    fresh: () => remember(toyRules.fresh()),
    restore: (bytes: Uint8Array) => remember(toyRules.restore(bytes)),
  };
  const digests = [hex(sha256(toyRules.fresh().snapshot()))];
  for (const upTo of [10, 20, 25]) {
    const writer = await openToyWriter(files, { rules });
    while (digests.length <= upTo) {
      await writer.submit(digests.length < 4 ? open(`${digests.length}`) : credit(1 + (digests.length % 3), digests.length));
      digests.push(hex(sha256(state!.snapshot())));
    }
    if (upTo < 25) await writer.close();
  }
  return { files, digests, offline: await OfflineJournal.open(files) };
}

describe('replay', () => {
  it("from the start results in the venue's state, and confirms the snapshots on its way", async () => {
    const { offline, digests } = await journal();
    const { report } = await replayJournal(offline, toyRules, { from: 'start' });
    expect(report).toEqual({
      afterSequence: 0,
      sequence: 25,
      rerunCount: 25,
      stateDigest: digests[25],
      confirmedSnapshots: ['snapshot-0000000000000010.state', 'snapshot-0000000000000020.state'],
    });
  });

  it('from a snapshot uses the newest one that is old enough', async () => {
    const { offline, digests } = await journal();
    const at = async (until?: number) =>
      (await replayJournal(offline, toyRules, { from: 'snapshot', ...(until !== undefined && { until }) })).report;
    expect(await at()).toMatchObject({ afterSequence: 20, rerunCount: 5, stateDigest: digests[25] });
    expect(await at(20)).toMatchObject({ afterSequence: 20, rerunCount: 0, stateDigest: digests[20] });
    expect(await at(19)).toMatchObject({ afterSequence: 10, rerunCount: 9, stateDigest: digests[19] });
    expect(await at(3)).toMatchObject({ afterSequence: 0, rerunCount: 3, stateDigest: digests[3] });
  });

  it('stops at any record', async () => {
    const { offline, digests } = await journal();
    for (let until = 1; until <= 25; until += 1) {
      const { report, state } = await replayJournal(offline, toyRules, { from: 'start', until });
      expect(report).toMatchObject({ sequence: until, stateDigest: digests[until] });
      expect(hex(sha256(state.snapshot()))).toBe(digests[until]);
    }
    await expect(replayJournal(offline, toyRules, { from: 'start', until: 26 })).rejects.toThrow(
      /ends with record 25: there is no record 26/,
    );
  });

  it('names the record that results in other events', async () => {
    const { offline } = await journal();
    const rules = { ...toyRules, fresh: () => toyRules.restore(Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])) };
    await expect(replayJournal(offline, rules, { from: 'start' })).rejects.toMatchObject({
      name: 'JournalDamaged',
      place: { sequence: 1 },
    });
  });

  it('names an intact snapshot that differs from the replayed state', async () => {
    const { files } = await journal();
    const contents = files.contents();
    const name = 'snapshot-0000000000000010.state';
    const snapshot = contents.get(name)!;
    snapshot[snapshot.length - 40]! ^= 1;
    snapshot.set(sha256(snapshot.subarray(0, -32)), snapshot.length - 32);
    const offline = await OfflineJournal.open(new PowerCutFiles(undefined, contents));
    await expect(replayJournal(offline, toyRules, { from: 'start' })).rejects.toThrow(`${name} is not the state`);
  });
});
