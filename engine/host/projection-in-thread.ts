/**
 * The main thread's side of the projection, which has a thread of its own: publishes groups to it in order and sends it read
 * requests, whose responses come back serialized. A read requested after a group was published reflects the group: both use one
 * channel.
 */
import { once } from 'node:events';
import { type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { DIRECTORY_COMMANDS, type DirectoryState, VenueDirectory } from '#projection/projection.ts';
import { type Reader, VENUE_READER } from '#reads/reader.ts';
import { proxyReads, type RenderedReads } from '#reads/resource-reads.ts';
import type { Clock } from '#time/clock.ts';
import { systemBlocking } from '#time/system-time.ts';
import type { Time } from '#time/time.ts';
import type { Sequence } from '#units/ids.ts';
import type { StateAudit } from '#venue/audit/state-audit.ts';
import { lastSequenceOf, recordsOfCommands } from '#writer/port/group-records.ts';
import { type CommittedGroup, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { FoldProgress } from './fold-progress.ts';
import { GroupBatcher } from './group-batcher.ts';
import type { ProjectionCondition } from './projection-follower.ts';
import type { ProjectionMessage, ProjectionResponse, ProjectionTask } from './projection-thread.ts';
import { ReadQueue } from './read-queue.ts';
import { relayed, sharedMs } from './relayed-clock.ts';
import { deserializeError } from './serialized-error.ts';

const THREAD = new URL('./projection-thread.ts', import.meta.url);

/** Rows that change again within this time are written once, unless there is a read in between. */
const FOLD_BATCH_RECORDS = { delayMs: 50, maxRecords: 1_000 };
/** How many records may wait to be folded during a start; more would only fill the memory. */
const MAX_LAG_RECORDS_AT_START = 20_000;
/** At this number of waiting records a running venue refuses commands: otherwise reads would lag further and further behind. */
const MAX_LAG_RECORDS = 100_000;
/** Folding nothing for this long while records wait is an internal error. */
const STALL_TIMEOUT_MS = 60_000;

interface Opening {
  readonly sequence: Sequence;
  readonly chainDigest: string;
  readonly directory: DirectoryState;
  /** Log lines. */
  readonly lines: readonly string[];
}

/** The projection contradicts the journal: discard it and rebuild it from the first record. */
export class ProjectionContradiction extends Error {
  override readonly name = 'ProjectionContradiction';
}

/** Where its files are, and its ports. */
export interface ProjectionPlace extends Pick<Time, 'clock' | 'timers'> {
  readonly path: string;
  /** Whether an unusable file may be replaced by an empty one. */
  readonly mayReplace: boolean;
  /** The journal's folder. */
  readonly journal: string;
  /** Receives log lines for people. */
  readonly log: (line: string) => void;
}

/** How far the projection is behind the journal. */
export interface ProjectionLag {
  readonly records: number;
  readonly ms: number;
}

/** Shared with the thread. */
interface SharedProgress {
  readonly progress: FoldProgress;
  readonly replayable: FoldProgress;
}

interface Waiting {
  readonly resolve: (body: string | Uint8Array | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class ProjectionInThread {
  /** The checkpoint: later groups are to be published. */
  readonly sequence: Sequence;
  readonly chainDigest: string;
  readonly directory: VenueDirectory;
  /** Reads of the venue itself. */
  readonly reads: RenderedReads;
  /** How far the replay log reaches, as set by the realtime service: commits to the file wait for it. */
  readonly replayable: FoldProgress;
  readonly #worker: Worker;
  readonly #progress: FoldProgress;
  readonly #groups: GroupBatcher;
  readonly #queue = new ReadQueue();
  readonly #waiting = new Map<number, Waiting>();
  #journalTime: Clock;
  /** One published group and its time: its folding time represents all groups that came meanwhile. */
  #watched: { readonly sequence: Sequence; readonly publishedAtMs: number } | undefined;
  /** The folding time of the previous one. */
  #busyMs = 0;
  #isLive = false;
  #lastRequestId = 0;
  #onFatalError: (error: unknown) => void = () => {};
  #error: unknown;
  #isClosing = false;
  readonly #log: (line: string) => void;
  #condition: ProjectionCondition = { isRebuilding: false, isUnwritten: false, rebuildCount: 0, writeFaultCount: 0 };
  readonly #ended: Promise<void>;

  private constructor(
    worker: Worker,
    { clock, timers, log }: Pick<ProjectionPlace, 'clock' | 'timers' | 'log'>,
    { progress, replayable }: SharedProgress,
    { sequence, chainDigest, directory }: Opening,
  ) {
    this.replayable = replayable;
    this.#worker = worker;
    this.#log = log;
    this.#journalTime = clock;
    this.#progress = progress;
    this.#groups = new GroupBatcher(timers, FOLD_BATCH_RECORDS, (groups, transfer) =>
      worker.postMessage({ type: 'groups', groups }, transfer),
    );
    this.sequence = sequence;
    this.chainDigest = chainDigest;
    this.directory = new VenueDirectory(directory);
    this.reads = this.readsFor(VENUE_READER);
    progress.reach(sequence);
    worker.on('message', (response: ProjectionResponse) => this.#take(response));
    worker.on('error', (error) => this.#fail(error));
    this.#ended = new Promise((resolve) => {
      worker.once('exit', (status) => {
        if (!this.#isClosing || status !== 0) this.#fail(new Error(`the thread of the projection ended with status ${status}`));
        resolve();
      });
    });
  }

  /**
   * Rejects if the file cannot be opened; with an error named `ProjectionUnusable` if it would have to be replaced but may not
   * be.
   */
  static async open({ path, mayReplace, journal, log, ...time }: ProjectionPlace): Promise<ProjectionInThread> {
    const [progress, replayable] = [new FoldProgress(), new FoldProgress()];
    const work: ProjectionTask = {
      path,
      mayReplace,
      journal,
      progress: progress.shared,
      replayable: replayable.shared,
      time: relayed(time.clock),
    };
    const worker = new Worker(THREAD, { workerData: work });
    const [opening] = (await once(worker, 'message')) as [Opening];
    for (const line of opening.lines) log(line);
    return new ProjectionInThread(worker, { ...time, log }, { progress, replayable }, opening);
  }

  /** Reads for a client, queued fairly. */
  readsFor(reader: Reader): RenderedReads {
    const { form } = reader;
    return proxyReads((name, args) =>
      this.#queue.run(reader, () =>
        this.#read((id) => ({ type: 'read', id, name, args, form, time: relayed(this.#journalTime) })),
      ),
    );
  }

  /** Publishes groups in order. Throws the internal error of an earlier one. */
  follow(group: CommittedGroup): void {
    if (this.#error !== undefined) throw this.#error;
    const { stored } = group;
    if (stored === undefined) throw new TypeError('a group of the journal has its bytes');
    this.directory.follow(lastSequenceOf(stored), recordsOfCommands(stored, DIRECTORY_COMMANDS));
    this.#groups.add(stored);
    if (!this.#isLive) this.#waitForCapacity();
    else this.#watch();
  }

  /** Whether too many records wait to be folded. */
  get isBehind(): boolean {
    const { sequence } = this.#progress;
    // During a rebuild from the journal no records wait in memory.
    return sequence < 0 || (!this.#condition.isRebuilding && this.directory.sequence() - sequence > MAX_LAG_RECORDS);
  }

  /** The conditions that restrict reads. */
  get condition(): ProjectionCondition {
    return this.#condition;
  }

  get lag(): ProjectionLag {
    const records = Math.max(0, this.directory.sequence() - this.#progress.sequence);
    if (records === 0 || this.#watched === undefined) return { records, ms: 0 };
    return {
      records,
      ms: Math.max(this.#busyMs, (this.#untilFolded(this.#watched) ?? sharedMs()) - this.#watched.publishedAtMs),
    };
  }

  /**
   * Call it after the journal's past was published. Resolves when it is folded; rejects with the error otherwise. `onFatalError` is
   * called at once with later errors.
   */
  async live(journalTime: Clock, onFatalError: (error: unknown) => void): Promise<void> {
    this.#journalTime = journalTime;
    this.#isLive = true;
    this.#post({ type: 'live', time: relayed(journalTime) });
    await this.reads.freshness().catch((error) => {
      throw this.#error ?? error;
    });
    if (this.#error !== undefined) throw this.#error;
    this.#onFatalError = onFatalError;
  }

  /** The audit of the projection, as of the groups published by now. */
  async audit(): Promise<StateAudit> {
    return JSON.parse(String(await this.#read((id) => ({ type: 'audit', id })))) as StateAudit;
  }

  /**
   * Sends the rows that can still change, as of the groups published by now: a subscriber that follows from now on gets every
   * later group exactly once.
   */
  sendLiveRows(to: MessagePort): void {
    this.#post({ type: 'rows', to }, [to]);
  }

  /**
   * The venue takes no commands any more. Reads continue and say so, unless an internal error of the projection is the reason.
   */
  halted(): void {
    this.#post({ type: 'halted' });
  }

  /** Folds and saves everything published. Rejects with an internal error that was not reported before. */
  async close(): Promise<void> {
    const earlier = this.#error;
    this.#isClosing = true;
    this.#post({ type: 'close' });
    await this.#ended;
    const error = this.#error;
    this.#fail(new Error('the projection is closed'));
    if (error !== undefined && earlier === undefined) throw error;
  }

  /** After an internal error the projection may lack acknowledged records, so that all reads are refused. */
  async #read(question: (id: number) => ProjectionMessage): Promise<string | Uint8Array | undefined> {
    try {
      return await this.#answered(question);
    } catch (cause) {
      if (cause !== this.#error) throw cause;
      throw new VenueHalted(`nothing can be read until the venue is started again (${String(cause)})`, { cause });
    }
  }

  #answered(question: (id: number) => ProjectionMessage): Promise<string | Uint8Array | undefined> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    this.#lastRequestId += 1;
    const id = this.#lastRequestId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post(question(id));
    });
  }

  #take(response: ProjectionResponse): void {
    if (response.id === undefined) {
      this.#onReport(response);
      return;
    }
    const waiting = this.#waiting.get(response.id);
    // After an internal error no read waits any more.
    if (waiting === undefined) return;
    this.#waiting.delete(response.id);
    if ('isBusy' in response) waiting.reject(new WriterBusy('what is read is folded again from the journal: try again soon'));
    else if ('error' in response) waiting.reject(deserializeError(response.error));
    else waiting.resolve(response.body);
  }

  /** Handles a report about folding, not a response to a read. */
  #onReport(report: Extract<ProjectionResponse, { id?: undefined }>): void {
    if ('line' in report) this.#log(report.line);
    else if ('condition' in report) this.#condition = report.condition;
    else {
      const error = deserializeError(report.error);
      this.#fail(report.isContradiction ? new ProjectionContradiction(error.message, { cause: error }) : error);
    }
  }

  /** Keeps the first internal error. It rejects all waiting reads and the next call to `follow`. */
  #fail(error: unknown): void {
    if (this.#error === undefined && !this.#isClosing) this.#onFatalError(error);
    this.#error ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#error);
    this.#waiting.clear();
  }

  /** Watches one group at a time: the next one published after the last is folded. */
  #watch(): void {
    if (this.#watched !== undefined) {
      const foldedAtMs = this.#untilFolded(this.#watched);
      if (foldedAtMs === undefined) return;
      this.#busyMs = foldedAtMs - this.#watched.publishedAtMs;
    }
    this.#watched = { sequence: this.directory.sequence(), publishedAtMs: sharedMs() };
  }

  #untilFolded({ sequence }: { readonly sequence: Sequence }): number | undefined {
    return this.#progress.sequence < sequence ? undefined : this.#progress.atMs;
  }

  /** Blocks this thread, which has nothing else to do during a start. */
  #waitForCapacity(): void {
    for (;;) {
      const { sequence } = this.#progress;
      // A negative value: it has stopped folding and reports why.
      if (sequence < 0 || this.directory.sequence() - sequence <= MAX_LAG_RECORDS_AT_START) return;
      if (!this.#progress.waitUntilAfter(sequence, STALL_TIMEOUT_MS, systemBlocking))
        throw new Error('the projection folds nothing any more');
    }
  }

  /** Sends a message after everything published before. */
  #post(message: ProjectionMessage, transfer: readonly Transferable[] = []): void {
    this.#groups.flush();
    this.#worker.postMessage(message, transfer);
  }
}
