/** Reads the start of each segment from its first sectors: enough to find the segment of a record. */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { ChainPosition } from './chain-walk.ts';
import type { ReadableFiles } from './files.ts';
import { GROUP_HEADER_BYTES, readGroupHeader, SECTOR_BYTES } from './group.ts';
import { epochMsAt } from './record.ts';
import { openSegment, type SegmentFile } from './segment.ts';

/** A segment that contains groups. */
export interface SurveyedSegment extends SegmentFile {
  /** The place that its first group states to follow. */
  readonly follows: ChainPosition;
  /** The time of its first record, if its first group has any. */
  readonly firstEpochMs: EpochMs | undefined;
}

/** The segments with a readable header. Only a hint: nothing is verified. */
export async function surveySegments(
  files: Pick<ReadableFiles, 'open'>,
  segments: readonly SegmentFile[],
): Promise<readonly SurveyedSegment[]> {
  const surveyed: SurveyedSegment[] = [];
  const bytes = new Uint8Array(SECTOR_BYTES);
  for (const place of segments) {
    const file = await openSegment(files, place);
    try {
      const length = await file.read(bytes, 0);
      const startPosition = startOf(bytes.subarray(0, length));
      if (startPosition !== undefined) surveyed.push({ ...place, ...startPosition });
    } finally {
      await file.close();
    }
  }
  return surveyed;
}

function startOf(bytes: Uint8Array): Omit<SurveyedSegment, keyof SegmentFile> | undefined {
  const header = readGroupHeader(bytes, 0);
  if (header === undefined) return undefined;
  const { number, firstSequence, previousDigest, recordCount } = header;
  return {
    follows: { groupNumber: number - 1, sequence: (firstSequence - 1) as Sequence, digest: previousDigest.slice() },
    firstEpochMs: recordCount === 0 ? undefined : epochMsAt(bytes, GROUP_HEADER_BYTES),
  };
}

/** The last segment that starts at or before a record, if any: no other can contain the record. */
export function segmentWith(surveyed: readonly SurveyedSegment[], sequence: number): SurveyedSegment | undefined {
  return surveyed.findLast(({ follows }) => follows.sequence < sequence);
}
