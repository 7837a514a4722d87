/** Starts a venue's journal and core as at every start: with the projection thread, and without followers that must catch up. */
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { readOlderInThread } from '#writer/recovery/older-segments-in-thread.ts';
import type { FollowerPosition, RecoveryReport } from '#writer/recovery/recovery.ts';
import { snapshotInThread } from '#writer/snapshot/snapshot-in-thread.ts';
import { JOURNAL_FOLDER, openBareWriter } from './bench-journal.ts';
import { answer, requestOf } from './bench-process.ts';

export interface StartRequest {
  readonly directory: string;
  readonly followFrom: FollowerPosition;
}

export type StartResponse = Pick<RecoveryReport, 'sequence' | 'snapshotSequence' | 'rerunCount'> & {
  readonly residentBytes: number;
};

const { directory, followFrom } = requestOf<StartRequest>();
const lock = lockDirectory(directory);
const { recovered } = await openBareWriter(await nodeFiles(lock, JOURNAL_FOLDER), {
  readOlder: readOlderInThread(lock.path, JOURNAL_FOLDER),
  createSnapshot: snapshotInThread(lock.path, JOURNAL_FOLDER),
  followFrom,
});
const { sequence, snapshotSequence, rerunCount } = recovered;
answer({ sequence, snapshotSequence, rerunCount, residentBytes: process.memoryUsage.rss() } satisfies StartResponse);
