/** Numbers in bodies of /v1: a number that a double would round is refused with its text, and has no effect. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { isUnified, type Operation } from '#contract/operation.ts';
import { OPERATIONS, type OperationId } from '#contract/operations.ts';
import { OPERATION_IDS, type Stage, setStage } from '#http/testing/stage.ts';
import type { JsonSchema } from '#http/testing/valid-value.ts';

/** A number in JSON, digit for digit. */
const { rawJSON: asWritten } = JSON as unknown as { rawJSON(text: string): unknown };

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.venue.close());

/** The names of a schema's number fields, at any depth. */
function numbersIn(schema: JsonSchema, name = ''): readonly string[] {
  if (schema === null || typeof schema !== 'object') return [];
  const own = ['number', 'integer'].includes(schema.type) ? [name] : [];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([key, field]) => numbersIn(field, key));
  const others = [schema.items, ...(schema.anyOf ?? []), ...Object.values(schema.$defs ?? {})];
  return [...own, ...fields, ...others.flatMap((inner) => numbersIn(inner, name))];
}

const TAKING: readonly OperationId[] = ['placeOrder', 'placeOrders', 'previewOrder'];

test('only a leverage, times, basis points, a number of days or bars and values of a script are numbers in a request body', () => {
  const native: readonly Operation[] = OPERATION_IDS.map((id) => OPERATIONS[id]).filter((operation) => !isUnified(operation));
  const taking = native.flatMap(({ id, body }) => {
    const names = body === undefined ? [] : numbersIn(z.toJSONSchema(body, { io: 'input' }));
    return names.length === 0 ? [] : [[id, ...new Set(names)]];
  });
  expect(new Set(taking)).toEqual(
    new Set([
      ...TAKING.map((id) => [id, 'leverageX', 'expiresAtEpochMs', 'trailingBps']),
      ['setLeverage', 'leverageX'],
      ['setCancelAllAfter', 'timeoutMs'],
      ['startDeviceGrant', 'keyLifetimeDays'],
      ['createAgentDeployment', 'historyBars', 'value'],
    ]),
  );
});

test.each(TAKING)('%s refuses numbers that no double equals, and leaves the idempotency key free', async (id) => {
  const { venue, validRequest } = stage;
  const request = await validRequest(id);
  const callWith = (leverageX: unknown) => {
    const body = request.body as { readonly orders?: readonly object[] };
    const filled =
      body.orders === undefined ? { ...body, leverageX } : { orders: body.orders.map((it) => ({ ...it, leverageX })) };
    return venue.call(id, { ...request, body: filled });
  };
  const before = venue.sequence();
  for (const text of [
    '2.9999999999999999999',
    '3.0000000000000000001',
    '0.29999999999999999999e1',
    '9007199254740993',
    '1e-400',
  ]) {
    const { status, body } = await callWith(asWritten(text));
    expect([text, status, body.code, body.safeMessage]).toEqual([
      text,
      400,
      'invalid_request',
      expect.stringContaining(`leverageX is ${text}, which a double cannot represent`),
    ]);
  }
  expect(venue.sequence()).toBe(before);
  expect((await callWith(asWritten('3.00000000000000000000'))).status).toBe(OPERATIONS[id].success.status);
});
