/** Reruns a journal from its start or from a snapshot, and compares every event and every later snapshot byte for byte. */
import { hex, sha256 } from '#writer/journal/group.ts';
import { RecoveryRefused } from '#writer/journal/journal-fault.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import { restoredState } from '#writer/recovery/recovery.ts';
import { Rerun } from '#writer/recovery/rerun.ts';
import { listSnapshots, type Snapshot, type SnapshotFile } from '#writer/snapshot/snapshot-store.ts';
import { gapRecordsText, gapSegmentsText, type JournalGap } from './journal-gap.ts';
import type { OfflineJournal } from './offline-journal.ts';
import { readSavedState } from './saved-states.ts';

export interface ReplayRequest {
  /** `start`: the first record of these rules. `snapshot`: the newest valid snapshot up to `until`. */
  readonly from: 'start' | 'snapshot';
  /** The last record to rerun; by default the journal's last. */
  readonly until?: number;
}

export interface ReplayReport {
  /** The record whose state the replay started from. */
  readonly afterSequence: number;
  readonly sequence: number;
  readonly rerunCount: number;
  /** SHA-256 of the state at the end, in hex. */
  readonly stateDigest: string;
  /** The snapshots on its way, which equal the replayed state byte for byte. */
  readonly confirmedSnapshots: readonly string[];
}

/**
 * Rejects with {@link JournalDamaged} if a record results in other events, and with {@link RecoveryRefused} if these rules cannot
 * rerun a record or an intact snapshot differs from the replayed state.
 */
export async function replayJournal(
  journal: OfflineJournal,
  rules: StateMachineRules,
  { from, until = Number.POSITIVE_INFINITY }: ReplayRequest,
): Promise<{ readonly report: ReplayReport; readonly state: StateMachine }> {
  const begin = await initialState(journal, rules, from, until);
  const state = begin === undefined ? rules.fresh() : restoredState(rules, begin);
  const afterSequence = begin?.sequence ?? 0;
  const rerun = new Rerun(state, rules);
  const passed = await SnapshotCheck.of(journal, afterSequence);
  let sequence: number = afterSequence;
  for await (const group of journal.groups(afterSequence)) {
    if (group.header.recordCount === 0 || group.lastSequence <= afterSequence) continue;
    refuseGap(journal.gaps, sequence);
    sequence = Math.max(sequence, rerun.run(group, until));
    if (sequence === group.lastSequence) await passed.compare(sequence, rules.rulesVersion, state);
    if (sequence >= until) break;
  }
  if (sequence < until) refuseGap(journal.gaps, sequence);
  if (until !== Number.POSITIVE_INFINITY && sequence < until) {
    throw new RecoveryRefused(`the journal ends with record ${sequence}: there is no record ${until}`);
  }
  const stateDigest = hex(sha256(state.snapshot()));
  return {
    report: { afterSequence, sequence, rerunCount: rerun.count, stateDigest, confirmedSnapshots: passed.confirmed },
    state,
  };
}

/** The state to start from; `undefined` is the state before the first record. */
async function initialState(
  journal: OfflineJournal,
  { rulesVersion }: StateMachineRules,
  from: 'start' | 'snapshot',
  until: number,
): Promise<Snapshot | undefined> {
  const isWanted = ({ isBoundary, sequence }: SnapshotFile) => (from === 'snapshot' || isBoundary) && sequence <= until;
  for (const file of (await listSnapshots(journal.files)).filter(isWanted)) {
    const snapshot = await readSavedState(journal.files, file);
    if (typeof snapshot === 'object' && snapshot.rulesVersion === rulesVersion) return snapshot;
  }
  return undefined;
}

/** Throws if records are missing: a rerun after a gap would result in other events. */
function refuseGap(gaps: readonly JournalGap[], sequence: number): void {
  const gap = gaps.find(({ lastSequence }) => lastSequence > sequence);
  if (gap === undefined) return;
  throw new RecoveryRefused(
    `${gapRecordsText(gap)} cannot be run again, because they are not here: put ${gapSegmentsText(gap)} back, or start with a ` +
      'snapshot after them (--from snapshot)',
  );
}

/** The snapshots that the replay has yet to pass. */
class SnapshotCheck {
  readonly #journal: OfflineJournal;
  readonly #ahead: Map<number, SnapshotFile>;
  readonly confirmed: string[] = [];

  private constructor(journal: OfflineJournal, ahead: Map<number, SnapshotFile>) {
    this.#journal = journal;
    this.#ahead = ahead;
  }

  static async of(journal: OfflineJournal, after: number): Promise<SnapshotCheck> {
    const ahead = (await listSnapshots(journal.files)).filter(({ sequence }) => sequence > after);
    return new SnapshotCheck(journal, new Map(ahead.map((file) => [file.sequence, file])));
  }

  async compare(sequence: number, rulesVersion: number, state: StateMachine): Promise<void> {
    const file = this.#ahead.get(sequence);
    if (file === undefined) return;
    const snapshot = await readSavedState(this.#journal.files, file);
    if (typeof snapshot !== 'object' || snapshot.rulesVersion !== rulesVersion) return;
    if (Buffer.compare(snapshot.state, state.snapshot()) !== 0) {
      throw new RecoveryRefused(
        `${file.name} is not the state that the journal results in at record ${sequence}: move it away, and start from an older one`,
      );
    }
    this.confirmed.push(file.name);
  }
}
