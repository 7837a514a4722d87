/** Records of a journal that are not here, because the segments that hold them are not; and how people are told of them. */

export interface JournalGap {
  readonly firstSequence: number;
  /** Before the first where the segments hold no record. */
  readonly lastSequence: number;
  /** As the missing segments would be named in the archive, in order. */
  readonly segmentNames: readonly string[];
  /** Nothing lies before it: the beginning was taken away, as it may be. */
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
