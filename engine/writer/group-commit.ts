/**
 * Makes groups durable, one after the other: while one is on its way to the disk the next one collects. A durable group
 * goes to those who follow, and only then are its callers answered.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { committedGroup, GroupBuilder } from './group.ts';
import type { HaltSwitch } from './halt.ts';
import type { IdempotencyIndex } from './idempotency-index.ts';
import type { IdempotentAnswers } from './idempotent-answers.ts';
import type { Journal } from './journal.ts';
import type { RecordHead } from './record.ts';
import type { JournalPosition } from './segment.ts';
import type { DueSnapshot, SnapshotKeeper } from './snapshot-keeper.ts';
import type { FollowGroups } from './submit.ts';
import type { Waiting } from './waiting.ts';

/** What the journal holds: its last group, the last record of that and its time, the chain's digest. */
export interface JournalPlace {
  readonly groupNumber: number;
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly digest: Uint8Array;
}

export interface GroupCommitParts {
  readonly journal: Journal;
  readonly index: IdempotencyIndex;
  readonly answers: IdempotentAnswers;
  readonly snapshots: SnapshotKeeper;
  readonly follow: FollowGroups;
  readonly halt: HaltSwitch;
  /** There is room for more: a group is done. */
  readonly onRoom: () => void;
}

interface Entry {
  readonly head: RecordHead;
  readonly waiting: Waiting;
}

interface Group {
  readonly builder: GroupBuilder;
  readonly entries: Entry[];
}

export class GroupCommit {
  readonly #parts: GroupCommitParts;
  readonly #spare: GroupBuilder[] = [];
  /** The last group that was sealed. */
  #sealed: JournalPlace;
  #durable: JournalPlace;
  #collecting: Group;
  #writing: Promise<void> | undefined;

  constructor(parts: GroupCommitParts, place: JournalPlace) {
    this.#parts = parts;
    this.#sealed = place;
    this.#durable = place;
    this.#collecting = this.#nextGroup();
  }

  /** The journal's place that is durable and known to all who follow. */
  get durable(): JournalPlace {
    return this.#durable;
  }

  get recordCount(): number {
    return this.#collecting.builder.recordCount;
  }

  get byteLength(): number {
    return this.#collecting.builder.byteLength;
  }

  /** The group that collects: a record is opened in it, its events written, and closed; then {@link added}. */
  get builder(): GroupBuilder {
    return this.#collecting.builder;
  }

  /** A record was added to the group that collects. */
  added(waiting: Waiting, head: RecordHead): void {
    this.#collecting.entries.push({ head, waiting });
  }

  /** Starts to write what has collected, unless a group is on its way already: then that one starts it when it is done. */
  start(): void {
    const group = this.#collecting;
    const last = group.entries.at(-1)?.head;
    if (this.#writing !== undefined || last === undefined || this.#parts.halt.halt !== undefined) return;
    const bytes = group.builder.seal();
    const { digest } = group.builder;
    const place = { groupNumber: this.#sealed.groupNumber + 1, sequence: last.sequence, epochMs: last.epochMs, digest };
    try {
      const snapshot = this.#parts.snapshots.takeIfDue(last.sequence, last.epochMs, digest);
      this.#sealed = place;
      this.#collecting = this.#nextGroup();
      this.#writing = this.#write(group, place, bytes, snapshot);
    } catch (cause) {
      this.#parts.halt.stop('snapshot_defect', cause);
    }
  }

  /** Resolves when all that has collected is durable and answered, or the writer has halted. */
  async settled(): Promise<void> {
    for (this.start(); this.#writing !== undefined; ) await this.#writing;
  }

  /** Rejects what has collected: it will never be written. */
  rejectCollecting(): void {
    this.#reject(this.#collecting);
  }

  async #write(group: Group, place: JournalPlace, bytes: Uint8Array, snapshot: DueSnapshot | undefined): Promise<void> {
    let position: JournalPosition;
    try {
      position = await this.#parts.journal.append(bytes);
    } catch (cause) {
      this.#parts.halt.stop('journal_unwritable', cause);
      this.#reject(group);
      return;
    } finally {
      this.#writing = undefined;
    }
    this.start(); // Keeps the disk busy while this group is told.
    try {
      this.#tell(group, place, position);
    } catch (cause) {
      this.#parts.halt.stop('follower_defect', cause);
      this.#reject(group);
      return;
    }
    if (snapshot !== undefined) this.#parts.snapshots.save(snapshot);
    this.#spare.push(group.builder);
    this.#parts.onRoom();
  }

  /** The group is durable: projections first, then the callers. A caller that reads its own write finds it. */
  #tell(group: Group, place: JournalPlace, position: JournalPosition): void {
    const committed = committedGroup(group.builder.sealed);
    const { recordOffsets } = group.builder;
    for (const [index, { head }] of group.entries.entries()) {
      if (head.key !== undefined) this.#parts.index.add(head.key, head.epochMs, position + recordOffsets[index]!);
    }
    this.#parts.follow(committed);
    this.#durable = place;
    for (const [index, { waiting }] of group.entries.entries()) {
      this.#parts.answers.answered(waiting);
      waiting.resolve({ ...committed.records[index]!, replayed: false });
    }
  }

  #reject(group: Group): void {
    const error = this.#parts.halt.error();
    for (const { waiting } of group.entries) waiting.reject(error);
  }

  #nextGroup(): Group {
    const builder = this.#spare.pop() ?? new GroupBuilder();
    builder.begin(this.#sealed.groupNumber + 1, (this.#sealed.sequence + 1) as Sequence, this.#sealed.digest);
    return { builder, entries: [] };
  }
}
