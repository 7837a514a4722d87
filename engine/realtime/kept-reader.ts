/** Reads what recent changes were kept of before a start: the records up to a place of the journal, if they lead up to that one. */
import { readFileSync } from 'node:fs';
import type { CoveringGroup } from '#projection/record-changes.ts';
import { ENTRY, entriesIn, recordIn } from './kept-entries.ts';
import type { KeptRecord, KeptRecords } from './recent-changes.ts';

/** A place of the journal, and its chain's digest there. */
export interface JournalPlace {
  readonly sequence: number;
  readonly chainDigest: string;
}

/** What a file says of itself, before anything else. */
export interface KeptHead {
  /** What its records are written like. */
  readonly format: string;
  /** See {@link KeptRecords}. */
  readonly columns: string;
}

/** `undefined` where the files, in their order, hold nothing that leads up to there. */
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

/** Records without a gap. */
class Gathered {
  columns = '{}';
  readonly #format: string;
  readonly #records: KeptRecord[] = [];

  constructor(format: string) {
    this.#format = format;
  }

  takeFile(bytes: Buffer): void {
    let group: CoveringGroup | undefined;
    for (const { kind, payload } of entriesIn(bytes)) {
      if (kind === ENTRY.head && !this.#fits(JSON.parse(String(payload)) as KeptHead)) return;
      if (kind === ENTRY.group) group = JSON.parse(String(payload)) as CoveringGroup;
      if (kind === ENTRY.record) this.#take({ ...recordIn(payload), group: group! });
    }
  }

  upTo(sequence: number): readonly KeptRecord[] {
    const first = this.#records[0]?.sequence ?? sequence + 1;
    return sequence - first < this.#records.length ? this.#records.slice(0, Math.max(0, sequence - first + 1)) : [];
  }

  /** False of another version's. What is in columns that do not go on from those before makes those unreadable. */
  #fits({ format, columns }: KeptHead): boolean {
    const before = Object.entries(JSON.parse(this.columns) as object);
    const now = JSON.parse(columns) as Readonly<Record<string, unknown>>;
    const goesOn = before.every(([list, names]) => JSON.stringify(now[list]) === JSON.stringify(names));
    if (format !== this.#format || !goesOn) this.#records.length = 0;
    this.columns = format === this.#format ? columns : '{}';
    return format === this.#format;
  }

  /** What was kept later counts; after a gap nothing from before it does. */
  #take(record: KeptRecord): void {
    const first = this.#records[0]?.sequence ?? record.sequence;
    const place = record.sequence - first;
    this.#records.length = place < 0 || place > this.#records.length ? 0 : place;
    this.#records.push(record);
  }
}
