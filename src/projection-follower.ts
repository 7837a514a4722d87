/**
 * The projection as its thread has it: told of groups, read from, closed. One that contradicts the journal is folded again from the journal, and
 * nothing is read until then; what contradicts the journal even so is a defect, and stops the venue.
 */
import type { MessagePort } from 'node:worker_threads';
import { type Answers, answersFrom } from '#http/answers.ts';
import { discardProjection, isDamage, isDiskFault, openProjection, type Projection } from '#projection/projection.ts';
import type { Clock } from '#time/clock.ts';
import { sleep, type Timer, yieldToEventLoop } from '#time/timers.ts';
import type { ReadableFiles } from '#writer/files.ts';
import type { FoldProgress } from './fold-progress.ts';
import { lastSequenceIn, type SentGroups } from './held-groups.ts';
import { catchUp, refuseLostBeginning } from './journal-catch-up.ts';
import { sendLiveRows } from './live-rows-channel.ts';
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

export interface FollowerPorts extends Pick<UnkeptFoldsPorts, 'steadyClock' | 'timers' | 'replayable'> {
  readonly path: string;
  /** False where the journal does not lead up to what the file holds: it is left as it is then. */
  readonly mayReplace: boolean;
  /** That of the running venue. */
  readonly journal: ReadableFiles;
  readonly progress: Pick<FoldProgress, 'reach' | 'fail'>;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  readonly onCondition: (condition: ProjectionCondition) => void;
  /** The projection is about to be thrown away: no read may go on. */
  readonly beforeDiscard: () => void;
  /** Nothing is folded any more. Where it `isContradiction`, a projection that is folded from the first record may do better. */
  readonly onDefect: (defect: unknown, isContradiction: boolean) => void;
}

const RETRY_MS = 5_000;
/** Each second some pages of the file are held against their sums: a megabyte. */
const VERIFY_EVERY_MS = 1_000;
const VERIFIED_PAGES = 256;
const CLOSED = Symbol('closed');

export class ProjectionFollower {
  readonly #ports: FollowerPorts;
  #projection: Projection;
  #answers: Answers;
  #folds: UnkeptFolds;
  /** The newest record that was told. */
  #told: number;
  #live: { readonly journalTime: Clock; readonly ageMs: () => number } | undefined;
  #isHalted = false;
  #hasFailed = false;
  #isClosing = false;
  #rebuilding: Promise<void> | undefined;
  /** Who wants the rows as of a record that is not folded again yet. */
  #rowsWanted: { readonly sequence: number; readonly to: MessagePort }[] = [];
  #verifying: Timer | undefined;
  #condition: ProjectionCondition = { isRebuilding: false, isUnwritten: false, rebuildCount: 0, writeFaultCount: 0 };

