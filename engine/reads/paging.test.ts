import { describe, expect, test } from 'vitest';
import { Refused } from '#contract/refused.ts';
import { type CursorScope, cursorScope, nextCursor, pageQuery } from './paging.ts';
import type { EntryPlace } from './reads.ts';

const filters = { accountId: 'acct-1', marketId: 'BTC-USD-PERP', since: 5, until: undefined };
const fills = cursorScope('listFills', filters);

function cursorAfter(place: EntryPlace, scope: CursorScope = fills): string {
  return nextCursor(scope, { entries: [], nextAfter: place }) ?? '';
}

/** The message of the refusal, or 'taken'. */
function refusalCode(cursor: string, scope: CursorScope = fills, placeLength = 1): string {
  try {
    pageQuery(scope, { limit: 10, cursor }, placeLength);
    return 'taken';
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    expect(error.code).toBe('invalid_cursor');
    return error.message;
  }
}

describe('cursor', () => {
  test('continues its list after the entry that it names, in pages of any length', () => {
    expect(pageQuery(fills, { limit: 10, cursor: cursorAfter([42]) })).toEqual({
      limit: 10,
      direction: 'newest_first',
      after: [42],
    });
    expect(pageQuery(fills, { limit: 3, since: 5, until: 9, cursor: cursorAfter([7]) })).toEqual({
      limit: 3,
      direction: 'oldest_first',
      sinceEpochMs: 5,
      untilEpochMs: 9,
      after: [7],
    });
    expect(cursorScope('listFills', { ...filters, limit: 3, cursor: 'x' })).toBe(fills);
    const { until: _, accountId, ...others } = filters;
    expect(cursorScope('listFills', { ...others, accountId })).toBe(fills);
  });

  test('names a place of several numbers if a list needs them, and each list accepts only its own length', () => {
    expect(pageQuery(fills, { limit: 10, cursor: cursorAfter([1_700_000_000_000, 7, 0]) }, 3).after).toEqual([
      1_700_000_000_000, 7, 0,
    ]);
    for (const length of [1, 2, 4]) expect(refusalCode(cursorAfter([1_700_000_000_000, 7, 0]), fills, length)).not.toBe('taken');
  });

  test('is absent on the last page', () => {
    expect(nextCursor(fills, { entries: [1, 2] })).toBeNull();
  });

  test('is refused when it was cut short or altered anywhere', () => {
    const whole = cursorAfter([1_234_567]);
    expect(refusalCode(whole)).toBe('taken');
    for (let length = 1; length < whole.length; length += 1)
      expect(refusalCode(whole.slice(0, length)), `${length}`).not.toBe('taken');
    const altered = Buffer.from(Buffer.from(whole, 'base64url').toString().replace('123', '124')).toString('base64url');
    expect(refusalCode(altered)).not.toBe('taken');
  });

  test.each([
    ['of another list', cursorAfter([42], cursorScope('listOrders', filters))],
    ['of no list', Buffer.from('x').toString('base64url')],
    ['with more after it', Buffer.from(`${Buffer.from(cursorAfter([42]), 'base64url')}.1`).toString('base64url')],
    ['without a number', cursorAfter([])],
    ['with a fraction', cursorAfter([1.5])],
    ['with a number beyond all exact integers', cursorAfter([2 ** 53])],
  ])('is refused when it is one %s', (_, cursor) => {
    expect(refusalCode(cursor)).toBe(
      'The cursor is not a nextCursor of this list. Send nextCursor, with the other parameters unchanged.',
    );
  });

  test.each([{ accountId: 'acct-2' }, { marketId: 'ETH-USD-PERP' }, { marketId: undefined }, { since: 6 }, { until: 6 }])(
    'is refused for a request with %o',
    (others) => {
      expect(refusalCode(cursorAfter([42]), cursorScope('listFills', { ...filters, ...others }))).toMatch(
        /with other parameters/,
      );
    },
  );
});
