/** The thread that makes snapshots of the venue: started by `snapshot-in-thread.ts`, it sleeps until it is asked for one. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { systemTime } from '#time/system-time.ts';
import { sleep } from '#time/timers.ts';
import { lentNodeFiles } from '#writer/journal/node-files.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import type { SnapshotAnswer, SnapshotWork } from './snapshot-in-thread.ts';
import { SnapshotMaker, type SnapshotPlace } from './snapshot-making.ts';

/** Longer than most pieces take: commits find a core and the disk free in between. */
const PAUSE_MS = 4;

// There is time for a snapshot: commits come first, wherever the two meet on one core. Elsewhere than on Linux a priority is the
// whole process's, so it stays what it is there.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
const { path } = workerData as SnapshotWork;
const maker = new SnapshotMaker(lentNodeFiles(path), venueRules, () => sleep(systemTime.timers, PAUSE_MS));

parentPort?.on('message', async (place: SnapshotPlace) => {
  parentPort?.postMessage(await answerTo(place));
});

async function answerTo(place: SnapshotPlace): Promise<SnapshotAnswer> {
  try {
    await maker.make(place);
    return {};
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { failure: { message, ...(code !== undefined && { code }) } };
  }
}
