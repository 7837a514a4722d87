/** The whole journal, verified: the chain, every group's digest, every record's check sum, order and time; and the snapshots. */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { ByteReader } from '#venue/record/cursor.ts';
import type { ChainPlace, ScannedGroup } from '#writer/chain-walk.ts';
import { GROUP_HEADER_BYTES, hex, recordsEndOf } from '#writer/group.ts';
import { JournalDamaged } from '#writer/journal-fault.ts';
import type { TornTail } from '#writer/journal-scan.ts';
import { readRecord, type StoredRecord, soundRecordLength } from '#writer/record.ts';
import { type RulesBoundary, readBoundary } from '#writer/rules-boundary.ts';
import type { OfflineJournal } from './offline-journal.ts';
import { examineSnapshots, type SnapshotFinding } from './snapshot-examination.ts';

/** Records that one version of the rules made. */
export interface RulesSpan {
  readonly rulesVersion: number;
  readonly firstSequence: Sequence;
  lastSequence: Sequence;
}

export interface Verification {
  /** The record before the first one that was read: archived ones may be kept elsewhere. */
  readonly afterSequence: Sequence;
  readonly sequence: Sequence;
  readonly chainDigest: string;
  readonly recordCount: number;
  readonly groupCount: number;
  /** Of the groups, without what pads them to whole sectors. */
  readonly byteLength: number;
  readonly segmentNames: readonly string[];
  readonly firstEpochMs: EpochMs | undefined;
  readonly lastEpochMs: EpochMs | undefined;
  readonly rules: readonly RulesSpan[];
  readonly boundaries: readonly RulesBoundary[];
  readonly snapshots: readonly SnapshotFinding[];
  readonly tornTail: TornTail | undefined;
  /** Archived segments that no anchor speaks of: a start reads none of them. */
  readonly strayArchived: readonly string[];
}

/** Rejects with {@link JournalDamaged}, which names the place. */
export async function verifyJournal(journal: OfflineJournal): Promise<Verification> {
  const snapshots = await examineSnapshots(journal.files);
  const audit = new Audit(journal.from);
  for await (const group of journal.groups()) {
    audit.take(group);
    snapshots.take(group);
  }
  const found = audit.found();
  return {
    ...found,
    afterSequence: journal.from.sequence,
    segmentNames: journal.segmentNames,
    snapshots: snapshots.findings(journal.from.sequence, found.sequence),
    tornTail: journal.tornTail,
    strayArchived: await journal.strayArchived(),
  };
}

/** What the chain does not vouch for: that records were numbered, timed and summed up as they should be. */
class Audit {
  #last: ChainPlace;
  #recordCount = 0;
  #groupCount = 0;
  #byteLength = 0;
  #firstEpochMs: EpochMs | undefined;
  #lastEpochMs: EpochMs | undefined;
  readonly #rules: RulesSpan[] = [];
  readonly #boundaries: RulesBoundary[] = [];

  constructor(from: ChainPlace) {
    this.#last = from;
  }

  take(group: ScannedGroup): void {
    const { number, firstSequence, recordCount, byteLength } = group.header;
    if (number !== this.#last.groupNumber + 1 || firstSequence !== this.#last.sequence + 1) {
      const what = `group ${number} with record ${firstSequence} follows group ${this.#last.groupNumber}`;
      throw JournalDamaged.at(group.segment, group.offset, this.#last.sequence + 1, what);
    }
    if (recordCount === 0) this.#boundaries.push(readBoundary(group));
    else this.#takeRecords(group);
    this.#last = { groupNumber: number, sequence: group.lastSequence, digest: group.digest };
    this.#recordCount += recordCount;
    this.#groupCount += 1;
    this.#byteLength += byteLength;
  }

  found() {
    return {
      sequence: this.#last.sequence,
      chainDigest: hex(this.#last.digest),
      recordCount: this.#recordCount,
      groupCount: this.#groupCount,
      byteLength: this.#byteLength,
      firstEpochMs: this.#firstEpochMs,
      lastEpochMs: this.#lastEpochMs,
      rules: this.#rules,
      boundaries: this.#boundaries,
    };
  }

  #takeRecords(group: ScannedGroup): void {
    const { bytes, header, segment, offset } = group;
    const end = recordsEndOf(0, header);
    let at = GROUP_HEADER_BYTES;
    for (let sequence: number = header.firstSequence; sequence <= group.lastSequence; sequence += 1) {
      const length = soundRecordLength(bytes, at, end);
      if (length === undefined) throw JournalDamaged.at(segment, offset + at, sequence, 'the check sum of the record is wrong');
      const record = readRecord(new ByteReader(bytes.subarray(at, at + length)));
      const fault = this.#faultOf(record, sequence);
      if (fault !== undefined) throw JournalDamaged.at(segment, offset + at, sequence, fault);
      this.#note(record);
      at += length;
    }
    if (at !== end)
      throw JournalDamaged.at(segment, offset + at, group.lastSequence, 'bytes follow the last record of the group');
  }

  #faultOf({ sequence, epochMs }: StoredRecord, expected: number): string | undefined {
    if (sequence !== expected) return `it says that it is record ${sequence}`;
    return epochMs < (this.#lastEpochMs ?? 0) ? 'its time lies before that of the record before it' : undefined;
  }

  #note({ sequence, epochMs, rulesVersion }: StoredRecord): void {
    this.#firstEpochMs ??= epochMs;
    this.#lastEpochMs = epochMs;
    const span = this.#rules.at(-1);
    if (span?.rulesVersion === rulesVersion) span.lastSequence = sequence;
    else this.#rules.push({ rulesVersion, firstSequence: sequence, lastSequence: sequence });
  }
}
