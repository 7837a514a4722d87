/**
 * A durable group as it is told to those who follow, and the answers to its callers. It is taken apart once somebody looks
 * at it: all of it by who follows, of an answer nothing but its own record.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { ByteReader } from '#venue/record/cursor.ts';
import { committedGroup, hex } from '#writer/journal/group.ts';
import { committedRecord, readRecord } from '#writer/journal/record.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';
import type { Committed, CommittedGroup, CommittedRecord } from './submit.ts';

export class ToldGroup implements CommittedGroup {
  /** Valid for good once they are read or kept. */
  declare readonly records: CommittedGroup['records'];
  readonly chainDigest: string;
  #stored: StoredGroup;
  #records: readonly CommittedRecord[] | undefined;

  /** `stored` may lie in memory that is used again, after {@link keep}. */
  constructor(stored: StoredGroup) {
    this.#stored = stored;
    this.#records = undefined;
    Object.defineProperty(this, 'records', RECORDS);
    this.chainDigest = hex(stored.digest);
  }

  get stored(): StoredGroup {
    return this.#stored;
  }

  static read(group: ToldGroup): readonly CommittedRecord[] {
    group.#records ??= committedGroup(group.#stored).records;
    return group.#records;
  }

  /** From now on it does without the memory that it was given. */
  keep(): void {
    if (this.#records === undefined) this.#stored = { ...this.#stored, bytes: this.#stored.bytes.slice() };
  }

  /** What the caller of the group's `index`th record hears, which begins at `offset`. To be asked for once it is kept. */
  answer(index: number, offset: number, epochMs: EpochMs): Committed {
    if (this.#records !== undefined) return { ...this.#records[index]!, replayed: false };
    const { header, bytes } = this.#stored;
    return new UnreadAnswer((header.firstSequence + index) as Sequence, epochMs, bytes, offset);
  }
}

/** What comes of a record is an own property, as of any answer: it is there where the answer is copied, compared or printed. */
class UnreadAnswer implements Committed {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  declare readonly command: Committed['command'];
  declare readonly events: Committed['events'];
  declare readonly replayed: boolean;
  readonly #bytes: Uint8Array;
  readonly #offset: number;
  #record: CommittedRecord | undefined;

  constructor(sequence: Sequence, epochMs: EpochMs, bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
    this.#record = undefined;
    this.sequence = sequence;
    this.epochMs = epochMs;
    Object.defineProperty(this, 'command', COMMAND);
    Object.defineProperty(this, 'events', EVENTS);
    this.replayed = false;
  }

  static read(answer: UnreadAnswer): CommittedRecord {
    answer.#record ??= committedRecord(readRecord(new ByteReader(answer.#bytes.subarray(answer.#offset))));
    return answer.#record;
  }
}

// One getter for all groups, and two for all answers: they keep one shape. Were one made for each, so would a shape be, and
// shapes hold what they were made for until the whole heap is collected.
const RECORDS: PropertyDescriptor & ThisType<ToldGroup> = {
  enumerable: true,
  get() {
    return ToldGroup.read(this);
  },
};
const COMMAND: PropertyDescriptor & ThisType<UnreadAnswer> = {
  enumerable: true,
  get() {
    return UnreadAnswer.read(this).command;
  },
};
const EVENTS: PropertyDescriptor & ThisType<UnreadAnswer> = {
  enumerable: true,
  get() {
    return UnreadAnswer.read(this).events;
  },
};
