/** Reads what recent changes were kept of before a start: the records up to a place of the journal, if they lead up to that one. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { CoveringGroup } from '#projection/record-changes.ts';
import { ENTRY, entriesIn, recordIn } from './kept-entries.ts';
import { type Columns, goesOnFrom } from './packed-changes.ts';
import type { KeptRecord, KeptRecords } from './recent-changes.ts';

/** A place of the journal, and its chain's digest there. */
export interface JournalPlace {
  readonly sequence: number;
  readonly chainDigest: string;
}

/** What a file says of itself, before anything else. */
export interface KeptHead {
  /** What its records are written like, and the rest of this too. */
  readonly format: string;
  readonly columns: Columns;
}

export interface KeptRead {
  /** `undefined` where the files hold nothing that leads up to the place. */
  readonly kept: KeptRecords | undefined;
  /** Why there is less than the files held once, for people. */
  readonly problem: string | undefined;
  /** The files that none of it is in. */
  readonly useless: readonly string[];
}

/** Reads the files in their order. Throws where one cannot be read. */
export function readKept(paths: readonly string[], format: string, { sequence, chainDigest }: JournalPlace): KeptRead {
  const gathered = new Gathered(format);
  for (const path of paths) gathered.takeFile(path);
  const records = gathered.upTo(sequence);
  // The same place of another journal, or of this one before it was restored, is another one.
  if (records.at(-1)?.group.digest === chainDigest) {
    const useless = paths.filter((path) => !gathered.paths.has(path));
    return { kept: { columns: gathered.columns, records }, problem: gathered.problem, useless };
  }
  return { kept: undefined, problem: gathered.problem ?? `the files do not lead up to record ${sequence}`, useless: paths };
}

/** Records without a gap, along one chain. */
class Gathered {
  columns: Columns = {};
  /** What was lost first. */
  problem: string | undefined;
  /** The files that the records are in, and that may hold a part of them. */
  readonly paths = new Set<string>();
  readonly #format: string;
  readonly #records: KeptRecord[] = [];

  constructor(format: string) {
    this.#format = format;
  }

  takeFile(path: string): void {
    if (this.#takeEntries(path, readFileSync(path)) === 0) this.problem ??= `${basename(path)} is damaged, or of another version`;
  }

  /** Returns how many records there were. */
  #takeEntries(path: string, bytes: Buffer): number {
    let head: KeptHead | undefined;
    let group: CoveringGroup | undefined;
    let count = 0;
    for (const { kind, payload } of entriesIn(bytes)) {
      if (kind === ENTRY.head) {
        head = JSON.parse(String(payload)) as KeptHead;
        if (!this.#takeHead(head)) return count;
      } else if (kind === ENTRY.group) group = JSON.parse(String(payload)) as CoveringGroup;
      else if (head === undefined || group === undefined) return count;
      else {
        this.#take({ ...recordIn(payload), group });
        this.paths.add(path);
        count += 1;
      }
    }
    return count;
  }

  upTo(sequence: number): readonly KeptRecord[] {
    const first = this.#records[0]?.sequence ?? sequence + 1;
    return sequence - first < this.#records.length ? this.#records.slice(0, Math.max(0, sequence - first + 1)) : [];
  }

  /** False of another version's. What is in columns that do not go on from those before makes those unreadable. */
  #takeHead({ format, columns }: KeptHead): boolean {
    const isOurs = format === this.#format;
    if (!isOurs || !goesOnFrom(columns, this.columns)) this.#records.length = 0;
    this.columns = isOurs ? columns : {};
    return isOurs;
  }

  /** What was kept later counts; after a gap, or on another chain, nothing from before it does. */
  #take(record: KeptRecord): void {
    const records = this.#records;
    const first = records[0]?.sequence ?? record.sequence;
    const place = record.sequence - first;
    const before = records[place - 1]?.group.digest;
    const { digest, previousDigest } = record.group;
    const goesOn = place <= records.length && (before === digest || before === previousDigest);
    if (!goesOn && records.length > 0) this.problem ??= `the files lack what leads up to record ${record.sequence}`;
    if (!goesOn) this.paths.clear();
    records.length = goesOn ? place : 0;
    records.push(record);
  }
}
