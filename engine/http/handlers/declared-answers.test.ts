/** Every operation returns each of its possible codes, on the real venue; each response is as declared and as published. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ErrorCode } from '#contract/errors.ts';
import { ALWAYS_POSSIBLE, ERRORS } from '#contract/errors.ts';
import type { Operation } from '#contract/operation.ts';
import { refusalsOf } from '#contract/operation.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { PROVOCATIONS, whilePlanted } from '#http/testing/provocations.ts';
import { publishedContract } from '#http/testing/published-contract.ts';
import { type JsonSchema, resolve, withNamed } from '#http/testing/sound-value.ts';
import { everyRate, OPERATION_IDS, type Stage, setStage } from '#http/testing/stage.ts';
import type { Answer, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { expectDeclared, startVenue } from '#http/testing/venue-under-test.ts';

const contract = publishedContract();
let stage: Stage;
let besieged: VenueUnderTest;

beforeAll(async () => {
  stage = await setStage({ requestTimeoutMs: 1_000 });
  besieged = await startVenue(everyRate({ burst: 1, perSecond: 0.001 }));
});
afterAll(async () => {
  await stage.venue.close();
  await besieged.close();
});

function expectAnswer(id: OperationId, answer: Answer, code: ErrorCode): void {
  expect(answer.body?.code, JSON.stringify(answer.body)).toBe(code);
  expect(answer.status).toBe(ERRORS[code].status);
  expect(contract.faultOf(OPERATIONS[id], answer)).toBeUndefined();
}

/** Every value of its query parameters that are enumerations. */
function listedQueries(id: OperationId): [name: string, value: string][] {
  const { query }: Operation = OPERATIONS[id];
  return Object.entries(query?.shape ?? {}).flatMap(([name, field]) => {
    const schema: JsonSchema = z.toJSONSchema(field as z.ZodType);
    const { enum: values = [] } = schema.$ref === undefined ? schema : resolve(schema.$ref, schema);
    return values.map((value: unknown): [string, string] => [name, String(value)]);
  });
}

/** The codes that are provoked one after the other; the slow client runs for all operations at once. */
function codesOf(id: OperationId): ErrorCode[] {
  const refusals = refusalsOf(OPERATIONS[id], ALWAYS_POSSIBLE);
  return refusals.filter((code) => PROVOCATIONS[code] !== undefined && code !== 'request_timeout');
}

describe.each(OPERATION_IDS)('%s', (id) => {
  test.each(listedQueries(id))('accepts %s = %s', async (name, value) => {
    const answer = await stage.venue.call(id, { ...(await stage.soundRequest(id)), query: { [name]: value } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(OPERATIONS[id].success.status);
    expect(contract.faultOf(OPERATIONS[id], answer)).toBeUndefined();
  });

  test.each(codesOf(id))('returns %s', async (code) => {
    const answer = await PROVOCATIONS[code]?.(stage, id, await stage.soundRequest(id));
    if (answer !== undefined) expectAnswer(id, answer, code);
    if (code === 'internal_error') expect(stage.venue.defects.splice(0)).toEqual([new Error('planted')]);
  });
});

test('every operation returns request_timeout for a request that does not arrive in time', async () => {
  const answers = await Promise.all(OPERATION_IDS.map((id) => PROVOCATIONS.request_timeout?.(stage, id, {})));
  for (const [index, id] of OPERATION_IDS.entries()) expectAnswer(id, answers[index]!, 'request_timeout');
});

test.each(OPERATION_IDS.filter((id) => refusalsOf(OPERATIONS[id], ALWAYS_POSSIBLE).includes('rate_limited')))(
  '%s returns rate_limited beyond the rate',
  async (id) => {
    const sound = await stage.soundRequest(id);
    const bot = await besieged.bot();
    const { params, body } = withNamed({ params: sound.params, body: sound.body }, { accountId: bot.accountId }) as typeof sound;
    const request = { ...sound, ...(params && { params }), ...(body !== undefined && { body }), ...(sound.bot && { bot }) };
    await besieged.call(id, request);
    expectAnswer(id, await besieged.call(id, request), 'rate_limited');
  },
);

test.each(OPERATION_IDS.filter((id) => (OPERATIONS[id] as Operation).hasEtag))(
  '%s returns 304 to a client that has the representation',
  async (id) => {
    const answer = await stage.venue.call(id, { headers: { 'if-none-match': '*' } });
    expect([answer.status, answer.body]).toEqual([304, undefined]);
    expectDeclared(OPERATIONS[id], answer);
    expect(contract.faultOf(OPERATIONS[id], answer)).toBeUndefined();
  },
);

test.each(OPERATION_IDS.filter((id) => (OPERATIONS[id] as Operation).alternative !== undefined))(
  '%s returns its alternative while the venue is not ready',
  async (id) => {
    const sound = await stage.soundRequest(id);
    const answer = await whilePlanted(stage.venue.planted, { notReady: 'the disk is full' }, () => stage.venue.call(id, sound));
    expect(answer.status).toBe((OPERATIONS[id] as Operation).alternative?.status);
    expect(contract.faultOf(OPERATIONS[id], answer)).toBeUndefined();
  },
);
