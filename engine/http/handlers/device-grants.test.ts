/** API keys by device grant over HTTP: approved, denied, too fast, expired, never issued twice; and their list and revocation. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SITE } from '#http/testing/owner-client.ts';
import { approval, ownerOf } from '#http/testing/owner-requests.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { type Bot, startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { GRANT_LIFETIME_MS, POLL_INTERVAL_MS } from '#identity/device-grants.ts';
import { coseKey, encodeCbor, SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';

const DAY_MS = 86_400_000;
let venue: VenueUnderTest;
let owner: Bot;
let session: Bot;

beforeEach(async () => {
  venue = await startVenue();
  owner = await venue.bot();
  session = await venue.signIn(owner);
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

const start = (body: object = { label: 'my-bot', scopes: ['read', 'trade'] }) => venue.call('startDeviceGrant', { body });
const collect = (deviceCode: string) => venue.call('collectDeviceGrant', { body: { deviceCode } });
const decide = (userCode: string, decision: string, by = session, approved: object = {}) =>
  venue.call('decideDeviceGrant', { bot: by, params: { accountId: by.accountId }, body: { userCode, decision, ...approved } });
/** With the signature of the owner's passkey. */
async function approve(userCode: string, by = session): Promise<VenueResponse> {
  const due = await decide(userCode, 'approve', by);
  if (due.status !== 200) return due;
  return decide(userCode, 'approve', by, { approval: approval(due.body.challenge, ownerOf(owner)) });
}
const keys = async () => (await venue.call('listApiKeys', { bot: session, params: { accountId: owner.accountId } })).body.apiKeys;
const current = (key: string) => venue.call('getCurrentApiKey', { headers: { authorization: `Bearer ${key}` } });

