/**
 * Packs the changes of a record: rows without their column names, and of a row's state before the record only the columns that
 * differ.
 */
import type { Change } from '#projection/live-table.ts';
import type { CoveringGroup, RecordChanges } from '#projection/record-changes.ts';
import { type Value, ValueReader, ValueWriter } from './packed-values.ts';

type Row = Readonly<Record<string, Value>>;
type List = Exclude<keyof RecordChanges, 'sequence' | 'epochMs' | 'group'>;

/** The column names of each list, from its first row. Packed rows are read by them. */
export type Columns = { readonly [Name in List]?: readonly string[] };

/** Whether everything packed with the columns `before` can be read with `columns`. */
export function continuesFrom(columns: Columns, before: Columns): boolean {
  return Object.entries(before).every(([list, names]) => JSON.stringify(columns[list as List]) === JSON.stringify(names));
}

type Kind = 'row' | 'change' | 'after' | 'value';

/**
 * The kind of each list's entries. A replay needs only the final state of an order. Packed changes number the lists in this order:
 * append new ones.
 */
const KINDS: { readonly [Name in List]: Kind } = {
  orders: 'after',
  fills: 'row',
  trades: 'row',
  episodes: 'change',
  accounts: 'change',
  markets: 'change',
  activity: 'change',
  observed: 'row',
  books: 'value',
  priced: 'row',
  settled: 'row',
  paid: 'row',
  posted: 'row',
  withdrawn: 'row',
  revokedKeys: 'value',
  withdrawals: 'after',
  affiliates: 'after',
  agentActions: 'row',
};
const LISTS = Object.entries(KINDS) as readonly (readonly [List, Kind])[];

export class ChangesPacker {
  readonly #writer = new ValueWriter();
  #columns: Columns = {};
  /** Lists whose continued columns no packed row has confirmed yet. */
  readonly #unverified = new Set<List>();
  /** Whether the last packed record has rows with other columns than the continued ones: records packed with those are then unreadable. */
  hasOtherColumns = false;

  /** A new object whenever columns are added. */
  get columns(): Columns {
    return this.#columns;
  }

  /** Packs and unpacks with columns of an earlier packer. Call it before `pack`. */
  continueFrom(columns: Columns): void {
    this.#columns = columns;
    for (const list of Object.keys(columns)) this.#unverified.add(list as List);
  }

  /** Everything but the group. Valid until the next call. */
  pack(changes: RecordChanges): Buffer {
    this.hasOtherColumns = false;
    this.#writer.begin();
    this.#writer.put(changes.sequence);
    this.#writer.put(changes.epochMs);
    for (let index = 0; index < LISTS.length; index += 1) this.#packList(index, changes);
    return this.#writer.end();
  }

  unpack(bytes: Buffer, group: CoveringGroup): RecordChanges {
    const from = new ValueReader(bytes);
    const changes: Record<string, unknown> = { sequence: from.read(), epochMs: from.read(), group };
    for (const [list] of LISTS) changes[list] = [];
    while (!from.isAtEnd) {
      const [list, kind] = LISTS[from.readNumber()]!;
      changes[list] = Array.from({ length: from.readNumber() }, () => {
        if (kind === 'value') return from.read();
        const after = this.#readRow(list, from);
        if (kind === 'row') return after;
        return { before: kind === 'change' ? this.#readBefore(list, after, from) : undefined, after };
      });
    }
    return changes as unknown as RecordChanges;
  }

  #packList(index: number, changes: RecordChanges): void {
    const [list, kind] = LISTS[index]!;
    const entries: readonly unknown[] = changes[list];
    if (entries.length === 0) return;
    this.#writer.put(index);
    this.#writer.put(entries.length);
    for (const entry of entries) {
      if (kind === 'value') this.#writer.put(entry as Value);
      else if (kind === 'row') this.#writeRow(list, entry as Row);
      else this.#writeRow(list, (entry as Change<Row>).after);
      if (kind === 'change') this.#writeBefore(list, entry as Change<Row>);
    }
  }

  #writeRow(list: List, row: Row): void {
    for (const name of this.#columnsOf(list, row)) this.#writer.put(row[name]!);
  }

  #readRow(list: List, from: ValueReader): Row {
    const row: Record<string, Value> = {};
    for (const name of this.#columns[list]!) row[name] = from.read();
    return row;
  }

  /** The number of differing columns, and of each its index and earlier value; `null` if the record created the row. */
  #writeBefore(list: List, { before, after }: Change<Row>): void {
    if (before === undefined) {
      this.#writer.put(null);
      return;
    }
    const columns = this.#columnsOf(list, after);
    const setCount = this.#writer.putLater();
    let count = 0;
    for (let index = 0; index < columns.length; index += 1) {
      const name = columns[index]!;
      if (before[name] === after[name]) continue;
      this.#writer.put(index);
      this.#writer.put(before[name]!);
      count += 1;
    }
    setCount(count);
  }

  #readBefore(list: List, after: Row, from: ValueReader): Row | undefined {
    const count = from.read() as number | null;
    if (count === null) return undefined;
    const before: Record<string, Value> = { ...after };
    for (let taken = 0; taken < count; taken += 1) before[this.#columns[list]![from.readNumber()]!] = from.read();
    return before;
  }

  #columnsOf(list: List, row: Row): readonly string[] {
    const names = this.#columns[list];
    if (names !== undefined && (!this.#unverified.delete(list) || isSame(names, Object.keys(row)))) return names;
    this.hasOtherColumns ||= names !== undefined;
    const own = Object.keys(row);
    this.#columns = { ...this.#columns, [list]: own };
    return own;
  }
}

/** Ignores order. */
function isSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && new Set([...names, ...others]).size === names.length;
}
