/**
 * Makes any operation return a code that does not depend on its effect, from its declaration and a valid request alone. Codes
 * specific to an operation are for its own tests.
 */

import type { ErrorCode } from '#contract/errors.ts';
import { isUnified, type Operation, scopesFor, storesResponses } from '#contract/operation.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { parseAccountId } from '#units/ids.ts';
import { SCOPES } from '#venue/command.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { type Bot, type DrivenVenue, expectDeclared, type Request, type VenueResponse } from './driven-venue.ts';
import { sendRaw } from './raw-http.ts';
import type { Stage } from './stage.ts';
import { withNamed } from './valid-value.ts';
import type { PlantedFaults } from './venue-under-test.ts';

/** `undefined` if the operation cannot return the code this way. */
export type Provocation = (stage: Stage, id: OperationId, valid: Request) => Promise<VenueResponse> | undefined;

export const PROVOCATIONS: { readonly [Code in ErrorCode]?: Provocation } = {
  invalid_request: ({ venue }, id, valid) => venue.call(id, { ...valid, query: { nonsense: '1' } }),
  malformed_request: (stage, id) => raw(stage, id, 'Expect: 200-maybe\r\n\r\n'),
  headers_too_large: (stage, id) => raw(stage, id, `X-Long: ${'a'.repeat(20_000)}\r\n\r\n`),
  request_timeout: (stage, id) => raw(stage, id, 'X-Unfinished: 1'),

  malformed_json: ({ venue }, id, valid) => venue.call(id, { ...valid, body: '{"a":' }),
  payload_too_large: ({ venue }, id, valid) => venue.call(id, { ...valid, body: `"${'a'.repeat(70_000)}"` }),
  unsupported_media_type: ({ venue }, id, valid) =>
    venue.call(id, { ...valid, body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),

  idempotency_key_required: ({ venue }, id, { idempotencyKey: _, ...valid }) => venue.call(id, valid),
  idempotency_key_invalid: ({ venue }, id, valid) => venue.call(id, { ...valid, idempotencyKey: 'with a space' }),
  // Without stored responses only what a signature has carried out has a key: repeated-confirmations.test.ts.
  idempotency_conflict: (stage, id, valid) => (storesResponses(OPERATIONS[id]) ? withOtherBody(stage, id, valid) : undefined),

  unauthorized: ({ venue }, id, { bot: _, ...valid }) =>
    venue.call(id, { ...valid, headers: { authorization: 'Bearer unknown' } }),
  insufficient_scope: async ({ venue, bot }, id, valid) => {
    const sufficient = scopesFor(OPERATIONS[id].access);
    return venue.call(id, {
      ...valid,
      bot: await venue.keyOf(
        bot,
        SCOPES.filter((scope) => !sufficient.includes(scope)),
      ),
    });
  },
  account_forbidden: async ({ venue, bot, other }, id, valid) => {
    // If the account is optional, the request must name it.
    const canSay =
      valid.body !== undefined && (OPERATIONS[id] as Operation).body?.safeParse({ ...valid.body, accountId: 'acct-1' }).success;
    const body = canSay ? { ...(valid.body as object), accountId: bot.accountId } : valid.body;
    const stranger = OPERATIONS[id].access.startsWith('session') ? await venue.signIn(other) : other;
    return venue.call(id, { ...valid, body, bot: stranger });
  },

  market_not_found: ({ venue }, id, valid) =>
    named(id, 'marketId', (parameter) => venue.call(id, replaced(valid, parameter, 'DOGE-USD-PERP'))) ??
    named(id, 'symbol', (parameter) => venue.call(id, replaced(valid, parameter, 'DOGE/USD.E:USD.E'))),
  unknown_market: ({ venue }, id, valid) => {
    const unknownMarket = isUnified(OPERATIONS[id]) ? { symbol: 'DOGE' } : { marketId: 'DOGE-USD-PERP' };
    const body = Array.isArray(valid.body)
      ? withNamed(valid.body, unknownMarket)
      : { ...(valid.body as object), ...unknownMarket };
    return venue.call(id, { ...valid, body });
  },
  order_not_found: ({ venue }, id, valid) =>
    named(id, 'orderId', (parameter) => venue.call(id, replaced(valid, parameter, '999999'))) ??
    named(id, 'clientOrderId', (parameter) => venue.call(id, replaced(valid, parameter, 'unknown-id'))),
  api_key_not_found: ({ venue }, id, valid) =>
    named(id, 'keyId', (parameter) => venue.call(id, replaced(valid, parameter, '0123456789abcdef'))),
  invalid_cursor: ({ venue }, id, valid) => named(id, 'cursor', (parameter) => venue.call(id, replaced(valid, parameter, 'abc'))),

  account_retired: (stage, id) => retiredMeanwhile(stage, id, retire),
  account_legacy_excluded: (stage, id) => retiredMeanwhile(stage, id, retireAsLegacy),

  internal_error: async ({ venue }, id, valid) => {
    const planted = new Error('planted');
    const response = await whilePlanted(venue.planted, { submit: planted, reads: planted }, () => venue.call(id, valid));
    if (response.status === 500) return response;
    // An operation without reads still looks up the key, or the time.
    return whilePlanted(venue.planted, valid.bot ? { keys: planted } : { clock: planted }, () => venue.call(id, valid));
  },
  venue_busy: ({ venue }, id, valid) => {
    const busy = new WriterBusy('planted');
    return whilePlanted(venue.planted, { submit: busy, reads: busy }, () => venue.call(id, valid));
  },
  venue_halted: ({ venue }, id, valid) => {
    const halted = new VenueHalted('planted');
    return whilePlanted(venue.planted, { submit: halted, reads: halted }, () => venue.call(id, valid));
  },
  dependency_unavailable: async ({ venue }, id, { bot, ...valid }) => {
    // A session must be looked up; a key is in the journal.
    const session = bot === undefined ? {} : { bot: await venue.signIn(bot) };
    return whilePlanted(venue.planted, { submit: new StoreUnavailable('planted') }, () =>
      venue.call(id, { ...valid, ...session }),
    );
  },
  session_required: ({ venue, bot }, id, valid) => venue.call(id, { ...valid, bot }),
  passkey_required: ({ venue, bot }, id, valid) =>
    venue.call(id, { ...valid, bot, ...(id === 'confirmAgentFunding' && { body: COMPLETION }) }),
  not_an_api_key: async ({ venue, bot }, id, valid) => venue.call(id, { ...valid, bot: await venue.signIn(bot) }),
};

async function withOtherBody({ venue, validRequest }: Stage, id: OperationId, valid: Request): Promise<VenueResponse> {
  await venue.call(id, valid);
  const body = otherBody(id, valid.body, (await validRequest(id)).body);
  return venue.call(id, { ...valid, body, idempotencyKey: valid.idempotencyKey ?? '' });
}

/** A signature that is not looked at. */
const COMPLETION = {
  action: 'complete',
  challengeIdentifier: 'unknown',
  firstFactor: { kind: 'Fido2', credentialAssertion: { credId: '', clientData: '', signature: '', authenticatorData: '' } },
};

export function retire({ operate }: Pick<DrivenVenue, 'operate'>, { account }: Bot): Promise<unknown> {
  return operate({ type: 'RetireAccount', account }, 'AccountRetired');
}

export function retireAsLegacy({ operate }: Pick<DrivenVenue, 'operate'>, { account }: Bot): Promise<unknown> {
  return operate({ type: 'RetireAccount', account, isLegacy: true }, 'AccountRetired');
}

/** Retiring an account revokes its keys, so it must be retired while the request is in progress. */
async function retiredMeanwhile(
  { venue, validRequest }: Stage,
  id: OperationId,
  retiring: typeof retire,
): Promise<VenueResponse> {
  // An active party submits nothing more.
  const gone = id === 'startParty' || id === 'completeParty' ? await venue.owner() : await venue.bot(0, SCOPES);
  const made = await validRequest(id, gone);
  // The session of a legacy account ends with it, but not that of the owner of an agent account.
  if (id === 'confirmAgentFunding') {
    await retiring(venue, { ...gone, account: parseAccountId(made.params!.agentAccountId!)! });
    return venue.call(id, { ...made, body: { action: 'initiate' } });
  }
  // The description of a grant is not refused.
  const valid = id === 'decideDeviceGrant' ? { ...made, body: { ...(made.body as object), decision: 'approve' } } : made;
  // Without a bearer there is no key that the retirement revokes. A grant's session ends with a legacy account, and the grant with it.
  const isBefore = OPERATIONS[id].access === 'none' && id !== 'collectDeviceGrant';
  let retired = isBefore ? retiring(venue, gone) : undefined;
  await retired;
  const beforeSubmit = () => {
    retired ??= retiring(venue, gone);
    return retired;
  };
  const response = await whilePlanted(venue.planted, { beforeSubmit }, () => venue.call(id, valid));
  if (retired !== undefined) return response;
  // The operation has submitted nothing.
  await retiring(venue, gone);
  return venue.call(id, valid);
}

export async function whilePlanted<Result>(
  planted: PlantedFaults,
  faults: PlantedFaults,
  during: () => Promise<Result>,
): Promise<Result> {
  Object.assign(planted, faults);
  try {
    return await during();
  } finally {
    for (const key of Object.keys(faults)) Object.assign(planted, { [key]: undefined });
  }
}

type Parameter = { readonly part: 'params' | 'query'; readonly name: string };

function named(
  id: OperationId,
  name: string,
  call: (parameter: Parameter) => Promise<VenueResponse>,
): Promise<VenueResponse> | undefined {
  const operation: Operation = OPERATIONS[id];
  for (const part of ['params', 'query'] as const) if (operation[part]?.shape[name] !== undefined) return call({ part, name });
  return undefined;
}

function replaced(valid: Request, { part, name }: Parameter, value: string): Request {
  return { ...valid, [part]: { ...valid[part], [name]: value } };
}

/** A valid body that differs from the first one: `next` if it does, otherwise the first one with the opposite booleans. */
function otherBody(id: OperationId, first: unknown, next: unknown): unknown {
  const text = JSON.stringify(first);
  if (JSON.stringify(next) !== text) return next;
  const opposite: unknown = JSON.parse(text, (_, value) => (typeof value === 'boolean' ? !value : value));
  if (JSON.stringify(opposite) === text)
    throw new Error(
      `the stage has only one valid body for ${id}: give one of its fields a new value each time in namesFor (stage.ts)`,
    );
  return opposite;
}

/** Sends the head of a request whose path parameters are never parsed, and then `rest`. */
async function raw({ venue }: Stage, id: OperationId, rest: string): Promise<VenueResponse> {
  const { method, path } = OPERATIONS[id];
  const responses = await sendRaw(venue.port, `${method} ${path.replace(/[{}]/g, '')} HTTP/1.1\r\nHost: localhost\r\n${rest}`);
  const { status, headers, body } = responses[0]!;
  const response = { status, headers: new Headers(headers), body: JSON.parse(body) };
  expectDeclared(OPERATIONS[id], response);
  return response;
}
