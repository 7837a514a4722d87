/** Has the venue's snapshots made by a thread of its own, on another core, while this one goes on. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MakeSnapshot, SnapshotPlace } from './snapshot-making.ts';

/** What the thread is started with. */
export interface SnapshotWork {
  readonly path: string;
  readonly place: SnapshotPlace;
}

/** Nothing where the snapshot is durable; else why it is not. */
export type SnapshotAnswer = { readonly failure?: { readonly message: string; readonly code?: string } };

const THREAD = new URL('./venue-snapshot-thread.ts', import.meta.url);

/** `folder` is the journal's, below the data directory that this process has locked. */
export function snapshotInThread(dataDirectory: string, folder: string): MakeSnapshot {
  return async (place, isUnwanted) => {
    const { failure } = await answerOf({ path: join(dataDirectory, folder), place }, isUnwanted);
    if (failure !== undefined) throw Object.assign(new Error(failure.message), failure);
  };
}

/** A thread that is ended half way leaves an unfinished file, which the next start removes. */
function answerOf(workerData: SnapshotWork, isUnwanted: AbortSignal): Promise<SnapshotAnswer> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD, { workerData });
    thread.once('message', resolve);
    thread.once('error', reject);
    isUnwanted.addEventListener('abort', () => void thread.terminate(), { once: true });
    thread.once('exit', (status) => reject(new Error(`the thread that makes a snapshot ended with status ${status}`)));
  });
}
