/** The thread that makes a snapshot of the venue: started by `snapshot-in-thread.ts`, it makes one and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { lentNodeFiles } from './node-files.ts';
import type { SnapshotAnswer, SnapshotWork } from './snapshot-in-thread.ts';
import { makeSnapshot } from './snapshot-making.ts';
import { venueRules } from './venue-rules.ts';

const { path, place } = workerData as SnapshotWork;

try {
  await makeSnapshot(lentNodeFiles(path), venueRules, place);
  answer({});
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException;
  answer({ failure: { message, ...(code !== undefined && { code }) } });
}

function answer(value: SnapshotAnswer): void {
  parentPort?.postMessage(value);
}
