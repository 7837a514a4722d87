/**
 * The main thread's side of the realtime service, which has a thread of its own: publishes groups to it in order and looks up
 * tickets for it. Its initial state is requested from the projection at the moment it starts to follow: no record is lost or
 * doubled.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { holderIdOf } from '#identity/directory.ts';
import type { Sessions } from '#identity/sessions.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import type { TicketStore } from '#identity/ticket-store.ts';
import type { Tickets } from '#identity/tickets.ts';
import type { Clock } from '#time/clock.ts';
import { sleep, type Timers } from '#time/timers.ts';
import { lastSequenceOf } from '#writer/port/group-records.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import type { BootstrapSnapshot } from './bootstrap.ts';
import { FoldProgress } from './fold-progress.ts';
import { type EncodedGroups, GroupBatcher } from './group-batcher.ts';
import type { Ledger } from './ledger.ts';
import type {
  RealtimeMessage,
  RealtimeReport,
  RealtimeTask,
  ThreadCounts,
  TicketQuery,
  TicketResponse,
} from './realtime-thread.ts';
import { relayed } from './relayed-clock.ts';
import { deserializeError } from './serialized-error.ts';

const THREAD = new URL('./realtime-thread.ts', import.meta.url);

/** Clients have two seconds to take their close frame, and waiting groups are published before. */
const CLOSE_TIMEOUT_MS = 10_000;

/** How often to check whether it has caught up. */
const CATCH_UP_INTERVAL_MS = 1;

/**
 * Used while there are no clients. A client that connects then starts at the service's sequence and gets the batch right after.
 */
const WHILE_IDLE = { delayMs: 20, maxRecords: 1_000 };

export interface RealtimeParts extends Omit<RealtimeTask, 'time' | 'rows' | 'sockets' | 'folded' | 'replayable'> {
  readonly ledger: Pick<Ledger, 'projection' | 'addListener' | 'takeBootstrap'>;
  readonly tickets: Tickets;
  readonly ticketStore: TicketStore;
  readonly sessions: Pick<Sessions, 'onEnded'>;
  /** The clock for the expiry of tickets. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: (line: string) => void;
  /** Receives errors after which the venue cannot continue. */
  readonly onFatalError: (error: unknown) => void;
  /** Receives errors after which the service continues. */
  readonly onInternalError: (error: unknown) => void;
}

export class RealtimeInThread {
  readonly #parts: RealtimeParts;
  readonly #worker: Worker;
  /** The number of clients. */
  readonly #sockets = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #progress = new FoldProgress();
  readonly #groups: GroupBatcher;
  readonly #listening = Promise.withResolvers<number>();
  readonly #ended: Promise<void>;
  /** Resolves when all work is done: a thread whose disk hangs ends only when the disk responds. */
  readonly #closed = Promise.withResolvers<void>();
  #counting: PromiseWithResolvers<ThreadCounts> | undefined;
  /** Too many records wait: nothing is published until they are processed and the thread starts again. */
  #isPaused = false;
  #error: unknown;
  #isClosing = false;

