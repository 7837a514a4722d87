/**
 * The realtime service's thread, started by `realtime-in-thread.ts`: sockets, and the model that their frames are made from. The
 * main thread looks up tickets for it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { contained } from '#http/server/guarded-events.ts';
import type { FamilyStanding, SocketTickets, TicketVerdict } from '#identity/socket-tickets.ts';
import { StoreAway } from '#identity/store-away.ts';
import type { RealtimeCounts, RealtimePorts } from '#realtime/ports.ts';
import { RealtimeService } from '#realtime/service.ts';
import { systemTime } from '#time/system-time.ts';
import { yieldToEventLoop } from '#time/timers.ts';
import { FoldProgress } from './fold-progress.ts';
import { type SentGroups, toldGroups } from './held-groups.ts';
import { receiveLiveRows } from './live-rows-channel.ts';
import { RelayedClock, type RelayedTime } from './relayed-clock.ts';
import { type ToldDefect, told } from './told-defect.ts';

/** The thread's start data. */
export interface RealtimeWork
  extends Pick<RealtimePorts, 'host' | 'port' | 'origins' | 'trustedProxies' | 'limits' | 'provider' | 'keptIn'> {
  /** The port that the initial rows come from. */
  readonly rows: MessagePort;
  /** One number for the main thread to read: how many clients there are. */
  readonly sockets: Int32Array<SharedArrayBuffer>;
  /** Likewise, how far it has folded: a {@link FoldProgress}. */
  readonly folded: FoldProgress['shared'];
  /** How far the replay log reaches, for the projection to read. */
  readonly replayable: FoldProgress['shared'];
  readonly time: RelayedTime;
}

export type RealtimeMessage =
  | { readonly type: 'groups'; readonly groups: SentGroups; readonly time: RelayedTime }
  | { readonly type: 'answer'; readonly id: number; readonly answer: TicketAnswer | undefined; readonly time: RelayedTime }
  | { readonly type: 'revoked'; readonly familyId: string }
  /** To be answered once everything published before is processed. */
  | { readonly type: 'catch_up' }
  /** Records are skipped: the rows are as of just before the next published group. */
  | { readonly type: 'begin_anew'; readonly rows: MessagePort }
  | { readonly type: 'count' }
  | { readonly type: 'close' };

/** A query to the main thread about tickets. No answer means that they cannot be looked up now. */
export type TicketQuestion = { readonly ticket: string } | { readonly familyId: string };
export type TicketAnswer = { readonly verdict: TicketVerdict } | { readonly standing: FamilyStanding };

export type RealtimeReport =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'fault'; readonly fault: ToldDefect }
  | { readonly type: 'ask'; readonly id: number; readonly question: TicketQuestion }
  | { readonly type: 'log'; readonly line: string }
  | { readonly type: 'defect'; readonly defect: ToldDefect }
  | { readonly type: 'internal_error'; readonly error: ToldDefect }
  | { readonly type: 'caught_up' }
  | { readonly type: 'closed' }
  /** Or the error instead of the counts. */
  | { readonly type: 'counts'; readonly counts: ThreadCounts }
  | { readonly type: 'counts'; readonly error: ToldDefect };

export interface ThreadCounts extends RealtimeCounts {
  /** The maximum delay of the thread's event loop since the last request. */
  readonly loopDelayMs: number;
}

const RESOLUTION_MS = 10;

const work = workerData as RealtimeWork;
const port = parentPort!;
const clock = new RelayedClock(work.time);
const progress = new FoldProgress(work.folded);
const replayable = new FoldProgress(work.replayable);
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
const asked = new Map<number, (answer: TicketAnswer | undefined) => void>();
let questions = 0;
let service: RealtimeService | undefined;
let hasFailed = false;
let isClosing = false;
/** Groups that arrive while the service starts, the first time or again. */
let held: Extract<RealtimeMessage, { type: 'groups' }>[] | undefined = [];
let { rows } = work;

port.on('message', take);
let begun = begin();

