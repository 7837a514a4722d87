/**
 * Folds groups into a projection and commits them to its file periodically. Uncommitted groups stay in memory: if the disk
 * is full, SQLite rolls them back, and they are folded again in memory until the disk accepts them, up to a maximum.
 */
import { isDiskFault, type Projection } from '#projection/projection.ts';
import type { Time } from '#time/time.ts';
import type { Timer } from '#time/timers.ts';
import type { FoldProgress } from './fold-progress.ts';
import { durableGroups, type EncodedGroups } from './group-batcher.ts';

export interface UnsavedFoldsPorts extends Pick<Time, 'steadyClock' | 'timers'> {
  readonly projection: Projection;
  /** How far the replay log reaches. */
  readonly replayable: Pick<FoldProgress, 'sequence'>;
  readonly onFolded: (sequence: number) => void;
  /** The disk rejects a write, with the error, or accepts writes again. Attempts continue until then. */
  readonly onWriteFault: (fault: unknown) => void;
  readonly onWritten: () => void;
  /** The projection and a group contradict each other: folding ends. */
  readonly onContradiction: (fault: unknown) => void;
  /** Folding is impossible before the journal's past is folded. */
  readonly onStartFault: (fault: unknown) => void;
}

/** What is folded is committed to the file after this time or number of records: a start folds the rest from the journal. */
const SAVE_AFTER = { ms: 2_000, records: 25_000 };
/**
 * But only after the replay log has it: a start can replay from the file's sequence, so the file must not be ahead of the log.
 * Beyond these limits the commit no longer waits: a service that is behind or unavailable does not block this.
 */
const SAVE_AT_LATEST_MS = { ms: 10_000, records: 50_000 };
/** The maximum number of records folded in memory while the disk is full: some 100 MB. */
const MAX_UNSAVED_RECORDS = 50_000;
/** How often to check whether a commit is due when no group arrives. */
const CHECK_INTERVAL_MS = 100;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
const BATCH_GROUPS = 1_000;

type SentGroup = EncodedGroups[number];

export class UnsavedFolds {
  readonly #ports: UnsavedFoldsPorts;
  /** Folded since the last commit. */
  #unsaved: SentGroup[] = [];
  /** To be folded. */
  #waiting: SentGroup[] = [];
  #waitingSinceMs: number | undefined;
  #savedSequence: number;
  /**
   * Since when something is uncommitted, or since the past was folded: before that there is no service to wait for, and its
   * initial state is in the file.
   */
  #unsavedSinceMs = Number.POSITIVE_INFINITY;
  /** Runs while something is uncommitted. */
  #checkTimer: Timer | undefined;
  #retry: Timer | undefined;
  /** 0 while the disk accepts writes. */
  #retryMs = 0;
  /** The last error of the disk. */
  #fault: unknown;
  /** Folding is impossible before the next attempt: another program has locked the file. */
  #isBlocked = false;
  #isLive = false;
  #isOver = false;

  constructor(ports: UnsavedFoldsPorts) {
    this.#ports = ports;
    this.#savedSequence = ports.projection.sequence;
  }

  /** How long groups have waited to be folded because the disk is full. */
  get waitedMs(): number {
    return this.#waitingSinceMs === undefined ? 0 : this.#ports.steadyClock.elapsedMs() - this.#waitingSinceMs;
  }

