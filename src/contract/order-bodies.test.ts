/** Bodies with several orders are valid by the OpenAPI document exactly if the parser accepts them. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import { openApiDocument } from './openapi.ts';
import { orderBatchBody } from './order-batches.ts';
import { orderCancels } from './order-cancels.ts';

const { components } = JSON.parse(JSON.stringify(openApiDocument()));
/** Mostly the first value, so that bodies with many fields are valid often enough. */
const field = <Value>(valid: Value, ...others: Value[]) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(valid) }, { weight: 1, arbitrary: fc.constantFrom(valid, ...others, undefined) });
const name = fc.oneof({ weight: 40, arbitrary: fc.constant('1') }, { weight: 1, arbitrary: fc.constantFrom<unknown>('', 7) });
const names = fc.option(fc.array(name, { maxLength: 26 }), { nil: undefined, freq: 2 });
const entry = fc.record({
  accountId: field('acct-1'),
  marketId: field('BTC-USD-PERP'),
  clientOrderId: field('a', 'ä'),
  side: field('buy', 'hold'),
  orderType: field('limit', 'market'),
  price: fc.constantFrom('1', '1', undefined, '-1'),
  quantity: fc.constantFrom('1', '1', undefined, '1e1'),
  postOnly: fc.constantFrom(true, false, undefined),
  leverageX: field(5, 0),
  notional: fc.constantFrom(undefined, undefined, undefined, '1'),
});
const bodies: [string, z.ZodType, fc.Arbitrary<unknown>][] = [
  ['OrderCancels', orderCancels, fc.record({ accountId: field('acct-1', ''), orderIds: names, clientOrderIds: names })],
  ['OrderBatch', orderBatchBody, fc.record({ orders: fc.oneof(fc.array(entry, { maxLength: 2 }), fc.constant([])) })],
];

test.each(bodies)('%s has the same valid bodies in the parser and in the document', (id, schema, body) => {
  const validate = new Ajv2020({ strict: false }).compile({ $ref: `#/components/schemas/${id}`, components });
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(body, (created) => {
      const sent = JSON.parse(JSON.stringify(created));
      const isTaken = schema.safeParse(sent).success;
      seen.add(isTaken);
      expect(validate(sent), JSON.stringify(sent)).toBe(isTaken);
    }),
    { numRuns: 3_000 },
  );
  expect(seen.size).toBe(2);
});
