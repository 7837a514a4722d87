/**
 * The main thread's side of the realtime service, which has a thread of its own: publishes groups to it in order and looks up
 * tickets for it. Its initial state is requested from the projection at the moment it starts to follow: no record is lost or
 * doubled.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { StoreAway } from '#identity/store-away.ts';
import type { TicketStore } from '#identity/ticket-store.ts';
import type { Tickets } from '#identity/tickets.ts';
import type { Clock } from '#time/clock.ts';
import { sleep, type Timers } from '#time/timers.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import { lastSequenceOf } from '#writer/port/told-records.ts';
import type { TakenBeginning } from './beginning.ts';
import { FoldProgress } from './fold-progress.ts';
import { HeldGroups, type SentGroups } from './held-groups.ts';
import type { Ledger } from './ledger.ts';
import type {
  RealtimeMessage,
  RealtimeReport,
  RealtimeWork,
  ThreadCounts,
  TicketAnswer,
  TicketQuestion,
} from './realtime-thread.ts';
import { relayed } from './relayed-clock.ts';
import { defectOf } from './told-defect.ts';

const THREAD = new URL('./realtime-thread.ts', import.meta.url);

/** Clients have two seconds to take their close frame, and waiting groups are published before. */
const CLOSING_MS = 10_000;

/** How often to check whether it has caught up. */
const CATCHING_UP_MS = 1;

/**
 * Used while there are no clients. A client that connects then starts at the service's sequence and gets the batch right after.
 */
const WHILE_NOBODY_LISTENS = { holdMs: 20, mostRecords: 1_000 };

export interface RealtimeParts extends Omit<RealtimeWork, 'time' | 'rows' | 'sockets' | 'folded' | 'replayable'> {
  readonly ledger: Pick<Ledger, 'projection' | 'addFollower' | 'takeBeginning'>;
  readonly tickets: Tickets;
  readonly ticketStore: TicketStore;
  /** The clock for the expiry of tickets. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: (line: string) => void;
  /** Takes errors that the venue cannot continue after. */
  readonly onDefect: (defect: unknown) => void;
  /** Takes errors that the service continues after. */
  readonly onInternalError: (error: unknown) => void;
}

export class RealtimeInThread {
  readonly #parts: RealtimeParts;
  readonly #worker: Worker;
  /** The number of clients. */
  readonly #sockets = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #progress = new FoldProgress();
  readonly #groups: HeldGroups;
  readonly #listening = Promise.withResolvers<number>();
  readonly #ended: Promise<void>;
  /** Resolves when all work is done: a thread whose disk hangs ends only when the disk responds. */
  readonly #closed = Promise.withResolvers<void>();
  #counting: PromiseWithResolvers<ThreadCounts> | undefined;
  /** Too many records wait: nothing is published until they are processed and the thread starts again. */
  #isPaused = false;
  #defect: unknown;
  #isClosing = false;

