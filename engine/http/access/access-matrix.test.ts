/**
 * Every operation with every kind of credential, on the real venue, in one thread and in several. The expected result of each
 * cell follows from the declaration of the operation alone. A refused request leaves nothing in the journal.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_KEY_REJECTIONS, type ApiKeyRejection } from '#contract/error-envelope.ts';
import type { ErrorCode } from '#contract/errors.ts';
import type { Operation } from '#contract/operation.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { type Bot, type DrivenVenue, envelopeIn, type Request, type VenueResponse } from '#http/testing/driven-venue.ts';
import { retire, retireAsLegacy } from '#http/testing/provocations.ts';
import { OPERATION_IDS, type Stage, stageOn } from '#http/testing/stage.ts';
import { VENUES } from '#http/testing/venues.ts';
import { createApiKey } from '#identity/api-key.ts';
import { createSessionBearer } from '#identity/session-bearer.ts';
import { SESSION_LIFETIME_MS } from '#identity/sessions.ts';
import { SCOPES, type Scope } from '#venue/command.ts';

let stage: Stage<DrivenVenue>;
let byScope: ReadonlyMap<Scope, { readonly alone: Bot; readonly missing: Bot }>;
let revoked: Bot;
let retired: Bot;
let expired: Bot;
let unused: Bot;
/** Sessions. */
let ended: Bot;
let endedLate: Bot;
let ofLegacy: Bot;
let ofRemovedPasskey: Bot;
/** Open ones, each by account and kind of sign-in. */
const sessions = new Map<string, Bot>();

/** Credentials with the reason for which they are refused, and their Authorization header. */
const UNACCEPTED: readonly [
  kind: string,
  rejection: ApiKeyRejection,
  header: () => string | undefined | Promise<string | undefined>,
][] = [
  ['no credential', 'missing', () => undefined],
  ['a scheme that is not Bearer', 'malformed', () => `Basic ${stage.bot.key}`],
  ['a key cut short', 'malformed', () => `Bearer ${stage.bot.key.slice(0, -1)}`],
  ['a key that was never issued', 'unknown', () => `Bearer ${createApiKey().key}`],
  ['a known keyId with another secret', 'unknown', () => `Bearer ${withOtherSecret(stage.bot.key)}`],
  ['a revoked key', 'revoked', () => `Bearer ${revoked.key}`],
  ['the key of a retired account', 'revoked', () => `Bearer ${retired.key}`],
  ['an expired key', 'expired', () => `Bearer ${expired.key}`],
  ['a session cut short', 'malformed', async () => `Bearer ${(await openSession('passkey')).key.slice(0, -1)}`],
  ['a session that was never opened', 'unknown', () => `Bearer ${createSessionBearer().bearer}`],
  [
    'a known sessionId with another secret',
    'unknown',
    async () => `Bearer ${withOtherSecret((await openSession('passkey')).key)}`,
  ],
  ['a revoked session', 'revoked', () => `Bearer ${ended.key}`],
  ['the session of a legacy account', 'revoked', () => `Bearer ${ofLegacy.key}`],
  ['the session of a removed passkey', 'revoked', () => `Bearer ${ofRemovedPasskey.key}`],
  ['an expired session', 'expired', () => `Bearer ${endedLate.key}`],
  ['a realtime ticket', 'malformed', async () => `Bearer ${await stage.ticket()}`],
];

/**
 * Operations that ignore the bearer: probes, unimplemented ones, and those whose credential is in the body. Every other read
 * refuses an invalid bearer.
 */
const neverNeeded = ({ isProbe, acceptsAnyBody, access, method }: Operation) =>
  isProbe === true || acceptsAnyBody === true || (access === 'none' && method !== 'GET');
const mayBeAbsent = ({ access }: Operation) => access.startsWith('none');
/** A key that may trade for an account may also read it. */
const SUFFICIENT: Readonly<Record<string, readonly Scope[]>> = {
  'bearer:read': ['read', 'trade'],
  'bearer:trade': ['trade'],
  'bearer:funding': ['funding'],
  'bearer:agents': ['agents'],
};

/** The refusal of a key with these scopes; `undefined` if it is admitted. */
function keyRefusal({ access }: Operation, scopes: readonly Scope[]): ErrorCode | undefined {
  if (access === 'session') return 'session_required';
  if (access === 'session:passkey') return 'passkey_required';
  const isSufficient = SUFFICIENT[access]?.some((scope) => scopes.includes(scope)) ?? true;
  return isSufficient ? undefined : 'insufficient_scope';
}

function sessionRefusal({ access, refusals }: Operation, by: 'passkey' | 'social'): ErrorCode | undefined {
  if (access === 'session:passkey' && by === 'social') return 'passkey_required';
  return refusals.find((code) => code === 'not_an_api_key');
}

