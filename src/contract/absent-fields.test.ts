/** Every declared field of a resource is in every response, with `null` for no value. Only `cancelReason` may be absent. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import type { Channel } from './realtime-channel.ts';
import { CHANNELS } from './realtime-channels.ts';

/** Optional in the interface (2.2); a preview has the same field. */
const OPTIONAL = ['cancelReason'];

const operations: readonly Operation[] = Object.values(OPERATIONS);
const channels: readonly Channel[] = Object.values(CHANNELS);

const responses = operations.flatMap(({ id, success, alternative }) =>
  // A refusal (501) is an error envelope, whose details are present only with some codes.
  [success, alternative].flatMap((it) => (it?.schema === undefined || it.status === 501 ? [] : [[id, it.schema] as const])),
);
const payloads = channels.flatMap(({ name, data }) => (data === undefined ? [] : [[name, data] as const]));

describe.each([...responses, ...payloads])('%s', (_, schema) => {
  test('declares no field that may be absent', () => {
    const declared = [...optionalFields(z.toJSONSchema(schema, { io: 'output' }))];
    expect(declared.filter((field) => !OPTIONAL.includes(field))).toEqual([]);
  });
});

test('the check finds an optional field at any depth', () => {
  const schema = z.object({ rows: z.array(z.object({ price: z.string().optional(), size: z.string().nullable() })) });
  expect([...optionalFields(z.toJSONSchema(schema, { io: 'output' }))]).toEqual(['price']);
});

function* optionalFields(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { properties, required = [] } = node as { properties?: Record<string, unknown>; required?: readonly string[] };
  if (properties !== undefined) for (const field of Object.keys(properties)) if (!required.includes(field)) yield field;
  for (const inner of Object.values(node)) yield* optionalFields(inner);
}