  private constructor(parts: RealtimeParts) {
    const {
      ledger,
      ticketStore,
      sessions,
      clock,
      environment,
      host,
      port,
      origins,
      trustedProxies,
      limits,
      provider,
      replayLogDirectory,
    } = parts;
    this.#parts = parts;
    this.#groups = new GroupBatcher(parts.timers, WHILE_IDLE, (groups, transfer) => this.#sendGroups(groups, transfer));
    const service = { environment, host, port, origins, trustedProxies, limits, provider, replayLogDirectory };
    const { rows, since } = this.#bootstrap();
    const { shared: folded } = this.#progress;
    const { shared: replayable } = ledger.projection.replayable;
    const workerData: RealtimeTask = { ...service, rows, sockets: this.#sockets, folded, replayable, time: relayed(clock) };
    this.#worker = new Worker(THREAD, { workerData, transferList: [rows] });
    this.#sendGroups(
      since,
      since.map(({ buffer }) => buffer),
    );
    ledger.addListener((group) => this.#follow(group));
    this.#worker.on('message', (report: RealtimeReport) => this.#take(report));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', (status) => {
        if (!this.#isClosing || status !== 0)
          this.#fail(new Error(`the thread of the realtime service ended with status ${status}`));
        resolve();
      });
    });
    ticketStore.onRevoked((familyId) => this.#post({ type: 'revoked', familyId }));
    sessions.onEnded((sessionId) => this.#post({ type: 'holder_ended', holderId: holderIdOf(sessionId) }));
  }

  /** Rejects if the port is taken. */
  static async open(parts: RealtimeParts): Promise<{ readonly realtime: RealtimeInThread; readonly port: number }> {
    const realtime = new RealtimeInThread(parts);
    try {
      return { realtime, port: await realtime.#listening.promise };
    } catch (fault) {
      await realtime.close();
      throw fault;
    }
  }

  /** The service's current counts. */
  counts(): Promise<ThreadCounts> {
    this.#counting ??= Promise.withResolvers();
    this.#post({ type: 'count' });
    return this.#counting.promise;
  }

  /** How many durable records have not been published to clients. */
  get behindRecords(): number {
    return Math.max(0, this.#parts.ledger.projection.directory.sequence() - this.#progress.sequence);
  }

  /** Resolves once the service has processed what is durable now, or has failed, which is reported elsewhere. */
  async hasCaughtUp(): Promise<void> {
    const sequence = this.#parts.ledger.projection.directory.sequence();
    this.#groups.flush();
    while (this.#progress.sequence < sequence && this.#error === undefined) await sleep(this.#parts.timers, CATCH_UP_INTERVAL_MS);
  }

  /** Notifies every client that the venue stops. Rejects with an internal error that was not reported before. */
  async close(): Promise<void> {
    const earlier = this.#error;
    this.#isClosing = true;
    this.#post({ type: 'close' });
    const deadline = this.#parts.timers.setTimeout(() => this.#end(), CLOSE_TIMEOUT_MS);
    await Promise.race([this.#ended, this.#closed.promise]);
    deadline.cancel();
    if (this.#error !== undefined && earlier === undefined) throw this.#error;
  }

  #follow({ stored }: CommittedGroup): void {
    if (stored === undefined) throw new TypeError('a group of the journal has its bytes');
    if (this.#isPaused) return;
    this.#groups.add(stored);
    if (Atomics.load(this.#sockets, 0) > 0) this.#groups.flush();
    const waiting = lastSequenceOf(stored) - this.#progress.sequence;
    if (waiting > this.#parts.limits.maxWaitingRecords) this.#pause(waiting);
  }

  #sendGroups(groups: EncodedGroups, transfer: readonly ArrayBuffer[]): void {
    this.#worker.postMessage({ type: 'groups', groups, time: relayed(this.#parts.clock) } satisfies RealtimeMessage, transfer);
  }

  #pause(waiting: number): void {
    this.#isPaused = true;
    this.#parts.log(
      `realtime: ${waiting} records wait to be published: clients are disconnected, and can continue from the newest record`,
    );
    this.#post({ type: 'catch_up' });
  }

  /** Starts as far back as possible: the service can replay what it folds itself. */
  #bootstrap(): Pick<BootstrapSnapshot, 'rows' | 'since'> {
    const bootstrap = this.#parts.ledger.takeBootstrap();
    if (bootstrap === undefined) return { rows: this.#currentRows(), since: [] };
    this.#progress.reach(bootstrap.sequence);
    return bootstrap;
  }

  /** Sends the rows to the returned port. They include the groups published by now; later groups follow them. */
  #currentRows(): MessagePort {
    const { projection } = this.#parts.ledger;
    const { port1: sent, port2: rows } = new MessageChannel();
    projection.sendLiveRows(sent);
    this.#progress.reach(projection.directory.sequence());
    return rows;
  }

  #restart(): void {
    const rows = this.#currentRows();
    this.#worker.postMessage({ type: 'restart', rows } satisfies RealtimeMessage, [rows]);
    this.#isPaused = false;
  }

  #take(report: RealtimeReport): void {
    switch (report.type) {
      case 'listening':
        this.#listening.resolve(report.port);
        break;
      case 'fault':
        this.#listening.reject(deserializeError(report.fault));
        break;
      case 'ticket_query':
        void this.#respond(report.id, report.question);
        break;
      case 'log':
        this.#parts.log(report.line);
        break;
      case 'fatal_error':
        this.#fail(deserializeError(report.error));
        break;
      case 'internal_error':
        this.#parts.onInternalError(deserializeError(report.error));
        break;
      case 'caught_up':
        this.#restart();
        break;
      case 'closed':
        this.#closed.resolve();
        break;
      case 'counts':
        if ('error' in report) this.#counting?.reject(deserializeError(report.error));
        else this.#counting?.resolve(report.counts);
        this.#counting = undefined;
        break;
      default:
        report satisfies never;
    }
  }

  async #respond(id: number, question: TicketQuery): Promise<void> {
    const response = await this.#lookUp(question).catch((error: unknown) => this.#rejectLookup(error));
    this.#post({ type: 'answer', id, response, time: relayed(this.#parts.clock) });
  }

  async #lookUp(question: TicketQuery): Promise<TicketResponse> {
    const { tickets } = this.#parts;
    if ('ticket' in question) return { verdict: await tickets.authenticate(question.ticket) };
    return { status: await tickets.validUntil(question.familyId) };
  }

  #rejectLookup(error: unknown): undefined {
    if (!(error instanceof StoreUnavailable)) this.#parts.onInternalError(error);
  }

  #end(): void {
    this.#fail(new Error(`the thread of the realtime service did not end within ${CLOSE_TIMEOUT_MS / 1_000} seconds`));
    void this.#worker.terminate();
  }

  /** Reports the first internal error: later ones are its consequences. */
  #fail(error: unknown): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    if (this.#isClosing) return;
    this.#listening.reject(error);
    this.#parts.onFatalError(error);
  }

  /** Sends a message after everything published before. */
  #post(message: RealtimeMessage): void {
    this.#groups.flush();
    this.#worker.postMessage(message);
  }
}