  /** Commits first if due: by now the realtime service has usually logged the groups folded before. */
  take(groups: EncodedGroups): void {
    if (this.#isOver) return;
    this.#saveIfDue();
    if (this.#isOver) return;
    for (const group of groups) this.#waiting.push(group);
    this.#foldWaiting();
  }

  /** The journal's past is folded. */
  live(): void {
    this.#isLive = true;
    this.#check();
  }

  /** A read found that SQLite has rolled back folded groups. */
  rolledBack(fault: unknown): void {
    try {
      this.#ports.projection.rollBack();
    } catch (cause) {
      // Its memory may be inconsistent with the file.
      this.end();
      this.#ports.onContradiction(cause);
      return;
    }
    this.#undone([], fault);
    this.#foldWaiting();
  }

  /** Folds and commits nothing more. The next opening of the file folds the uncommitted rest from the journal. */
  end(): void {
    this.#isOver = true;
    this.#checkTimer?.cancel();
    this.#retry?.cancel();
    [this.#unsaved, this.#waiting] = [[], []];
  }

  #foldWaiting(): void {
    const { projection, onFolded } = this.#ports;
    while (this.#waiting.length > 0 && !this.#isBlocked && !this.#isFull()) {
      const groups = this.#waiting.splice(0, BATCH_GROUPS);
      try {
        projection.follow(...durableGroups(groups));
      } catch (fault) {
        this.#isBlocked = true;
        this.#undone(groups, fault);
        break;
      }
      for (const group of groups) this.#unsaved.push(group);
    }
    if (this.#isOver) return;
    if (this.#waiting.length > 0 && !this.#isLive) {
      this.end();
      this.#ports.onStartFault(this.#fault);
      return;
    }
    this.#noteWaiting();
    onFolded(projection.sequence);
    this.#check();
  }

  #isFull(): boolean {
    return this.#retryMs > 0 && this.#ports.projection.sequence - this.#savedSequence >= MAX_UNSAVED_RECORDS;
  }

  #noteWaiting(): void {
    if (this.#waiting.length === 0) this.#waitingSinceMs = undefined;
    else this.#waitingSinceMs ??= this.#ports.steadyClock.elapsedMs();
  }

  /** A fold of these groups, or a commit, has failed. */
  #undone(groups: readonly SentGroup[], fault: unknown): void {
    if (!isDiskFault(fault)) {
      this.end();
      this.#ports.onContradiction(fault);
      return;
    }
    const isRolledBack = this.#ports.projection.sequence === this.#savedSequence;
    this.#waiting = [...(isRolledBack ? this.#unsaved : []), ...groups, ...this.#waiting];
    if (isRolledBack) this.#unsaved = [];
    this.#tryLater(fault);
  }

  #tryLater(fault: unknown): void {
    this.#fault = fault;
    this.#checkTimer?.cancel();
    this.#checkTimer = undefined;
    this.#retryMs = Math.min(LAST_RETRY_MS, Math.max(FIRST_RETRY_MS, 2 * this.#retryMs));
    this.#retry = this.#ports.timers.setTimeout(() => this.#tryAgain(), this.#retryMs);
    this.#ports.onWriteFault(fault);
  }

  #tryAgain(): void {
    this.#retry = undefined;
    this.#isBlocked = false;
    if (this.#ports.projection.sequence === this.#savedSequence) this.#foldWaiting();
    if (!this.#isOver && this.#retry === undefined) this.#save();
  }

  #check(): void {
    const { projection, steadyClock, timers } = this.#ports;
    if (
      this.#isOver ||
      !this.#isLive ||
      this.#retryMs > 0 ||
      this.#checkTimer !== undefined ||
      projection.sequence === this.#savedSequence
    )
      return;
    this.#unsavedSinceMs = steadyClock.elapsedMs();
    this.#checkTimer = timers.setInterval(() => this.#saveIfDue(), CHECK_INTERVAL_MS);
  }

  #saveIfDue(): void {
    if (this.#retryMs > 0) return;
    const { projection, replayable, steadyClock } = this.#ports;
    const ms = steadyClock.elapsedMs() - this.#unsavedSinceMs;
    const records = projection.sequence - this.#savedSequence;
    const isLate = ms > SAVE_AT_LATEST_MS.ms || records > SAVE_AT_LATEST_MS.records;
    const isDue = ms > SAVE_AFTER.ms || records > SAVE_AFTER.records;
    if (isLate || (isDue && replayable.sequence >= projection.sequence)) this.#save();
  }

  #save(): void {
    const { projection, onWritten } = this.#ports;
    this.#checkTimer?.cancel();
    this.#checkTimer = undefined;
    try {
      projection.save();
    } catch (fault) {
      this.#undone([], fault);
      // Reads continue with the folded state.
      if (!this.#isOver) this.#foldWaiting();
      return;
    }
    this.#unsaved = [];
    this.#savedSequence = projection.sequence;
    this.#unsavedSinceMs = Number.POSITIVE_INFINITY;
    if (this.#retryMs === 0) return;
    this.#retryMs = 0;
    onWritten();
    this.#foldWaiting();
  }
}