describe.each(VENUES)('%s', (_where, start) => {
  beforeAll(async () => {
    const venue = await start();
    endedLate = await venue.signIn(await venue.bot());
    venue.pass(SESSION_LIFETIME_MS);
    await venue.publishIndex(65_000);
    stage = await stageOn(venue);
    const { bot } = stage;
    const keys = SCOPES.map(async (scope) => {
      const others = SCOPES.filter((it) => it !== scope);
      return [scope, { alone: await venue.keyOf(bot, [scope]), missing: await venue.keyOf(bot, others) }] as const;
    });
    byScope = new Map(await Promise.all(keys));
    revoked = await venue.keyOf(bot, SCOPES);
    await venue.revoke(revoked);
    retired = await venue.bot(0, SCOPES);
    await retire(venue, retired);
    expired = await venue.keyOf(bot, SCOPES, venue.pass(0) + 1_000);
    venue.pass(1_000);
    unused = await venue.bot(100_000, SCOPES);
    ended = await venue.signIn(bot);
    await venue.call('endSession', { bot: ended });
    const gone = await venue.bot(0);
    ofLegacy = await venue.signIn(gone);
    await retireAsLegacy(venue, gone);
    const moved = await venue.bot(0);
    ofRemovedPasskey = await venue.signIn(moved);
    await venue.moveFromOtherSite(moved);
  });
  afterAll(async () => {
    expect(stage.venue.internalErrors).toEqual([]);
    await stage.venue.close();
  });

  describe.each(OPERATION_IDS)('%s', (id) => {
    const operation: Operation = OPERATIONS[id];

    test.each(UNACCEPTED)('with %s', async (_, rejection, header) => {
      const { bot: _bot, ...valid } = await stage.validRequest(id);
      const authorization = await header();
      const response = await untraced(id, { ...valid, headers: authorization === undefined ? {} : { authorization } });
      if (neverNeeded(operation) || (rejection === 'missing' && mayBeAbsent(operation))) {
        expect(response.status).toBe(operation.success.status);
        return;
      }
      expect(envelopeIn(response.body)).toMatchObject({ code: 'unauthorized', apiKeyRejection: rejection });
    });

    test.each(SCOPES)('with every scope but %s', async (scope) => {
      const others = SCOPES.filter((it) => it !== scope);
      await expectResponse(id, byScope.get(scope)!.missing, keyRefusal(operation, others));
    });

    test.each(SCOPES)('with the scope %s alone', async (scope) => {
      await expectResponse(id, byScope.get(scope)!.alone, keyRefusal(operation, [scope]));
    });

    test('with a session that a passkey signed in', async () => {
      await expectResponse(id, await openSession('passkey'), sessionRefusal(operation, 'passkey'));
    });

    test('with a session that a provider signed in', async () => {
      await expectResponse(id, await openSession('social'), sessionRefusal(operation, 'social'));
    });

    test.each([
      ['key', () => unused, keyRefusal(operation, SCOPES)],
      ['session', () => openSession('passkey', unused), sessionRefusal(operation, 'passkey')],
      ['social session', () => openSession('social', unused), sessionRefusal(operation, 'social')],
    ] as const)('with the %s of another account', async (_, by, ofCredential) => {
      const bot = await by();
      const valid = await stage.validRequest(id);
      const response = await stage.venue.call(id, mayBeAbsent(operation) ? valid : { ...valid, bot });
      const refusal = mayBeAbsent(operation) ? undefined : (ofCredential ?? foreignRefusal(operation, valid));
      if (refusal === undefined) expect(response.status, JSON.stringify(response.body)).toBe(operation.success.status);
      else expect(response.body).toMatchObject({ code: refusal });
    });
  });
});

test('the matrix has a row for each reason why a bearer is refused', () => {
  const rows = new Set(UNACCEPTED.map(([, rejection]) => rejection));
  expect(API_KEY_REJECTIONS.filter((rejection) => !rows.has(rejection))).toEqual([]);
});

/** The session of a bot by a kind of sign-in. An operation may have ended it: then another one is signed in. */
async function openSession(by: 'passkey' | 'social', bot: Bot = stage.bot): Promise<Bot> {
  const name = `${bot.accountId} ${by}`;
  const known = sessions.get(name);
  const isOpen = known !== undefined && (await stage.venue.call('getCurrentSession', { bot: known })).status === 200;
  const session = isOpen ? known : await stage.venue.signIn(bot, by);
  sessions.set(name, session);
  return session;
}

async function expectResponse(id: OperationId, by: Bot, refusal: ErrorCode | undefined): Promise<void> {
  const operation: Operation = OPERATIONS[id];
  const valid = await stage.validRequest(id);
  if (refusal === undefined || mayBeAbsent(operation)) {
    const { status, body } = await stage.venue.call(id, { ...valid, ...(valid.bot && { bot: by }) });
    expect(status, JSON.stringify(body)).toBe(operation.success.status);
  } else {
    expect((await untraced(id, { ...valid, bot: by })).body).toMatchObject({ code: refusal });
  }
}

/** The refusal if the request names another account, its order or its identity; `undefined` if it names none of them. */
function foreignRefusal(operation: Operation, { params, body }: Request): ErrorCode | undefined {
  if (mayBeAbsent(operation)) return undefined;
  const named = { ...params, ...(body as object | undefined) };
  // In a batch each entry names the account.
  const entries = Object.values(named).filter(Array.isArray).flat();
  if ([named, ...entries].some((it) => Object(it).accountId !== undefined)) return 'account_forbidden';
  // Its identity registered another account.
  if ('local' in named) return 'mapping_forbidden';
  if ('withdrawalId' in named) return 'withdrawal_not_found';
  return 'orderId' in named || 'clientOrderId' in named ? 'order_not_found' : undefined;
}

/** Calls the operation, and checks that a refused request did not reach the journal. */
async function untraced(id: OperationId, request: Request): Promise<VenueResponse> {
  const before = stage.venue.sequence();
  const response = await stage.venue.call(id, request);
  if (response.status >= 400) expect(stage.venue.sequence()).toBe(before);
  return response;
}

function withOtherSecret(key: string): string {
  return `${key.slice(0, -43)}${randomBytes(32).toString('base64url')}`;
}
