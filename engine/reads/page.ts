/** Pages of lists: what a request names, and what a read returns. */

/**
 * An entry's place in its list: the number that the venue gave it (order, fill, trade), or its time and then numbers that
 * distinguish entries of the same time. New entries never get a place before existing ones.
 */
export type EntryPlace = readonly number[];

/** The requested page of a list. */
export interface PageQuery {
  readonly limit: number;
  readonly direction: 'newest_first' | 'oldest_first';
  /** Only entries made (order), executed (fill, trade), closed (position) or settled (funding) at or after this time. */
  readonly sinceEpochMs?: number;
  /** Only entries up to and including this time. */
  readonly untilEpochMs?: number;
  /** The place of the previous page's last entry: the page continues after it, in its direction. */
  readonly after?: EntryPlace;
}

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** The place of the last entry, if there are more after it. */
  readonly nextAfter?: EntryPlace;
}

/** Entries that are rendered when they are taken. */
export interface PageEntries<Entry> {
  readonly length: number;
  /** How many entries to render before other work gets its turn, if they cost more to render than others. */
  readonly entriesPerStep?: number;
  slice(from: number, to: number): readonly Entry[];
}

/** A page whose rows were read but not rendered yet: `entries` renders all of them, `pending` only the taken ones. */
export interface PendingPage<Entry> extends Page<Entry> {
  readonly pending: PageEntries<Entry>;
}
