/**
 * The thread that the projection lives in: it folds the groups that it is told of, those of one message at once, and writes out what
 * it is asked for. Started by `projection-in-thread.ts`.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Answers, answersFrom, renderedAnswer } from '#http/answers.ts';
import { openProjection } from '#projection/projection.ts';
import type { ToldGroup } from '#writer/told-group.ts';
import { FoldProgress } from './fold-progress.ts';
import { type SentGroups, toldGroups } from './held-groups.ts';
import { sendLiveRows } from './live-rows-channel.ts';
import { RelayedClock, type RelayedTime } from './relayed-clock.ts';
import { type ToldDefect, told } from './told-defect.ts';

/** What the thread is started with. */
export interface ProjectionWork {
  readonly path: string;
  readonly progress: FoldProgress['shared'];
  readonly time: RelayedTime;
}

export type ProjectionMessage =
  | { readonly type: 'groups'; readonly groups: SentGroups }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly name: keyof Answers;
      readonly asked: readonly unknown[];
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
  | { readonly id: number; readonly body?: string | undefined }
  | { readonly id: number; readonly defect: ToldDefect }
  | { readonly id?: undefined; readonly defect: ToldDefect };

/** What is folded is kept in the file after so long, or so many records: a start folds the rest again from the journal. */
const KEEP_AFTER_MS = 2_000;
const KEEP_AFTER_RECORDS = 50_000;

const { path, progress: shared, time } = workerData as ProjectionWork;
const progress = new FoldProgress(shared);
const port = parentPort!;
const journalTime = new RelayedClock(time);
const projection = openProjection(path);
const answers = answersFrom(projection.reads);
/** Once something is folded that is not kept. */
let keeping: NodeJS.Timeout | undefined;
let keptSequence = projection.sequence;
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
      journalTime.set(message.time);
      port.postMessage(answerTo(message.id, () => renderedAnswer(answers, message.name, message.asked)));
      break;
    case 'rows':
      orFail(() => sendLiveRows(message.to, projection.livePieces()));
      message.to.close();
      break;
    case 'live':
      journalTime.set(message.time);
      // An answer shows all that was told before it was asked for, and so it is as old as the question.
      projection.live(journalTime, () => journalTime.ageMs);
      break;
    case 'halted':
      projection.halted();
      break;
    case 'close':
      clearTimeout(keeping);
      if (hasFailed) projection.abandon();
      else orFail(() => projection.close());
      port.close();
  }
}

function fold(groups: readonly ToldGroup[]): void {
  orFail(() => projection.follow(...groups));
  if (hasFailed) return;
  progress.reach(projection.sequence);
  keeping ??= setTimeout(keep, KEEP_AFTER_MS);
  if (projection.sequence - keptSequence >= KEEP_AFTER_RECORDS) keep();
}

function keep(): void {
  clearTimeout(keeping);
  keeping = undefined;
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

function answerTo(id: number, render: () => string | undefined): ProjectionAnswer {
  try {
    return { id, body: render() };
  } catch (defect) {
    orFail(() => {
      if (!projection.isWhole) throw defect;
    });
    return { id, defect: told(defect) };
  }
}
