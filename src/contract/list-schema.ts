/**
 * A list in a request. Unlike an array of zod it is cheap to refuse: a list that is too long is refused before its entries are parsed, and
 * parsing stops at the first invalid entry.
 */
import * as z from 'zod';

interface ListDef extends z.core.$ZodArrayDef {
  readonly max: number;
}

const initArray: (list: z.ZodArray, def: ListDef) => void = z.ZodArray.init;

const List: z.core.$constructor<z.ZodArray, ListDef> = z.core.$constructor('OpenPerpList', (list, def) => {
  initArray(list, def);
  list._zod.parse = (payload, context) => {
    const { value: entries, issues } = payload as { readonly value: unknown } & typeof payload;
    if (!Array.isArray(entries)) {
      issues.push({ code: 'invalid_type', expected: 'array', input: entries, inst: list });
      return payload;
    }
    // The check of the length runs after this and refuses the list.
    if (entries.length > def.max) return payload;
    const parsed: unknown[] = [];
    for (const [index, entry] of entries.entries()) {
      const result = def.element._zod.run({ value: entry, issues: [] }, context) as z.core.ParsePayload;
      for (const issue of result.issues) issues.push({ ...issue, path: [index, ...(issue.path ?? [])] } as typeof issue);
      if (issues.length > 0) return payload;
      parsed.push(result.value);
    }
    payload.value = parsed;
    return payload;
  };
});

/** `most`: the maximum number of entries. The caller adds a check of the length. */
export function listOf<Entry extends z.ZodType>(entry: Entry, max: number): z.ZodArray<Entry> {
  return new List({ type: 'array', element: entry, max }) as unknown as z.ZodArray<Entry>;
}
