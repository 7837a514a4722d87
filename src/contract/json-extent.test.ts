/** The maximum length of the JSON of a declared value is a tight bound. */
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
    ['an optional text', textInput(64), emoji],
    ['a choice', z.enum(['buy', 'sell']), 'sell'],
    ['a choice of kinds', z.union([z.literal('a'), idInput, z.boolean()]), emoji],
    ['a list', listInput(idInput, 1, 3), [emoji, emoji, emoji]],
    [
      'a list of objects',
      listInput(z.strictObject({ id: idInput.optional(), é: z.literal(7) }), 0, 2),
      Array(2).fill({ id: emoji, é: 7 }),
    ],
  ])('of %s has the length of its longest value', (_, schema, longest) => {
    expect(schema.safeParse(longest).success).toBe(true);
    // The bound counts a comma after each entry and field, also after the last.
    expect(maxJsonBytes(schema) - bytesOf(longest)).toBeOneOf([0, 1, 2, 3]);
  });

  test.each<[string, z.ZodType]>([
    ['a text has no maximum length', z.strictObject({ a: z.string() })],
    ['a list has no maximum length', z.array(z.boolean())],
    ['an object accepts unknown fields', z.looseObject({})],
  ])('throws when %s', (message, schema) => {
    expect(() => maxJsonBytes(schema)).toThrow(message);
  });
});

describe('the largest body', () => {
  const operations: readonly Operation[] = Object.values(OPERATIONS);

  test('is above 4 KiB only for batches, for the answers of passkeys and for scripts with their inputs', () => {
    const larger = operations.filter((operation) => largestBodyOf(operation) > 4_096);
    const batches = ['placeOrders', 'amendOrders', 'cancelOrders', 'createUnifiedOrders', 'cancelUnifiedOrders'];
    const setup = ['completeParty', 'createSigningWallet', 'consentParty'];
    const ceremonies = [
      'completeRegistration',
      'completePasskeyLogin',
      'addPasskey',
      'setUpKey',
      'confirmDeposit',
      'confirmWithdrawal',
      'confirmAgentFunding',
      'decideDeviceGrant',
      'removePasskey',
    ];
    const agents = ['draftAgentScript', 'createAgentDeployment'];
    expect(larger.map(({ id }) => id).sort()).toEqual([...batches, ...ceremonies, ...setup, ...agents].sort());
  });

  test.each([
    [OPERATIONS.placeOrder, OPERATIONS.placeOrder.example.body],
    [
      OPERATIONS.placeOrders,
      { orders: Array(MAX_BATCH).fill({ ...OPERATIONS.placeOrder.example.body, accountId: emoji, marketId: emoji }) },
    ],
    [OPERATIONS.createUnifiedOrders, Array(MAX_BATCH).fill({ ...OPERATIONS.createUnifiedOrders.example.body[0], symbol: emoji })],
    [OPERATIONS.cancelOrders, { orderIds: Array(MAX_CANCELS).fill(emoji) }],
  ] as const)('has space for the longest body of $id and some white space', (operation, body) => {
    expect(operation.body.safeParse(body).success).toBe(true);
    expect(bytesOf(body)).toBeLessThan(largestBodyOf(operation));
  });
});
