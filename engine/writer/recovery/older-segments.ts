/**
 * The part of the journal whose commands are not rerun: its chain is verified, and the idempotency keys that are still retained are
 * collected. It needs only the segments, so that another thread can do it in parallel.
 */

import { IdempotencyIndex, type IdempotencyLimits } from '#writer/idempotency/idempotency-index.ts';
import type { SegmentRun } from '#writer/journal/anchor.ts';
import { type ChainPosition, ChainWalk, type ScannedGroup } from '#writer/journal/chain-walk.ts';
import { type ReadableFiles, ReadMemory } from '#writer/journal/files.ts';
import { GROUP_HEADER_BYTES } from '#writer/journal/group.ts';
import { visitKeys } from '#writer/journal/record.ts';
import { journalPosition, type SegmentFile } from '#writer/journal/segment.ts';

/** Complete segments: later ones contain groups. */
export interface OlderRequest extends SegmentRun {
  /** The segment after them. */
  readonly upTo: number;
  /** Keys from before this time have expired. */
  readonly keysSinceEpochMs: number;
  readonly limits: IdempotencyLimits;
}

export interface OlderPart {
  /** The place of its end. */
  readonly end: ChainPosition;
  readonly index: IdempotencyIndex;
}

/** Rejects with {@link JournalDamaged}. Calls `onSegment` with the length of each segment that it has read. */
export type ReadOlder = (request: OlderRequest, onSegment?: OnSegment) => Promise<OlderPart>;
export type OnSegment = (bytes: number) => void;

/** Reads one segment at a time into the same buffer. */
export async function readOlderSegments(
  files: Pick<ReadableFiles, 'open'>,
  request: OlderRequest,
  onSegment: OnSegment = () => {},
): Promise<OlderPart> {
  const { firstSegment, segments, from, upTo, keysSinceEpochMs, limits } = request;
  const walk = new ChainWalk(firstSegment, from);
  const index = new IdempotencyIndex(limits);
  const take = (group: ScannedGroup) => collectKeys(group, keysSinceEpochMs, index);
  await index.load(() => walkSegments(files, segments, walk, take, onSegment));
  walk.expect(upTo);
  return { end: walk.position, index };
}

async function walkSegments(
  files: Pick<ReadableFiles, 'open'>,
  segments: readonly SegmentFile[],
  walk: ChainWalk,
  take: (group: ScannedGroup) => void,
  onSegment: OnSegment,
): Promise<void> {
  const memory = new ReadMemory();
  for (const { segment, name } of segments) {
    const bytes = await memory.read(files, name);
    const bad = walk.walk(segment, bytes, take);
    if (bad !== undefined) throw walk.damageAt(segment, bad);
    onSegment(bytes.length);
  }
}

function collectKeys({ bytes, header, segment, offset }: ScannedGroup, sinceEpochMs: number, index: IdempotencyIndex): void {
  visitKeys(bytes, GROUP_HEADER_BYTES, header.recordCount, (account, epochMs, digestAt, recordAt) => {
    if (epochMs >= sinceEpochMs) index.addAt(bytes, digestAt, account, epochMs, journalPosition(segment, offset + recordAt));
  });
}
