/**
 * What a record has changed, as values one after the other: rows without the names of their columns, and of a row before the record only
 * what is another after it.
 */
import type { Change } from '#projection/live-table.ts';
import type { CoveringGroup, RecordChanges } from '#projection/record-changes.ts';
import { type Value, ValueReader, ValueWriter } from './packed-values.ts';

type Row = Readonly<Record<string, Value>>;
type List = Exclude<keyof RecordChanges, 'sequence' | 'epochMs' | 'group'>;

/** What the entries of each list are. All that a replay needs of an order is how it was left. */
const LISTS: readonly (readonly [List, 'row' | 'change' | 'after' | 'value'])[] = [
  ['orders', 'after'],
  ['fills', 'row'],
  ['trades', 'row'],
  ['episodes', 'change'],
  ['accounts', 'change'],
  ['markets', 'change'],
  ['activity', 'change'],
  ['observed', 'row'],
  ['books', 'value'],
  ['priced', 'row'],
  ['settled', 'row'],
  ['paid', 'row'],
  ['posted', 'row'],
  ['withdrawn', 'row'],
  ['revokedKeys', 'value'],
];

export class ChangesPacker {
  readonly #writer = new ValueWriter();
  /** Of each list, as its first row has them. */
  #columns = new Map<List, readonly string[]>();
  #columnsText = '{}';
  /** Lists that no row of was packed since they were gone on from. */
  readonly #unproven = new Set<List>();
  /** Whether the last one that was packed has rows of other columns than those that were gone on from: what those wrote cannot be read then. */
  hasOtherColumns = false;

  /** The columns of each list, as JSON, which what was packed is read by. */
  get columns(): string {
    return this.#columnsText;
  }

  /** To pack and unpack by the columns of another one. Before anything is packed. */
  goOnFrom(columns: string): void {
    this.#columns = new Map(Object.entries(JSON.parse(columns) as Record<List, string[]>)) as Map<List, readonly string[]>;
    this.#columnsText = columns;
    for (const list of this.#columns.keys()) this.#unproven.add(list);
  }

  /** All but the group. Good until the next one is packed. */
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
    const changes: Record<string, unknown> = { sequence: from.take(), epochMs: from.take(), group };
    for (const [list] of LISTS) changes[list] = [];
    while (!from.isAtEnd) {
      const [list, kind] = LISTS[from.takeNumber()]!;
      changes[list] = Array.from({ length: from.takeNumber() }, () => {
        if (kind === 'value') return from.take();
        const after = this.#takeRow(list, from);
        if (kind === 'row') return after;
        return { before: kind === 'change' ? this.#takeBefore(list, after, from) : undefined, after };
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
      else if (kind === 'row') this.#putRow(list, entry as Row);
      else this.#putRow(list, (entry as Change<Row>).after);
      if (kind === 'change') this.#putBefore(list, entry as Change<Row>);
    }
  }

  #putRow(list: List, row: Row): void {
    for (const name of this.#columnsOf(list, row)) this.#writer.put(row[name]!);
  }

  #takeRow(list: List, from: ValueReader): Row {
    const row: Record<string, Value> = {};
    for (const name of this.#columns.get(list)!) row[name] = from.take();
    return row;
  }

  /** How many columns are another, and of each its place and what it was; `null` where the record made the row. */
  #putBefore(list: List, { before, after }: Change<Row>): void {
    if (before === undefined) {
      this.#writer.put(null);
      return;
    }
    const columns = this.#columnsOf(list, after);
    const setCount = this.#writer.putLater();
    let count = 0;
    for (let place = 0; place < columns.length; place += 1) {
      const name = columns[place]!;
      if (before[name] === after[name]) continue;
      this.#writer.put(place);
      this.#writer.put(before[name]!);
      count += 1;
    }
    setCount(count);
  }

  #takeBefore(list: List, after: Row, from: ValueReader): Row | undefined {
    const count = from.take() as number | null;
    if (count === null) return undefined;
    const before: Record<string, Value> = { ...after };
    for (let taken = 0; taken < count; taken += 1) before[this.#columns.get(list)![from.takeNumber()]!] = from.take();
    return before;
  }

  #columnsOf(list: List, row: Row): readonly string[] {
    const names = this.#columns.get(list);
    if (names !== undefined && (!this.#unproven.delete(list) || isSame(names, Object.keys(row)))) return names;
    this.hasOtherColumns ||= names !== undefined;
    const own = Object.keys(row);
    this.#columns.set(list, own);
    this.#columnsText = JSON.stringify(Object.fromEntries(this.#columns));
    return own;
  }
}

/** In whatever order. */
function isSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && new Set([...names, ...others]).size === names.length;
}
