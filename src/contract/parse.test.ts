/** Faults of queries and lists, as the client reads them. */
import { describe, expect, test } from 'vitest';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { parseBody, parseQuery } from './parse.ts';

const operations: readonly Operation[] = Object.values(OPERATIONS);
const between = operations.filter(({ query }) => query?.shape.since !== undefined && query.shape.until !== undefined);

describe('a repeated query parameter', () => {
  test.each([
    ['limit', ['1', '2'], 'The query parameter limit was given 2 times: give it once.'],
    ['limit', ['1', '1', '1'], 'The query parameter limit was given 3 times: give it once.'],
    ['status', ['open', 'filled'], 'The query parameter status was given 2 times: give it once.'],
    ['cursor', ['a', 'b'], 'The query parameter cursor was given 2 times: give it once.'],
  ])('is named in the fault: %s', (name, values, fault) => {
    expect(parseQuery(OPERATIONS.listOrders, { [name]: values })).toEqual({ fault });
  });
});

describe('a list ordered by time', () => {
  test('is offered by several operations', () => {
    expect(between.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['listTrades', 'listOrders', 'listFills', 'listTransfers', 'listFundingRates']),
    );
  });

  test.each(between)('$id refuses an until before its since', (operation) => {
    expect(parseQuery(operation, { since: '2', until: '1' })).toEqual({
      fault: 'The query parameter until is invalid: until must not be before since.',
    });
    for (const query of [{ since: '2', until: '2' }, { since: '2', until: '3' }, { since: '2' }, { until: '1' }])
      expect(parseQuery(operation, query)).toHaveProperty('value');
  });
});

describe('a list in a body', () => {
  /** Throws when one of its properties is read. */
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
  ] as const)('is refused by its length before an entry is parsed: $id', (operation, bodyOf, most, fault) => {
    expect(parseBody(operation, bodyOf(Array(most + 1).fill(unread)))).toEqual({ fault });
  });

  test('is parsed up to the first invalid entry', () => {
    const [valid] = OPERATIONS.createUnifiedOrders.example.body;
    expect(parseBody(OPERATIONS.createUnifiedOrders, [valid, { ...valid, amonut: 1 }, unread])).toEqual({
      fault: 'Unknown field "1.amonut": remove it.',
    });
    expect(() => parseBody(OPERATIONS.createUnifiedOrders, [valid, valid, unread])).toThrow('was read');
  });
});
