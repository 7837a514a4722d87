/**
 * Pages and their cursors. A cursor contains its list, a digest of the request's parameters, the place of the last entry, and a
 * checksum of these. It is opaque to clients.
 */
import { crc32 } from 'node:zlib';
import type { OperationId } from '#contract/operations.ts';
import { Refused } from '#contract/refused.ts';
import type { EntryPlace, Page, PageQuery, Reads } from './reads.ts';

interface RequestedPage {
  readonly limit: number;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly cursor?: string | undefined;
}

/** What a cursor belongs to: a list and all parameters of the request but `limit`. */
export type CursorScope = string & { readonly cursorScope: true };

/** `filterValues` is the parsed query with any path parameter that narrows the list. */
export function cursorScope(list: OperationId, filterValues: Readonly<Record<string, unknown>>): CursorScope {
  const { limit: _, cursor: __, ...others } = filterValues;
  const filters = Object.entries(others).filter(([, value]) => value !== undefined);
  return `${list}.${digestOf(JSON.stringify(filters.sort(([left], [right]) => (left < right ? -1 : 1))))}` as CursorScope;
}

/** `placeLength`: how many numbers an entry's place in that list has. Throws {@link Refused} `invalid_cursor`. */
export function pageQuery(scope: CursorScope, requested: RequestedPage, placeLength = 1): PageQuery {
  const { limit, since, until, cursor } = requested;
  return {
    limit,
    direction: since === undefined ? 'newest_first' : 'oldest_first',
    ...(since === undefined ? {} : { sinceEpochMs: since }),
    ...(until === undefined ? {} : { untilEpochMs: until }),
    ...(cursor === undefined ? {} : { after: placeIn(scope, cursor, placeLength) }),
  };
}

/** The `nextCursor` of a list; `null` on its last page. */
export function nextCursor(scope: CursorScope, { nextAfter }: Page<unknown>): string | null {
  return nextAfter === undefined ? null : cursorOf(scope, nextAfter.join('-'));
}

/** The last fields of every list. */
export function listEnding(reads: Pick<Reads, 'freshness'>, scope: CursorScope, page: Page<unknown>) {
  return { nextCursor: nextCursor(scope, page), freshness: reads.freshness() };
}

/** Ends with a checksum, so that a cut or altered cursor is detected. */
function cursorOf(scope: string, place: string): string {
  const text = `${scope}.${place}`;
  return Buffer.from(`${text}.${digestOf(text)}`).toString('base64url');
}

function placeIn(scope: CursorScope, cursor: string, length: number): EntryPlace {
  const [list = '', filterValues, place = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('.');
  const isWhole = /^[0-9]{1,16}(?:-[0-9]{1,16})*$/.test(place) && cursor === cursorOf(`${list}.${filterValues}`, place);
  if (!isWhole || !scope.startsWith(`${list}.`)) throw new Refused('invalid_cursor');
  const numbers = place.split('-').map(Number);
  if (numbers.length !== length || !numbers.every(Number.isSafeInteger)) throw new Refused('invalid_cursor');
  if (scope === `${list}.${filterValues}`) return numbers;
  throw new Refused(
    'invalid_cursor',
    'The cursor belongs to this list with other parameters: send the parameters of the first page; only limit may differ.',
  );
}

function digestOf(text: string): string {
  return crc32(text).toString(36);
}
