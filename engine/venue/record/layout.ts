/**
 * The layout of records as bytes: one tag, then the fields of that type in a fixed order. Writers and readers run the same layout,
 * so that they cannot differ.
 */
import { BLANK, type ByteReader, type ByteWriter, type Cursor, MalformedRecord } from './cursor.ts';

interface TypedRecord {
  readonly type: string;
}

export interface RecordLayout<Kind> {
  /** Existing journals contain the tags: a new type takes the next free tag, and a tag never changes. */
  readonly tag: number;
  /** Moves every field through the cursor, in the order of the bytes, and returns the record. */
  readonly fields: (io: Cursor, it: Kind) => Kind;
  /** Writes the same bytes without the allocations of `fields`. Only for the most frequent commands. */
  readonly write?: (bytes: ByteWriter, it: Kind) => void;
  /**
   * More tags for records with fields that were added later, the newest first: the first that applies is used. Records without such
   * fields keep their bytes.
   */
  readonly extended?: readonly ExtendedLayout<Kind>[];
}

export interface ExtendedLayout<Kind> {
  readonly tag: number;
  readonly applies: (it: Kind) => boolean;
  readonly fields: (io: Cursor, it: Kind) => Kind;
}

/** One layout for each type of a union. A missing layout does not compile. */
export type RecordLayouts<Kinds extends TypedRecord> = {
  readonly [Type in Kinds['type']]: RecordLayout<Extract<Kinds, { readonly type: Type }>>;
};
export type EventLayouts<Events extends TypedRecord> = RecordLayouts<Events>;

/** Extracts the layouts from a table of rules. */
export function layoutsOf<Kinds extends TypedRecord>(
  rules: {
    readonly [Type in Kinds['type']]: { readonly layout: RecordLayout<Extract<Kinds, { readonly type: Type }>> };
  },
): RecordLayouts<Kinds> {
  const all = Object.entries<{ readonly layout: unknown }>(rules).map(([type, { layout }]) => [type, layout]);
  return Object.fromEntries(all) as RecordLayouts<Kinds>;
}

/** What a tag stands for: the records of a type that have the same fields. */
export interface RecordForm<Kinds extends TypedRecord> {
  readonly type: Kinds['type'];
  readonly tag: number;
  readonly fields: (io: Cursor, it: Kinds) => Kinds;
}

/** The forms of all types, in no order. */
export function formsOf<Kinds extends TypedRecord>(layouts: RecordLayouts<Kinds>): readonly RecordForm<Kinds>[] {
  const all = Object.entries(layouts) as unknown as [Kinds['type'], RecordLayout<Kinds>][];
  return all.flatMap(([type, layout]) => [layout, ...(layout.extended ?? [])].map(({ tag, fields }) => ({ type, tag, fields })));
}

/** Writes and reads the records of a union by their layouts. */
export class RecordFormat<Kinds extends TypedRecord> {
  readonly #name: string;
  readonly #byType: ReadonlyMap<string, RecordLayout<Kinds>>;
  readonly #byTag: RecordForm<Kinds>[] = [];

  /** Throws if two layouts have the same tag. */
  constructor(name: string, layouts: RecordLayouts<Kinds>) {
    this.#name = name;
    this.#byType = new Map(Object.entries(layouts) as unknown as [string, RecordLayout<Kinds>][]);
    for (const form of formsOf(layouts)) {
      const { type, tag } = form;
      const other = this.#byTag[tag];
      if (other !== undefined)
        throw new Error(`${other.type} and ${type} have the same ${name} tag ${tag}: give the newer type the next free tag`);
      this.#byTag[tag] = form;
    }
  }

  write(bytes: ByteWriter, it: Kinds): void {
    const { tag, fields, write, extended } = this.#byType.get(it.type)!;
    const form = extended?.find(({ applies }) => applies(it));
    if (form !== undefined) {
      bytes.u8(form.tag);
      form.fields(bytes, it);
    } else {
      bytes.u8(tag);
      if (write === undefined) fields(bytes, it);
      else write(bytes, it);
    }
  }

  /** Throws `MalformedRecord` if the bytes are not a record of the union. */
  read(bytes: ByteReader): Kinds {
    const tag = bytes.u8();
    const layout = this.#byTag[tag];
    if (layout === undefined) throw new MalformedRecord(`unknown ${this.#name} tag ${tag}`);
    return layout.fields(bytes, BLANK as Kinds);
  }

  /** The type of the record at `offset`. */
  typeAt(bytes: Uint8Array, offset: number): Kinds['type'] {
    return this.#byTag[bytes[offset]!]!.type;
  }
}
