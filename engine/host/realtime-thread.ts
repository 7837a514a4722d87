/**
 * The realtime service's thread, started by `realtime-in-thread.ts`: sockets, and the model that their frames are made from. The
 * main thread looks up tickets for it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { contained } from '#http/server/guarded-events.ts';
import type { FamilyStatus, SocketTickets, TicketVerdict } from '#identity/socket-tickets.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import type { RealtimeCounts, RealtimePorts } from '#realtime/ports.ts';
import { RealtimeService } from '#realtime/service.ts';
import { systemTime } from '#time/system-time.ts';
import { yieldToEventLoop } from '#time/timers.ts';
import { FoldProgress } from './fold-progress.ts';
import { durableGroups, type EncodedGroups } from './group-batcher.ts';
import { receiveLiveRows } from './live-rows-channel.ts';
import { RelayedClock, type RelayedTime } from './relayed-clock.ts';
import { type SerializedError, serializeError } from './serialized-error.ts';

/** The thread's start data. */
export interface RealtimeTask
  extends Pick<
    RealtimePorts,
    'environment' | 'host' | 'port' | 'origins' | 'trustedProxies' | 'limits' | 'provider' | 'replayLogDirectory'
  > {
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
  | { readonly type: 'groups'; readonly groups: EncodedGroups; readonly time: RelayedTime }
  | { readonly type: 'answer'; readonly id: number; readonly response: TicketResponse | undefined; readonly time: RelayedTime }
  | { readonly type: 'revoked'; readonly familyId: string }
  | { readonly type: 'holder_ended'; readonly holderId: string }
  /** To be answered once everything published before is processed. */
  | { readonly type: 'catch_up' }
  /** Records are skipped: the rows are as of just before the next published group. */
  | { readonly type: 'restart'; readonly rows: MessagePort }
  | { readonly type: 'count' }
  | { readonly type: 'close' };

/** A query to the main thread about tickets. No answer means that they cannot be looked up now. */
export type TicketQuery = { readonly ticket: string } | { readonly familyId: string };
export type TicketResponse = { readonly verdict: TicketVerdict } | { readonly status: FamilyStatus };

export type RealtimeReport =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'fault'; readonly fault: SerializedError }
  | { readonly type: 'ticket_query'; readonly id: number; readonly question: TicketQuery }
  | { readonly type: 'log'; readonly line: string }
  | { readonly type: 'fatal_error'; readonly error: SerializedError }
  | { readonly type: 'internal_error'; readonly error: SerializedError }
  | { readonly type: 'caught_up' }
  | { readonly type: 'closed' }
  /** Or the error instead of the counts. */
  | { readonly type: 'counts'; readonly counts: ThreadCounts }
  | { readonly type: 'counts'; readonly error: SerializedError };

export interface ThreadCounts extends RealtimeCounts {
  /** The maximum delay of the thread's event loop since the last request. */
  readonly loopDelayMs: number;
}

const RESOLUTION_MS = 10;

const work = workerData as RealtimeTask;
const port = parentPort!;
const clock = new RelayedClock(work.time);
const progress = new FoldProgress(work.folded);
const replayable = new FoldProgress(work.replayable);
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
const pendingQuestions = new Map<number, (response: TicketResponse | undefined) => void>();
let questions = 0;
let service: RealtimeService | undefined;
let hasFailed = false;
let isClosing = false;
/** Groups that arrive while the service starts, the first time or again. */
let queuedGroups: Extract<RealtimeMessage, { type: 'groups' }>[] | undefined = [];
let { rows } = work;

port.on('message', receive);
let started = start();