async function started(): Promise<{ userCode: string; deviceCode: string; expiresAtEpochMs: number }> {
  const { status, body } = await start();
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function approved(): Promise<string> {
  const { userCode, deviceCode } = await started();
  expect((await approve(userCode)).body.status).toBe('approved');
  return deviceCode;
}

describe('a device grant', () => {
  test('shows the owner the requested access, and delivers one key after the approval', async () => {
    const scopes = ['read', 'trade', 'funding', 'agents'];
    const { body: grant } = await start({ label: 'my-bot', scopes });
    expect(grant).toMatchObject({
      version: 'agent-connect/v1',
      userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      intervalMs: POLL_INTERVAL_MS,
      verificationUri: 'http://localhost:8080/app#connect',
      verificationUriComplete: `http://localhost:8080/app#connect=${grant.userCode}`,
    });
    expect((await collect(grant.deviceCode)).body).toMatchObject({ code: 'authorization_pending', retryable: true });
    const startedAtEpochMs = grant.expiresAtEpochMs - GRANT_LIFETIME_MS;
    const shown = { label: 'my-bot', scopes, startedAtEpochMs, expiresAtEpochMs: grant.expiresAtEpochMs, keyLifetimeDays: 90 };
    const typed = grant.userCode.toLowerCase().replace('-', ' ');
    expect((await decide(typed, 'describe')).body).toMatchObject({ ...shown, status: 'pending' });
    const due = (await decide(typed, 'approve')).body;
    expect(due).toMatchObject({ ...shown, status: 'approval_required' });
    expect(due.challenge.allowCredentials).toMatchObject({ key: [], webauthn: [{ type: 'public-key' }] });
    expect((await approve(typed)).body).toMatchObject({ ...shown, status: 'approved', challenge: null });
    expect((await decide(typed, 'deny')).body.code).toBe('device_grant_decided');
    venue.pass(POLL_INTERVAL_MS);
    const { status, body } = await collect(grant.deviceCode);
    expect([status, body.status, body.accountId, body.label, body.scopes]).toEqual([
      200,
      'approved',
      owner.accountId,
      'my-bot',
      scopes,
    ]);
    const { body: key } = await current(body.apiKey);
    expect(key).toMatchObject({ keyId: body.keyId, scopes, label: 'my-bot', expiresAtEpochMs: body.expiresAtEpochMs });
    const lifetimeMs = body.expiresAtEpochMs - grant.expiresAtEpochMs + GRANT_LIFETIME_MS - 90 * DAY_MS;
    expect(lifetimeMs).toBeGreaterThanOrEqual(0);
    expect(lifetimeMs).toBeLessThan(GRANT_LIFETIME_MS);
    expect((await collect(grant.deviceCode)).body).toMatchObject({ code: 'invalid_grant', retryable: false });
    expect((await keys()).map(({ keyId }: Bot) => keyId)).toEqual([owner.keyId, body.keyId]);
  });

  test('gives one key to concurrent polls', async () => {
    const deviceCode = await approved();
    const polls = await Promise.all(Array.from({ length: 16 }, () => collect(deviceCode)));
    expect(polls.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await keys()).toHaveLength(2);
  });

  test('is denied', async () => {
    const { userCode, deviceCode } = await started();
    expect((await decide(userCode, 'deny')).body.status).toBe('denied');
    expect((await collect(deviceCode)).body).toMatchObject({ code: 'access_denied', retryable: false });
    expect(await keys()).toHaveLength(1);
  });

  test('asks a fast program to slow down, by the seconds of Retry-After', async () => {
    const { deviceCode } = await started();
    await collect(deviceCode);
    const { status, body, headers } = await collect(deviceCode);
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'slow_down', '10']);
  });

  test('expires for the program and for the owner', async () => {
    const [{ userCode, deviceCode }, late] = [await started(), await approved()];
    venue.pass(GRANT_LIFETIME_MS);
    expect((await collect(deviceCode)).body.code).toBe('expired_token');
    expect((await collect(late)).body.code).toBe('expired_token');
    expect((await decide(userCode, 'approve')).body.code).toBe('expired_token');
  });

  test('issues a key that lasts as long as the program requests, at most a year', async () => {
    const label = { label: 'x', scopes: ['read'] };
    for (const keyLifetimeDays of [0, 366, 1.5])
      expect((await start({ ...label, keyLifetimeDays })).body.code).toBe('invalid_request');
    const { body } = await start({ ...label, keyLifetimeDays: 7 });
    expect((await decide(body.userCode, 'describe')).body.keyLifetimeDays).toBe(7);
    await approve(body.userCode);
    const { apiKey } = (await collect(body.deviceCode)).body;
    expect((await current(apiKey)).status).toBe(200);
    venue.pass(7 * DAY_MS);
    expect((await current(apiKey)).body.apiKeyRejection).toBe('expired');
  });

  test.each<[string, string]>([
    ['an override of the direction', 'gpj.\u202egnp bot'],
    ['a character of no width', 'my\u200bbot'],
    ['a tag character', 'my bot\u{e0041}'],
    ['a character of private use', 'my \ue000bot'],
    ['only spaces', '  \u3000'],
    ['a line break', 'my\nbot'],
  ])('is refused with a label with %s', async (_, label) => {
    expect((await start({ label, scopes: ['read'] })).body.code).toBe('invalid_request');
  });

  test('has a label in any script', async () => {
    for (const label of ['机器人 №1', 'бот', 'بوت', 'my bot ⚡️'])
      expect((await start({ label, scopes: ['read'] })).status, label).toBe(200);
  });

  test('is not approved without a passkey of this site, or while the venue cannot record its use', async () => {
    const { userCode } = await started();
    const moved = await venue.moveFromOtherSite(await venue.bot());
    expect((await decide(userCode, 'approve', moved)).body.code).toBe('no_usable_passkey');
    for (const [submit, code] of [
      [new WriterBusy('planted'), 'venue_busy'],
      [new VenueHalted('planted'), 'venue_halted'],
    ] as const) {
      const { challenge } = (await decide(userCode, 'approve')).body;
      const signed = { approval: approval(challenge, ownerOf(owner)) };
      venue.planted.beforeSubmit = () => {
        throw submit;
      };
      expect((await decide(userCode, 'approve', session, signed)).body.code).toBe(code);
      venue.planted.beforeSubmit = undefined;
    }
    expect((await approve(userCode)).body.status).toBe('approved');
  });

  test.each(['endSession', 'endSessions'] as const)(
    'is void if its session ended by %s before the key was collected',
    async (id) => {
      const deviceCode = await approved();
      const ending = id === 'endSession' ? session : await venue.signIn(owner);
      expect((await venue.call(id, { bot: ending })).status).toBe(204);
      for (let polls = 0; polls < 2; polls += 1) {
        expect((await collect(deviceCode)).body).toMatchObject({ code: 'access_denied', retryable: false });
        venue.pass(POLL_INTERVAL_MS);
      }
      session = await venue.signIn(owner);
      expect(await keys()).toHaveLength(1);
    },
  );

  test('is void if the passkey that signed it was removed before the key was collected', async () => {
    const authenticator = new SoftwareAuthenticator();
    const credentialId = authenticator.credentialId.toString('base64url');
    const publicKey = encodeCbor(coseKey(authenticator.kind, authenticator.publicKey)).toString('base64url');
    const site = { relyingPartyId: SITE.rpId, origin: SITE.origin };
    const passkey = { credentialId, kind: 'passkey', publicKey, signatureCount: 0, name: 'phone', ...site } as const;
    const { account } = owner;
    await venue.operate({ type: 'AddPasskey', account, passkey }, 'PasskeyAdded');
    const { userCode, deviceCode } = await started();
    const { challenge } = (await decide(userCode, 'approve')).body;
    const signed = { approval: approval(challenge, { ...ownerOf(owner), authenticator }) };
    expect((await decide(userCode, 'approve', session, signed)).body.status).toBe('approved');
    await venue.operate({ type: 'RemovePasskey', account, credentialId, relyingPartyId: SITE.rpId }, 'PasskeyRemoved');
    expect((await collect(deviceCode)).body).toMatchObject({
      code: 'access_denied',
      safeMessage: expect.stringMatching(/^The owner removed the passkey/),
    });
    expect(await keys()).toHaveLength(1);
  });

  test('is not found by a wrong user code, and codes are limited', async () => {
    for (let count = 0; count < 10; count += 1)
      expect((await decide('BCDF-BCDF', 'describe')).body.code).toBe('user_code_not_found');
    expect((await decide('BCDF-BCDF', 'approve')).body.code).toBe('rate_limited');
    // Another session of the account has its own share, and together they have a limit too.
    const second = await venue.signIn(owner);
    for (let count = 0; count < 10; count += 1) await decide('BCDF-BCDF', 'describe', second);
    expect((await decide('BCDF-BCDF', 'describe', await venue.signIn(owner))).body.code).toBe('rate_limited');
  });

  test('is decided by an owner whom a passkey signed in', async () => {
    const { userCode, deviceCode } = await started();
    for (const by of [owner, await venue.signIn(owner, 'social')])
      expect((await decide(userCode, 'approve', by)).body.code).toBe('passkey_required');
    expect((await collect(deviceCode)).body.code).toBe('authorization_pending');
  });

  test('is refused with a scope twice, and to a network that starts too many', async () => {
    expect((await start({ label: 'x', scopes: ['read', 'read'] })).body.code).toBe('invalid_request');
    for (let count = 0; count < 10; count += 1) await started();
    const refused = await start();
    expect(refused.body).toMatchObject({ code: 'too_many_device_grants', retryable: true });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  });

  test('keeps its approval if the venue issued no key', async () => {
    const deviceCode = await approved();
    venue.planted.beforeSubmit = () => {
      throw new WriterBusy('planted');
    };
    expect((await collect(deviceCode)).body).toMatchObject({ code: 'venue_busy', retryable: true });
    venue.planted.beforeSubmit = undefined;
    for (let count = 1; count < 100; count += 1) await venue.keyOf(owner, ['read']);
    expect((await collect(deviceCode)).body.code).toBe('too_many_api_keys');
    const [, , { keyId }] = await keys();
    await venue.call('revokeApiKey', { bot: session, params: { accountId: owner.accountId, keyId } });
    expect((await collect(deviceCode)).status).toBe(200);
    expect((await collect(deviceCode)).body.code).toBe('invalid_grant');
  });

  test('issues no second key after an error that leaves the outcome unknown', async () => {
    const deviceCode = await approved();
    await whilePlanted(
      venue.planted,
      {
        beforeSubmit: () => {
          throw new Error('planted');
        },
      },
      () => collect(deviceCode),
    );
    expect(venue.internalErrors.splice(0)).toHaveLength(1);
    expect((await collect(deviceCode)).body.code).toBe('invalid_grant');
  });

  test.each(['account_retired', 'account_legacy_excluded'] as const)(
    'is refused for an account that is %s meanwhile',
    async (code) => {
      const deviceCode = await approved();
      const isLegacy = code === 'account_legacy_excluded';
      venue.planted.beforeSubmit = () =>
        venue.operate({ type: 'RetireAccount', account: owner.account, ...(isLegacy && { isLegacy }) }, 'AccountRetired');
      expect((await collect(deviceCode)).body.code).toBe(code);
    },
  );
});

