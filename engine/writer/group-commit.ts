/**
 * Makes groups durable one after the other: while one is being written, the next one collects records. A durable group is
 * published to the subscribers first; then its callers get their responses.
 */

import type { SteadyClock } from '#time/clock.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { IdempotencyIndex } from './idempotency/idempotency-index.ts';
import type { IdempotentResponses } from './idempotency/idempotent-responses.ts';
import { GroupBuilder } from './journal/group.ts';
import type { Journal } from './journal/journal.ts';
import type { RecordKey } from './journal/record.ts';
import type { JournalPosition } from './journal/segment.ts';
import { DurableGroup } from './port/durable-group.ts';
import type { HaltSwitch } from './port/halt.ts';
import type { GroupListener } from './port/submit.ts';
import type { Waiting } from './port/waiting-submission.ts';
import type { DueSnapshot, SnapshotScheduler } from './snapshot/snapshot-scheduler.ts';

/** A position in the journal: the last group, its last record with its time, and the chain digest. */
export interface ChainHead {
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
  readonly responses: IdempotentResponses;
  readonly snapshots: SnapshotScheduler;
  readonly follow: GroupListener;
  readonly halt: HaltSwitch;
  /** Called for every durable group with its number of records and how long the write took. */
  readonly onCommitted: (records: number, elapsedMs: number) => void;
  /** Called when a group is done: there is room for more records. */
  readonly onCapacity: () => void;
}

/** Records that become durable together: the waiting caller, time and key of each. */
interface Group {
  readonly builder: GroupBuilder;
  readonly waiting: Waiting[];
  readonly epochMs: EpochMs[];
  readonly keys: (RecordKey | undefined)[];
}

/** A caller that waits for another caller's record to become durable. */
interface DurabilityWaiter {
  readonly sequence: Sequence;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

export class GroupCommit {
  readonly #parts: GroupCommitParts;
  readonly #freeBuilder: GroupBuilder[] = [];
  /** The last group that was sealed. */
  #sealed: ChainHead;
  #durable: ChainHead;
  #collecting: Group;
  #writing: Promise<void> | undefined;
  /** Ordered by sequence, the oldest first. */
  readonly #durabilityWaiters: DurabilityWaiter[] = [];

  constructor(parts: GroupCommitParts, head: ChainHead) {
    this.#parts = parts;
    this.#sealed = head;
    this.#durable = head;
    this.#collecting = this.#nextGroup();
  }

  /** The position up to which the journal is durable and published to all subscribers. */
  get durable(): ChainHead {
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
    const head = { groupNumber: this.#sealed.groupNumber + 1, sequence, epochMs, digest };
    try {
      const snapshot = this.#parts.snapshots.takeIfDue(sequence, epochMs, digest);
      this.#sealed = head;
      this.#collecting = this.#nextGroup();
      this.#writing = this.#write(group, head, bytes, snapshot);
    } catch (cause) {
      this.#parts.halt.stop('snapshot_error', cause);
    }
  }

  /** Resolves when everything collected is durable and its callers have their responses, or when the writer has halted. */
  async settled(): Promise<void> {
    for (this.start(); this.#writing !== undefined; ) await this.#writing;
  }

  /** Resolves once a processed record is durable and published; rejects if the writer halts before. */
  durableUpTo(sequence: Sequence): Promise<void> {
    if (sequence <= this.#durable.sequence) return Promise.resolve();
    return new Promise((resolve, reject) => this.#durabilityWaiters.push({ sequence, resolve, reject }));
  }

  /** Rejects the collecting group and all onlookers: the group will never be written. */
  rejectCollecting(): void {
    this.#reject(this.#collecting);
    const error = this.#parts.halt.error();
    for (const { reject } of this.#durabilityWaiters.splice(0)) reject(error);
  }

  async #write(group: Group, head: ChainHead, bytes: Uint8Array, snapshot: DueSnapshot | undefined): Promise<void> {
    const startedAtMs = this.#parts.steadyClock.elapsedMs();
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
    const elapsedMs = this.#parts.steadyClock.elapsedMs() - startedAtMs;
    // From here on the state may be ahead of what is published. A failure therefore halts the writer: no more commands, no
    // snapshot.
    try {
      this.start(); // Keeps the disk busy while this group is published.
      this.#parts.onCommitted(group.waiting.length, elapsedMs);
      this.#publish(group, head, position);
      if (snapshot !== undefined) this.#parts.snapshots.save(snapshot);
      this.#freeBuilder.push(group.builder);
      this.#parts.onCapacity();
    } catch (cause) {
      this.#parts.halt.stop('follower_error', cause);
      this.#reject(group);
    }
  }

  /** Publishes a durable group: to the projections first, then to the callers, so that a caller reads its own writes. */
  #publish(group: Group, head: ChainHead, position: JournalPosition): void {
    const { waiting, epochMs, keys } = group;
    const { sealed, recordOffsets } = group.builder;
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index];
      if (key !== undefined) this.#parts.index.add(key, epochMs[index]!, position + recordOffsets[index]!);
    }
    const durable = new DurableGroup(sealed);
    this.#parts.follow(durable);
    durable.keep();
    this.#durable = head;
    for (let index = 0; index < waiting.length; index += 1) {
      this.#parts.responses.responded(waiting[index]!);
      waiting[index]!.resolve(durable.response(index, recordOffsets[index]!, epochMs[index]!));
    }
    const beyond = this.#durabilityWaiters.findIndex(({ sequence }) => sequence > head.sequence);
    for (const { resolve } of this.#durabilityWaiters.splice(0, beyond < 0 ? this.#durabilityWaiters.length : beyond)) resolve();
  }

  #reject(group: Group): void {
    const error = this.#parts.halt.error();
    for (const waiting of group.waiting) waiting.reject(error);
  }

  #nextGroup(): Group {
    const builder = this.#freeBuilder.pop() ?? new GroupBuilder();
    builder.begin(this.#sealed.groupNumber + 1, (this.#sealed.sequence + 1) as Sequence, this.#sealed.digest);
    return { builder, waiting: [], epochMs: [], keys: [] };
  }
}
