/**
 * Makes groups durable one after the other: while one is being written, the next one collects records. A durable group is
 * published to the subscribers first; then its callers get their responses.
 */

import type { SteadyClock } from '#time/clock.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { IdempotencyIndex } from './idempotency/idempotency-index.ts';
import type { IdempotentAnswers } from './idempotency/idempotent-answers.ts';
import { GroupBuilder } from './journal/group.ts';
import type { Journal } from './journal/journal.ts';
import type { RecordKey } from './journal/record.ts';
import type { JournalPosition } from './journal/segment.ts';
import type { HaltSwitch } from './port/halt.ts';
import type { FollowGroups } from './port/submit.ts';
import { ToldGroup } from './port/told-group.ts';
import type { Waiting } from './port/waiting.ts';
import type { DueSnapshot, SnapshotKeeper } from './snapshot/snapshot-keeper.ts';

/** A position in the journal: the last group, its last record with its time, and the chain digest. */
export interface JournalPlace {
  readonly groupNumber: number;
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly digest: Uint8Array;
}

export interface GroupCommitParts {
  /** Measures how long the disk takes. */
  readonly steadyClock: SteadyClock;
  readonly journal: Journal;
  readonly index: IdempotencyIndex;
  readonly answers: IdempotentAnswers;
  readonly snapshots: SnapshotKeeper;
  readonly follow: FollowGroups;
  readonly halt: HaltSwitch;
  /** Called for every durable group with its number of records and how long the write took. */
  readonly onCommitted: (records: number, elapsedMs: number) => void;
  /** Called when a group is done: there is room for more records. */
  readonly onRoom: () => void;
}

/** Records that become durable together: the waiting caller, time and key of each. */
interface Group {
  readonly builder: GroupBuilder;
  readonly waiting: Waiting[];
  readonly epochMs: EpochMs[];
  readonly keys: (RecordKey | undefined)[];
}

/** A caller that waits for another caller's record to become durable. */
interface Onlooker {
  readonly sequence: Sequence;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

export class GroupCommit {
  readonly #parts: GroupCommitParts;
  readonly #spare: GroupBuilder[] = [];
  /** The last group that was sealed. */
  #sealed: JournalPlace;
  #durable: JournalPlace;
  #collecting: Group;
  #writing: Promise<void> | undefined;
  /** Ordered by sequence, the oldest first. */
  readonly #onlookers: Onlooker[] = [];

  constructor(parts: GroupCommitParts, place: JournalPlace) {
    this.#parts = parts;
    this.#sealed = place;
    this.#durable = place;
    this.#collecting = this.#nextGroup();
  }

  /** The position up to which the journal is durable and published to all subscribers. */
  get durable(): JournalPlace {
    return this.#durable;
  }

  get recordCount(): number {
    return this.#collecting.builder.recordCount;
  }

  get byteLength(): number {
    return this.#collecting.builder.byteLength;
  }

  /** The builder of the collecting group: open a record, write its events, close it, then call {@link added}. */
  get builder(): GroupBuilder {
    return this.#collecting.builder;
  }

  /** Registers a record that was added to the collecting group. */
  added(waiting: Waiting, epochMs: EpochMs, key: RecordKey | undefined): void {
    const group = this.#collecting;
    group.waiting.push(waiting);
    group.epochMs.push(epochMs);
    group.keys.push(key);
  }

  /** Starts to write the collecting group. If another group is being written, that one starts this one when it is done. */
  start(): void {
    const group = this.#collecting;
    const epochMs = group.epochMs.at(-1);
    if (this.#writing !== undefined || epochMs === undefined || this.#parts.halt.halt !== undefined) return;
    const bytes = group.builder.seal();
    const { digest } = group.builder;
    const sequence = (this.#sealed.sequence + group.waiting.length) as Sequence;
    const place = { groupNumber: this.#sealed.groupNumber + 1, sequence, epochMs, digest };
    try {
      const snapshot = this.#parts.snapshots.takeIfDue(sequence, epochMs, digest);
      this.#sealed = place;
      this.#collecting = this.#nextGroup();
      this.#writing = this.#write(group, place, bytes, snapshot);
    } catch (cause) {
      this.#parts.halt.stop('snapshot_defect', cause);
    }
  }

  /** Resolves when everything collected is durable and its callers have their responses, or when the writer has halted. */
  async settled(): Promise<void> {
    for (this.start(); this.#writing !== undefined; ) await this.#writing;
  }

  /** Resolves once a processed record is durable and published; rejects if the writer halts before. */
  durableUpTo(sequence: Sequence): Promise<void> {
    if (sequence <= this.#durable.sequence) return Promise.resolve();
    return new Promise((resolve, reject) => this.#onlookers.push({ sequence, resolve, reject }));
  }

  /** Rejects the collecting group and all onlookers: the group will never be written. */
  rejectCollecting(): void {
    this.#reject(this.#collecting);
    const error = this.#parts.halt.error();
    for (const { reject } of this.#onlookers.splice(0)) reject(error);
  }

  async #write(group: Group, place: JournalPlace, bytes: Uint8Array, snapshot: DueSnapshot | undefined): Promise<void> {
    const beganAtMs = this.#parts.steadyClock.elapsedMs();
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
    const elapsedMs = this.#parts.steadyClock.elapsedMs() - beganAtMs;
    // From here on the state may be ahead of what is published. A failure therefore halts the writer: no more commands, no
    // snapshot.
    try {
      this.start(); // Keeps the disk busy while this group is published.
      this.#parts.onCommitted(group.waiting.length, elapsedMs);
      this.#tell(group, place, position);
      if (snapshot !== undefined) this.#parts.snapshots.save(snapshot);
      this.#spare.push(group.builder);
      this.#parts.onRoom();
    } catch (cause) {
      this.#parts.halt.stop('follower_defect', cause);
      this.#reject(group);
    }
  }

  /** Publishes a durable group: to the projections first, then to the callers, so that a caller reads its own writes. */
  #tell(group: Group, place: JournalPlace, position: JournalPosition): void {
    const { waiting, epochMs, keys } = group;
    const { sealed, recordOffsets } = group.builder;
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index];
      if (key !== undefined) this.#parts.index.add(key, epochMs[index]!, position + recordOffsets[index]!);
    }
    const told = new ToldGroup(sealed);
    this.#parts.follow(told);
    told.keep();
    this.#durable = place;
    for (let index = 0; index < waiting.length; index += 1) {
      this.#parts.answers.answered(waiting[index]!);
      waiting[index]!.resolve(told.answer(index, recordOffsets[index]!, epochMs[index]!));
    }
    const beyond = this.#onlookers.findIndex(({ sequence }) => sequence > place.sequence);
    for (const { resolve } of this.#onlookers.splice(0, beyond < 0 ? this.#onlookers.length : beyond)) resolve();
  }

  #reject(group: Group): void {
    const error = this.#parts.halt.error();
    for (const waiting of group.waiting) waiting.reject(error);
  }

  #nextGroup(): Group {
    const builder = this.#spare.pop() ?? new GroupBuilder();
    builder.begin(this.#sealed.groupNumber + 1, (this.#sealed.sequence + 1) as Sequence, this.#sealed.digest);
    return { builder, waiting: [], epochMs: [], keys: [] };
  }
}
