/**
 * Makes a snapshot beside the writer instead of in it: from the one before, by running the records since then again, as the
 * next start would. It costs the venue no pause and another core some time; and what a start relies on, that commands come
 * to the same events again, is found out now.
 */
import type { Sequence } from '#units/ids.ts';
import { segmentsAfter } from './anchor.ts';
import { ChainWalk, type ScannedGroup } from './chain-walk.ts';
import type { Files } from './files.ts';
import { ReadMemory } from './files.ts';
import { RecoveryRefused } from './journal-fault.ts';
import { restoredState } from './recovery.ts';
import { Rerun } from './rerun.ts';
import { segmentWith, surveySegments } from './segment-survey.ts';
import { newestSnapshot, saveSnapshot } from './snapshot-store.ts';
import type { StateMachineRules } from './state-machine.ts';

/** The place of a snapshot: a durable record that ends a group, and the chain's digest there. */
export interface SnapshotPlace {
  readonly sequence: Sequence;
  readonly chainDigest: Uint8Array;
}

/** Resolves when the snapshot of that place is durable. Rejects soon where `isUnwanted` says that nobody waits for it any more. */
export type MakeSnapshot = (place: SnapshotPlace, isUnwanted: AbortSignal) => Promise<void>;

/** Rejects where the records do not come to what the journal says. What lies behind the place may be being written. */
export async function makeSnapshot(files: Files, rules: StateMachineRules, place: SnapshotPlace): Promise<void> {
  const { snapshot } = await newestSnapshot(files);
  const state = snapshot === undefined ? rules.fresh() : restoredState(rules, snapshot);
  const after = snapshot?.sequence ?? 0;
  const rerun = new Rerun(state, rules);
  const isLast = await walkUntil(files, after, (group) => {
    if (group.lastSequence <= after) return false;
    rerun.run(group);
    return group.lastSequence === place.sequence && Buffer.compare(group.digest, place.chainDigest) === 0;
  });
  if (!isLast) throw new RecoveryRefused(`no group of the journal ends with record ${place.sequence} as it was written`);
  await saveSnapshot(files, { ...place, rulesVersion: rules.rulesVersion, state: state.snapshot() });
}

/** Walks the groups from the segment on that holds a record, until `take` says that it was the last; answers whether it did. */
async function walkUntil(files: Files, sequence: number, take: (group: ScannedGroup) => boolean): Promise<boolean> {
  const run = await segmentsAfter(files, sequence, 'a snapshot is made from the first record on');
  const begin = segmentWith(await surveySegments(files, run.segments), sequence);
  const walk = begin === undefined ? new ChainWalk(run.firstSegment, run.from) : new ChainWalk(begin.segment, begin.follows);
  const memory = new ReadMemory();
  let isDone = false;
  for (const { segment, name } of run.segments) {
    if (isDone || segment < (begin?.segment ?? 0)) continue;
    walk.walk(segment, await memory.read(files, name), (group) => {
      isDone ||= take(group);
    });
  }
  return isDone;
}
