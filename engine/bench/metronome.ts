/**
 * A thread that only wakes another one periodically. A load generator can sleep in between, like a venue that waits for its
 * clients, and leaves its core to the threads that write to the disk.
 */
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface Metronome {
  stop(): Promise<number>;
}

/** Calls `onBeat` at this interval, unless the last call is still running. */
export function startMetronome(everyMs: number, onBeat: () => void): Metronome {
  const isPending = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(fileURLToPath(import.meta.url), { workerData: { everyMs, isPending } });
  thread.on('message', () => {
    onBeat();
    Atomics.store(isPending, 0, 0);
  });
  return { stop: () => thread.terminate() };
}

function beat(everyMs: number, isPending: Int32Array): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    Atomics.wait(never, 0, 0, everyMs);
    if (Atomics.exchange(isPending, 0, 1) === 0) parentPort!.postMessage(undefined);
  }
}

if (!isMainThread && workerData?.isPending !== undefined) beat(workerData.everyMs, workerData.isPending);
