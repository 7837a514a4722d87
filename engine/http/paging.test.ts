import { describe, expect, test } from 'vitest';
import { nextCursor, pageQuery } from './paging.ts';
import type { PageQuery } from './reads.ts';
import { Refused } from './refused.ts';

const newest: PageQuery = { limit: 10, direction: 'newest_first' };

function cursorAfter(number: number, query = newest): string {
  return nextCursor('listFills', query, { entries: [], nextAfter: number }).nextCursor ?? '';
}

describe('a cursor', () => {
  test('continues its list behind the entry it names', () => {
    expect(pageQuery('listFills', { limit: 10, cursor: cursorAfter(42) })).toEqual({ ...newest, after: 42 });
    expect(
      pageQuery('listFills', { limit: 3, since: 5, cursor: cursorAfter(7, { ...newest, direction: 'oldest_first' }) }),
    ).toEqual({
      limit: 3,
      direction: 'oldest_first',
      sinceEpochMs: 5,
      after: 7,
    });
  });

  test('is absent on the last page', () => {
    expect(nextCursor('listFills', newest, { entries: [1, 2] })).toEqual({});
  });

  test('that was cut short or altered is refused, wherever', () => {
    const whole = cursorAfter(1_234_567);
    for (let length = 1; length < whole.length; length += 1) {
      expect(() => pageQuery('listFills', { limit: 10, cursor: whole.slice(0, length) }), `${length}`).toThrow(Refused);
    }
    const altered = Buffer.from(Buffer.from(whole, 'base64url').toString().replace('123', '124')).toString('base64url');
    expect(() => pageQuery('listFills', { limit: 10, cursor: altered })).toThrow(Refused);
  });

  test.each([
    ['of another list', nextCursor('listOrders', newest, { entries: [], nextAfter: 42 }).nextCursor],
    ['of the other direction', cursorAfter(42, { ...newest, direction: 'oldest_first' })],
    ['of no list', Buffer.from('x').toString('base64url')],
    ['with a number that no entry has', Buffer.from('listFills.newest_first.0').toString('base64url')],
    ['with more behind it', Buffer.from('listFills.newest_first.42.1').toString('base64url')],
  ])('is refused when it is one %s', (_, cursor) => {
    expect(() => pageQuery('listFills', { limit: 10, cursor })).toThrow(Refused);
  });
});
