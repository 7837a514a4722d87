/**
 * Puts older segments away, where that is wanted: those that nothing needs any more to start or to answer. They are moved, not
 * removed; the anchor that says where the journal in use begins is durable before the first of them is gone.
 */

import { listSnapshots } from '#writer/snapshot/snapshot-store.ts';
import { readAnchor, saveAnchor } from './anchor.ts';
import type { Files } from './files.ts';
import { archivedName, listSegments } from './segment.ts';
import { type SurveyedSegment, surveySegments } from './segment-survey.ts';

export interface ArchivePolicy {
  /** How long idempotency keys are kept: their records are to be read. */
  readonly retentionMs: number;
  /** A segment whose records are all older than that, in the journal's time, is put away. Never, where it is not given. */
  readonly archiveAfterMs?: number | undefined;
}

/** How many snapshots have to be newer than a segment: if one is damaged, the start goes on from the other. */
const SNAPSHOTS_AFTER = 2;

export class SegmentArchive {
  readonly #files: Files;
  readonly #keepMs: number | undefined;

  constructor(files: Files, { retentionMs, archiveAfterMs }: ArchivePolicy) {
    this.#files = files;
    this.#keepMs = archiveAfterMs === undefined ? undefined : Math.max(archiveAfterMs, retentionMs);
  }

  /** Moves what may be moved by now. All records up to the newest snapshot are folded by those who follow. */
  async sweep(epochMs: number): Promise<void> {
    if (this.#keepMs === undefined) return;
    const anchor = await readAnchor(this.#files);
    const live = await listSegments(this.#files);
    const inUse = live.filter(({ segment }) => segment >= (anchor?.segment ?? 1));
    const first = await this.#firstToKeep(await surveySegments(this.#files, inUse), epochMs - this.#keepMs);
    const begin = first?.segment ?? anchor?.segment ?? 1;
    if (first !== undefined && begin > (anchor?.segment ?? 1)) {
      await saveAnchor(this.#files, { segment: begin, follows: first.follows });
    }
    const older = live.filter(({ segment }) => segment < begin);
    for (const { segment, name } of older) await this.#files.rename(name, archivedName(segment));
    if (older.length > 0) await this.#files.syncDirectory();
  }

  /** The first segment of which something may be needed. The one before it holds nothing as young as its first record. */
  async #firstToKeep(surveyed: readonly SurveyedSegment[], sinceEpochMs: number): Promise<SurveyedSegment | undefined> {
    const snapshots = (await listSnapshots(this.#files)).filter(({ isBoundary }) => !isBoundary);
    const covered = snapshots[SNAPSHOTS_AFTER - 1]?.sequence ?? 0;
    return surveyed.findLast(
      ({ follows, firstEpochMs }) => follows.sequence <= covered && (firstEpochMs ?? Number.POSITIVE_INFINITY) < sinceEpochMs,
    );
  }
}
