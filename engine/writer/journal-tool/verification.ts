/**
 * Verifies all available parts of a journal: the chain, every group's digest, every record's checksum, order and time, and the
 * snapshots.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { ByteReader } from '#venue/record/cursor.ts';
import { CHAIN_START_POSITION, type ChainPosition, type ScannedGroup } from '#writer/journal/chain-walk.ts';
import { GROUP_HEADER_BYTES, hex, recordsEndOf } from '#writer/journal/group.ts';
import { JournalDamaged } from '#writer/journal/journal-fault.ts';
import type { TornTail } from '#writer/journal/journal-scan.ts';
import { readRecord, type StoredRecord, validRecordLength } from '#writer/journal/record.ts';
import { type RulesBoundary, readBoundary } from '#writer/recovery/rules-boundary.ts';
import { gapSegmentsText, type JournalGap } from './journal-gap.ts';
import type { OfflineJournal } from './offline-journal.ts';
import { examineSnapshots, type SnapshotFinding } from './snapshot-examination.ts';

/** Records of one version of the rules. */
export interface RulesSpan {
  readonly rulesVersion: number;
  readonly firstSequence: Sequence;
  lastSequence: Sequence;
}

export interface Verification {
  /** The record before the first available one: the first segments may have been removed from the archive. */
  readonly afterSequence: number;
  readonly sequence: Sequence;
  /** The gaps, including removed first segments. */
  readonly gaps: readonly JournalGap[];
  /** The record before the first live one. */
  readonly inUseAfter: number;
  readonly chainDigest: string;
  readonly recordCount: number;
  readonly groupCount: number;
  /** The length of the groups without their padding. */
  readonly byteLength: number;
  readonly segmentNames: readonly string[];
  readonly firstEpochMs: EpochMs | undefined;
  readonly lastEpochMs: EpochMs | undefined;
  readonly rules: readonly RulesSpan[];
  readonly boundaries: readonly RulesBoundary[];
  readonly snapshots: readonly SnapshotFinding[];
  readonly tornTail: TornTail | undefined;
  /** Archived segments that no anchor covers: a start does not read them. */
  readonly strayArchived: readonly string[];
}

/** Rejects with {@link JournalDamaged}, which names the place and the gaps before it. */
export async function verifyJournal(journal: OfflineJournal): Promise<Verification> {
  const snapshots = await examineSnapshots(journal.files);
  const audit = new Audit();
  try {
    for await (const { from, groups } of journal.runs()) {
      audit.begin(from);
      snapshots.begin(from);
      for await (const group of groups) {
        audit.take(group);
        snapshots.take(group);
      }
    }
  } catch (fault) {
    throw withGaps(fault, journal.gaps);
  }
  const found = audit.found();
  return {
    ...found,
    gaps: journal.gaps,
    inUseAfter: journal.inUseAfter,
    segmentNames: journal.segmentNames,
    snapshots: snapshots.findings(journal.gaps, found.sequence),
    tornTail: journal.tornTail,
    strayArchived: journal.strayArchived,
  };
}

function withGaps(fault: unknown, gaps: readonly JournalGap[]): unknown {
  if (!(fault instanceof JournalDamaged) || gaps.length === 0) return fault;
  return new JournalDamaged(`${fault.message}; and the archive lacks ${gaps.map(gapSegmentsText).join(', ')}`, fault.place);
}

/** Checks what the chain does not prove: that the records' numbers, times and checksums are correct. */
class Audit {
  #last: ChainPosition = CHAIN_START_POSITION;
  #afterSequence: number | undefined;
  #recordCount = 0;
  #groupCount = 0;
  #byteLength = 0;
  #firstEpochMs: EpochMs | undefined;
  #lastEpochMs: EpochMs | undefined;
  readonly #rules: RulesSpan[] = [];
  /** The last span continues: no record is missing between it and the next one. */
  #isStarted = false;
  readonly #boundaries: RulesBoundary[] = [];

  /** The next group follows this place, whatever came before. */
  begin(from: ChainPosition): void {
    this.#last = from;
    this.#afterSequence ??= from.sequence;
    this.#isStarted = false;
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
      afterSequence: this.#afterSequence ?? 0,
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
      const length = validRecordLength(bytes, at, end);
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
    if (this.#isStarted && span?.rulesVersion === rulesVersion) span.lastSequence = sequence;
    else this.#rules.push({ rulesVersion, firstSequence: sequence, lastSequence: sequence });
    this.#isStarted = true;
  }
}
