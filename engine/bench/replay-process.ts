/** Recovers a journal without a snapshot repeatedly, and returns the duration of each recovery. */

import { IDEMPOTENCY_LIMITS } from '#writer/idempotency/idempotency-index.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { readOlderSegments } from '#writer/recovery/older-segments.ts';
import { type FollowerPosition, recover } from '#writer/recovery/recovery.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { FLOW_CLOCK, JOURNAL_FOLDER } from './bench-journal.ts';
import { answer, requestOf } from './bench-process.ts';

export interface ReplayRequest {
  readonly directory: string;
  /** Followers are at the journal's end, so no record is published. */
  readonly followFrom: FollowerPosition;
  readonly rounds: number;
}

export interface ReplayResponse {
  /** Round by round; in the first one all code is new. */
  readonly milliseconds: readonly number[];
}

const { directory, followFrom, rounds } = requestOf<ReplayRequest>();
const files = await nodeFiles(lockDirectory(directory), JOURNAL_FOLDER);
const milliseconds: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const startedAt = performance.now();
  const { report } = await recover({
    files,
    clock: FLOW_CLOCK,
    rules: venueRules,
    limits: IDEMPOTENCY_LIMITS,
    readOlder: (request) => readOlderSegments(files, request),
    follow: () => {},
    followFrom,
  });
  milliseconds.push(performance.now() - startedAt);
  if (report.rerunCount !== followFrom.sequence) throw new Error(`${report.rerunCount} records were replayed instead of all`);
}
answer({ milliseconds } satisfies ReplayResponse);
