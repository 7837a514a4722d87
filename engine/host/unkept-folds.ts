/**
 * Folds groups into a projection and commits them to its file now and then. What is not committed is held as it came: where the disk takes
 * nothing, SQLite rolls it back, and it is folded again, in memory, until the disk takes it. Beyond a bound nothing more is folded meanwhile.
 */
import { isDiskFault, type Projection } from '#projection/projection.ts';
import type { Time } from '#time/time.ts';
import type { Timer } from '#time/timers.ts';
import type { FoldProgress } from './fold-progress.ts';
import { type SentGroups, toldGroups } from './held-groups.ts';

export interface UnkeptFoldsPorts extends Pick<Time, 'steadyClock' | 'timers'> {
  readonly projection: Projection;
  /** How far the realtime service has kept what a start can replay. */
  readonly replayable: Pick<FoldProgress, 'sequence'>;
  readonly onFolded: (sequence: number) => void;
  /** The disk takes nothing, as it says, or takes it again. Tries go on until then. */
  readonly onWriteFault: (fault: unknown) => void;
  readonly onWritten: () => void;
  /** The projection and a group contradict each other: nothing more is folded. */
  readonly onContradiction: (fault: unknown) => void;
  /** Nothing can be folded any more before the journal's past is. */
  readonly onStartFault: (fault: unknown) => void;
}

/** What is folded is kept in the file after so long, or so many records: a start folds the rest again from the journal. */
const KEEP_AFTER = { ms: 2_000, records: 25_000 };
/**
 * But not before the realtime service has kept what that changed: a start can replay what leads up to where the file is, so the file is not to
 * be ahead. With so much that is waited for no longer: a service that is behind, or away, does not keep this from its work.
 */
const KEEP_AT_THE_LATEST = { ms: 10_000, records: 50_000 };
/** While the disk takes nothing, so many records are folded in memory: some 100 MB. */
const MAX_UNKEPT_RECORDS = 50_000;
/** How often it is looked whether it is time, where nothing comes. */
const LOOK_MS = 100;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
const GROUPS_AT_ONCE = 1_000;

type SentGroup = SentGroups[number];

export class UnkeptFolds {
  readonly #ports: UnkeptFoldsPorts;
  /** Folded since the last commit. */
  #unkept: SentGroup[] = [];
  /** To be folded. */
  #waiting: SentGroup[] = [];
  #waitingSinceMs: number | undefined;
  #keptSequence: number;
  /** Since when something is not kept, or the past was told: before that there is no service to wait for, and what it begins with is in the file. */
  #unkeptSinceMs = Number.POSITIVE_INFINITY;
  /** Runs while something is not kept. */
  #looking: Timer | undefined;
  #retry: Timer | undefined;
  /** 0 while the disk takes what it is given. */
  #retryMs = 0;
  /** What it said last. */
  #fault: unknown;
  /** Nothing can be folded before the next try: another program has the file. */
  #isBlocked = false;
  #isLive = false;
  #isOver = false;

  constructor(ports: UnkeptFoldsPorts) {
    this.#ports = ports;
    this.#keptSequence = ports.projection.sequence;
  }

  /** How long groups have waited to be folded, because the disk takes nothing. */
  get waitedMs(): number {
    return this.#waitingSinceMs === undefined ? 0 : this.#ports.steadyClock.elapsedMs() - this.#waitingSinceMs;
  }

