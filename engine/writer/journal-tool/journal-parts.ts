/**
 * What is here of a journal, in use and archived: stretches of segments of which none is missing between two. The archive may
 * be taken away from its beginning on, for good; where others lie before what is missing, the journal has a gap.
 */
import { type Anchor, readAnchor } from '#writer/journal/anchor.ts';
import { CHAIN_BEGINNING, type ChainPlace } from '#writer/journal/chain-walk.ts';
import type { ReadableFiles } from '#writer/journal/files.ts';
import { archivedName, listSegments, type SegmentFile } from '#writer/journal/segment.ts';
import { surveySegments } from '#writer/journal/segment-survey.ts';

/** Segments that follow each other. */
export interface JournalPart {
  readonly firstSegment: number;
  readonly segments: readonly SegmentFile[];
  /** What the first group in them follows, where that can be read. */
  readonly from: ChainPlace | undefined;
  /** The segments that are missing before it, as they would be named in the archive. */
  readonly missing: readonly string[];
}

export interface JournalParts {
  /** In order, at least one; what is in use lies in the last. */
  readonly parts: readonly JournalPart[];
  readonly anchor: Anchor | undefined;
  /** What lies in the archive although nothing says that it was archived. */
  readonly strayArchived: readonly string[];
}

/** Throws {@link RecoveryRefused} where it cannot be told what was archived. */
export async function journalParts(files: ReadableFiles): Promise<JournalParts> {
  const anchor = await readAnchor(files);
  const live = await listSegments(files);
  const archived = await listSegments(files, 'archived');
  const inUseFrom = anchor?.segment ?? 1;
  const inUse = live.filter(({ segment }) => segment >= inUseFrom);
  const strayArchived = archived.filter(({ segment }) => segment >= inUseFrom).map(({ name }) => name);
  // Where archiving broke off, some of the older ones lie among those in use still.
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
  for (const part of parts) whole.push({ ...part, from: await beginningOf(files, part, anchor) });
  return { parts: whole, anchor, strayArchived };
}

async function beginningOf(
  files: ReadableFiles,
  { firstSegment, segments }: Omit<JournalPart, 'from'>,
  anchor: Anchor | undefined,
): Promise<ChainPlace | undefined> {
  if (firstSegment === 1) return CHAIN_BEGINNING;
  if (firstSegment === anchor?.segment) return anchor.follows;
  return (await surveySegments(files, segments.slice(0, 1)))[0]?.follows;
}
