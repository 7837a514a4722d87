/**
 * The thread that the projection lives in: it folds the groups that it is told of, those of one message at once, and writes out what
 * it is asked for, between folds: a group never waits for more than one step of a read. Started by `projection-in-thread.ts`.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { unifiedView } from '#gateway/unified-view.ts';
import { type Answers, answerSteps, answersFrom } from '#http/answers.ts';
import type { Reader } from '#http/reader.ts';
import { openProjection } from '#projection/projection.ts';
import { systemTime } from '#time/system-time.ts';
import type { Timer } from '#time/timers.ts';
import type { ToldGroup } from '#writer/told-group.ts';
import { FoldProgress } from './fold-progress.ts';
import { type SentGroups, toldGroups } from './held-groups.ts';
import { sendLiveRows } from './live-rows-channel.ts';
import { ReadSteps, type Steps } from './read-steps.ts';
import { RelayedClock, type RelayedTime } from './relayed-clock.ts';
import { type ToldDefect, told } from './told-defect.ts';

/** What the thread is started with. */
export interface ProjectionWork {
  readonly path: string;
  readonly progress: FoldProgress['shared'];
  /** How far the realtime service has kept what a start can replay. */
  readonly replayable: FoldProgress['shared'];
  readonly time: RelayedTime;
}

export type ProjectionMessage =
  | { readonly type: 'groups'; readonly groups: SentGroups }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly name: keyof Answers;
      readonly asked: readonly unknown[];
      readonly form: Reader['form'];
      /** The journal's. */
      readonly time: RelayedTime;
    }
  /** What can still change, for whoever goes on from there. */
  | { readonly type: 'rows'; readonly to: MessagePort }
  | { readonly type: 'live'; readonly time: RelayedTime }
  | { readonly type: 'halted' }
  | { readonly type: 'close' };

/** `body` is JSON, or absent where there is nothing of what was asked for. A `defect` without an id is one of folding. */
export type ProjectionAnswer =
  | { readonly id: number; readonly body?: string | Uint8Array | undefined }
  | { readonly id: number; readonly defect: ToldDefect }
  | { readonly id?: undefined; readonly defect: ToldDefect };

/** What is folded is kept in the file after so long, or so many records: a start folds the rest again from the journal. */
const KEEP_AFTER = { ms: 2_000, records: 25_000 };
/**
 * But not before the realtime service has kept what that changed: a start can replay what leads up to where the file is, so the file is not to
 * be ahead. With so much that is waited for no longer: a service that is behind, or away, does not keep this from its work.
 */
const KEEP_AT_THE_LATEST = { ms: 10_000, records: 50_000 };
/** A body from this length on goes over as bytes, which are handed on: the main thread copies and encodes nothing of it. */
const BYTES_FROM = 16_384;
/** How often it is looked whether it is time, where nothing comes. */
const LOOK_MS = 100;

const { path, progress: shared, replayable: sharedReplayable, time } = workerData as ProjectionWork;
const progress = new FoldProgress(shared);
const replayable = new FoldProgress(sharedReplayable);
const port = parentPort!;
const { steadyClock, timers } = systemTime;
const journalTime = new RelayedClock(time);
const projection = openProjection(path);
const answers = answersFrom(projection.reads);
const unified = unifiedView(() => projection.reads.marketCatalogue().markets);
const reads = new ReadSteps<string | undefined>(timers);
/** Once something is folded that is not kept. */
let looking: Timer | undefined;
let keptSequence = projection.sequence;
/** Since when something is not, or the past was told: before that there is no service to wait for, and what it begins with is in the file. */
let unkeptSinceMs = Number.POSITIVE_INFINITY;
let isLive = false;
let hasFailed = false;

const { sequence, chainDigest } = projection;
port.postMessage({ sequence, chainDigest, directory: projection.directory() });
port.on('message', take);
// The thread ends by it. While the past is told the main thread waits here and hears nothing: it is to go on, and then hear why.
process.on('uncaughtExceptionMonitor', () => progress.fail());

function take(message: ProjectionMessage): void {
  switch (message.type) {
    case 'groups':
      fold(toldGroups(message.groups));
      break;
    case 'ask':
      reads.add(readSteps(message), (end) => answer(message.id, end));
      break;
    case 'rows':
      orFail(() => sendLiveRows(message.to, projection.livePieces()));
      message.to.close();
      break;
    case 'live':
      journalTime.set(message.time);
      // An answer shows all that was told before it was asked for, and so it is as old as the question.
      projection.live(journalTime, () => journalTime.ageMs);
      isLive = true;
      lookForKeeping();
      break;
    case 'halted':
      projection.halted();
      break;
    case 'close':
      reads.finish();
      looking?.cancel();
      if (hasFailed) projection.abandon();
      else orFail(() => projection.close());
      port.close();
  }
}

/** What was folded before was told to the realtime service then too: by now that has mostly kept it. */
function fold(groups: readonly ToldGroup[]): void {
  keepIfDue();
  orFail(() => projection.follow(...groups));
  if (hasFailed) return;
  progress.reach(projection.sequence);
  lookForKeeping();
}

function lookForKeeping(): void {
  if (!isLive || looking !== undefined || projection.sequence === keptSequence) return;
  unkeptSinceMs = steadyClock.elapsedMs();
  looking = timers.setInterval(keepIfDue, LOOK_MS);
}

function keepIfDue(): void {
  const [ms, records] = [steadyClock.elapsedMs() - unkeptSinceMs, projection.sequence - keptSequence];
  const isLate = ms > KEEP_AT_THE_LATEST.ms || records > KEEP_AT_THE_LATEST.records;
  const isDue = ms > KEEP_AFTER.ms || records > KEEP_AFTER.records;
  if (isLate || (isDue && replayable.sequence >= projection.sequence)) keep();
}

function keep(): void {
  looking?.cancel();
  looking = undefined;
  unkeptSinceMs = Number.POSITIVE_INFINITY;
  orFail(() => projection.keep());
  keptSequence = projection.sequence;
}

/** After a defect nothing is folded or kept any more: the venue stops, and a start folds from what was kept last on. */
function orFail(step: () => void): void {
  if (hasFailed) return;
  try {
    step();
  } catch (defect) {
    hasFailed = true;
    progress.fail();
    port.postMessage({ defect: told(defect) } satisfies ProjectionAnswer);
  }
}

/** Rows are read in the first step, as of what is folded then. */
function* readSteps({ name, asked, form, time }: Extract<ProjectionMessage, { type: 'ask' }>): Steps<string | undefined> {
  journalTime.set(time);
  return yield* answerSteps(answers, name, asked, form === 'unified' ? unified : undefined);
}

function answer(id: number, end: () => string | undefined): void {
  let body: string | undefined;
  try {
    body = end();
  } catch (defect) {
    orFail(() => {
      if (!projection.isWhole) throw defect;
    });
    port.postMessage({ id, defect: told(defect) } satisfies ProjectionAnswer);
    return;
  }
  if (body === undefined || body.length < BYTES_FROM) {
    port.postMessage({ id, body } satisfies ProjectionAnswer);
  } else {
    const bytes = new TextEncoder().encode(body);
    port.postMessage({ id, body: bytes } satisfies ProjectionAnswer, [bytes.buffer]);
  }
}
