/**
 * The present segments of a journal, live and archived, as runs without gaps. The first segments of the archive may be removed
 * for good; if earlier ones are present before missing ones, the journal has a gap.
 */
import { type Anchor, readAnchor } from '#writer/journal/anchor.ts';
import { CHAIN_START_POSITION, type ChainPosition } from '#writer/journal/chain-walk.ts';
import type { ReadableFiles } from '#writer/journal/files.ts';
import { archivedName, listSegments, type SegmentFile } from '#writer/journal/segment.ts';
import { surveySegments } from '#writer/journal/segment-survey.ts';

/** Consecutive segments. */
export interface JournalPart {
  readonly firstSegment: number;
  readonly segments: readonly SegmentFile[];
  /** The place that their first group follows, if readable. */
  readonly from: ChainPosition | undefined;
  /** The archive names of the segments missing before it. */
  readonly missing: readonly string[];
}

export interface JournalParts {
  /** In order, at least one; the last contains the live segments. */
  readonly parts: readonly JournalPart[];
  readonly anchor: Anchor | undefined;
  /** Files in the archive that the anchor does not cover. */
  readonly strayArchived: readonly string[];
}

/** Throws {@link RecoveryRefused} if the anchor is damaged. */
export async function journalParts(files: ReadableFiles): Promise<JournalParts> {
  const anchor = await readAnchor(files);
  const live = await listSegments(files);
  const archived = await listSegments(files, 'archived');
  const inUseFrom = anchor?.segment ?? 1;
  const inUse = live.filter(({ segment }) => segment >= inUseFrom);
  const strayArchived = archived.filter(({ segment }) => segment >= inUseFrom).map(({ name }) => name);
  // If archiving was interrupted, some older segments still lie among the live ones.
  const older = new Map([...archived, ...live].map((file) => [file.segment, file]));
  const parts: Omit<JournalPart, 'from'>[] = [];
  let missing: string[] = [];
  let run: SegmentFile[] | undefined;
  for (let segment = 1; segment <= inUseFrom; segment += 1) {
    const here = segment === inUseFrom ? inUse : [older.get(segment)].filter((file) => file !== undefined);
    if (here.length === 0 && segment < inUseFrom) {
      missing.push(archivedName(segment));
      run = undefined;
      continue;
    }
    if (run === undefined) {
      run = [];
      parts.push({ firstSegment: segment, segments: run, missing });
      missing = [];
    }
    run.push(...here);
  }
  const whole: JournalPart[] = [];
  for (const part of parts) whole.push({ ...part, from: await startOf(files, part, anchor) });
  return { parts: whole, anchor, strayArchived };
}

async function startOf(
  files: ReadableFiles,
  { firstSegment, segments }: Omit<JournalPart, 'from'>,
  anchor: Anchor | undefined,
): Promise<ChainPosition | undefined> {
  if (firstSegment === 1) return CHAIN_START_POSITION;
  if (firstSegment === anchor?.segment) return anchor.follows;
  return (await surveySegments(files, segments.slice(0, 1)))[0]?.follows;
}
