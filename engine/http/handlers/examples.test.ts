/**
 * The examples of the OpenAPI document: each is an exchange with a real venue. If the shape of a response changes, the test fails
 * until `npm run contract` has recorded it, so that the change shows in review. Other values with the same shape change nothing.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type * as z from 'zod';
import { EXAMPLES, type Example } from '#contract/examples.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { publishedContract } from '#http/testing/published-contract.ts';
import { OPERATION_IDS, type Stage, setStage } from '#http/testing/stage.ts';

const FILE = '../../../src/contract/examples.json';
const recorded = new Map<string, Example>();
const contract = publishedContract();
let stage: Stage;

// Each on a stage of its own, so that operations do not affect each other's examples.
beforeEach(async () => {
  stage = await setStage();
});
afterEach(() => stage.venue.close());

test.each(OPERATION_IDS)('%s responds to a valid request as declared and as published', async (id) => {
  const operation: Operation = OPERATIONS[id];
  const { params, query = usualQuery(operation), body, bot } = await stage.validRequest(id);
  const idempotencyKey = operation.needsIdempotencyKey ? '5f3c9a52-1c1e-4a55-9d0b-6f6f1f0e7a11' : undefined;
  const request = { ...(params && { params }), ...(query && { query }), ...(body === undefined ? {} : { body }) };
  const response = await stage.venue.call(id, { ...request, ...(bot && { bot }), ...(idempotencyKey && { idempotencyKey }) });
  expect(response.status, JSON.stringify(response.body)).toBe(operation.success.status);
  expect(contract.faultOf(operation, response)).toBeUndefined();
  const shown = response.body === undefined ? {} : { body: firstEntries(declaredPart(operation.success.schema, response.body)) };
  recorded.set(id, { request, response: { status: response.status, ...shown } });
});

test('the checked-in examples have the shape of the venue’s responses', async () => {
  const examples = Object.fromEntries([...recorded].map(([id, now]) => [id, unchangedOrNew(EXAMPLES[id], now)]));
  const text = `${JSON.stringify(examples, null, 2)}\n`;
  await expect(text, 'npm run contract writes them').toMatchFileSnapshot(FILE);
});

/** The most entries of a list in an example. */
const ENTRIES = 2;

function usualQuery({ query }: Operation): Record<string, string> | undefined {
  return query?.shape.limit === undefined ? undefined : { limit: String(ENTRIES) };
}

/** The declared fields of a document operation's body: the whole document contains these examples. */
function declaredPart(schema: z.ZodType | undefined, body: unknown): unknown {
  const { catchall, shape } = (schema?.def ?? {}) as { catchall?: z.ZodType; shape?: object };
  if (catchall?.def.type !== 'unknown' || shape === undefined) return body;
  return Object.fromEntries(Object.keys(shape).map((key) => [key, (body as Record<string, unknown>)[key]]));
}

/** Cuts the lists of a response that have no limit, such as the strategy catalogue. */
function firstEntries(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key, Array.isArray(value) ? value.slice(0, ENTRIES) : value]),
  );
}

function unchangedOrNew(before: Example | undefined, now: Example): Example {
  return before !== undefined && shapeOf(before) === shapeOf(now) ? before : now;
}

/** The names and types of fields; of a list, those of all its entries together. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join('|')}]`;
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const fields = Object.entries(value).map(([key, inner]) => `${key}:${shapeOf(inner)}`);
  return `{${fields.sort().join()}}`;
}
