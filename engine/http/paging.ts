/**
 * Pages and their cursors. A cursor holds which list it belongs to, the direction, and the number of the last entry;
 * to a client it is opaque.
 */
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
  return { nextCursor: Buffer.from(`${list}.${query.direction}.${page.nextAfter}`).toString('base64url') };
}

function afterOf(list: OperationId, direction: PageQuery['direction'], cursor: string): number {
  const [cursorList, cursorDirection, after, ...rest] = Buffer.from(cursor, 'base64url').toString('latin1').split('.');
  const isOurs = cursorList === list && rest.length === 0 && /^[1-9][0-9]{0,14}$/.test(after ?? '');
  if (!isOurs) throw new Refused('invalid_cursor');
  if (cursorDirection !== direction) {
    throw new Refused(
      'invalid_cursor',
      'The cursor belongs to the other direction: send it with since exactly where its first page had since.',
    );
  }
  return Number(after);
}
