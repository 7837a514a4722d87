/** A journal at rest, or as it was at one moment: its groups in order, each verified, including the archived ones. */
import { type ChainPosition, ChainWalk, type ScannedGroup } from '#writer/journal/chain-walk.ts';
import { type ReadableFiles, ReadMemory } from '#writer/journal/files.ts';
import { recordsOf } from '#writer/journal/group.ts';
import { JournalDamaged } from '#writer/journal/journal-fault.ts';
import type { TornTail } from '#writer/journal/journal-scan.ts';
import { committedRecord } from '#writer/journal/record.ts';
import { segmentWith, surveySegments } from '#writer/journal/segment-survey.ts';
import { isTorn } from '#writer/journal/torn-tail.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { JournalGap } from './journal-gap.ts';
import { type JournalPart, type JournalParts, journalParts } from './journal-parts.ts';

/** Consecutive groups. Read them to their end before the next run. */
export interface JournalRun {
  /** The place that the first of them follows. */
  readonly from: ChainPosition;
  readonly groups: AsyncGenerator<ScannedGroup>;
}

/** Every available record, oldest first. */
export async function* committedRecordsOf(journal: OfflineJournal): AsyncGenerator<CommittedRecord> {
  for await (const group of journal.groups()) for (const { record } of recordsOf(group)) yield committedRecord(record);
}

const AFTER_A_TORN_TAIL = 'there is data in it, but the segment before it ends within a group';
const OTHER_ANCHOR = 'it does not follow the group that journal.anchor names: groups are missing or out of place';
const UNREADABLE = 'its first group cannot be read, and the segment before it is missing';

export class OfflineJournal {
  readonly files: ReadableFiles;
  readonly #parts: JournalParts;
  #tornTail: TornTail | undefined;
  #gaps: JournalGap[] = [];

  private constructor(files: ReadableFiles, parts: JournalParts) {
    this.files = files;
    this.#parts = parts;
  }

  /** Opens all available parts. Throws {@link RecoveryRefused} if the anchor is damaged. */
  static async open(files: ReadableFiles): Promise<OfflineJournal> {
    return new OfflineJournal(files, await journalParts(files));
  }

  get segmentNames(): readonly string[] {
    return this.#parts.parts.flatMap(({ segments }) => segments.map(({ name }) => name));
  }

  /** No segment is missing, archived ones included. */
  get isComplete(): boolean {
    return this.#parts.parts.every(({ missing }) => missing.length === 0);
  }

  /** The record before the first live one. Earlier records may be unavailable to a venue. */
  get inUseAfter(): number {
    return this.#parts.anchor?.follows.sequence ?? 0;
  }

  /** Segments in the archive that the anchor does not cover. */
  get strayArchived(): readonly string[] {
    return this.#parts.strayArchived;
  }

  /** The unfinished group after the last whole one, known once all groups were read. */
  get tornTail(): TornTail | undefined {
    return this.#tornTail;
  }

  /** The gaps among the groups read so far. */
  get gaps(): readonly JournalGap[] {
    return this.#gaps;
  }

  /** Every group, or those from the segment on that contains a record. A group is valid until the next one is read. */
  async *groups(fromSequence = 0): AsyncGenerator<ScannedGroup> {
    for await (const { groups } of this.runs(fromSequence)) yield* groups;
  }

  /** The same groups, in a new run after each gap. */
  async *runs(fromSequence = 0): AsyncGenerator<JournalRun> {
    this.#tornTail = undefined;
    this.#gaps = [];
    let place: ChainPosition | undefined;
    for (const part of await this.#partsFrom(fromSequence)) {
      if (part.from === undefined) throw JournalDamaged.at(part.firstSegment, 0, undefined, UNREADABLE);
      this.#noteGap(part, part.from, place);
      const walk = new ChainWalk(part.firstSegment, part.from);
      yield { from: part.from, groups: this.#groupsOf(part, walk) };
      place = walk.position;
    }
  }

  async *#groupsOf({ segments, firstSegment }: JournalPart, walk: ChainWalk): AsyncGenerator<ScannedGroup> {
    const memory = new ReadMemory();
    for (const { segment, name } of segments) {
      const torn = this.#tornTail;
      const groups: ScannedGroup[] = [];
      if (segment > firstSegment) this.#checkAnchor(segment, walk);
      const bad = walk.walk(segment, await memory.read(this.files, name), (group) => groups.push(group));
      if (torn !== undefined && (groups.length > 0 || bad !== undefined)) throw walk.damage(segment, 0, AFTER_A_TORN_TAIL);
      yield* groups;
      if (bad === undefined) continue;
      if (!isTorn(bad)) throw walk.damageAt(segment, bad);
      this.#tornTail = { segment: name, offset: bad.offset, byteLength: bad.end - bad.offset };
    }
  }

  /** A start uses only the anchor if it does not need the archive. */
  #checkAnchor(segment: number, walk: ChainWalk): void {
    const { anchor } = this.#parts;
    if (segment !== anchor?.segment) return;
    const { groupNumber, digest } = walk.position;
    if (groupNumber === anchor.follows.groupNumber && Buffer.compare(digest, anchor.follows.digest) === 0) return;
    throw walk.damage(segment, 0, OTHER_ANCHOR);
  }

  #noteGap({ missing, firstSegment }: JournalPart, from: ChainPosition, before: ChainPosition | undefined): void {
    if (missing.length === 0) return;
    const firstSequence = (before?.sequence ?? 0) + 1;
    this.#gaps.push({
      firstSequence,
      lastSequence: from.sequence,
      segmentNames: missing,
      isBeginning: before === undefined,
    });
    // A full segment contains at least one group.
    if (from.sequence + 1 >= firstSequence && from.groupNumber >= (before?.groupNumber ?? 0) + missing.length) return;
    const what = `it follows record ${from.sequence}, but the segments before those that are missing go on to record ${firstSequence - 1}`;
    throw JournalDamaged.at(firstSegment, 0, from.sequence + 1, what);
  }

  async #partsFrom(sequence: number): Promise<readonly JournalPart[]> {
    const { parts } = this.#parts;
    const begin = segmentWith(
      await surveySegments(
        this.files,
        parts.flatMap(({ segments }) => segments),
      ),
      sequence,
    );
    if (begin === undefined) return parts;
    const later = parts.filter(({ segments }) => segments.some(({ segment }) => segment >= begin.segment));
    const [first, ...others] = later as [JournalPart, ...JournalPart[]];
    const segments = first.segments.filter(({ segment }) => segment >= begin.segment);
    return [{ firstSegment: begin.segment, segments, from: begin.follows, missing: [] }, ...others];
  }
}
