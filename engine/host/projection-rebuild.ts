/**
 * Rebuilds a projection from the first record of the journal, beside a running venue. What the disk does not take is tried again, less often
 * each time. Long work logs how far it is.
 */
import { discardProjection, isDamage, isDiskFault, openProjection, type Projection } from '#projection/projection.ts';
import { sleep, type Timers, yieldToEventLoop } from '#time/timers.ts';
import type { ReadableFiles } from '#writer/journal/files.ts';
import { catchUp, refuseUnreadable } from './journal-catch-up.ts';
import type { RowRequests } from './row-requests.ts';

export interface RebuildPorts {
  readonly path: string;
  /** That of the running venue. */
  readonly journal: ReadableFiles;
  readonly timers: Timers;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  /** The newest record that is durable and known to the thread. It may grow meanwhile. */
  readonly told: () => number;
  readonly rows: RowRequests;
  readonly onFolded: (sequence: number) => void;
  readonly onDiskFault: (fault: unknown) => void;
  /** The journal can be read from its first record on. The file that is there is about to be deleted: it is to be closed. */
  readonly beforeDiscard: () => void;
  /** Called in the turn in which nothing is left to fold: from then on the caller folds. */
  readonly onRebuilt: (projection: Projection) => void;
  /** Aborted when the venue closes: what is folded by then is kept in the file. */
  readonly closing: AbortSignal;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
const PROGRESS_MS = 30_000;

/** Rejects with what is wrong with the journal or the fold, and with the signal's reason if it is aborted. */
export async function rebuildProjection(ports: RebuildPorts): Promise<void> {
  const { path, journal, timers, log, told, onRebuilt, beforeDiscard, closing } = ports;
  const state: { projection?: Projection } = {};
  const logProgress = () => log(`projection: ${state.projection?.sequence ?? 0} of ${told()} records are folded again`);
  const progress = timers.setInterval(logProgress, PROGRESS_MS);
  try {
    await whileDiskFails(ports, () => refuseUnreadable(journal, told(), () => pause(ports)));
    closing.throwIfAborted();
    beforeDiscard();
    const projection = await whileDiskFails(ports, () => {
      for (const name of discardProjection(path))
        log(`projection: what no venue has written was in the place of its file and is now ${name}`);
      return openProjection(path, log);
    });
    state.projection = projection;
    do await whileDiskFails(ports, () => foldJournal(projection, ports));
    while (projection.sequence < told());
    onRebuilt(projection);
  } catch (cause) {
    // Where the venue closes in between, the next start goes on with what is folded by now.
    const close = cause === closing.reason ? keepAndClose : abandonProjection;
    if (state.projection !== undefined) close(state.projection, log);
    throw cause;
  } finally {
    progress.cancel();
  }
}

function foldJournal(projection: Projection, ports: RebuildPorts): Promise<void> {
  const { journal, told, rows, onFolded } = ports;
  if (!projection.isWhole) projection.rollBack();
  return catchUp({
    journal,
    projection,
    told,
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

async function whileDiskFails<Result>(ports: RebuildPorts, step: () => Result | Promise<Result>): Promise<Result> {
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

/** Keeps what is folded, if the disk takes it, and closes the file. Throws any fault that is neither the disk's nor damage, which the next start finds. */
export function keepAndClose(projection: Projection, log: (line: string) => void): void {
  try {
    if (!projection.isWhole) projection.rollBack();
    projection.close();
  } catch (fault) {
    if (!isDiskFault(fault) && !isDamage(fault)) throw fault;
    log(`projection: the file is not up to date, the next start folds the rest again: ${fault}`);
  }
}

/** Closes a projection of which nothing is kept. */
export function abandonProjection(projection: Projection, log: (line: string) => void): void {
  try {
    projection.abandon();
  } catch (fault) {
    log(`projection: the file that is thrown away could not be closed in order: ${fault}`);
  }
}
