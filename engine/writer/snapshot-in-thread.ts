/** Has the venue's snapshots made by a thread of its own, on another core, while this one goes on. It lives as long as the writer. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MakeSnapshot, SnapshotPlace } from './snapshot-making.ts';

/** What the thread is started with. Each message to it is a {@link SnapshotPlace}. */
export interface SnapshotWork {
  readonly path: string;
}

/** Nothing where the snapshot is durable; else why it is not. */
export type SnapshotAnswer = { readonly failure?: { readonly message: string; readonly code?: string } };

const THREAD = new URL('./venue-snapshot-thread.ts', import.meta.url);

/** `folder` is the journal's, below the data directory that this process has locked. */
export function snapshotInThread(dataDirectory: string, folder: string): MakeSnapshot {
  const work: SnapshotWork = { path: join(dataDirectory, folder) };
  let thread: Worker | undefined;
  return async (place, isUnwanted) => {
    thread ??= startedThread(work, isUnwanted, (ended) => {
      if (thread === ended) thread = undefined;
    });
    const { failure } = await answerOf(thread, place);
    if (failure !== undefined) throw Object.assign(new Error(failure.message), failure);
  };
}

/** Ended half way it leaves an unfinished file, which the next start removes. */
function startedThread(workerData: SnapshotWork, isUnwanted: AbortSignal, onEnd: (thread: Worker) => void): Worker {
  const thread = new Worker(THREAD, { workerData });
  const end = () => {
    onEnd(thread);
    void thread.terminate();
  };
  // Whoever waits for an answer hears of it too; a thread that dies while nobody waits is no harm.
  thread.on('error', () => onEnd(thread));
  thread.once('exit', () => {
    onEnd(thread);
    isUnwanted.removeEventListener('abort', end);
  });
  isUnwanted.addEventListener('abort', end, { once: true });
  return thread;
}

/** Between two snapshots the thread sleeps, and keeps no process alive. */
async function answerOf(thread: Worker, place: SnapshotPlace): Promise<SnapshotAnswer> {
  const isAnswered = new AbortController();
  const { signal } = isAnswered;
  thread.ref();
  try {
    thread.postMessage(place);
    const ended = once(thread, 'exit', { signal }).then(([status]) => {
      throw new Error(`the thread that makes snapshots ended with status ${status}`);
    });
    const [answer] = await Promise.race([once(thread, 'message', { signal }), ended]);
    return answer as SnapshotAnswer;
  } finally {
    isAnswered.abort();
    thread.unref();
  }
}
