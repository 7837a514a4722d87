/** Arbitraries for all records of a union, derived from their layouts, so that new types are included automatically. */
import fc from 'fast-check';
import { BLANK, type Cursor } from '#venue/record/cursor.ts';
import { formsOf, type RecordLayouts } from '#venue/record/layout.ts';

/** Edge cases of numbers: around 0, around the ranges of bytes and 32-bit words, and at the end of the safe integers. */
const EDGES = [
  0,
  1,
  2,
  255,
  256,
  257,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 32 + 1,
  2 ** 49,
  2 ** 52,
  Number.MAX_SAFE_INTEGER,
];

/** Any safe integer: often an edge case, or in the range of ids or scenario prices. */
export const anyInteger: fc.Arbitrary<number> = fc
  .oneof(
    fc.constantFrom(...EDGES, ...EDGES.map((edge) => 0 - edge - 1)),
    fc.integer({ min: 0, max: 6 }),
    fc.integer({ min: 9_900, max: 10_100 }),
    fc.maxSafeInteger(),
  )
  .map((value) => Math.max(-Number.MAX_SAFE_INTEGER, value));

/** Texts without lone surrogates. */
export const anyText: fc.Arbitrary<string> = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }));

/** The arbitraries for the types of fields. */
export interface Sources {
  readonly int: fc.Arbitrary<number>;
  /** For narrow numbers: only those that fit, or any. */
  readonly u8: fc.Arbitrary<number>;
  readonly u32: fc.Arbitrary<number>;
  readonly leverage: fc.Arbitrary<number>;
  /** By layout, for parts whose fields depend on each other. */
  readonly parts: ReadonlyMap<unknown, fc.Arbitrary<unknown>>;
}

const MAX_LIST_LENGTH = 5;
const MAX_SHORT_LIST_LENGTH = 60;

/** Returns an arbitrary for every field, so that a layout run with this cursor returns its fields as arbitraries. */
class ArbitraryCursor {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  u8(): unknown {
    return this.#sources.u8;
  }

  u32(): unknown {
    return this.#sources.u32;
  }

  leverage(): unknown {
    return this.#sources.leverage;
  }

  wholeLeverage(): unknown {
    return this.#sources.u32.map((whole) => whole * 100);
  }

  int(): unknown {
    return this.#sources.int;
  }

  flag(): unknown {
    return fc.boolean();
  }

  oneOf(values: readonly string[]): unknown {
    return fc.constantFrom(...values);
  }

  text(): unknown {
    return anyText;
  }

  part(_part: unknown, layout: Layout): unknown {
    return this.#sources.parts.get(layout) ?? this.drawn(layout);
  }

  shortList(_items: unknown, layout: Layout): unknown {
    return fc.array(this.drawn(layout), { maxLength: MAX_SHORT_LIST_LENGTH });
  }

  list(_items: unknown, layout: Layout): unknown {
    return fc.array(this.drawn(layout), { maxLength: MAX_LIST_LENGTH });
  }

  drawn(layout: Layout): fc.Arbitrary<unknown> {
    const fields = layout(this as unknown as Cursor, BLANK);
    if (isArbitrary(fields)) return fields;
    const drawn = Object.entries(fields as object).map(([name, field]) => [
      name,
      isArbitrary(field) ? field : fc.constant(field),
    ]);
    return fc.record(Object.fromEntries(drawn));
  }
}

type Layout = (cursor: Cursor, it: unknown) => unknown;

function isArbitrary(value: unknown): value is fc.Arbitrary<unknown> {
  return value instanceof fc.Arbitrary;
}

/** Arbitraries that replace the derived ones of some types, to draw some fields from narrower ranges. */
export type NarrowedArbitraries<Kinds extends { readonly type: string }> = {
  readonly [Type in Kinds['type']]?: fc.Arbitrary<Kinds>;
};

/** Any record; all types are equally frequent. */
export function anyRecordOf<Kinds extends { readonly type: string }>(
  layouts: RecordLayouts<Kinds>,
  sources: Sources,
  narrowed: NarrowedArbitraries<Kinds>,
): fc.Arbitrary<Kinds> {
  const cursor = new ArbitraryCursor(sources);
  const forms = formsOf(layouts);
  const drawnBy = (type: Kinds['type']) =>
    fc.oneof(...forms.filter((form) => form.type === type).map(({ fields }) => cursor.drawn(fields as Layout)));
  const types = Object.keys(layouts) as Kinds['type'][];
  return fc.oneof(...types.map((type) => narrowed[type] ?? (drawnBy(type) as fc.Arbitrary<Kinds>)));
}