test('an owner whose account is retired is refused before the signature, and may deny', async () => {
  const { userCode } = await started();
  await venue.operate({ type: 'RetireAccount', account: owner.account }, 'AccountRetired');
  const again = await venue.signIn(owner);
  expect((await decide(userCode, 'approve', again)).body.code).toBe('account_retired');
  expect((await decide(userCode, 'deny', again)).body.status).toBe('denied');
});

describe('the API keys of an account', () => {
  test('are listed without secrets, expired ones too', async () => {
    const expiring = await venue.keyOf(owner, ['read'], venue.pass(0) + 1_000);
    venue.pass(1_000);
    const { body } = await venue.call('listApiKeys', { bot: session, params: { accountId: owner.accountId } });
    expect(body.apiKeys).toMatchObject([
      { keyId: owner.keyId, label: 'bot', scopes: ['read', 'trade'], status: 'active', expiresAtEpochMs: null },
      { keyId: expiring.keyId, status: 'expired', expiresAtEpochMs: expect.any(Number) },
    ]);
    expect(JSON.stringify(body)).not.toContain(owner.key.slice(-43));
  });

  test('are revoked with the next request, repeatedly, and only by their owner', async () => {
    const [gone, other] = [await venue.keyOf(owner, ['read']), await venue.bot()];
    const revoke = (by: Bot, keyId: string) =>
      venue.call('revokeApiKey', { bot: by, params: { accountId: by.accountId, keyId } });
    expect((await revoke(await venue.signIn(other), gone.keyId)).body.code).toBe('api_key_not_found');
    expect((await current(gone.key)).status).toBe(200);
    const both = await Promise.all([revoke(session, gone.keyId), revoke(session, gone.keyId)]);
    expect(both.map(({ status }) => status)).toEqual([204, 204]);
    const before = venue.sequence();
    expect((await revoke(session, gone.keyId)).status).toBe(204);
    expect(venue.sequence()).toBe(before);
    expect((await current(gone.key)).body.apiKeyRejection).toBe('revoked');
    expect((await revoke(await venue.signIn(other), gone.keyId)).body.code).toBe('api_key_not_found');
    expect((await current(owner.key)).status).toBe(200);
  });
});
