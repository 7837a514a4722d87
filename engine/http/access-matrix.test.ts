/**
 * Every operation with every credential, each cell told from the declaration alone: none, malformed, unknown, revoked, expired, a
 * realtime ticket, another account's, and keys that have every scope but one, or one alone.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS, type OperationId } from '#contract/operations.ts';
import { SCOPES, type Scope } from '#venue/command.ts';
import type { Answer, Bot, VenueUnderTest } from './testing/venue-under-test.ts';
import { startVenue } from './testing/venue-under-test.ts';

const ENOUGH = { burst: 10_000, perSecond: 1 };
/** A ticket opens a socket and nothing else: 43 of these characters. */
const TICKET = 'A'.repeat(43);

let venue: VenueUnderTest;
let owner: Bot;
let stranger: Bot;
let bearers: Readonly<Record<string, string | undefined>>;
const keys = new Map<string, Bot>();

beforeAll(async () => {
  venue = await startVenue({
    rates: { orders: ENOUGH, cancels: ENOUGH, previews: ENOUGH, settings: ENOUGH, reads: ENOUGH, public: ENOUGH },
  });
  [owner, stranger] = [await venue.bot(0, SCOPES), await venue.bot(0, SCOPES)];
  const revoked = await venue.keyOf(owner, SCOPES);
  await venue.operate({ type: 'RevokeApiKey', account: owner.account, keyId: revoked.keyId }, 'ApiKeyRevoked');
  const expired = await venue.keyOf(owner, SCOPES, venue.pass(0) + 1_000);
  venue.pass(1_000);
  for (const scope of SCOPES) {
    keys.set(
      `without ${scope}`,
      await venue.keyOf(
        owner,
        SCOPES.filter((other) => other !== scope),
      ),
    );
    keys.set(`with ${scope} alone`, await venue.keyOf(owner, [scope]));
  }
  bearers = {
    missing: undefined,
    malformed: `${owner.key}x`,
    unknown: `opk_${owner.keyId}_${'A'.repeat(43)}`,
    revoked: revoked.key,
    expired: expired.key,
    ticket: TICKET,
  };
});
afterAll(async () => {
  expect(venue.defects).toEqual([]);
  await venue.close();
});

/** Whatever it needs beyond a credential: who may ask is decided before most of it is looked at. */
function request(account: Bot) {
  const params = { accountId: account.accountId, marketId: 'BTC-USD-PERP', orderId: '1' };
  return { params, idempotencyKey: 'k' };
}

const call = (id: OperationId, key: string | undefined, account = owner): Promise<Answer> =>
  venue.call(id, { ...request(account), headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });

function scopeOf({ access }: Operation): Scope | undefined {
  const scope = access.startsWith('bearer:') ? access.slice('bearer:'.length) : 'any';
  return scope === 'any' ? undefined : (scope as Scope);
}

describe.each(Object.entries(OPERATIONS) as [OperationId, Operation][])('%s', (id, operation) => {
  test.each(['missing', 'malformed', 'unknown', 'revoked', 'expired', 'ticket'])('with a key that is %s', async (credential) => {
    const { status, body } = await call(id, bearers[credential]);
    const isAdmitted = operation.access === 'none' || (operation.access === 'none-or-bearer' && credential === 'missing');
    if (isAdmitted) {
      expect([401, 403]).not.toContain(status);
      return;
    }
    const apiKeyRejection = credential === 'ticket' ? 'malformed' : credential;
    expect({ status, code: body.code, apiKeyRejection: body.apiKeyRejection }).toEqual({
      status: 401,
      code: 'unauthorized',
      apiKeyRejection,
    });
  });

  test.each(SCOPES)('without the scope %s, and with it alone', async (scope) => {
    const needed = scopeOf(operation);
    const without = await call(id, keys.get(`without ${scope}`)!.key);
    const alone = await call(id, keys.get(`with ${scope} alone`)!.key);
    expect([without.status, alone.status]).not.toContain(401);
    expect(without.body.code === 'insufficient_scope').toBe(needed === scope);
    expect(alone.body.code === 'insufficient_scope').toBe(needed !== undefined && needed !== scope);
  });

  if (operation.path.includes('{accountId}')) {
    test("with another account's key", async () => {
      const body = operation.body === undefined ? {} : { body: { shown: false } };
      const { status, body: answered } = await venue.call(id, {
        ...request(owner),
        ...body,
        params: pathOf(operation),
        bot: stranger,
      });
      expect([status, answered.code]).toEqual([403, 'account_forbidden']);
    });
  }
});

/** Only what its path has: another parameter would be refused first. */
function pathOf({ path }: Operation): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(request(owner).params).filter(([name]) => path.includes(`{${name}}`)));
}
