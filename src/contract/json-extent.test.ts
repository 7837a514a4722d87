/** How long the JSON of a declared value can be: no value is longer, and none that a schema takes is much shorter than the bound. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { clientOrderId, decimalInput, idInput, listInput, textInput } from './fields.ts';
import { maxJsonBytes } from './json-extent.ts';
import { largestBodyOf } from './largest-body.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { MAX_BATCH } from './order-batches.ts';
import { MAX_CANCELS } from './order-cancels.ts';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const emoji = '😀'.repeat(64);

describe('the largest JSON', () => {
  test.each<[string, z.ZodType, unknown]>([
    ['an amount', decimalInput, `${'9'.repeat(20)}.${'9'.repeat(40)}`],
    ['a reference in ASCII', clientOrderId, 'a'.repeat(64)],
    ['an id', idInput, emoji],
    ['a text that may be empty', textInput(64), emoji],
    ['a choice', z.enum(['buy', 'sell']), 'sell'],
    ['a choice of kinds', z.union([z.literal('a'), idInput, z.boolean()]), emoji],
    ['a list', listInput(idInput, 1, 3), [emoji, emoji, emoji]],
    [
      'a list of objects',
      listInput(z.strictObject({ id: idInput.optional(), é: z.literal(7) }), 0, 2),
      Array(2).fill({ id: emoji, é: 7 }),
    ],
  ])('of %s is that of its longest value', (_, schema, longest) => {
    expect(schema.safeParse(longest).success).toBe(true);
    // A comma behind each entry and field, the last as well.
    expect(maxJsonBytes(schema) - bytesOf(longest)).toBeOneOf([0, 1, 2, 3]);
  });

  test.each<[string, z.ZodType]>([
    ['a text has no greatest length', z.strictObject({ a: z.string() })],
    ['a list has no greatest length', z.array(z.boolean())],
    ['an object takes any field', z.looseObject({})],
  ])('is not known where %s', (message, schema) => {
    expect(() => maxJsonBytes(schema)).toThrow(message);
  });
});

describe('the largest body', () => {
  const operations: readonly Operation[] = Object.values(OPERATIONS);

  test('is above 4 KiB of batches alone', () => {
    const larger = operations.filter((operation) => largestBodyOf(operation) > 4_096);
    expect(larger.map(({ id }) => id)).toEqual(['placeOrders', 'cancelOrders', 'createUnifiedOrders', 'cancelUnifiedOrders']);
  });

  test.each([
    [OPERATIONS.placeOrder, OPERATIONS.placeOrder.example.body],
    [
      OPERATIONS.placeOrders,
      { orders: Array(MAX_BATCH).fill({ ...OPERATIONS.placeOrder.example.body, accountId: emoji, marketId: emoji }) },
    ],
    [OPERATIONS.createUnifiedOrders, Array(MAX_BATCH).fill({ ...OPERATIONS.createUnifiedOrders.example.body[0], symbol: emoji })],
    [OPERATIONS.cancelOrders, { orderIds: Array(MAX_CANCELS).fill(emoji) }],
  ] as const)('has room for the longest of $id, and for some white space', (operation, body) => {
    expect(operation.body.safeParse(body).success).toBe(true);
    expect(bytesOf(body)).toBeLessThan(largestBodyOf(operation));
  });
});
