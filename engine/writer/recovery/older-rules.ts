/** How to go on with a journal that other rules have made, or another version wrote: whether this program can, and what to run. */
import { RecoveryRefused } from '#writer/journal/journal-fault.ts';
import { segmentName } from '#writer/journal/segment.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';

/** The rules of this program, as far as that depends on them. */
export type RulesInUse = Pick<StateMachineRules, 'rulesVersion' | 'oldestRulesVersion'>;

const UPGRADE = 'npm run openperp -- journal upgrade';
const BEGIN_ANEW = 'or begin anew, with another --data-dir or an empty one';

/** What to do about a snapshot of other rules, in the words that follow what they are. */
export function wayOnFromSnapshot(madeBy: number, rules: RulesInUse): string {
  return wayOn(madeBy, rules, `to go on from it, run: ${UPGRADE}`, 'start a program of the newer version');
}

/** What to do about a record of other rules that is not behind a snapshot. */
export function wayOnFromRecord(madeBy: number, rules: RulesInUse): string {
  const snapshotFirst =
    'start a program of that version once and stop it cleanly, so that it leaves a snapshot after its last record, and ' +
    `take this version up with: ${UPGRADE}`;
  return wayOn(madeBy, rules, snapshotFirst, 'start a program of that version');
}

function wayOn(madeBy: number, { rulesVersion, oldestRulesVersion }: RulesInUse, older: string, newer: string): string {
  if (madeBy > rulesVersion) return newer;
  return madeBy < oldestRulesVersion ? beginAnew(madeBy) : older;
}

/** Nothing that a program of this version could read leads on from there. */
export function beginAnew(madeBy: number): string {
  return `a journal of version ${madeBy} cannot be taken up; go on with a program of that version, ${BEGIN_ANEW}`;
}

/** Nothing here can so much as read it. */
export function writtenBefore(segment: number): RecoveryRefused {
  const what = 'was written by an older version of this program, in a layout that this one neither reads nor takes up';
  return new RecoveryRefused(`${segmentName(segment)} ${what}: go on with the program that wrote it, ${BEGIN_ANEW}`);
}
