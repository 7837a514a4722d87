/**
 * The projection's thread, started by `projection-in-thread.ts`: it folds the groups of each message at once and serializes
 * responses to reads between folds. A group waits for at most one step of a read.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { unifiedView } from '#gateway/unified-view.ts';
import type { Reader } from '#reads/reader.ts';
import { type ResourceReads, renderSteps } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import { readableNodeFiles } from '#writer/journal/node-files.ts';
import { FoldProgress } from './fold-progress.ts';
import type { EncodedGroups } from './group-batcher.ts';
import { type ProjectionCondition, ProjectionFollower } from './projection-follower.ts';
import { ReadSteps, type Steps } from './read-steps.ts';
import { RelayedClock, type RelayedTime } from './relayed-clock.ts';
import { type SerializedError, serializeError } from './serialized-error.ts';

/** The thread's start data. */
export interface ProjectionTask {
  readonly path: string;
  readonly mayReplace: boolean;
  /** The journal's folder, read-only. */
  readonly journal: string;
  readonly progress: FoldProgress['shared'];
  /** How far the replay log reaches. */
  readonly replayable: FoldProgress['shared'];
  readonly time: RelayedTime;
}

export type ProjectionMessage =
  | { readonly type: 'groups'; readonly groups: EncodedGroups }
  | {
      readonly type: 'read';
      readonly id: number;
      readonly name: keyof ResourceReads;
      readonly args: readonly unknown[];
      readonly form: Reader['form'];
      /** The journal's time. */
      readonly time: RelayedTime;
    }
  /** The audit of the folded state, as JSON. */
  | { readonly type: 'audit'; readonly id: number }
  /** The rows that can still change, for a subscriber that continues from there. */
  | { readonly type: 'rows'; readonly to: MessagePort }
  | { readonly type: 'live'; readonly time: RelayedTime }
  | { readonly type: 'halted' }
  | { readonly type: 'close' };

/**
 * `body` is JSON, or absent if the requested resource does not exist; `isBusy` while reads are refused. Messages without an id
 * are about folding: an internal error that ended it, log lines, or the condition of reads.
 */
export type ProjectionResponse =
  | { readonly id: number; readonly body?: string | Uint8Array | undefined }
  | { readonly id: number; readonly isBusy: true }
  | { readonly id: number; readonly error: SerializedError }
  | { readonly id?: undefined; readonly error: SerializedError; readonly isContradiction: boolean }
  | { readonly id?: undefined; readonly line: string }
  | { readonly id?: undefined; readonly condition: ProjectionCondition };

/** Longer bodies are transferred as bytes, so that the main thread neither copies nor encodes them. */
const BYTES_FROM = 16_384;
const BUSY = Symbol('nothing can be read for a while');

const { path, mayReplace, journal, progress: shared, replayable, time } = workerData as ProjectionTask;
const progress = new FoldProgress(shared);
const port = parentPort!;
const { steadyClock, timers } = systemTime;
const journalTime = new RelayedClock(time);
const reads = new ReadSteps<string | undefined>(timers);
/** Buffered until the thread has reported that it is ready. */
let lines: string[] | undefined = [];
const follower = new ProjectionFollower({
  path,
  mayReplace,
  journal: readableNodeFiles(journal),
  progress,
  replayable: new FoldProgress(replayable),
  steadyClock,
  timers,
  log: (line) => (lines === undefined ? post({ line }) : lines.push(line)),
  onCondition: (condition) => post({ condition }),
  refuseReads: () => {
    reads.refuse(BUSY);
    unified = newUnifiedView();
  },
  onFatalError: (error, isContradiction) => post({ error: serializeError(error), isContradiction }),
});

const newUnifiedView = () => unifiedView(() => follower.projection.reads.marketCatalogue().markets);
/** It caches markets. */
let unified = newUnifiedView();

const { sequence, chainDigest } = follower.projection;
port.postMessage({ sequence, chainDigest, directory: follower.projection.directory(), lines });
lines = undefined;
port.on('message', receive);
// The exception ends the thread. During a start the main thread blocks and receives no messages: wake it, so that it gets the
// error.
process.on('uncaughtExceptionMonitor', () => progress.fail());

function receive(message: ProjectionMessage): void {
  switch (message.type) {
    case 'groups':
      follower.take(message.groups);
      break;
    case 'read':
      reads.add(readSteps(message), (end) => respond(message.id, end));
      break;
    case 'audit':
      void audit(message.id);
      break;
    case 'rows':
      follower.sendRows(message.to);
      break;
    case 'live':
      journalTime.set(message.time);
      follower.live(journalTime, () => journalTime.ageMs);
      break;
    case 'halted':
      follower.halted();
      break;
    case 'close':
      reads.finish();
      void follower.close().then(() => port.close());
      break;
    default:
      message satisfies never;
  }
}

/** During a rebuild, the audit of the rebuilt projection. */
async function audit(id: number): Promise<void> {
  await follower.rebuilt();
  respond(id, () => JSON.stringify(follower.projection.audit()));
}

/** Rows are read in the first step, as of the state folded then. */
function* readSteps({ name, args, form, time }: Extract<ProjectionMessage, { type: 'read' }>): Steps<string | undefined> {
  journalTime.set(time);
  const { responses } = follower;
  if (responses === undefined) throw BUSY;
  return yield* renderSteps(responses, name, args, form === 'unified' ? unified : undefined);
}

function respond(id: number, end: () => string | undefined): void {
  let body: string | undefined;
  try {
    body = end();
  } catch (error) {
    const isBusy = error === BUSY || follower.isFaulty(error);
    post(isBusy ? { id, isBusy } : { id, error: serializeError(error) });
    return;
  }
  if (body === undefined || body.length < BYTES_FROM) {
    post({ id, body });
    return;
  }
  const bytes = new TextEncoder().encode(body);
  port.postMessage({ id, body: bytes } satisfies ProjectionResponse, [bytes.buffer]);
}

function post(response: ProjectionResponse): void {
  port.postMessage(response);
}
