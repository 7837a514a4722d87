/** Helps tests of snapshot makers: the writer's place, and the snapshot expected for it. */
import { expect } from 'vitest';
import type { Files } from '#writer/journal/files.ts';
import { OfflineJournal } from '#writer/journal-tool/offline-journal.ts';
import { replayJournal } from '#writer/journal-tool/offline-replay.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';
import type { SnapshotPosition } from '#writer/snapshot/snapshot-builder.ts';
import { newestSnapshot } from '#writer/snapshot/snapshot-store.ts';
import type { Writer } from '#writer/writer.ts';

export function placeOf(writer: Writer): SnapshotPosition {
  const { sequence, chainDigest } = writer.status();
  return { sequence, chainDigest: Uint8Array.from(Buffer.from(chainDigest, 'hex')) };
}

/** Expects the newest snapshot to be of that place and byte-equal to the state that a replay of the whole journal results in. */
export async function expectReplayedState(files: Files, rules: StateMachineRules, { sequence }: SnapshotPosition): Promise<void> {
  const { snapshot } = await newestSnapshot(files);
  const replayed = await replayJournal(await OfflineJournal.open(files), rules, { from: 'start', until: sequence });
  expect(snapshot?.sequence).toBe(sequence);
  expect(Buffer.compare(snapshot!.state, replayed.state.snapshot())).toBe(0);
}
