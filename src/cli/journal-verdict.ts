/** The verdict of a verification: the exit status and the advice. Errors take precedence over missing parts. */
import { gapRecordsText, gapSegmentsText, type JournalGap } from '#writer/journal-tool/journal-gap.ts';
import type { SnapshotFinding } from '#writer/journal-tool/snapshot-examination.ts';
import type { Verification } from '#writer/journal-tool/verification.ts';

/** The findings in a journal, and how far its projection has folded it; if there is no projection, why that is unknown. */
export interface VerificationReport extends Verification {
  readonly projectionSequence: number | undefined;
  /** Why the sequence is unknown. The name is a field of `journal verify --json`. */
  readonly projectionUntold: 'unusable' | 'in_use' | undefined;
}

/** The exit statuses of `journal verify`. */
export const VERIFIED = {
  /** All of it was read, from the first record on, and is as it was written. */
  whole: 0,
  /** Something is wrong or missing, or the venue would not start. */
  wrong: 1,
  /** The journal is complete, but a snapshot is damaged. */
  stateDamaged: 2,
  /** What is here is sound, but the first segments were removed from the archive and not read. */
  firstRecordsElsewhere: 3,
} as const;
export type VerifiedStatus = (typeof VERIFIED)[keyof typeof VERIFIED];

/** Returns the first status that applies. */
export function verifiedStatus(found: VerificationReport): VerifiedStatus {
  const { gaps, snapshots } = found;
  if (isAhead(found) || found.strayArchived.length > 0 || snapshots.some(preventsStart)) return VERIFIED.wrong;
  if (gaps.some(({ isBeginning }) => !isBeginning) || neededMissingRecords(found) !== undefined) return VERIFIED.wrong;
  if (snapshots.some(({ state }) => state === 'damaged')) return VERIFIED.stateDamaged;
  return gaps.length > 0 ? VERIFIED.firstRecordsElsewhere : VERIFIED.whole;
}

/** Remarks beside the figures, one per line. */
export function verifiedRemarks(found: VerificationReport): readonly string[] {
  const need = neededMissingRecords(found);
  const { strayArchived, tornTail } = found;
  return [
    ...found.gaps.map(gapRemark),
    ...(need === undefined
      ? []
      : [`THE VENUE DOES NOT START: ${need}, and a start needs the missing segments. Restore them to the archive.`]),
    ...found.snapshots.filter(({ state }) => state === 'damaged').map(damagedRemark),
    ...(strayArchived.length === 0
      ? []
      : [
          `THE ARCHIVE HAS UNKNOWN SEGMENTS: ${strayArchived.join(', ')}. The journal was read without them; restore journal.anchor, ` +
            'or move these segments away.',
        ]),
    ...(tornTail === undefined
      ? []
      : [
          `A torn tail follows the last record: ${tornTail.byteLength} bytes in ${tornTail.segment} at byte ` +
            `${tornTail.offset}. It is being written now, or was interrupted by a power cut: the next start cuts it off. It was never ` +
            'acknowledged.',
        ]),
  ];
}

/** Whether the projection knows records that the journal lacks. */
export function isAhead({ projectionSequence, sequence }: VerificationReport): boolean {
  return projectionSequence !== undefined && projectionSequence > sequence;
}

function preventsStart({ state }: SnapshotFinding): boolean {
  return state === 'foreign' || state === 'ahead';
}

function gapRemark(gap: JournalGap): string {
  if (!gap.isBeginning)
    return `THE ARCHIVE HAS A GAP: ${gapSegmentsText(gap)} ${isOrAre(gap)} missing, with ${gapRecordsText(gap)}. All others were read; restore ${gapSegmentsText(gap)}.`;
  return `The first segments were removed from the archive and not read: ${gapRecordsText(gap)}, in ${gapSegmentsText(gap)}.`;
}

function isOrAre({ segmentNames }: JournalGap): string {
  return segmentNames.length === 1 ? 'is' : 'are';
}

function damagedRemark({ name }: SnapshotFinding): string {
  if (name.startsWith('boundary'))
    return `${name} IS DAMAGED: the initial state of newer rules, which every replay from the start needs. Restore it from a backup.`;
  return `${name} IS DAMAGED: a start skips it and takes longer. Move it away; a running venue saves another.`;
}

/** Why a start would read the archive; `undefined` if it would not, or if no segment is missing. */
function neededMissingRecords(found: VerificationReport): string | undefined {
  const { gaps, inUseAfter, projectionSequence, projectionUntold } = found;
  if (gaps.length === 0) return undefined;
  const saved = Math.max(0, ...found.snapshots.filter(({ state }) => state !== 'damaged').map(({ sequence }) => sequence));
  if (saved < inUseAfter) return `there is no sound snapshot from record ${inUseAfter} on`;
  if (projectionUntold === 'in_use' || (projectionSequence ?? 0) >= inUseAfter) return undefined;
  return `the projection has only folded up to record ${projectionSequence ?? 0}`;
}