  /** What was folded before was told to the realtime service then too: by now that has mostly kept it. */
  take(groups: SentGroups): void {
    if (this.#isOver) return;
    this.#keepIfDue();
    if (this.#isOver) return;
    for (const group of groups) this.#waiting.push(group);
    this.#foldWaiting();
  }

  /** The journal's past is folded. */
  live(): void {
    this.#isLive = true;
    this.#look();
  }

  /** SQLite has rolled back what was folded, as a read has found. */
  rolledBack(fault: unknown): void {
    try {
      this.#ports.projection.rollBack();
    } catch (cause) {
      // Half of what it holds in memory may be of before.
      this.end();
      this.#ports.onContradiction(cause);
      return;
    }
    this.#undone([], fault);
    this.#foldWaiting();
  }

  /** Folds and keeps nothing more. What was not kept is folded again from the journal by whoever opens the file next. */
  end(): void {
    this.#isOver = true;
    this.#looking?.cancel();
    this.#retry?.cancel();
    [this.#unkept, this.#waiting] = [[], []];
  }

  #foldWaiting(): void {
    const { projection, onFolded } = this.#ports;
    while (this.#waiting.length > 0 && !this.#isBlocked && !this.#isFull()) {
      const groups = this.#waiting.splice(0, GROUPS_AT_ONCE);
      try {
        projection.follow(...toldGroups(groups));
      } catch (fault) {
        this.#isBlocked = true;
        this.#undone(groups, fault);
        break;
      }
      for (const group of groups) this.#unkept.push(group);
    }
    if (this.#isOver) return;
    if (this.#waiting.length > 0 && !this.#isLive) {
      this.end();
      this.#ports.onStartFault(this.#fault);
      return;
    }
    this.#noteWaiting();
    onFolded(projection.sequence);
    this.#look();
  }

  #isFull(): boolean {
    return this.#retryMs > 0 && this.#ports.projection.sequence - this.#keptSequence >= MAX_UNKEPT_RECORDS;
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
    const isRolledBack = this.#ports.projection.sequence === this.#keptSequence;
    this.#waiting = [...(isRolledBack ? this.#unkept : []), ...groups, ...this.#waiting];
    if (isRolledBack) this.#unkept = [];
    this.#tryLater(fault);
  }

  #tryLater(fault: unknown): void {
    this.#fault = fault;
    this.#looking?.cancel();
    this.#looking = undefined;
    this.#retryMs = Math.min(LAST_RETRY_MS, Math.max(FIRST_RETRY_MS, 2 * this.#retryMs));
    this.#retry = this.#ports.timers.setTimeout(() => this.#tryAgain(), this.#retryMs);
    this.#ports.onWriteFault(fault);
  }

  #tryAgain(): void {
    this.#retry = undefined;
    this.#isBlocked = false;
    if (this.#ports.projection.sequence === this.#keptSequence) this.#foldWaiting();
    if (!this.#isOver && this.#retry === undefined) this.#keep();
  }

  #look(): void {
    const { projection, steadyClock, timers } = this.#ports;
    if (
      this.#isOver ||
      !this.#isLive ||
      this.#retryMs > 0 ||
      this.#looking !== undefined ||
      projection.sequence === this.#keptSequence
    )
      return;
    this.#unkeptSinceMs = steadyClock.elapsedMs();
    this.#looking = timers.setInterval(() => this.#keepIfDue(), LOOK_MS);
  }

  #keepIfDue(): void {
    if (this.#retryMs > 0) return;
    const { projection, replayable, steadyClock } = this.#ports;
    const ms = steadyClock.elapsedMs() - this.#unkeptSinceMs;
    const records = projection.sequence - this.#keptSequence;
    const isLate = ms > KEEP_AT_THE_LATEST.ms || records > KEEP_AT_THE_LATEST.records;
    const isDue = ms > KEEP_AFTER.ms || records > KEEP_AFTER.records;
    if (isLate || (isDue && replayable.sequence >= projection.sequence)) this.#keep();
  }

  #keep(): void {
    const { projection, onWritten } = this.#ports;
    this.#looking?.cancel();
    this.#looking = undefined;
    try {
      projection.keep();
    } catch (fault) {
      this.#undone([], fault);
      // Reads go on with what was folded.
      if (!this.#isOver) this.#foldWaiting();
      return;
    }
    this.#unkept = [];
    this.#keptSequence = projection.sequence;
    this.#unkeptSinceMs = Number.POSITIVE_INFINITY;
    if (this.#retryMs === 0) return;
    this.#retryMs = 0;
    onWritten();
    this.#foldWaiting();
  }
}
