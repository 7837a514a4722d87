/**
 * Rebuilds a projection from the first record of the journal while the venue runs. Disk errors are retried with growing delays.
 * Long work logs its progress.
 */
import { discardProjection, isDamage, isDiskFault, openProjection, type Projection } from '#projection/projection.ts';
import { sleep, type Timers, yieldToEventLoop } from '#time/timers.ts';
import type { ReadableFiles } from '#writer/journal/files.ts';
import { catchUp, refuseUnreadable } from './journal-catch-up.ts';
import type { RowRequests } from './row-requests.ts';

export interface RebuildPorts {
  readonly path: string;
  /** The journal of the running venue. */
  readonly journal: ReadableFiles;
  readonly timers: Timers;
  /** Receives log lines for people. */
  readonly log: (line: string) => void;
  /** The newest record that is durable and published to the thread. It may grow meanwhile. */
  readonly receivedSequence: () => number;
  readonly rows: RowRequests;
  readonly onFolded: (sequence: number) => void;
  readonly onDiskFault: (fault: unknown) => void;
  /** Called when the journal is known to be readable from its first record and the file is about to be deleted: close it. */
  readonly beforeDiscard: () => void;
  /** Called synchronously when nothing is left to fold: from then on the caller folds. */
  readonly onRebuilt: (projection: Projection) => void;
  /** Aborted when the venue closes: the state folded by then is saved in the file. */
  readonly closing: AbortSignal;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
const PROGRESS_MS = 30_000;

/** Rejects with the error of the journal or the fold, or with the signal's reason. */
export async function rebuildProjection(ports: RebuildPorts): Promise<void> {
  const { path, journal, timers, log, receivedSequence, onRebuilt, beforeDiscard, closing } = ports;
  const state: { projection?: Projection } = {};
  const logProgress = () =>
    log(`projection: ${state.projection?.sequence ?? 0} of ${receivedSequence()} records are folded again`);
  const progress = timers.setInterval(logProgress, PROGRESS_MS);
  try {
    await retryWhileDiskFails(ports, () => refuseUnreadable(journal, receivedSequence(), () => pause(ports)));
    closing.throwIfAborted();
    beforeDiscard();
    const projection = await retryWhileDiskFails(ports, () => {
      for (const name of discardProjection(path))
        log(`projection: a foreign file was in the place of its own and is now ${name}`);
      return openProjection(path, log);
    });
    state.projection = projection;
    do await retryWhileDiskFails(ports, () => foldJournal(projection, ports));
    while (projection.sequence < receivedSequence());
    onRebuilt(projection);
  } catch (cause) {
    // If the venue closes meanwhile, the next start continues from the folded state.
    const close = cause === closing.reason ? saveAndClose : abandonProjection;
    if (state.projection !== undefined) close(state.projection, log);
    throw cause;
  } finally {
    progress.cancel();
  }
}

function foldJournal(projection: Projection, ports: RebuildPorts): Promise<void> {
  const { journal, receivedSequence, rows, onFolded } = ports;
  if (!projection.isWhole) projection.rollBack();
  return catchUp({
    journal,
    projection,
    receivedSequence,
    isStop: (sequence) => rows.waitsFor(sequence),
    onFolded: (sequence) => {
      onFolded(sequence);
      rows.send(projection);
    },
    pause: () => pause(ports),
  });
}

async function pause({ timers, closing }: RebuildPorts): Promise<void> {
  await yieldToEventLoop(timers);
  closing.throwIfAborted();
}

async function retryWhileDiskFails<Result>(ports: RebuildPorts, step: () => Result | Promise<Result>): Promise<Result> {
  const { timers, onDiskFault, closing } = ports;
  for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(LAST_RETRY_MS, 2 * waitMs)) {
    try {
      return await step();
    } catch (fault) {
      if (!isDiskFault(fault)) throw fault;
      onDiskFault(fault);
    }
    await sleep(timers, waitMs, { signal: closing });
  }
}

/**
 * Saves the folded state, if the disk accepts it, and closes the file. Throws errors other than the disk's and damage; the next
 * start finds those.
 */
export function saveAndClose(projection: Projection, log: (line: string) => void): void {
  try {
    if (!projection.isWhole) projection.rollBack();
    projection.close();
  } catch (fault) {
    if (!isDiskFault(fault) && !isDamage(fault)) throw fault;
    log(`projection: the file is not up to date, the next start folds the rest again: ${fault}`);
  }
}

/** Closes a projection without saving anything. */
export function abandonProjection(projection: Projection, log: (line: string) => void): void {
  try {
    projection.abandon();
  } catch (fault) {
    log(`projection: the discarded file could not be closed cleanly: ${fault}`);
  }
}