  private constructor(parts: RealtimeParts) {
    const { ledger, ticketStore, host, port, origins, trustedProxies, limits, provider, keptIn, clock } = parts;
    this.#parts = parts;
    this.#groups = new HeldGroups(parts.timers, WHILE_NOBODY_LISTENS, (groups, transfer) => this.#sendGroups(groups, transfer));
    const service = { host, port, origins, trustedProxies, limits, provider, keptIn };
    const { rows, since } = this.#beginning();
    const { shared: folded } = this.#progress;
    const { shared: replayable } = ledger.projection.replayable;
    const workerData: RealtimeWork = { ...service, rows, sockets: this.#sockets, folded, replayable, time: relayed(clock) };
    this.#worker = new Worker(THREAD, { workerData, transferList: [rows] });
    this.#sendGroups(
      since,
      since.map(({ buffer }) => buffer),
    );
    ledger.addFollower((group) => this.#follow(group));
    this.#worker.on('message', (report: RealtimeReport) => this.#take(report));
    this.#worker.on('error', (defect) => this.#fail(defect));
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', (status) => {
        if (!this.#isClosing || status !== 0)
          this.#fail(new Error(`the thread of the realtime service ended with status ${status}`));
        resolve();
      });
    });
    ticketStore.onRevoked((familyId) => this.#post({ type: 'revoked', familyId }));
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
  async caughtUp(): Promise<void> {
    const sequence = this.#parts.ledger.projection.directory.sequence();
    this.#groups.flush();
    while (this.#progress.sequence < sequence && this.#defect === undefined) await sleep(this.#parts.timers, CATCHING_UP_MS);
  }

  /** Notifies every client that the venue stops. Rejects with an internal error that was not reported before. */
  async close(): Promise<void> {
    const earlier = this.#defect;
    this.#isClosing = true;
    this.#post({ type: 'close' });
    const deadline = this.#parts.timers.setTimeout(() => this.#end(), CLOSING_MS);
    await Promise.race([this.#ended, this.#closed.promise]);
    deadline.cancel();
    if (this.#defect !== undefined && earlier === undefined) throw this.#defect;
  }

  #follow({ stored }: CommittedGroup): void {
    if (stored === undefined) throw new TypeError('a group of the journal has its bytes');
    if (this.#isPaused) return;
    this.#groups.add(stored);
    if (Atomics.load(this.#sockets, 0) > 0) this.#groups.flush();
    const waiting = lastSequenceOf(stored) - this.#progress.sequence;
    if (waiting > this.#parts.limits.maxWaitingRecords) this.#pause(waiting);
  }

  #sendGroups(groups: SentGroups, transfer: readonly ArrayBuffer[]): void {
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
  #beginning(): Pick<TakenBeginning, 'rows' | 'since'> {
    const beginning = this.#parts.ledger.takeBeginning();
    if (beginning === undefined) return { rows: this.#rowsOfNow(), since: [] };
    this.#progress.reach(beginning.sequence);
    return beginning;
  }

  /** Sends the rows to the returned port. They include the groups published by now; later groups follow them. */
  #rowsOfNow(): MessagePort {
    const { projection } = this.#parts.ledger;
    const { port1: sent, port2: rows } = new MessageChannel();
    projection.sendLiveRows(sent);
    this.#progress.reach(projection.directory.sequence());
    return rows;
  }

  #beginAnew(): void {
    const rows = this.#rowsOfNow();
    this.#worker.postMessage({ type: 'begin_anew', rows } satisfies RealtimeMessage, [rows]);
    this.#isPaused = false;
  }

  #take(report: RealtimeReport): void {
    switch (report.type) {
      case 'listening':
        this.#listening.resolve(report.port);
        break;
      case 'fault':
        this.#listening.reject(defectOf(report.fault));
        break;
      case 'ask':
        void this.#answer(report.id, report.question);
        break;
      case 'log':
        this.#parts.log(report.line);
        break;
      case 'defect':
        this.#fail(defectOf(report.defect));
        break;
      case 'internal_error':
        this.#parts.onInternalError(defectOf(report.error));
        break;
      case 'caught_up':
        this.#beginAnew();
        break;
      case 'closed':
        this.#closed.resolve();
        break;
      case 'counts':
        if ('error' in report) this.#counting?.reject(defectOf(report.error));
        else this.#counting?.resolve(report.counts);
        this.#counting = undefined;
    }
  }

  async #answer(id: number, question: TicketQuestion): Promise<void> {
    const answer = await this.#lookedUp(question).catch((error: unknown) => this.#notLookedUp(error));
    this.#post({ type: 'answer', id, answer, time: relayed(this.#parts.clock) });
  }

  async #lookedUp(question: TicketQuestion): Promise<TicketAnswer> {
    const { tickets } = this.#parts;
    if ('ticket' in question) return { verdict: await tickets.authenticate(question.ticket) };
    return { standing: await tickets.lastsUntil(question.familyId) };
  }

  #notLookedUp(error: unknown): undefined {
    if (!(error instanceof StoreAway)) this.#parts.onInternalError(error);
  }

  #end(): void {
    this.#fail(new Error(`the thread of the realtime service did not end within ${CLOSING_MS / 1_000} seconds`));
    void this.#worker.terminate();
  }

  /** Reports the first internal error: later ones are its consequences. */
  #fail(defect: unknown): void {
    if (this.#defect !== undefined) return;
    this.#defect = defect;
    if (this.#isClosing) return;
    this.#listening.reject(defect);
    this.#parts.onDefect(defect);
  }

  /** Sends a message after everything published before. */
  #post(message: RealtimeMessage): void {
    this.#groups.flush();
    this.#worker.postMessage(message);
  }
}
