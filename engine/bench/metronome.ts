/**
 * A thread that does nothing but wake another one every so often. Whoever offers a load so sleeps in between, as a venue does
 * that waits for its clients, and leaves its core to the threads that write to the disk.
 */
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface Metronome {
  stop(): Promise<number>;
}

/** Calls `onBeat` every so many milliseconds, unless the last call is not over yet. */
export function startMetronome(everyMs: number, onBeat: () => void): Metronome {
  const isTold = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(fileURLToPath(import.meta.url), { workerData: { everyMs, isTold } });
  thread.on('message', () => {
    onBeat();
    Atomics.store(isTold, 0, 0);
  });
  return { stop: () => thread.terminate() };
}

function beat(everyMs: number, isTold: Int32Array): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    Atomics.wait(never, 0, 0, everyMs);
    if (Atomics.exchange(isTold, 0, 1) === 0) parentPort!.postMessage(undefined);
  }
}

if (!isMainThread && workerData?.isTold !== undefined) beat(workerData.everyMs, workerData.isTold);
