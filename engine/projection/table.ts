/**
 * One SQLite table for the fold: rows by key, changed in memory and written once when the group is complete. Rows that will be needed again
 * (open orders, accounts) stay in memory; others are read on demand.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** How a row type is stored: columns have the names of its fields. */
export interface TableShape<Row> {
  readonly name: string;
  readonly key: readonly (keyof Row & string)[];
  /** Columns that may change after the insert. */
  readonly changing: readonly (keyof Row & string)[];
  /** Whether a row stays in memory after it is written. */
  readonly isLive: (row: Row) => boolean;
}

/** The operations that a fold needs of a table. */
export interface Rows<Row> {
  find(...key: SQLInputValue[]): Row | undefined;
  put(row: Row): void;
}

type Key = string | number;

export class Table<Row extends object> implements Rows<Row> {
  readonly #shape: TableShape<Row>;
  readonly #columns: readonly (keyof Row & string)[];
  readonly #select: StatementSync;
  readonly #upsert: StatementSync;
  readonly #cached = new Map<Key, Row>();
  #changed = new Map<Key, Row>();

  constructor(database: DatabaseSync, shape: TableShape<Row>) {
    const { name, key, changing } = shape;
    this.#shape = shape;
    this.#columns = database
      .prepare(`SELECT name FROM pragma_table_info('${name}')`)
      .all()
      .map((column) => column.name as keyof Row & string);
    const values = this.#columns.map(() => '?').join(', ');
    const update = changing.map((column) => `"${column}" = excluded."${column}"`).join(', ');
    // Without changing columns, a second row with the same key is a bug and fails.
    const onConflict =
      update === '' ? '' : ` ON CONFLICT (${key.map((column) => `"${column}"`).join(', ')}) DO UPDATE SET ${update}`;
    this.#upsert = database.prepare(`INSERT INTO ${name} VALUES (${values})${onConflict}`);
    this.#select = database.prepare(`SELECT * FROM ${name} WHERE ${key.map((column) => `"${column}" = ?`).join(' AND ')}`);
  }

  find(...key: SQLInputValue[]): Row | undefined {
    const place = placeOf(key);
    return this.#changed.get(place) ?? this.#cached.get(place) ?? this.#fetch(place, key);
  }

  put(row: Row): void {
    this.#changed.set(placeOf(this.#shape.key.map((column) => row[column] as SQLInputValue)), row);
  }

  /** Writes the rows that changed since the last call. */
  flush(): void {
    for (const [place, row] of this.#changed) {
      this.#upsert.run(...this.#columns.map((column) => row[column] as SQLInputValue));
      if (this.#shape.isLive(row)) this.#cached.set(place, row);
      else this.#cached.delete(place);
    }
    // A new map: V8 links the table of a cleared map to its new one, so an old-generation map would keep every changed row alive until a full GC.
    if (this.#changed.size > 0) this.#changed = new Map();
  }

  /** Clears all rows from memory. */
  forget(): void {
    this.#changed.clear();
    this.#cached.clear();
  }

  #fetch(place: Key, key: SQLInputValue[]): Row | undefined {
    const row = this.#select.get(...key) as Row | undefined;
    if (row !== undefined && this.#shape.isLive(row)) this.#cached.set(place, row);
    return row;
  }
}

function placeOf(key: readonly SQLInputValue[]): Key {
  return key.length === 1 ? (key[0] as Key) : key.join('/');
}
