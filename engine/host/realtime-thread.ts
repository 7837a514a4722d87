/**
 * The thread that the realtime service lives in: sockets, and the model that their frames are made of. Started by
 * `realtime-in-thread.ts`. Who a ticket is of it asks the venue's main thread.
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

/** What the thread is started with. */
export interface RealtimeWork
  extends Pick<RealtimePorts, 'host' | 'port' | 'origins' | 'trustedProxies' | 'limits' | 'provider' | 'keptIn'> {
  /** Where the rows come from that the service begins with. */
  readonly rows: MessagePort;
  /** One number, for the main thread to look at: how many clients there are. */
  readonly sockets: Int32Array<SharedArrayBuffer>;
  /** Likewise, how far it has come: a {@link FoldProgress}. */
  readonly folded: FoldProgress['shared'];
  /** And how far it has kept what a start can replay, for the projection to look at. */
  readonly replayable: FoldProgress['shared'];
  readonly time: RelayedTime;
}

export type RealtimeMessage =
  | { readonly type: 'groups'; readonly groups: SentGroups; readonly time: RelayedTime }
  | { readonly type: 'answer'; readonly id: number; readonly answer: TicketAnswer | undefined; readonly time: RelayedTime }
  | { readonly type: 'revoked'; readonly familyId: string }
  /** To be answered once all that was told before is worked off. */
  | { readonly type: 'catch_up' }
  /** Records are left out: the rows are as of before the next group that is told. */
  | { readonly type: 'begin_anew'; readonly rows: MessagePort }
  | { readonly type: 'count' }
  | { readonly type: 'close' };

/** What the main thread is asked about tickets; without an answer they cannot be looked up just now. */
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
  /** Or why there are none. */
  | { readonly type: 'counts'; readonly counts: ThreadCounts }
  | { readonly type: 'counts'; readonly error: ToldDefect };

export interface ThreadCounts extends RealtimeCounts {
  /** By how much the thread was late at most since this was asked for last. */
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
/** Groups that come while the service begins, the first time or anew. */
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
      contained(onInternalError, 'the end of a family of tickets', () => service?.familyRevoked(message.familyId))();
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
    // Whoever closes takes the rows away from who waits for them.
    if (!isClosing) fail(defect);
  }
}

/** Group by group, and those that come meanwhile too: what they changed goes to the disk as they go. */
async function followHeld(): Promise<void> {
  for (let message = held?.shift(); message !== undefined && !isClosing; message = held?.shift()) {
    for (const group of message.groups) {
      follow({ ...message, groups: [group] });
      await yieldToEventLoop(systemTime.timers);
    }
  }
  held = undefined;
}

/** After a defect nothing more is told to clients: the venue stops, and they are told that. */
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
  // It tells how far apart its own timers were.
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
