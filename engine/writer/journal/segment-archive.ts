/**
 * Archives older segments, if configured and if neither a start nor a response needs them any more. Moves them, deletes nothing.
 * The anchor that says where the live journal starts is durable before the first of them is moved.
 */

import { listSnapshots } from '#writer/snapshot/snapshot-store.ts';
import { readAnchor, saveAnchor } from './anchor.ts';
import type { Files } from './files.ts';
import { archivedName, listSegments } from './segment.ts';
import { type SurveyedSegment, surveySegments } from './segment-survey.ts';

export interface ArchivePolicy {
  /** How long idempotency keys are retained: their records must stay readable. */
  readonly retentionMs: number;
  /** A segment whose records are all older than this, in the journal's time, is archived. Never if undefined. */
  readonly archiveAfterMs?: number | undefined;
}

/** How many snapshots must be newer than a segment: if one is damaged, the start uses the other. */
const SNAPSHOTS_AFTER = 2;

export class SegmentArchive {
  readonly #files: Files;
  readonly #retentionMs: number | undefined;

  constructor(files: Files, { retentionMs, archiveAfterMs }: ArchivePolicy) {
    this.#files = files;
    this.#retentionMs = archiveAfterMs === undefined ? undefined : Math.max(archiveAfterMs, retentionMs);
  }

  /** Moves the segments that may be moved. The subscribers have folded all records up to the newest snapshot. */
  async sweep(epochMs: number): Promise<void> {
    if (this.#retentionMs === undefined) return;
    const anchor = await readAnchor(this.#files);
    const live = await listSegments(this.#files);
    const inUse = live.filter(({ segment }) => segment >= (anchor?.segment ?? 1));
    const first = await this.#firstRetained(await surveySegments(this.#files, inUse), epochMs - this.#retentionMs);
    const begin = first?.segment ?? anchor?.segment ?? 1;
    if (first !== undefined && begin > (anchor?.segment ?? 1)) {
      await saveAnchor(this.#files, { segment: begin, follows: first.follows });
    }
    const older = live.filter(({ segment }) => segment < begin);
    for (const { segment, name } of older) await this.#files.rename(name, archivedName(segment));
    if (older.length > 0) await this.#files.syncDirectory();
  }

  /** The first segment that may be needed. All records of the one before it are older than its first record. */
  async #firstRetained(surveyed: readonly SurveyedSegment[], sinceEpochMs: number): Promise<SurveyedSegment | undefined> {
    const snapshots = (await listSnapshots(this.#files)).filter(({ isBoundary }) => !isBoundary);
    const covered = snapshots[SNAPSHOTS_AFTER - 1]?.sequence ?? 0;
    return surveyed.findLast(
      ({ follows, firstEpochMs }) => follows.sequence <= covered && (firstEpochMs ?? Number.POSITIVE_INFINITY) < sinceEpochMs,
    );
  }
}
