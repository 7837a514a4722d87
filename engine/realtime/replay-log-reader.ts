/** Reads the replay log at a start: the records up to a point of the journal, if they lead up to exactly that point. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { CoveringGroup } from '#projection/record-changes.ts';
import { type Columns, continuesFrom } from './packed-changes.ts';
import type { BufferedRecord, BufferedRecords } from './replay-buffer.ts';
import { ENTRY, entriesIn, recordIn } from './replay-log-entries.ts';

/** A sequence of the journal, and the chain digest there. */
export interface JournalPoint {
  readonly sequence: number;
  readonly chainDigest: string;
}

/** The header of a file, its first entry. */
export interface ReplayLogHeader {
  /** Identifies the layout of the file and the schema of its records. */
  readonly format: string;
  readonly columns: Columns;
}

export interface ReplayLogContent {
  /** `undefined` if no records lead up to the point. */
  readonly records: BufferedRecords | undefined;
  /** The first loss that was found, for the log. */
  readonly problem: string | undefined;
  /** Files that contain no restored record. */
  readonly unusablePaths: readonly string[];
}

/** Reads the files in this order. Throws if one cannot be read. */
export function readReplayLog(
  paths: readonly string[],
  format: string,
  { sequence, chainDigest }: JournalPoint,
): ReplayLogContent {
  const gathered = new RecordCollector(format);
  for (const path of paths) gathered.addFile(path);
  const records = gathered.upTo(sequence);
  // With another digest it is another journal, or this one before it was restored from a backup.
  if (records.at(-1)?.group.digest === chainDigest) {
    const unusablePaths = paths.filter((path) => !gathered.paths.has(path));
    return { records: { columns: gathered.columns, records }, problem: gathered.problem, unusablePaths };
  }
  return {
    records: undefined,
    problem: gathered.problem ?? `the files do not lead up to record ${sequence}`,
    unusablePaths: paths,
  };
}

/** Records without a gap, along one chain. */
class RecordCollector {
  columns: Columns = {};
  /** The first loss. */
  problem: string | undefined;
  /** Files that contain records, some of which may have been replaced since. */
  readonly paths = new Set<string>();
  readonly #format: string;
  readonly #records: BufferedRecord[] = [];

  constructor(format: string) {
    this.#format = format;
  }

  addFile(path: string): void {
    if (this.#parseEntries(path, readFileSync(path)) === 0)
      this.problem ??= `${basename(path)} is damaged, or of another version`;
  }

  /** Returns the number of records read. */
  #parseEntries(path: string, bytes: Buffer): number {
    let head: ReplayLogHeader | undefined;
    let group: CoveringGroup | undefined;
    let count = 0;
    for (const { kind, payload } of entriesIn(bytes)) {
      if (kind === ENTRY.head) {
        head = JSON.parse(String(payload)) as ReplayLogHeader;
        if (!this.#parseHeader(head)) return count;
      } else if (kind === ENTRY.group) group = JSON.parse(String(payload)) as CoveringGroup;
      else if (head === undefined || group === undefined) return count;
      else {
        this.#add({ ...recordIn(payload), group });
        this.paths.add(path);
        count += 1;
      }
    }
    return count;
  }

  upTo(sequence: number): readonly BufferedRecord[] {
    const first = this.#records[0]?.sequence ?? sequence + 1;
    return sequence - first < this.#records.length ? this.#records.slice(0, Math.max(0, sequence - first + 1)) : [];
  }

  /** False if it is of another version. Columns that do not extend those before make the earlier records unreadable. */
  #parseHeader({ format, columns }: ReplayLogHeader): boolean {
    const isOurs = format === this.#format;
    if (!isOurs || !continuesFrom(columns, this.columns)) this.#records.length = 0;
    this.columns = isOurs ? columns : {};
    return isOurs;
  }

  /** Later records replace earlier ones; a gap or another chain discards everything before it. */
  #add(record: BufferedRecord): void {
    const records = this.#records;
    const first = records[0]?.sequence ?? record.sequence;
    const index = record.sequence - first;
    const before = records[index - 1]?.group.digest;
    const { digest, previousDigest } = record.group;
    const goesOn = index <= records.length && (before === digest || before === previousDigest);
    if (!goesOn && records.length > 0) this.problem ??= `the files have a gap before record ${record.sequence}`;
    if (!goesOn) this.paths.clear();
    records.length = goesOn ? index : 0;
    records.push(record);
  }
}
