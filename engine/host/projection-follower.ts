/**
 * The projection as its thread has it: told of groups, read from, closed. One that contradicts the journal is rebuilt from the journal, and
 * nothing is read until then; what contradicts the journal even so is a defect, and stops the venue.
 */
import type { MessagePort } from 'node:worker_threads';
import { isDamage, isDiskFault, openProjection, type Projection } from '#projection/projection.ts';
import { type Answers, answersFrom } from '#reads/answers.ts';
import type { Clock } from '#time/clock.ts';
import type { Timer } from '#time/timers.ts';
import type { FoldProgress } from './fold-progress.ts';
import { lastSequenceIn, type SentGroups } from './held-groups.ts';
import { abandonProjection, keepAndClose, type RebuildPorts, rebuildProjection } from './projection-rebuild.ts';
import { RebuildPace } from './rebuild-pace.ts';
import { RowRequests } from './row-requests.ts';
import { UnkeptFolds, type UnkeptFoldsPorts } from './unkept-folds.ts';

/** What keeps reads from being as ever, and how often it did. */
export interface ProjectionCondition {
  /** Reads are refused until the projection is folded again. */
  readonly isRebuilding: boolean;
  /** The disk does not take what is folded. */
  readonly isUnwritten: boolean;
  readonly rebuildCount: number;
  readonly writeFaultCount: number;
}

export interface FollowerPorts
  extends Pick<UnkeptFoldsPorts, 'steadyClock' | 'timers' | 'replayable'>,
    Pick<RebuildPorts, 'path' | 'journal' | 'log'> {
  /** False where the journal does not lead up to what the file holds: it is left as it is then. */
  readonly mayReplace: boolean;
  readonly progress: Pick<FoldProgress, 'reach' | 'fail'>;
  readonly onCondition: (condition: ProjectionCondition) => void;
  /** The projection contradicts the journal: no read that is under way may go on. */
  readonly refuseReads: () => void;
  /** Nothing is folded any more. Where it `isContradiction`, a projection that is folded from the first record may do better. */
  readonly onDefect: (defect: unknown, isContradiction: boolean) => void;
}

/** Rows that the disk keeps from being read are tried again after so long. */
const ROWS_RETRY_MS = 5_000;
/** Each second some pages of the file are held against their sums: a megabyte. */
const VERIFY_EVERY_MS = 1_000;
const VERIFIED_PAGES = 256;

export class ProjectionFollower {
  readonly #ports: FollowerPorts;
  #projection: Projection;
  /** False once the file is closed, before a rebuild has made another. */
  #isOpen = true;
  #answers: Answers;
  #folds: UnkeptFolds;
  /** The newest record that was told. */
  #told: number;
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

  /** Throws what keeps the file from being opened. */
  constructor(ports: FollowerPorts) {
    this.#ports = ports;
    this.#pace = new RebuildPace(ports);
    this.#projection = openProjection(ports.path, ports.log, ports.mayReplace);
    this.#told = this.#projection.sequence;
    this.#answers = answersFrom(this.#projection.reads);
    this.#folds = this.#newFolds();
  }

  get projection(): Projection {
    return this.#projection;
  }

  /** `undefined` while nothing can be read. */
  get answers(): Answers | undefined {
    return this.#condition.isRebuilding ? undefined : this.#answers;
  }

