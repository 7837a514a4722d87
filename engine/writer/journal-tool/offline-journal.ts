/** A journal that lies still, or is read as it lay at one moment: its groups in order, each verified, archived ones included. */
import { readAnchor, type SegmentRun, segmentsAfter } from '#writer/anchor.ts';
import { type ChainPlace, ChainWalk, type ScannedGroup } from '#writer/chain-walk.ts';
import { type ReadableFiles, ReadMemory } from '#writer/files.ts';
import { recordsOf } from '#writer/group.ts';
import { RecoveryRefused } from '#writer/journal-fault.ts';
import type { TornTail } from '#writer/journal-scan.ts';
import { committedRecord } from '#writer/record.ts';
import { listSegments } from '#writer/segment.ts';
import { segmentWith, surveySegments } from '#writer/segment-survey.ts';
import type { CommittedRecord } from '#writer/submit.ts';
import { isTorn } from '#writer/torn-tail.ts';

/** Every record, oldest first. */
export async function* committedRecordsOf(journal: OfflineJournal): AsyncGenerator<CommittedRecord> {
  for await (const group of journal.groups()) for (const { record } of recordsOf(group)) yield committedRecord(record);
}

const AFTER_A_TORN_TAIL = 'there is data in it, but the segment before it ends within a group';

export class OfflineJournal {
  readonly files: ReadableFiles;
  readonly #run: SegmentRun;
  #tornTail: TornTail | undefined;

  private constructor(files: ReadableFiles, run: SegmentRun) {
    this.files = files;
    this.#run = run;
  }

  /** All of it, or what is in use where archived segments are kept elsewhere. Throws {@link RecoveryRefused}. */
  static async open(files: ReadableFiles): Promise<OfflineJournal> {
    const anchor = await readAnchor(files);
    try {
      return new OfflineJournal(files, await segmentsAfter(files, 0, 'all of it is to be read'));
    } catch (cause) {
      if (anchor === undefined || !(cause instanceof RecoveryRefused)) throw cause;
      return new OfflineJournal(files, await segmentsAfter(files, anchor.follows.sequence, ''));
    }
  }

  /** What the first group that is there follows: the beginning, or what was archived and is kept elsewhere. */
  get from(): ChainPlace {
    return this.#run.from;
  }

  get segmentNames(): readonly string[] {
    return this.#run.segments.map(({ name }) => name);
  }

  /** Segments that lie in the archive although nothing says that any were archived. */
  async strayArchived(): Promise<readonly string[]> {
    if ((await readAnchor(this.files)) !== undefined) return [];
    return (await listSegments(this.files, 'archived')).map(({ name }) => name);
  }

  /** The unfinished group behind the last whole one, once all groups were read. */
  get tornTail(): TornTail | undefined {
    return this.#tornTail;
  }

  /** Every group, or those from the segment on that has a record. Valid until the next one is asked for. */
  async *groups(fromSequence = 0): AsyncGenerator<ScannedGroup> {
    const run = await this.#runFrom(fromSequence);
    const walk = new ChainWalk(run.firstSegment, run.from);
    const memory = new ReadMemory();
    for (const { segment, name } of run.segments) {
      const torn = this.#tornTail;
      const groups: ScannedGroup[] = [];
      const bad = walk.walk(segment, await memory.read(this.files, name), (group) => groups.push(group));
      if (torn !== undefined && (groups.length > 0 || bad !== undefined)) throw walk.damage(segment, 0, AFTER_A_TORN_TAIL);
      yield* groups;
      if (bad === undefined) continue;
      if (!isTorn(bad)) throw walk.damageAt(segment, bad);
      this.#tornTail = { segment: name, offset: bad.offset, byteLength: bad.end - bad.offset };
    }
  }

  async #runFrom(sequence: number): Promise<SegmentRun> {
    this.#tornTail = undefined;
    const begin = segmentWith(await surveySegments(this.files, this.#run.segments), sequence);
    if (begin === undefined) return this.#run;
    const segments = this.#run.segments.filter(({ segment }) => segment >= begin.segment);
    return { firstSegment: begin.segment, segments, from: begin.follows };
  }
}
