/** Reads what recent changes were kept of before a start: the records up to a place of the journal, if they lead up to that one. */
import { readFileSync } from 'node:fs';
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

/** `undefined` where the files, in their order, hold nothing that leads up to there. Throws where they cannot be read. */
export function readKept(
  paths: readonly string[],
  format: string,
  { sequence, chainDigest }: JournalPlace,
): KeptRecords | undefined {
  const gathered = new Gathered(format);
  for (const path of paths) gathered.takeFile(readFileSync(path));
  const records = gathered.upTo(sequence);
  // The same place of another journal, or of this one before it was restored, is another one.
  return records.at(-1)?.group.digest === chainDigest ? { columns: gathered.columns, records } : undefined;
}

/** Records without a gap, along one chain. */
class Gathered {
  columns: Columns = {};
  readonly #format: string;
  readonly #records: KeptRecord[] = [];

  constructor(format: string) {
    this.#format = format;
  }

  takeFile(bytes: Buffer): void {
    let head: KeptHead | undefined;
    let group: CoveringGroup | undefined;
    for (const { kind, payload } of entriesIn(bytes)) {
      if (kind === ENTRY.head) {
        head = JSON.parse(String(payload)) as KeptHead;
        if (!this.#takeHead(head)) return;
      } else if (kind === ENTRY.group) group = JSON.parse(String(payload)) as CoveringGroup;
      else if (head === undefined || group === undefined) return;
      else this.#take({ ...recordIn(payload), group });
    }
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
    records.length = place <= records.length && (before === digest || before === previousDigest) ? place : 0;
    records.push(record);
  }
}
