/** Folds the journal of a running venue, from a projection's sequence up to the newest published group. */
import type { Projection } from '#projection/projection.ts';
import { segmentsAfter } from '#writer/journal/anchor.ts';
import type { ScannedGroup } from '#writer/journal/chain-walk.ts';
import type { Pause, ReadableFiles } from '#writer/journal/files.ts';
import { JournalFollower } from '#writer/journal/journal-follower.ts';
import { scanJournal } from '#writer/journal/journal-scan.ts';
import { type OnRead, ReadProgress } from '#writer/journal/read-progress.ts';
import { DurableGroup } from '#writer/port/durable-group.ts';

/** How many records are folded at once, and how many are committed to the file at once. */
const FOLD_BATCH_RECORDS = 2_000;
const SAVED_AT_ONCE = 25_000;

export interface CatchUpParts {
  readonly projection: Projection;
  readonly journal: ReadableFiles;
  /** The newest record that is durable and published to the thread. It may grow meanwhile. */
  readonly receivedSequence: () => number;
  /** Called with the last record of every group. If it returns true, all records up to that one are folded at once. */
  readonly isStop: (sequence: number) => boolean;
  readonly onFolded: (sequence: number) => void;
  /** Awaited after every piece. A rejection ends the catch-up. */
  readonly pause: Pause;
}

/** The reason in an error about a missing archived segment. */
const WHY = 'the projection is folded again from the first record';

/**
 * Resolves if every record from the first to `last` is readable, so that derived data can be deleted safely. Rejects
 * with the journal's error.
 */
export async function refuseUnreadable(journal: ReadableFiles, last: number, pause: Pause): Promise<void> {
  const follower = await JournalFollower.after(journal, 0, WHY);
  const exists = await follower.readUntil(({ lastSequence }) => lastSequence >= last, pause);
  if (!exists) throw new Error(`the journal ends before record ${last}`);
}

/** The same for a journal without a running venue, to its end as a recovery finds it. Resolves with whether it has a record. */
export async function refuseDamaged(journal: ReadableFiles, onRead: OnRead): Promise<boolean> {
  const run = await segmentsAfter(journal, 0, WHY);
  const found = await scanJournal(journal, run, () => {}, await ReadProgress.of(journal, run.segments, onRead));
  return found.end.sequence > 0;
}

/** Resolves when nothing is left to fold. Rejects with the error of the journal, the disk, or the fold. */
export async function catchUp(parts: CatchUpParts): Promise<void> {
  const { projection, journal, receivedSequence, pause } = parts;
  if (projection.sequence >= receivedSequence()) return;
  const follower = await JournalFollower.after(journal, projection.sequence, WHY);
  const batch = new Batch(parts);
  while (projection.sequence < receivedSequence()) {
    // The segments are listed when the read starts: records committed later may be in new ones, which the next read covers.
    const wanted = receivedSequence();
    const exists = await follower.readUntil((group) => batch.take(group), pause);
    if (!exists && batch.sequence < wanted)
      throw new Error(`the journal ends with record ${batch.sequence}, before record ${wanted}`);
  }
  batch.save();
}

class Batch {
  readonly #parts: CatchUpParts;
  /** The newest record taken. */
  sequence: number;
  #groups: DurableGroup[] = [];
  #records = 0;
  #savedRecords: number;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
    this.sequence = parts.projection.sequence;
    this.#savedRecords = this.sequence;
  }

  /** Returns whether the group is the last wanted one; all are then folded. */
  take(group: ScannedGroup): boolean {
    const { receivedSequence, isStop } = this.#parts;
    this.#add(group);
    const { lastSequence } = group;
    this.sequence = Math.max(this.sequence, lastSequence);
    const isLast = lastSequence >= receivedSequence();
    if (isLast || isStop(lastSequence) || this.#records >= FOLD_BATCH_RECORDS) this.#fold();
    return isLast;
  }

  #add(group: ScannedGroup): void {
    // A boundary between rules has no records.
    if (group.header.recordCount === 0) return;
    const durableGroup = new DurableGroup(group);
    durableGroup.keep();
    this.#groups.push(durableGroup);
    this.#records += group.header.recordCount;
  }

  #fold(): void {
    const { projection, onFolded } = this.#parts;
    const groups = this.#groups;
    this.#groups = [];
    this.#records = 0;
    projection.follow(...groups);
    onFolded(projection.sequence);
    if (projection.sequence - this.#savedRecords >= SAVED_AT_ONCE) this.save();
  }

  /** Commits the folded groups: the next owner of the projection counts them as committed. */
  save(): void {
    const { projection } = this.#parts;
    projection.save();
    this.#savedRecords = projection.sequence;
  }
}
