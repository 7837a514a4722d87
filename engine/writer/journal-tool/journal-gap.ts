/** Records that are missing because their segments are missing; and how to describe them to people. */

export interface JournalGap {
  readonly firstSequence: number;
  /** `firstSequence - 1` if the segments contain no record. */
  readonly lastSequence: number;
  /** The archive names of the missing segments, in order. */
  readonly segmentNames: readonly string[];
  /** Nothing precedes it: the first segments were removed, which is allowed. The name is a field of `journal verify --json`. */
  readonly isBeginning: boolean;
}

export function gapRecordsText({ firstSequence, lastSequence }: JournalGap): string {
  if (lastSequence < firstSequence) return 'no record';
  return firstSequence === lastSequence ? `record ${firstSequence}` : `records ${firstSequence} to ${lastSequence}`;
}

export function gapSegmentsText({ segmentNames }: JournalGap): string {
  const [first, last] = [segmentNames[0], segmentNames.at(-1)];
  return first === last ? `${first}` : `${first} to ${last}`;
}
