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
  readonly #isLive: (row: Row) => boolean;
  readonly #rows = new Map<Key, Row>();
  #changed = new Map<Key, Change<Row>>();

  constructor({ key, isLive }: TableShape<Row>) {
    this.#key = key[0]!;
    this.#isLive = isLive;
  }

  find(key: unknown): Row | undefined {
    return this.#changed.get(key as Key)?.after ?? this.#rows.get(key as Key);
  }

  put(row: Row): void {
    const key = row[this.#key] as Key;
    const earlier = this.#changed.get(key);
    this.#changed.set(key, { before: earlier === undefined ? this.#rows.get(key) : earlier.before, after: row });
  }

  /** Loads a row from before the first record. */
  load(row: Row): void {
    this.#rows.set(row[this.#key] as Key, row);
  }

  all(): IterableIterator<Row> {
    return this.#rows.values();
  }

  /** Ends a record. Returns its changes, in the order of their first change. */
  settle(): readonly Change<Row>[] {
    if (this.#changed.size === 0) return EMPTY;
    const changes = [...this.#changed.values()];
    for (const [key, { after }] of this.#changed) {
      if (this.#isLive(after)) this.#rows.set(key, after);
      else this.#rows.delete(key);
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
    if (this.#rows.length === 0) return EMPTY;
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

const EMPTY: readonly never[] = [];
