/** What a record has changed as text, rows without the names of their columns: half as long, and no garbage that lives for minutes. */
import type { Change } from '#projection/live-table.ts';
import type { RecordChanges } from '#projection/record-changes.ts';

type Row = Readonly<Record<string, unknown>>;
type Values = readonly unknown[];

/** Lists of rows as they are, and of rows before and after. */
const ROWS = ['fills', 'trades', 'priced', 'settled', 'paid', 'posted', 'withdrawn'] as const satisfies (keyof RecordChanges)[];
const CHANGES = ['episodes', 'accounts', 'markets', 'activity'] as const satisfies (keyof RecordChanges)[];
/** All that a replay needs of an order is how it was left. */
const AFTER_ALONE = ['orders'] as const satisfies (keyof RecordChanges)[];
const LISTS = [...ROWS, ...CHANGES, ...AFTER_ALONE];
type List = (typeof LISTS)[number];

/** Of each list, as its first row has them. */
const columns = new Map<List, readonly string[]>();

export function packed(changes: RecordChanges): string {
  const { sequence, epochMs, group, observed, books, revokedKeys } = changes;
  const lists: unknown[] = [];
  for (const list of ROWS) lists.push(valuesOfAll(list, changes[list]));
  for (const list of CHANGES) lists.push(changes[list].map((change) => bothValues(list, change)));
  for (const list of AFTER_ALONE) lists.push(changes[list].map(({ after }) => valuesOf(list, after)));
  return JSON.stringify([sequence, epochMs, group, observed, books, revokedKeys, lists]);
}

export function unpacked(text: string): RecordChanges {
  const [sequence, epochMs, group, observed, books, revokedKeys, lists] = JSON.parse(text) as readonly unknown[];
  const found: Record<string, unknown> = { sequence, epochMs, group, observed, books, revokedKeys };
  for (const [index, list] of LISTS.entries()) {
    const rows = (lists as readonly (readonly Values[])[])[index]!;
    found[list] = rows.map((row) => entryOf(list, row));
  }
  return found as unknown as RecordChanges;
}

function entryOf(list: List, row: Values): unknown {
  if ((ROWS as readonly string[]).includes(list)) return rowOf(list, row);
  if (list === 'orders') return { before: undefined, after: rowOf(list, row) };
  const [before, after] = row as readonly [Values | null, Values];
  return { before: before === null ? undefined : rowOf(list, before), after: rowOf(list, after) };
}

function bothValues(list: List, { before, after }: Change<object>): Values {
  return [before === undefined ? null : valuesOf(list, before), valuesOf(list, after)];
}

function valuesOfAll(list: List, rows: readonly object[]): readonly Values[] {
  return rows.length === 0 ? NOTHING : rows.map((row) => valuesOf(list, row));
}

function valuesOf(list: List, row: object): Values {
  let names = columns.get(list);
  if (names === undefined) {
    names = Object.keys(row);
    columns.set(list, names);
  }
  const values = new Array<unknown>(names.length);
  for (let index = 0; index < names.length; index += 1) values[index] = (row as Row)[names[index]!];
  return values;
}

function rowOf(list: List, values: Values): Row {
  const row: Record<string, unknown> = {};
  for (const [index, name] of columns.get(list)!.entries()) row[name] = values[index];
  return row;
}

const NOTHING: readonly Values[] = [];
