/** An event with one of its fields changed to another valid value, for every field: derived from the layout of its record. */
import type { VenueEvent } from '#venue/event.ts';
import { type Cursor, MalformedRecord } from '#venue/record/cursor.ts';
import { EVENTS } from '#venue/record/event-layouts.ts';
import type { RecordLayout } from '#venue/record/layout.ts';

export interface ChangedField {
  /** The field of the event; for a field of a part, the part. */
  readonly field: string;
  readonly event: VenueEvent;
}

export function changedFields(event: VenueEvent): readonly ChangedField[] {
  const { fields, extended = [] } = EVENTS[event.type] as unknown as RecordLayout<VenueEvent>;
  const layout = extended.find(({ applies }) => applies(event))?.fields ?? fields;
  const all: ChangedField[] = [];
  for (let index = 0; ; index += 1) {
    const cursor = new ChangingCursor(index);
    const changed = changedBy(layout, cursor, event);
    if (!cursor.hasChanged) return all;
    if (changed !== undefined) all.push({ field: differingField(event, changed), event: changed });
  }
}

/** `undefined` if no event can have the changed value. */
function changedBy(layout: Layout<VenueEvent>, cursor: ChangingCursor, event: VenueEvent): VenueEvent | undefined {
  try {
    return layout(cursor as unknown as Cursor, event);
  } catch (error) {
    if (error instanceof MalformedRecord) return undefined;
    throw error;
  }
}

type Layout<Part> = (cursor: Cursor, it: Part) => Part;

/** Returns every value as it is, except the one at `index`. */
class ChangingCursor {
  readonly #index: number;
  #visited = 0;

  constructor(index: number) {
    this.#index = index;
  }

  get hasChanged(): boolean {
    return this.#visited > this.#index;
  }

  u8 = (value: number): number => this.#value(value, value + 1);
  u32 = (value: number): number => this.#value(value, value + 1);
  leverage = (value: number): number => this.#value(value, value + 100);
  wholeLeverage = this.leverage;
  int = (value: number): number => this.#value(value, value + 1);
  flag = (value: boolean): boolean => this.#value(value, !value);
  text = (value: string): string => this.#value(value, `${value}x`);
  oneOf = (values: readonly string[], value: string): string => {
    const changed = this.#value(value, values[(values.indexOf(value) + 1) % values.length]!);
    if (values.length === 1 && this.#visited - 1 === this.#index) throw new MalformedRecord(`${value} is the only value`);
    return changed;
  };

  part = <Part>(part: Part, layout: Layout<Part>): Part => layout(this as unknown as Cursor, part);
  list = <Item>(items: readonly Item[], layout: Layout<Item>): readonly Item[] => items.map((item) => this.part(item, layout));
  shortList = this.list;

  #value<Value>(value: Value, other: Value): Value {
    this.#visited += 1;
    return this.#visited - 1 === this.#index ? other : value;
  }
}

function differingField(event: VenueEvent, changed: VenueEvent): string {
  const before = event as unknown as Readonly<Record<string, unknown>>;
  const after = changed as unknown as Readonly<Record<string, unknown>>;
  const field = Object.keys(after).find((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (field === undefined) throw new Error(`the layout of ${event.type} has a field that its event lacks`);
  return field;
}