function receive(message: RealtimeMessage): void {
  switch (message.type) {
    case 'groups':
      clock.set(message.time);
      if (queuedGroups === undefined) follow(message);
      else queuedGroups.push(message);
      break;
    case 'answer':
      clock.set(message.time);
      pendingQuestions.get(message.id)?.(message.response);
      pendingQuestions.delete(message.id);
      break;
    case 'revoked':
      contained(onInternalError, 'the revocation of a ticket family', () => service?.familyRevoked(message.familyId))();
      break;
    case 'holder_ended':
      contained(onInternalError, 'the end of a session', () => service?.holderEnded(message.holderId))();
      break;
    case 'catch_up':
      void started.then(() => !hasFailed && report({ type: 'caught_up' }));
      break;
    case 'restart':
      queuedGroups = [];
      rows = message.rows;
      started = startOver();
      break;
    case 'count':
      if (service !== undefined) report(countsOf(service));
      break;
    case 'close':
      void close();
      break;
    default:
      message satisfies never;
  }
}

async function start(): Promise<void> {
  try {
    service = await RealtimeService.start({
      ...work,
      rows: await receiveLiveRows(rows),
      tickets,
      clock,
      steadyClock: systemTime.steadyClock,
      timers: systemTime.timers,
      onReplayLogOpened: (sequence) => replayable.reach(sequence),
      onSockets: (count) => Atomics.store(work.sockets, 0, count),
      log: (line) => report({ type: 'log', line }),
      onInternalError,
    });
    await followQueued();
    report({ type: 'listening', port: service.port });
  } catch (fault) {
    report({ type: 'fault', fault: serializeError(fault) });
  }
}

async function startOver(): Promise<void> {
  try {
    service!.startOver(await receiveLiveRows(rows));
    await followQueued();
  } catch (error) {
    // Closing ends the pending transfer of rows.
    if (!isClosing) fail(error);
  }
}

/** Takes one group at a time, also those that arrive meanwhile, so that the replay log is written as they are folded. */
async function followQueued(): Promise<void> {
  for (let message = queuedGroups?.shift(); message !== undefined && !isClosing; message = queuedGroups?.shift()) {
    for (const group of message.groups) {
      follow({ ...message, groups: [group] });
      await yieldToEventLoop(systemTime.timers);
    }
  }
  queuedGroups = undefined;
}

/** After an internal error nothing more is published to clients: the venue stops, and clients are notified. */
function follow({ groups, time }: Extract<RealtimeMessage, { type: 'groups' }>): void {
  if (hasFailed) return;
  try {
    for (const group of durableGroups(groups)) service!.follow(group, time.atMs);
    progress.reach(service!.sequence);
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  hasFailed = true;
  report({ type: 'fatal_error', error: serializeError(error) });
}

function countsOf(counted: RealtimeService): RealtimeReport {
  try {
    return { type: 'counts', counts: { ...counted.counts(), loopDelayMs: loopDelayMs() } };
  } catch (error) {
    return { type: 'counts', error: serializeError(error) };
  }
}

function onInternalError(error: unknown): void {
  report({ type: 'internal_error', error: serializeError(error) });
}

function loopDelayMs(): number {
  // The histogram measures the intervals of its own timer.
  const late = delays.max / 1e6 - RESOLUTION_MS;
  delays.reset();
  return Math.max(0, late);
}

const tickets: SocketTickets = {
  authenticate: async (ticket) => {
    const response = await queryTicket({ ticket });
    return (response as Extract<TicketResponse, { verdict: unknown }>).verdict;
  },
  validUntil: async (familyId) => {
    const response = await queryTicket({ familyId });
    return (response as Extract<TicketResponse, { status: unknown }>).status;
  },
};

async function queryTicket(question: TicketQuery): Promise<TicketResponse> {
  questions += 1;
  const id = questions;
  const { promise, resolve } = Promise.withResolvers<TicketResponse | undefined>();
  pendingQuestions.set(id, resolve);
  report({ type: 'ticket_query', id, question });
  const response = await promise;
  if (response === undefined) throw new StoreUnavailable('tickets cannot be looked up');
  return response;
}

async function close(): Promise<void> {
  isClosing = true;
  rows.close();
  await started;
  await service?.close();
  report({ type: 'closed' });
  port.close();
}

function report(message: RealtimeReport): void {
  port.postMessage(message);
}
