/** Makes the venue's snapshots in a thread of their own, on another core. The thread lives as long as the writer. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CreateSnapshot, SnapshotPosition } from './snapshot-builder.ts';

/** The thread's start data. Each message to it is a {@link SnapshotPosition}. */
export interface SnapshotTask {
  readonly path: string;
}

/** Empty if the snapshot is durable; else why it is not. */
export type SnapshotResponse = { readonly failure?: { readonly message: string; readonly code?: string } };

const THREAD = new URL('./venue-snapshot-thread.ts', import.meta.url);

/**
 * `folder` is the journal's, below the data directory that this process has locked. The thread obeys the signal of the last call:
 * while it makes that snapshot, and while it sleeps afterwards.
 */
export function snapshotInThread(dataDirectory: string, folder: string): CreateSnapshot {
  const work: SnapshotTask = { path: join(dataDirectory, folder) };
  let thread: SnapshotThread | undefined;
  return async (place, isUnwanted) => {
    isUnwanted.throwIfAborted();
    thread ??= new SnapshotThread(work, (ended) => {
      if (thread === ended) thread = undefined;
    });
    thread.obey(isUnwanted);
    const { failure } = await responseOf(thread.worker, place);
    if (failure !== undefined) throw Object.assign(new Error(failure.message), failure);
  };
}

/** If it ends halfway it leaves an unfinished file, which the next start removes. */
class SnapshotThread {
  readonly worker: Worker;
  readonly #onEnd: (ended: SnapshotThread) => void;
  #isUnwanted: AbortSignal | undefined;

  constructor(workerData: SnapshotTask, onEnd: (ended: SnapshotThread) => void) {
    this.#onEnd = onEnd;
    this.worker = new Worker(THREAD, { workerData });
    // A pending call rejects separately; a thread that dies while no call is pending does no harm.
    this.worker.on('error', () => onEnd(this));
    this.worker.once('exit', () => {
      onEnd(this);
      this.#isUnwanted?.removeEventListener('abort', this.#end);
    });
  }

  /** Ends the thread by this signal, and no longer by an earlier one. */
  obey(isUnwanted: AbortSignal): void {
    if (isUnwanted === this.#isUnwanted) return;
    this.#isUnwanted?.removeEventListener('abort', this.#end);
    this.#isUnwanted = isUnwanted;
    isUnwanted.addEventListener('abort', this.#end, { once: true });
  }

  readonly #end = (): void => {
    this.#onEnd(this);
    void this.worker.terminate();
  };
}

/** Between two snapshots the thread sleeps and does not keep the process alive. */
async function responseOf(thread: Worker, place: SnapshotPosition): Promise<SnapshotResponse> {
  const isAnswered = new AbortController();
  const { signal } = isAnswered;
  thread.ref();
  try {
    thread.postMessage(place);
    const ended = once(thread, 'exit', { signal }).then(([status]) => {
      throw new Error(`the thread that makes snapshots ended with status ${status}`);
    });
    const [response] = await Promise.race([once(thread, 'message', { signal }), ended]);
    return response as SnapshotResponse;
  } finally {
    isAnswered.abort();
    thread.unref();
  }
}
