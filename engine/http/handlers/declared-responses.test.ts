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
import { everyRate, OPERATION_IDS, type Stage, setStage } from '#http/testing/stage.ts';
import { type JsonSchema, resolve, withNamed } from '#http/testing/valid-value.ts';
import type { VenueResponse, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { expectDeclared, startVenue } from '#http/testing/venue-under-test.ts';
import { SCOPES } from '#venue/command.ts';

const contract = publishedContract();
let stage: Stage;
let besieged: VenueUnderTest;

beforeAll(async () => {
  stage = await setStage({ requestTimeoutMs: 1_000 });
  besieged = await startVenue(everyRate({ burst: 1, perSecond: 0.001 }));
  await besieged.operate({ type: 'SetCapability', capability: 'affiliate', isOn: true }, 'CapabilitySet');
});
afterAll(async () => {
  await stage.venue.close();
  await besieged.close();
});

function expectResponse(id: OperationId, response: VenueResponse, code: ErrorCode): void {
  expect(response.body?.code, JSON.stringify(response.body)).toBe(code);
  expect(response.status).toBe(ERRORS[code].status);
  expect(contract.faultOf(OPERATIONS[id], response)).toBeUndefined();
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

/** Codes that a declaration can forget. Those of a planted fault of the venue are tried on operations that submit or read. */
const FORGETTABLE = [
  'account_forbidden',
  'account_retired',
  'account_legacy_excluded',
  'market_not_found',
  'unknown_market',
  'order_not_found',
  'invalid_cursor',
] as const;
const OF_THE_VENUE = ['venue_busy', 'venue_halted'] as const;
/** Operations that neither submit nor read: what is planted stands for other failures. */
const WITHOUT_THE_WRITER: readonly OperationId[] = [
  'getReady',
  'previewOrder',
  'getCurrentApiKey',
  'getCurrentSession',
  'endSession',
  'endSessions',
  'startDeviceGrant',
  'decideDeviceGrant',
  'getAffiliateAvailability',
  'getAuthCapabilities',
  'registerWithProvider',
  'recoverRegistration',
  'startPasskeyLogin',
  'loginWithProvider',
  'recoverMapping',
  'listPasskeys',
];

function undeclaredCodesOf(id: OperationId): ErrorCode[] {
  const operation: Operation = OPERATIONS[id];
  const waits = operation.group !== 'Realtime access' && !WITHOUT_THE_WRITER.includes(id);
  // The account that is retired has no cash, so it cannot have an order.
  const amends = id === 'amendOrder' || id === 'amendOrders';
  const namesOrders = amends || operation.limit === 'cancels' || /\{(?:o|clientO)rderId\}/.test(operation.path);
  const excluded: ErrorCode[] = [
    ...(operation.body === undefined ? (['unknown_market'] as const) : []),
    ...(namesOrders ? (['account_retired', 'account_legacy_excluded'] as const) : []),
    ...refusalsOf(operation, ALWAYS_POSSIBLE),
  ];
  return [...FORGETTABLE, ...(waits ? OF_THE_VENUE : [])].filter((code) => !excluded.includes(code));
}

describe.each(OPERATION_IDS)('%s', (id) => {
  test.each(listedQueries(id))('accepts %s = %s', async (name, value) => {
    const response = await stage.venue.call(id, { ...(await stage.validRequest(id)), query: { [name]: value } });
    expect(response.status, JSON.stringify(response.body)).toBe(OPERATIONS[id].success.status);
    expect(contract.faultOf(OPERATIONS[id], response)).toBeUndefined();
  });

  test.each(codesOf(id))('returns %s', async (code) => {
    const response = await PROVOCATIONS[code]?.(stage, id, await stage.validRequest(id));
    if (response !== undefined) expectResponse(id, response, code);
    if (code === 'internal_error') expect(stage.venue.internalErrors.splice(0)).toEqual([new Error('planted')]);
  });
});

test.each(OPERATION_IDS)('%s declares every code that it returns', async (id) => {
  // `call` fails for an undeclared code.
  for (const code of undeclaredCodesOf(id))
    await PROVOCATIONS[code]?.(stage, id, await stage.validRequest(id, await stage.venue.bot(100_000, SCOPES)));
});

test('every operation returns request_timeout for a request that does not arrive in time', async () => {
  const responses = await Promise.all(OPERATION_IDS.map((id) => PROVOCATIONS.request_timeout?.(stage, id, {})));
  for (const [index, id] of OPERATION_IDS.entries()) expectResponse(id, responses[index]!, 'request_timeout');
});

test.each(OPERATION_IDS.filter((id) => refusalsOf(OPERATIONS[id], ALWAYS_POSSIBLE).includes('rate_limited')))(
  '%s returns rate_limited beyond the rate',
  async (id) => {
    const valid = await stage.validRequest(id);
    const bot = await besieged.bot();
    const { params, body } = withNamed({ params: valid.params, body: valid.body }, { accountId: bot.accountId }) as typeof valid;
    const request = { ...valid, ...(params && { params }), ...(body !== undefined && { body }), ...(valid.bot && { bot }) };
    await besieged.call(id, request);
    expectResponse(id, await besieged.call(id, request), 'rate_limited');
  },
);

test.each(OPERATION_IDS.filter((id) => (OPERATIONS[id] as Operation).hasEtag))(
  '%s returns 304 to a client that has the representation',
  async (id) => {
    const response = await stage.venue.call(id, { headers: { 'if-none-match': '*' } });
    expect([response.status, response.body]).toEqual([304, undefined]);
    expectDeclared(OPERATIONS[id], response);
    expect(contract.faultOf(OPERATIONS[id], response)).toBeUndefined();
  },
);

test.each(OPERATION_IDS.filter((id) => (OPERATIONS[id] as Operation).alternative !== undefined))(
  '%s returns its alternative while the venue is not ready',
  async (id) => {
    const valid = await stage.validRequest(id);
    const response = await whilePlanted(stage.venue.planted, { notReady: 'the disk is full' }, () => stage.venue.call(id, valid));
    expect(response.status).toBe((OPERATIONS[id] as Operation).alternative?.status);
    expect(contract.faultOf(OPERATIONS[id], response)).toBeUndefined();
  },
);
