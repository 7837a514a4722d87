/**
 * Pages and their cursors. A cursor holds which list it belongs to, the direction, the number of the last entry, and a
 * checksum of these; to a client it is opaque.
 */
import { crc32 } from 'node:zlib';
import type { OperationId } from '#contract/operations.ts';
import type { Page, PageQuery } from './reads.ts';
import { Refused } from './refused.ts';

interface RequestedPage {
  readonly limit: number;
  readonly since?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Throws {@link Refused} `invalid_cursor`. */
export function pageQuery(list: OperationId, requested: RequestedPage): PageQuery {
  const { limit, since, cursor } = requested;
  const direction = since === undefined ? 'newest_first' : 'oldest_first';
  return {
    limit,
    direction,
    ...(since === undefined ? {} : { sinceEpochMs: since }),
    ...(cursor === undefined ? {} : { after: afterOf(list, direction, cursor) }),
  };
}

/** The `nextCursor` field of a list, absent on its last page. */
export function nextCursor(list: OperationId, query: PageQuery, page: Page<unknown>): { readonly nextCursor?: string } {
  if (page.nextAfter === undefined) return {};
  return { nextCursor: cursorOf(list, query.direction, page.nextAfter) };
}

/** Ends with a checksum, so that one that was cut or altered is not taken for another. */
function cursorOf(list: string, direction: string, after: number): string {
  const text = `${list}.${direction}.${after}`;
  return Buffer.from(`${text}.${crc32(text).toString(36)}`).toString('base64url');
}

function afterOf(list: OperationId, direction: PageQuery['direction'], cursor: string): number {
  const [cursorList, cursorDirection = '', after = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('.');
  const isWhole = /^[1-9][0-9]{0,14}$/.test(after) && cursor === cursorOf(list, cursorDirection, Number(after));
  if (cursorList !== list || !isWhole) throw new Refused('invalid_cursor');
  if (cursorDirection !== direction) {
    throw new Refused(
      'invalid_cursor',
      'The cursor belongs to the other direction: send it with since exactly where its first page had since.',
    );
  }
  return Number(after);
}
