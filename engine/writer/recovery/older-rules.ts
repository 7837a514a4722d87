/**
 * What to do with a journal of another rules version or another layout: whether this program can continue it, and what to run.
 */
import { RecoveryRefused } from '#writer/journal/journal-fault.ts';
import { segmentName } from '#writer/journal/segment.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';

/** The rules of this program, as far as the decision depends on them. */
export type RulesInUse = Pick<StateMachineRules, 'rulesVersion' | 'oldestRulesVersion'>;

const UPGRADE = 'npm run openperp -- journal upgrade';
const START_OVER = 'or start over with another --data-dir or an empty one';

/** What to do about a snapshot of other rules; completes a message. */
export function remedyForSnapshot(createdBy: number, rules: RulesInUse): string {
  return remedyFor(createdBy, rules, `to continue from it, run: ${UPGRADE}`, 'start a program of the newer version');
}

/** What to do about a record of other rules that is not covered by a snapshot. */
export function remedyForRecord(createdBy: number, rules: RulesInUse): string {
  const snapshotFirst =
    'start a program of that version once and stop it cleanly, so that it leaves a snapshot after its last record, and ' +
    `upgrade to this version with: ${UPGRADE}`;
  return remedyFor(createdBy, rules, snapshotFirst, 'start a program of that version');
}

function remedyFor(createdBy: number, { rulesVersion, oldestRulesVersion }: RulesInUse, older: string, newer: string): string {
  if (createdBy > rulesVersion) return newer;
  return createdBy < oldestRulesVersion ? startOver(createdBy) : older;
}

/** For a version that this program cannot upgrade. */
export function startOver(createdBy: number): string {
  return `this program cannot read a journal of version ${createdBy}; continue with a program of that version, ${START_OVER}`;
}

/** For a layout that this program cannot read. */
export function writtenByOlderVersion(segment: number): RecoveryRefused {
  const what = 'was written by an older version of this program, in a layout that this one can neither read nor upgrade';
  return new RecoveryRefused(`${segmentName(segment)} ${what}: continue with the program that wrote it, ${START_OVER}`);
}
