/** Lists of a snapshot that grow for the life of a venue. Records have shorter ones: their lists are bounded by the rules of commands. */
import { BLANK, type Cursor } from './cursor.ts';

export type ListLayout = <Item>(
  io: Cursor,
  items: readonly Item[],
  layout: (cursor: Cursor, item: Item) => Item,
) => readonly Item[];

/** A list of up to 2^32 − 1 items. */
export const longList: ListLayout = <Item>(io: Cursor, items: readonly Item[], layout: (cursor: Cursor, item: Item) => Item) => {
  const read: Item[] = [];
  for (let index = 0, count = io.u32(items.length); index < count; index += 1)
    read.push(layout(io, items[index] ?? (BLANK as Item)));
  return read;
};