function take(message: RealtimeMessage): void {
  switch (message.type) {
    case 'groups':
      clock.set(message.time);
      if (held === undefined) follow(message);
      else held.push(message);
      break;
    case 'answer':
      clock.set(message.time);
      asked.get(message.id)?.(message.answer);
      asked.delete(message.id);
      break;
    case 'revoked':
      contained(onInternalError, 'the revocation of a ticket family', () => service?.familyRevoked(message.familyId))();
      break;
    case 'catch_up':
      void begun.then(() => !hasFailed && report({ type: 'caught_up' }));
      break;
    case 'begin_anew':
      held = [];
      rows = message.rows;
      begun = beginAnew();
      break;
    case 'count':
      if (service !== undefined) report(countsOf(service));
      break;
    case 'close':
      void close();
  }
}

async function begin(): Promise<void> {
  try {
    service = await RealtimeService.start({
      ...work,
      rows: await receiveLiveRows(rows),
      tickets,
      clock,
      steadyClock: systemTime.steadyClock,
      timers: systemTime.timers,
      onKept: (sequence) => replayable.reach(sequence),
      onSockets: (count) => Atomics.store(work.sockets, 0, count),
      log: (line) => report({ type: 'log', line }),
      onInternalError,
    });
    await followHeld();
    report({ type: 'listening', port: service.port });
  } catch (fault) {
    report({ type: 'fault', fault: told(fault) });
  }
}

async function beginAnew(): Promise<void> {
  try {
    service!.beginAnew(await receiveLiveRows(rows));
    await followHeld();
  } catch (defect) {
    // Closing ends the pending transfer of rows.
    if (!isClosing) fail(defect);
  }
}

/** One group at a time, including those that arrive meanwhile, so that the replay log is written as they are folded. */
async function followHeld(): Promise<void> {
  for (let message = held?.shift(); message !== undefined && !isClosing; message = held?.shift()) {
    for (const group of message.groups) {
      follow({ ...message, groups: [group] });
      await yieldToEventLoop(systemTime.timers);
    }
  }
  held = undefined;
}

/** After an internal error nothing more is published to clients: the venue stops, and clients are notified. */
function follow({ groups, time }: Extract<RealtimeMessage, { type: 'groups' }>): void {
  if (hasFailed) return;
  try {
    for (const group of toldGroups(groups)) service!.follow(group, time.atMs);
    progress.reach(service!.sequence);
  } catch (defect) {
    fail(defect);
  }
}

function fail(defect: unknown): void {
  hasFailed = true;
  report({ type: 'defect', defect: told(defect) });
}

function countsOf(counted: RealtimeService): RealtimeReport {
  try {
    return { type: 'counts', counts: { ...counted.counts(), loopDelayMs: loopDelayMs() } };
  } catch (error) {
    return { type: 'counts', error: told(error) };
  }
}

function onInternalError(error: unknown): void {
  report({ type: 'internal_error', error: told(error) });
}

function loopDelayMs(): number {
  // The histogram measures the intervals of its own timer.
  const late = delays.max / 1e6 - RESOLUTION_MS;
  delays.reset();
  return Math.max(0, late);
}

const tickets: SocketTickets = {
  authenticate: async (ticket) => {
    const answer = await ask({ ticket });
    return (answer as Extract<TicketAnswer, { verdict: unknown }>).verdict;
  },
  lastsUntil: async (familyId) => {
    const answer = await ask({ familyId });
    return (answer as Extract<TicketAnswer, { standing: unknown }>).standing;
  },
};

async function ask(question: TicketQuestion): Promise<TicketAnswer> {
  questions += 1;
  const id = questions;
  const { promise, resolve } = Promise.withResolvers<TicketAnswer | undefined>();
  asked.set(id, resolve);
  report({ type: 'ask', id, question });
  const answer = await promise;
  if (answer === undefined) throw new StoreAway('tickets cannot be looked up');
  return answer;
}

async function close(): Promise<void> {
  isClosing = true;
  rows.close();
  await begun;
  await service?.close();
  report({ type: 'closed' });
  port.close();
}

function report(message: RealtimeReport): void {
  port.postMessage(message);
}