  take(groups: SentGroups): void {
    this.#told = Math.max(this.#told, lastSequenceIn(groups));
    // While it is folded again, the journal has them.
    if (!this.#condition.isRebuilding && !this.#hasFailed) this.#folds.take(groups);
  }

  /** The journal's past was told. `ageMs` is how long ago the question was asked that is answered. */
  live(journalTime: Clock, ageMs: () => number): void {
    this.#live = { journalTime, ageMs };
    this.#goLive();
    this.#verifying = this.#ports.timers.setInterval(() => this.#verify(), VERIFY_EVERY_MS);
  }

  /** Sends the rows that can still change, as of what was told by now or later, as soon as that is folded. */
  sendRows(to: MessagePort): void {
    this.#rows.add(this.#told, to);
    this.#sendRows();
  }

  /** Resolves once no rebuild is under way. */
  async rebuilt(): Promise<void> {
    await this.#rebuilding;
  }

  halted(): void {
    this.#isHalted = true;
    this.#projection.halted();
  }

  /** A read has thrown. Returns whether the projection is to blame, which is mended: then the read may be tried again. */
  isToBlame(fault: unknown): boolean {
    if (this.#condition.isRebuilding) return true;
    if (isDamage(fault)) this.#contradicted(fault);
    else if (!this.#projection.isWhole) this.#folds.rolledBack(fault);
    else return false;
    return true;
  }

  /** Keeps what is folded, if the disk takes it, and closes the file. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#verifying?.cancel();
    this.#rowsRetry?.cancel();
    await this.#rebuilding;
    this.#folds.end();
    this.#rows.close();
    if (this.#isOpen) this.#closeFile();
  }

  /** Of a projection that is wrong, or may be, nothing more is kept. */
  #closeFile(): void {
    const { log } = this.#ports;
    this.#isOpen = false;
    if (this.#hasFailed || this.#condition.isRebuilding) {
      abandonProjection(this.#projection, log);
      return;
    }
    try {
      keepAndClose(this.#projection, log);
    } catch (fault) {
      this.#fail(fault, false);
    }
  }

  #newFolds(): UnkeptFolds {
    const { steadyClock, timers, replayable, progress } = this.#ports;
    return new UnkeptFolds({
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
    // An answer shows all that was told before it was asked for, and so it is as old as the question, unless the disk holds folds up.
    this.#projection.live(journalTime, () => Math.max(ageMs(), folds.waitedMs));
    if (this.#isHalted) this.#projection.halted();
    folds.live();
  }

  #sendRows(): void {
    // A rebuild sends them itself.
    if (this.#condition.isRebuilding || this.#hasFailed || this.#rowsRetry !== undefined) return;
    try {
      this.#rows.send(this.#projection);
    } catch (fault) {
      this.#rowsRetry = this.#ports.timers.setTimeout(() => this.#retryRows(), ROWS_RETRY_MS);
      if (!this.isToBlame(fault) && !isDiskFault(fault)) this.#contradicted(fault);
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
      this.#projection.verifySome(VERIFIED_PAGES);
    } catch (fault) {
      if (!isDiskFault(fault)) this.#contradicted(fault);
    }
  }

  /** At a start whoever started it begins again: what it took from the projection may be wrong as well. */
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
      const why = `what is read contradicts the journal (${messageOf(fault)}), and cannot be folded again from it: ${messageOf(cause)}`;
      if (cause !== this.#closing.signal.reason) this.#fail(new Error(why, { cause }), false);
    }
  }

  /** Resolves to false where the new file is damaged as well. */
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
        told: () => this.#told,
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
    this.#answers = answersFrom(projection.reads);
    this.#folds = this.#newFolds();
    this.#goLive();
    this.#setCondition({ isRebuilding: false, isUnwritten: false });
    this.#ports.log(`projection: folded again up to record ${projection.sequence}, reads go on`);
    this.#retryRows();
  }

  #noteWriteFault(fault: unknown): void {
    const { isUnwritten, writeFaultCount } = this.#condition;
    this.#setCondition({ isUnwritten: true, writeFaultCount: writeFaultCount + 1 });
    if (!isUnwritten)
      this.#ports.log(`projection: the disk does not take what is folded, which is tried again: ${messageOf(fault)}`);
  }

  #noteWritten(): void {
    this.#setCondition({ isUnwritten: false });
    this.#ports.log('projection: the disk takes what is folded again');
  }

  #setCondition(changes: Partial<ProjectionCondition>): void {
    this.#condition = { ...this.#condition, ...changes };
    this.#ports.onCondition(this.#condition);
  }

  /** After a defect nothing is folded or kept any more: the venue stops, and a start folds from what was kept last on. */
  #fail(defect: unknown, isContradiction: boolean): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#folds.end();
    this.#ports.progress.fail();
    this.#ports.onDefect(defect, isContradiction);
  }
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
