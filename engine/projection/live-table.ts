/** Tables in memory for a fold without a file. They keep only rows that can still change, and return the changes of each record. */
import type { TableShape } from './table.ts';

/** A row before and after a record; `before` is undefined if the record created the row. */
export interface Change<Row> {
  readonly before: Row | undefined;
  readonly after: Row;
}

type Key = string | number;

/** A table with a single-column key. */
export class LiveTable<Row extends object> {
  readonly #key: keyof Row & string;
  readonly #isKept: (row: Row) => boolean;
  readonly #kept = new Map<Key, Row>();
  #changed = new Map<Key, Change<Row>>();

  constructor({ key, isKept }: TableShape<Row>) {
    this.#key = key[0]!;
    this.#isKept = isKept;
  }

  find(key: unknown): Row | undefined {
    return this.#changed.get(key as Key)?.after ?? this.#kept.get(key as Key);
  }

  put(row: Row): void {
    const key = row[this.#key] as Key;
    const earlier = this.#changed.get(key);
    this.#changed.set(key, { before: earlier === undefined ? this.#kept.get(key) : earlier.before, after: row });
  }

  /** Loads a row from before the first record. */
  load(row: Row): void {
    this.#kept.set(row[this.#key] as Key, row);
  }

  kept(): IterableIterator<Row> {
    return this.#kept.values();
  }

  /** Ends a record. Returns its changes, in the order of their first change. */
  settle(): readonly Change<Row>[] {
    if (this.#changed.size === 0) return NOTHING;
    const changes = [...this.#changed.values()];
    for (const [key, { after }] of this.#changed) {
      if (this.#isKept(after)) this.#kept.set(key, after);
      else this.#kept.delete(key);
    }
    this.#changed = new Map();
    return changes;
  }
}

/** A table whose rows are written once and never read. */
export class LiveLog<Row> {
  #rows: Row[] = [];

  find(): undefined {
    return undefined;
  }

  put(row: Row): void {
    this.#rows.push(row);
  }

  settle(): readonly Row[] {
    if (this.#rows.length === 0) return NOTHING;
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

const NOTHING: readonly never[] = [];
