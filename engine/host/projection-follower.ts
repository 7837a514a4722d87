/**
 * The projection in its thread: follows groups, serves reads, closes. A projection that contradicts the journal is rebuilt from
 * it, and reads are refused meanwhile. If the rebuilt one contradicts it as well, that is an internal error and stops the venue.
 */
import type { MessagePort } from 'node:worker_threads';
import { isDamage, isDiskFault, openProjection, type Projection } from '#projection/projection.ts';
import { type ResourceReads, resourceReads } from '#reads/resource-reads.ts';
import type { Clock } from '#time/clock.ts';
import type { Timer } from '#time/timers.ts';
import type { FoldProgress } from './fold-progress.ts';
import { type EncodedGroups, lastSequenceIn } from './group-batcher.ts';
import { abandonProjection, type RebuildPorts, rebuildProjection, saveAndClose } from './projection-rebuild.ts';
import { RebuildPace } from './rebuild-pace.ts';
import { RowRequests } from './row-requests.ts';
import { UnsavedFolds, type UnsavedFoldsPorts } from './unsaved-folds.ts';

/** The conditions that restrict reads, and how often they occurred. */
export interface ProjectionCondition {
  /** Reads are refused until the projection is rebuilt. */
  readonly isRebuilding: boolean;
  /** The disk does not accept the folded state. */
  readonly isUnwritten: boolean;
  readonly rebuildCount: number;
  readonly writeFaultCount: number;
}

export interface FollowerPorts
  extends Pick<UnsavedFoldsPorts, 'steadyClock' | 'timers' | 'replayable'>,
    Pick<RebuildPorts, 'path' | 'journal' | 'log'> {
  /** If false, an unusable file is left unchanged, because the journal may not suffice to rebuild it. */
  readonly mayReplace: boolean;
  readonly progress: Pick<FoldProgress, 'reach' | 'fail'>;
  readonly onCondition: (condition: ProjectionCondition) => void;
  /** The projection contradicts the journal: all reads in progress must end. */
  readonly refuseReads: () => void;
  /** Folding has ended. If `isContradiction`, a projection rebuilt from the first record may be valid. */
  readonly onFatalError: (error: unknown, isContradiction: boolean) => void;
}

/** How long to wait before rows are read again after a disk error. */
const ROWS_RETRY_MS = 5_000;
/** Each second this many pages of the file are compared with their checksums: a megabyte. */
const VERIFY_INTERVAL_MS = 1_000;
const PAGES_PER_VERIFICATION = 256;

export class ProjectionFollower {
  readonly #ports: FollowerPorts;
  #projection: Projection;
  /** False between closing the file and a rebuild that makes another. */
  #isOpen = true;
  #responses: ResourceReads;
  #folds: UnsavedFolds;
  /** The newest published record. */
  #receivedSequence: number;
  #live: { readonly journalTime: Clock; readonly ageMs: () => number } | undefined;
  #isHalted = false;
  #hasFailed = false;
  readonly #closing = new AbortController();
  readonly #pace: RebuildPace;
  #rebuilding: Promise<void> | undefined;
  readonly #rows = new RowRequests();
  #rowsRetry: Timer | undefined;
  #verifying: Timer | undefined;
  #condition: ProjectionCondition = { isRebuilding: false, isUnwritten: false, rebuildCount: 0, writeFaultCount: 0 };

  /** Throws if the file cannot be opened. */
  constructor(ports: FollowerPorts) {
    this.#ports = ports;
    this.#pace = new RebuildPace(ports);
    this.#projection = openProjection(ports.path, ports.log, ports.mayReplace);
    this.#receivedSequence = this.#projection.sequence;
    this.#responses = resourceReads(this.#projection.reads);
    this.#folds = this.#newFolds();
  }

  get projection(): Projection {
    return this.#projection;
  }

  /** `undefined` while reads are refused. */
  get responses(): ResourceReads | undefined {
    return this.#condition.isRebuilding ? undefined : this.#responses;
  }

