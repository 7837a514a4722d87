/** Folds what the journal of a running venue holds, from where a projection is up to the newest group that its thread was told of. */
import type { Projection } from '#projection/projection.ts';
import { segmentsAfter } from '#writer/journal/anchor.ts';
import type { ScannedGroup } from '#writer/journal/chain-walk.ts';
import type { Pause, ReadableFiles } from '#writer/journal/files.ts';
import { JournalFollower } from '#writer/journal/journal-follower.ts';
import { scanJournal } from '#writer/journal/journal-scan.ts';
import { type OnRead, ReadProgress } from '#writer/journal/read-progress.ts';
import { ToldGroup } from '#writer/port/told-group.ts';

/** So many records are folded at once, and so many are committed to the file at once. */
const FOLDED_AT_ONCE = 2_000;
const KEPT_AT_ONCE = 25_000;

export interface CatchUpParts {
  readonly projection: Projection;
  readonly journal: ReadableFiles;
  /** The newest record that is durable and known to the thread. It may grow meanwhile. */
  readonly told: () => number;
  /** Called with every record that ends a group. Where it returns true, all up to that record is folded at once. */
  readonly isStop: (sequence: number) => boolean;
  readonly onFolded: (sequence: number) => void;
  /** Waited for after every piece. A rejection ends it. */
  readonly pause: Pause;
}

/** Told why an archived segment is needed that is not there. */
const WHY = 'what is read is folded again from the first record';

/**
 * Resolves if every record from the first to `last` can be read: nothing that only they can make again is deleted before. Rejects with what
 * is wrong with the journal.
 */
export async function refuseUnreadable(journal: ReadableFiles, last: number, pause: Pause): Promise<void> {
  const follower = await JournalFollower.after(journal, 0, WHY);
  const isThere = await follower.readUntil(({ lastSequence }) => lastSequence >= last, pause);
  if (!isThere) throw new Error(`the journal ends before record ${last}`);
}

/** The same for a journal that no venue writes, to its end as a recovery finds it. Resolves to whether it has a record. */
export async function refuseDamaged(journal: ReadableFiles, onRead: OnRead): Promise<boolean> {
  const run = await segmentsAfter(journal, 0, WHY);
  const found = await scanJournal(journal, run, () => {}, await ReadProgress.of(journal, run.segments, onRead));
  return found.end.sequence > 0;
}

/** Resolves when nothing is left to fold. Rejects with what is wrong with the journal, the disk, or the fold. */
export async function catchUp(parts: CatchUpParts): Promise<void> {
  const { projection, journal, told, pause } = parts;
  if (projection.sequence >= told()) return;
  const follower = await JournalFollower.after(journal, projection.sequence, WHY);
  const batch = new Batch(parts);
  while (projection.sequence < told()) {
    // The segments are listed when the read starts: what is committed later may lie in new ones, for the next read.
    const wanted = told();
    const isThere = await follower.readUntil((group) => batch.take(group), pause);
    if (!isThere && batch.sequence < wanted)
      throw new Error(`the journal ends with record ${batch.sequence}, before record ${wanted}`);
  }
  batch.keep();
}

class Batch {
  readonly #parts: CatchUpParts;
  /** The newest record that was taken. */
  sequence: number;
  #groups: ToldGroup[] = [];
  #records = 0;
  #kept: number;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
    this.sequence = parts.projection.sequence;
    this.#kept = this.sequence;
  }

  /** Whether the group is the last that is wanted: then all are folded. */
  take(group: ScannedGroup): boolean {
    const { told, isStop } = this.#parts;
    this.#add(group);
    const { lastSequence } = group;
    this.sequence = Math.max(this.sequence, lastSequence);
    const isLast = lastSequence >= told();
    if (isLast || isStop(lastSequence) || this.#records >= FOLDED_AT_ONCE) this.#fold();
    return isLast;
  }

  #add(group: ScannedGroup): void {
    // A boundary between rules has no records.
    if (group.header.recordCount === 0) return;
    const told = new ToldGroup(group);
    told.keep();
    this.#groups.push(told);
    this.#records += group.header.recordCount;
  }

  #fold(): void {
    const { projection, onFolded } = this.#parts;
    const groups = this.#groups;
    this.#groups = [];
    this.#records = 0;
    projection.follow(...groups);
    onFolded(projection.sequence);
    if (projection.sequence - this.#kept >= KEPT_AT_ONCE) this.keep();
  }

  /** Whoever folds on counts what was folded here as committed. */
  keep(): void {
    const { projection } = this.#parts;
    projection.keep();
    this.#kept = projection.sequence;
  }
}
