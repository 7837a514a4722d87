/** The thread that makes snapshots of the venue: started by `snapshot-in-thread.ts`, it sleeps until a message requests one. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { systemTime } from '#time/system-time.ts';
import { sleep } from '#time/timers.ts';
import { borrowedNodeFiles } from '#writer/journal/node-files.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { SnapshotBuilder, type SnapshotPosition } from './snapshot-builder.ts';
import type { SnapshotResponse, SnapshotTask } from './snapshot-in-thread.ts';

/** Longer than most pieces take, so that commits find a core and the disk free in between. */
const PAUSE_MS = 4;

// Snapshots have time: commits go first if both share a core. On systems other than Linux a priority applies to the whole
// process, so it stays unchanged there.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
const { path } = workerData as SnapshotTask;
const maker = new SnapshotBuilder(borrowedNodeFiles(path), venueRules, () => sleep(systemTime.timers, PAUSE_MS));

parentPort?.on('message', async (place: SnapshotPosition) => {
  parentPort?.postMessage(await answerTo(place));
});

async function answerTo(place: SnapshotPosition): Promise<SnapshotResponse> {
  try {
    await maker.create(place);
    return {};
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { failure: { message, ...(code !== undefined && { code }) } };
  }
}
