/**
 * Upgrades a journal to newer rules: its old records are verified and never rerun, and the newer rules continue from the state
 * that the older ones left at its end. A power cut may follow any step: the next upgrade continues.
 */
import type { Sequence } from '#units/ids.ts';
import { segmentsAfter } from '#writer/journal/anchor.ts';
import type { Files } from '#writer/journal/files.ts';
import { removeUnfinished } from '#writer/journal/files.ts';
import { GroupBuilder, hex, sha256 } from '#writer/journal/group.ts';
import { Journal } from '#writer/journal/journal.ts';
import { RecoveryRefused } from '#writer/journal/journal-fault.ts';
import { type JournalEnd, scanJournal } from '#writer/journal/journal-scan.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';
import { startOver } from '#writer/recovery/older-rules.ts';
import { restoredState } from '#writer/recovery/recovery.ts';
import { boundaryNote } from '#writer/recovery/rules-boundary.ts';
import { listSnapshots, readSnapshot, type Snapshot, saveBoundaryState } from '#writer/snapshot/snapshot-store.ts';
import { OfflineJournal } from './offline-journal.ts';
import { type Verification, verifyJournal } from './verification.ts';

export interface UpgradeReport {
  /** The last record of the older rules. */
  readonly sequence: Sequence;
  readonly fromRules: number;
  readonly toRules: number;
  readonly chainDigest: string;
  /** This upgrade completed an interrupted one. */
  readonly isResumed: boolean;
}

/**
 * No other process may use the files. Rejects with {@link JournalDamaged}, or with {@link RecoveryRefused} if there is nothing to
 * upgrade or no state to continue from.
 */
export async function upgradeJournal(files: Files, rules: StateMachineRules, segmentBytes: number): Promise<UpgradeReport> {
  const verified = await verifyJournal(await OfflineJournal.open(files));
  const fromRules = rulesToLeave(verified, rules.rulesVersion);
  if (fromRules < rules.oldestRulesVersion) throw new RecoveryRefused(startOver(fromRules));
  const left = await finalState(files, verified, fromRules);
  const state = restoredState(rules, left).snapshot();
  const known = verified.boundaries.at(-1);
  const isResumed = known?.sequence === verified.sequence;
  if (isResumed && Buffer.compare(known.newStateDigest, sha256(state)) !== 0) {
    throw new RecoveryRefused('an earlier upgrade resulted in another state: finish it with the program that began it');
  }
  const boundary = {
    sequence: verified.sequence,
    fromRules,
    toRules: rules.rulesVersion,
    oldStateDigest: sha256(left.state),
    newStateDigest: sha256(state),
  };
  await removeUnfinished(files);
  const chainDigest = isResumed
    ? Buffer.from(verified.chainDigest, 'hex')
    : await appendNote(files, verified.sequence, boundaryNote(boundary), segmentBytes);
  await saveBoundaryState(files, { sequence: verified.sequence, rulesVersion: rules.rulesVersion, chainDigest, state });
  return { ...boundary, chainDigest: hex(chainDigest), isResumed };
}

/** The rules of the journal's last records. */
function rulesToLeave({ sequence, rules, boundaries, snapshots }: Verification, known: number): number {
  const last = rules.at(-1)?.rulesVersion;
  if (last === undefined) throw new RecoveryRefused('the journal has no record: there is nothing to upgrade');
  const isUpgraded = boundaries.at(-1)?.sequence === sequence && boundaries.at(-1)?.toRules === known;
  const isComplete = isUpgraded && snapshots.some((found) => found.state === 'sound' && found.rulesVersion === known);
  if (last === known || isComplete) {
    throw new RecoveryRefused(`the journal is of version ${known} of the rules already: there is nothing to do`);
  }
  if (last > known) {
    throw new RecoveryRefused(
      `the journal was made by version ${last} of the rules and this is version ${known}: take a newer program`,
    );
  }
  return last;
}

/** The state of the older rules after the last record. */
async function finalState(
  files: Files,
  { sequence, boundaries, chainDigest }: Verification,
  fromRules: number,
): Promise<Snapshot> {
  for (const file of await listSnapshots(files)) {
    if (file.sequence !== sequence || file.isBoundary) continue;
    const snapshot = await readSnapshot(files, file);
    if (snapshot?.rulesVersion !== fromRules) continue;
    // If the boundary is already written, the chain continues after the record: the boundary then identifies the state.
    const isOfJournal = hex(snapshot.chainDigest) === chainDigest;
    const isVouchedFor = boundaries.some(({ oldStateDigest }) => Buffer.compare(oldStateDigest, sha256(snapshot.state)) === 0);
    if (isOfJournal || isVouchedFor) return snapshot;
  }
  throw new RecoveryRefused(`there is no whole snapshot after record ${sequence}, the journal's last: ${cleanly(fromRules)}`);
}

function cleanly(rulesVersion: number): string {
  return `start a program of version ${rulesVersion} of the rules once and stop it cleanly, so that it leaves one; then upgrade again`;
}

/** Appends a group without records. Returns the chain digest after it, durable. */
async function appendNote(files: Files, sequence: number, note: Uint8Array, segmentBytes: number): Promise<Uint8Array> {
  const end = await endOf(files, sequence);
  const builder = new GroupBuilder();
  builder.begin(end.groupNumber + 1, (end.sequence + 1) as Sequence, end.digest);
  builder.note(note);
  const bytes = builder.seal();
  const journal = await Journal.open(files, segmentBytes, end);
  try {
    await journal.append(bytes);
  } finally {
    await journal.close();
  }
  return builder.digest;
}

/** Cuts off an unfinished group: it was never acknowledged, or is a note of this upgrade. */
async function endOf(files: Files, sequence: number): Promise<JournalEnd> {
  const found = await scanJournal(files, await segmentsAfter(files, sequence, ''), () => {});
  await found.settle(files);
  return found.end;
}
