/** What is wrong with a query, said so that its sender can mend it. */
import { describe, expect, test } from 'vitest';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { parseBody, parseQuery } from './parse.ts';

const operations: readonly Operation[] = Object.values(OPERATIONS);
const between = operations.filter(({ query }) => query?.shape.since !== undefined && query.shape.until !== undefined);

describe('a query parameter that is given again', () => {
  test.each([
    ['limit', ['1', '2'], 'The query parameter limit was given 2 times: give it once.'],
    ['limit', ['1', '1', '1'], 'The query parameter limit was given 3 times: give it once.'],
    ['status', ['open', 'filled'], 'The query parameter status was given 2 times: give it once.'],
    ['cursor', ['a', 'b'], 'The query parameter cursor was given 2 times: give it once.'],
  ])('is named: %s', (name, values, fault) => {
    expect(parseQuery(OPERATIONS.listOrders, { [name]: values })).toEqual({ fault });
  });
});

describe('a list that goes by time', () => {
  test('is what there are several of', () => {
    expect(between.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['listTrades', 'listOrders', 'listFills', 'listTransfers', 'listFundingRates']),
    );
  });

  test.each(between)('$id does not end before it begins', (operation) => {
    expect(parseQuery(operation, { since: '2', until: '1' })).toEqual({
      fault: 'The query parameter until is not right: it is before since.',
    });
    for (const query of [{ since: '2', until: '2' }, { since: '2', until: '3' }, { since: '2' }, { until: '1' }])
      expect(parseQuery(operation, query)).toHaveProperty('value');
  });
});

describe('a list in a body', () => {
  /** Throws when anything reads it. */
  const unread = new Proxy(
    {},
    {
      get: (_, name) => {
        throw new Error(`${String(name)} was read`);
      },
    },
  );

  test.each([
    [OPERATIONS.placeOrders, (entries: unknown[]) => ({ orders: entries }), 32, 'The field orders must have at most 32 entries.'],
    [
      OPERATIONS.cancelOrders,
      (entries: unknown[]) => ({ orderIds: entries }),
      24,
      'The field orderIds must have at most 24 entries.',
    ],
    [OPERATIONS.createUnifiedOrders, (entries: unknown[]) => entries, 32, 'The body must have at most 32 entries.'],
  ] as const)('is refused by its length before an entry is read: $id', (operation, bodyOf, most, fault) => {
    expect(parseBody(operation, bodyOf(Array(most + 1).fill(unread)))).toEqual({ fault });
  });

  test('is read up to the first entry that is at fault', () => {
    const [sound] = OPERATIONS.createUnifiedOrders.example.body;
    expect(parseBody(OPERATIONS.createUnifiedOrders, [sound, { ...sound, amonut: 1 }, unread])).toEqual({
      fault: 'Unknown field "1.amonut": remove it.',
    });
    expect(() => parseBody(OPERATIONS.createUnifiedOrders, [sound, sound, unread])).toThrow('was read');
  });
});