  take(groups: EncodedGroups): void {
    this.#receivedSequence = Math.max(this.#receivedSequence, lastSequenceIn(groups));
    // During a rebuild, the groups are read from the journal.
    if (!this.#condition.isRebuilding && !this.#hasFailed) this.#folds.take(groups);
  }

  /** Call it after the journal's past was published. `ageMs` is the age of the request being processed. */
  live(journalTime: Clock, ageMs: () => number): void {
    this.#live = { journalTime, ageMs };
    this.#goLive();
    this.#verifying = this.#ports.timers.setInterval(() => this.#verify(), VERIFY_INTERVAL_MS);
  }

  /** Sends the rows that can still change, once everything published by now is folded. */
  sendRows(to: MessagePort): void {
    this.#rows.add(this.#receivedSequence, to);
    this.#sendRows();
  }

  /** Resolves when no rebuild is in progress. */
  async rebuilt(): Promise<void> {
    await this.#rebuilding;
  }

  halted(): void {
    this.#isHalted = true;
    this.#projection.halted();
  }

  /** Handles an exception of a read. Returns whether the projection caused it and recovers: then the read may be repeated. */
  isFaulty(fault: unknown): boolean {
    if (this.#condition.isRebuilding) return true;
    if (isDamage(fault)) this.#contradicted(fault);
    else if (!this.#projection.isWhole) this.#folds.rolledBack(fault);
    else return false;
    return true;
  }

  /** Saves the folded state, if the disk accepts it, and closes the file. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#verifying?.cancel();
    this.#rowsRetry?.cancel();
    await this.#rebuilding;
    this.#folds.end();
    this.#rows.close();
    if (this.#isOpen) this.#closeFile();
  }

  /** Saves nothing more of a projection that may be wrong. */
  #closeFile(): void {
    const { log } = this.#ports;
    this.#isOpen = false;
    if (this.#hasFailed || this.#condition.isRebuilding) {
      abandonProjection(this.#projection, log);
      return;
    }
    try {
      saveAndClose(this.#projection, log);
    } catch (fault) {
      this.#fail(fault, false);
    }
  }

  #newFolds(): UnsavedFolds {
    const { steadyClock, timers, replayable, progress } = this.#ports;
    return new UnsavedFolds({
      steadyClock,
      timers,
      replayable,
      projection: this.#projection,
      onFolded: (sequence) => {
        progress.reach(sequence);
        this.#sendRows();
      },
      onWriteFault: (fault) => this.#noteWriteFault(fault),
      onWritten: () => this.#noteWritten(),
      onContradiction: (fault) => this.#contradicted(fault),
      onStartFault: (fault) => this.#fail(fault, false),
    });
  }

  #goLive(): void {
    if (this.#live === undefined) return;
    const { journalTime, ageMs } = this.#live;
    const folds = this.#folds;
    // A read reflects everything published before its request, so it is as old as the request, unless the disk delays folding.
    this.#projection.live(journalTime, () => Math.max(ageMs(), folds.waitedMs));
    if (this.#isHalted) this.#projection.halted();
    folds.live();
  }

  #sendRows(): void {
    // A rebuild sends the rows itself.
    if (this.#condition.isRebuilding || this.#hasFailed || this.#rowsRetry !== undefined) return;
    try {
      this.#rows.send(this.#projection);
    } catch (fault) {
      this.#rowsRetry = this.#ports.timers.setTimeout(() => this.#retryRows(), ROWS_RETRY_MS);
      if (!this.isFaulty(fault) && !isDiskFault(fault)) this.#contradicted(fault);
    }
  }

  #retryRows(): void {
    this.#rowsRetry?.cancel();
    this.#rowsRetry = undefined;
    this.#sendRows();
  }

  #verify(): void {
    if (this.#condition.isRebuilding || this.#hasFailed) return;
    try {
      this.#projection.verifySome(PAGES_PER_VERIFICATION);
    } catch (fault) {
      if (!isDiskFault(fault)) this.#contradicted(fault);
    }
  }

  /** At a start the caller starts over: what it read from the projection may be wrong as well. */
  #contradicted(fault: unknown): void {
    if (this.#hasFailed || this.#condition.isRebuilding) return;
    if (this.#live === undefined) this.#fail(fault, true);
    else this.#rebuilding = this.#rebuild(fault);
  }

  async #rebuild(fault: unknown): Promise<void> {
    const { log, path, refuseReads } = this.#ports;
    const rebuildCount = this.#condition.rebuildCount + 1;
    this.#setCondition({ isRebuilding: true, isUnwritten: false, rebuildCount });
    this.#folds.end();
    refuseReads();
    log(
      `projection: ${path} contradicts the journal and is folded again from it, reads are refused until then: ${messageOf(fault)}`,
    );
    try {
      while (!(await this.#foldAgain()));
    } catch (cause) {
      const why = `the projection contradicts the journal (${messageOf(fault)}), and cannot be folded again from it: ${messageOf(cause)}`;
      if (cause !== this.#closing.signal.reason) this.#fail(new Error(why, { cause }), false);
    }
  }

  /** Resolves with false if the new file is damaged as well. */
  async #foldAgain(): Promise<boolean> {
    const { path, journal, timers, log, progress } = this.#ports;
    const closing = this.#closing.signal;
    await this.#pace.next(closing);
    try {
      await rebuildProjection({
        path,
        journal,
        timers,
        log,
        receivedSequence: () => this.#receivedSequence,
        rows: this.#rows,
        onFolded: (sequence) => progress.reach(sequence),
        onDiskFault: (fault) => this.#noteWriteFault(fault),
        beforeDiscard: () => this.#discard(),
        onRebuilt: (projection) => this.#goOnWith(projection),
        closing,
      });
      return true;
    } catch (fault) {
      if (!isDamage(fault)) throw fault;
      log(`projection: what was folded again is damaged as well, and is folded once more: ${messageOf(fault)}`);
      this.#pace.ended();
      return false;
    }
  }

  #discard(): void {
    if (this.#isOpen) abandonProjection(this.#projection, this.#ports.log);
    this.#isOpen = false;
  }

  #goOnWith(projection: Projection): void {
    this.#pace.ended();
    this.#projection = projection;
    this.#isOpen = true;
    this.#responses = resourceReads(projection.reads);
    this.#folds = this.#newFolds();
    this.#goLive();
    this.#setCondition({ isRebuilding: false, isUnwritten: false });
    this.#ports.log(`projection: folded again up to record ${projection.sequence}, reads go on`);
    this.#retryRows();
  }

  #noteWriteFault(fault: unknown): void {
    const { isUnwritten, writeFaultCount } = this.#condition;
    this.#setCondition({ isUnwritten: true, writeFaultCount: writeFaultCount + 1 });
    if (!isUnwritten) this.#ports.log(`projection: the disk rejects writes, which are retried: ${messageOf(fault)}`);
  }

  #noteWritten(): void {
    this.#setCondition({ isUnwritten: false });
    this.#ports.log('projection: the disk accepts writes again');
  }

  #setCondition(changes: Partial<ProjectionCondition>): void {
    this.#condition = { ...this.#condition, ...changes };
    this.#ports.onCondition(this.#condition);
  }

  /** Stops folding and saving: the venue stops, and the next start folds from the last checkpoint. */
  #fail(error: unknown, isContradiction: boolean): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#folds.end();
    this.#ports.progress.fail();
    this.#ports.onFatalError(error, isContradiction);
  }
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