  /** Throws what keeps the file from being opened. */
  constructor(ports: FollowerPorts) {
    this.#ports = ports;
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
    if (this.#rebuilding === undefined && !this.#hasFailed) this.#folds.take(groups);
  }

  /** The journal's past was told. `ageMs` is how long ago the question was asked that is answered. */
  live(journalTime: Clock, ageMs: () => number): void {
    this.#live = { journalTime, ageMs };
    this.#goLive();
    this.#verifying = this.#ports.timers.setInterval(() => this.#verify(), VERIFY_EVERY_MS);
  }

  /** Sends the rows that can still change, as of what was told by now. */
  sendRows(to: MessagePort): void {
    if (this.#rebuilding === undefined) this.#sendRows(to);
    else this.#rowsWanted.push({ sequence: this.#told, to });
  }

  halted(): void {
    this.#isHalted = true;
    this.#projection.halted();
  }

  /** A read has thrown. Returns whether the projection is to blame, which is mended: then the read may be tried again. */
  isToBlame(fault: unknown): boolean {
    if (this.#rebuilding !== undefined) return true;
    if (isDamage(fault)) this.#contradicted(fault);
    else if (!this.#projection.isWhole) this.#folds.rolledBack(fault);
    else return false;
    return true;
  }

  /** Keeps what is folded, if the disk takes it, and closes the file. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#verifying?.cancel();
    await this.#rebuilding;
    this.#folds.end();
    for (const { to } of this.#rowsWanted.splice(0)) to.close();
    if (this.#hasFailed) this.#projection.abandon();
    else this.#closeWhole();
  }

  #closeWhole(): void {
    try {
      this.#projection.close();
    } catch (fault) {
      if (isDiskFault(fault))
        this.#ports.log(`projection: the file is not up to date, the next start folds the rest again: ${fault}`);
      else this.#fail(fault, false);
    }
  }

  #newFolds(): UnkeptFolds {
    const { steadyClock, timers, replayable, progress } = this.#ports;
    return new UnkeptFolds({
      steadyClock,
      timers,
      replayable,
      projection: this.#projection,
      onFolded: (sequence) => progress.reach(sequence),
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

  #sendRows(to: MessagePort): void {
    try {
      sendLiveRows(to, this.#projection.livePieces());
    } catch (fault) {
      this.#contradicted(fault);
    }
    to.close();
  }

  #verify(): void {
    if (this.#rebuilding !== undefined || this.#hasFailed) return;
    try {
      this.#projection.verifySome(VERIFIED_PAGES);
    } catch (fault) {
      if (!isDiskFault(fault)) this.#contradicted(fault);
    }
  }

  /** At a start whoever started it begins again: what it took from the projection may be wrong as well. */
  #contradicted(fault: unknown): void {
    if (this.#hasFailed || this.#rebuilding !== undefined) return;
    if (this.#live === undefined) this.#fail(fault, true);
    else this.#rebuilding = this.#rebuild(fault);
  }

  async #rebuild(fault: unknown): Promise<void> {
    const { log, path } = this.#ports;
    this.#folds.end();
    const rebuildCount = this.#condition.rebuildCount + 1;
    this.#setCondition({ isRebuilding: true, isUnwritten: false, rebuildCount });
    log(
      `projection: ${path} contradicts the journal and is folded again from it, reads are refused until then: ${messageOf(fault)}`,
    );
    try {
      await this.#foldAgain();
    } catch (cause) {
      const why = `what is read contradicts the journal (${messageOf(fault)}), and cannot be folded again from it: ${messageOf(cause)}`;
      if (cause !== CLOSED) this.#fail(new Error(why, { cause }), false);
      return;
    } finally {
      this.#rebuilding = undefined;
    }
    this.#setCondition({ isRebuilding: false, isUnwritten: false });
    log(`projection: folded again up to record ${this.#projection.sequence}, reads go on`);
  }

  async #foldAgain(): Promise<void> {
    const { journal, beforeDiscard } = this.#ports;
    // Before the file is thrown away.
    await refuseLostBeginning(journal, () => this.#pause());
    beforeDiscard();
    this.#abandon();
    await this.#withDisk(() => this.#beginAgain());
    await this.#withDisk(() => this.#catchUp());
    this.#answers = answersFrom(this.#projection.reads);
    this.#folds = this.#newFolds();
    this.#goLive();
  }

  #beginAgain(): Promise<void> {
    const { path, log } = this.#ports;
    for (const name of discardProjection(path))
      log(`projection: what no venue has written was in the place of its file and is now ${name}`);
    this.#projection = openProjection(path, log);
    return Promise.resolve();
  }

  #catchUp(): Promise<void> {
    const { journal, progress } = this.#ports;
    return catchUp({
      journal,
      projection: this.#projection,
      told: () => this.#told,
      isStop: (sequence) => this.#rowsWanted[0]?.sequence === sequence,
      onStop: () => this.#sendRowsWanted(),
      onFolded: (sequence) => progress.reach(sequence),
      pause: () => this.#pause(),
    });
  }

  async #pause(): Promise<void> {
    await yieldToEventLoop(this.#ports.timers);
    if (this.#isClosing) throw CLOSED;
  }

  #sendRowsWanted(): void {
    for (; this.#rowsWanted[0]?.sequence === this.#projection.sequence; this.#rowsWanted.shift()) {
      const { to } = this.#rowsWanted[0];
      sendLiveRows(to, this.#projection.livePieces());
      to.close();
    }
  }

  /** Does a step, again and again until the disk lets it. */
  async #withDisk(step: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await step();
        return;
      } catch (fault) {
        if (!isDiskFault(fault)) throw fault;
        this.#noteWriteFault(fault);
      }
      await sleep(this.#ports.timers, RETRY_MS);
      if (this.#isClosing) throw CLOSED;
    }
  }

  #abandon(): void {
    try {
      this.#projection.abandon();
    } catch (fault) {
      this.#ports.log(`projection: the file that is thrown away could not be closed in order: ${messageOf(fault)}`);
    }
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
