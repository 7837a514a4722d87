/**
 * A durable group as it is published, and the responses to its callers. It is decoded lazily: a subscriber decodes the whole
 * group, a response decodes only its own record.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { ByteReader } from '#venue/record/cursor.ts';
import { committedGroup, hex } from '#writer/journal/group.ts';
import { committedRecord, readRecord } from '#writer/journal/record.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';
import type { CommitResponse, CommittedGroup, CommittedRecord } from './submit.ts';

export class DurableGroup implements CommittedGroup {
  /** Remain valid once they were read or {@link keep} was called. */
  declare readonly records: CommittedGroup['records'];
  readonly chainDigest: string;
  #stored: StoredGroup;
  #records: readonly CommittedRecord[] | undefined;

  /** `stored` may lie in a buffer that is reused after {@link keep}. */
  constructor(stored: StoredGroup) {
    this.#stored = stored;
    this.#records = undefined;
    Object.defineProperty(this, 'records', RECORDS);
    this.chainDigest = hex(stored.digest);
  }

  get stored(): StoredGroup {
    return this.#stored;
  }

  static read(group: DurableGroup): readonly CommittedRecord[] {
    group.#records ??= committedGroup(group.#stored).records;
    return group.#records;
  }

  /** Copies the bytes, so that the caller may reuse its buffer. */
  keep(): void {
    if (this.#records === undefined) this.#stored = { ...this.#stored, bytes: this.#stored.bytes.slice() };
  }

  /** The response to the caller of the group's `index`th record, which starts at `offset`. Call it after {@link keep}. */
  response(index: number, offset: number, epochMs: EpochMs): CommitResponse {
    if (this.#records !== undefined) return { ...this.#records[index]!, replayed: false };
    const { header, bytes } = this.#stored;
    return new LazyResponse((header.firstSequence + index) as Sequence, epochMs, bytes, offset);
  }
}

/** `command` and `events` are own properties, as in any response: copying, comparing and printing include them. */
class LazyResponse implements CommitResponse {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  declare readonly command: CommitResponse['command'];
  declare readonly events: CommitResponse['events'];
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

  static read(response: LazyResponse): CommittedRecord {
    response.#record ??= committedRecord(readRecord(new ByteReader(response.#bytes.subarray(response.#offset))));
    return response.#record;
  }
}

// All groups share one getter and all responses share two, so that they keep one shape. With a getter per object, each object
// would have a shape of its own, and V8 keeps shapes with what they reference until a full garbage collection.
const RECORDS: PropertyDescriptor & ThisType<DurableGroup> = {
  enumerable: true,
  get() {
    return DurableGroup.read(this);
  },
};
const COMMAND: PropertyDescriptor & ThisType<LazyResponse> = {
  enumerable: true,
  get() {
    return LazyResponse.read(this).command;
  },
};
const EVENTS: PropertyDescriptor & ThisType<LazyResponse> = {
  enumerable: true,
  get() {
    return LazyResponse.read(this).events;
  },
};
