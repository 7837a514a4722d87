/** What a verification comes to: with what the process ends, and what there is to do. What is wrong comes before what is not here. */
import { gapRecordsText, gapSegmentsText, type JournalGap } from '#writer/journal-tool/journal-gap.ts';
import type { SnapshotFinding } from '#writer/journal-tool/snapshot-examination.ts';
import type { Verification } from '#writer/journal-tool/verification.ts';

/** What was found in a journal, and how far what is read of it has come: where there is such a thing, and else why that is not told. */
export interface Verified extends Verification {
  readonly projectionSequence: number | undefined;
  readonly projectionUntold: 'unusable' | 'in_use' | undefined;
}

/** The statuses of `journal verify`. */
export const VERIFIED = {
  /** All of it was read, from the first record on, and is as it was written. */
  whole: 0,
  /** Something is wrong or missing, or no venue starts. */
  wrong: 1,
  /** The journal is whole, but a saved state is damaged. */
  stateDamaged: 2,
  /** What is here is whole, but its beginning was taken out of the archive, and was not read. */
  beginningElsewhere: 3,
} as const;
export type VerifiedStatus = (typeof VERIFIED)[keyof typeof VERIFIED];

/** The first that holds. */
export function verifiedStatus(found: Verified): VerifiedStatus {
  const { gaps, snapshots } = found;
  if (isAhead(found) || found.strayArchived.length > 0 || snapshots.some(keepsFromStarting)) return VERIFIED.wrong;
  if (gaps.some(({ isBeginning }) => !isBeginning) || whatNeedsTheMissing(found) !== undefined) return VERIFIED.wrong;
  if (snapshots.some(({ state }) => state === 'damaged')) return VERIFIED.stateDamaged;
  return gaps.length > 0 ? VERIFIED.beginningElsewhere : VERIFIED.whole;
}

/** In a line each, what is to be said of it beside the figures. */
export function verifiedRemarks(found: Verified): readonly string[] {
  const need = whatNeedsTheMissing(found);
  const { strayArchived, tornTail } = found;
  return [
    ...found.gaps.map(gapRemark),
    ...(need === undefined
      ? []
      : [`NO VENUE STARTS: ${need}, and a start would need what is missing. Put it back into the archive.`]),
    ...found.snapshots.filter(({ state }) => state === 'damaged').map(damagedRemark),
    ...(strayArchived.length === 0
      ? []
      : [
          `IN THE ARCHIVE THERE IS WHAT NOTHING SPEAKS OF: ${strayArchived.join(', ')}. The journal was read without it; put journal.anchor ` +
            'back, or move these segments away.',
        ]),
    ...(tornTail === undefined
      ? []
      : [
          `Behind its last record there is an unfinished group: ${tornTail.byteLength} bytes in ${tornTail.segment} at byte ` +
            `${tornTail.offset}. It is being written just now, or the power went while it was: the next start cuts it off. It was never ` +
            'acknowledged.',
        ]),
  ];
}

/** It knows records that the journal lacks. */
export function isAhead({ projectionSequence, sequence }: Verified): boolean {
  return projectionSequence !== undefined && projectionSequence > sequence;
}

function keepsFromStarting({ state }: SnapshotFinding): boolean {
  return state === 'foreign' || state === 'ahead';
}

function gapRemark(gap: JournalGap): string {
  if (!gap.isBeginning)
    return `THE ARCHIVE HAS A GAP: ${gapSegmentsText(gap)} ${isOrAre(gap)} missing, with ${gapRecordsText(gap)}. All others were read; put ${gapSegmentsText(gap)} back.`;
  return `The beginning was taken out of the archive, and was not read: ${gapRecordsText(gap)}, in ${gapSegmentsText(gap)}.`;
}

function isOrAre({ segmentNames }: JournalGap): string {
  return segmentNames.length === 1 ? 'is' : 'are';
}

function damagedRemark({ name }: SnapshotFinding): string {
  if (name.startsWith('boundary'))
    return `${name} IS DAMAGED: the state that newer rules began with, which no replay from the start can do without. Put it back from a copy.`;
  return `${name} IS DAMAGED: a start passes over it and takes longer. Move it away; a venue saves another as it goes on.`;
}

/** Why a start would read the archive; `undefined` where it would not, or where nothing of it is missing. */
function whatNeedsTheMissing(found: Verified): string | undefined {
  const { gaps, inUseAfter, projectionSequence, projectionUntold } = found;
  if (gaps.length === 0) return undefined;
  const saved = Math.max(0, ...found.snapshots.filter(({ state }) => state !== 'damaged').map(({ sequence }) => sequence));
  if (saved < inUseAfter) return `there is no whole snapshot from record ${inUseAfter} on`;
  if (projectionUntold === 'in_use' || (projectionSequence ?? 0) >= inUseAfter) return undefined;
  return `what is read of the journal has come to record ${projectionSequence ?? 0} only`;
}
