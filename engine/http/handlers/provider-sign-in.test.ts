/** Sign-in with a provider of OpenID Connect over HTTP, against a stand-in on loopback: good answers, wrong ones, and a provider that fails. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SITE } from '#http/testing/owner-client.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { type Bot, startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { OidcProvider, PROVIDER_TIMEOUT_MS } from '#identity/sign-in/oidc-provider.ts';
import { ProviderConditions } from '#identity/sign-in/provider-condition.ts';
import { CLIENT, type StandInProvider, startStandInProvider } from '#identity/sign-in/testing/stand-in-provider.ts';
import { SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { eventually } from '#time/testing/eventually.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { parseAccountId } from '#units/ids.ts';

const provider = 'stand-in';
let standIn: StandInProvider;
let time: ManualTime;
let venue: VenueUnderTest;
let subjects = 0;
let subject: string;

beforeAll(async () => {
  standIn = await startStandInProvider();
  time = new ManualTime();
  const oidc = new OidcProvider(
    { id: provider, issuer: standIn.issuer, ...CLIENT },
    { timers: time, steadyClock: time, redirectUri: () => `${SITE.origin}/app`, conditions: new ProviderConditions(() => {}) },
  );
  venue = await startVenue({ ...UNLIMITED, signInProviders: [{ kind: 'oidc', id: provider, name: 'Stand-in', oidc }] });
});
beforeEach(() => {
  standIn.faults = {};
  subjects += 1;
  subject = `subject-${subjects}`;
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
  await standIn.close();
});

type Step = 'registerWithProvider' | 'loginWithProvider' | 'recoverMapping';

async function initiate(id: Step, bot?: Bot): Promise<VenueResponse> {
  return venue.call(id, { body: { provider, action: 'initiate' }, ...(bot && { bot }) });
}

function complete(id: Step, attempt: string, callback: string, bot?: Bot): Promise<VenueResponse> {
  return venue.call(id, { body: { provider, action: 'complete', attempt, callback }, ...(bot && { bot }) });
}

/** Both steps, with the browser's visit to the provider. */
async function withProvider(id: Step, bot?: Bot): Promise<VenueResponse> {
  const { attempt, authorizationUrl } = (await initiate(id, bot)).body;
  return complete(id, attempt, standIn.visit(authorizationUrl, subject), bot);
}

async function register(): Promise<Bot> {
  const { attempt, creation } = (await withProvider('registerWithProvider')).body;
  const credential = new SoftwareAuthenticator().register({ challenge: creation.challenge, ...SITE });
  const body = { attempt, challengeIdentifier: creation.challengeIdentifier, passkeyName: 'laptop', credential };
  const { accountId, accessToken, sessionId } = (await venue.call('completeRegistration', { body })).body;
  return { account: parseAccountId(accountId)!, accountId, keyId: sessionId, key: accessToken };
}

test('registers an owner, signs in and links again', async () => {
  expect((await initiate('registerWithProvider')).body).toMatchObject({ status: 'redirect', creation: null });
  const owner = await register();
  const login = await withProvider('loginWithProvider');
  expect(login.body).toMatchObject({ status: 'signed_in', session: { accountId: owner.accountId, signedInBy: 'social' } });
  expect((await withProvider('recoverMapping', owner)).body).toMatchObject({ status: 'linked', accountId: owner.accountId });
  expect((await withProvider('registerWithProvider')).body.code).toBe('identity_registered');
});

test('knows no identity of another subject', async () => {
  const owner = await register();
  subject = 'another';
  expect((await withProvider('loginWithProvider')).body.code).toBe('identity_not_registered');
  expect((await withProvider('recoverMapping', owner)).body.code).toBe('mapping_forbidden');
});

test('resumes a registration at the provider, with the same address', async () => {
  const { attempt, authorizationUrl } = (await initiate('registerWithProvider')).body;
  const resumed = (await venue.call('recoverRegistration', { body: { attempt } })).body;
  expect(resumed).toMatchObject({ status: 'redirect', attempt, authorizationUrl });
  expect((await complete('registerWithProvider', attempt, standIn.visit(authorizationUrl, subject))).body).toMatchObject({
    status: 'passkey_required',
  });
});

test('refuses a passkey before the provider has answered', async () => {
  const { attempt } = (await initiate('registerWithProvider')).body;
  const credential = new SoftwareAuthenticator().register({ challenge: 'A'.repeat(43), ...SITE });
  const body = { attempt, challengeIdentifier: 'A'.repeat(22), passkeyName: 'laptop', credential };
  expect((await venue.call('completeRegistration', { body })).body.code).toBe('attempt_rejected');
});

describe.each<Step>(['registerWithProvider', 'loginWithProvider', 'recoverMapping'])('%s', (id) => {
  let owner: Bot | undefined;
  beforeEach(async () => {
    if (id === 'registerWithProvider') return;
    const registered = await register();
    owner = id === 'recoverMapping' ? registered : undefined;
  });

  test.each<[string, (callback: string) => string]>([
    ['another state', (callback) => callback.replace(/state=[^&]*/, 'state=another')],
    ['another code', (callback) => callback.replace(/code=[^&]*/, 'code=another')],
    ['another issuer', (callback) => callback.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fother.example')],
  ])('refuses %s, and the attempt has ended', async (_, changed) => {
    const { attempt, authorizationUrl } = (await initiate(id, owner)).body;
    const callback = standIn.visit(authorizationUrl, subject);
    expect((await complete(id, attempt, changed(callback), owner)).body.code).toBe('sign_in_rejected');
    expect((await complete(id, attempt, callback, owner)).body.code).toBe('attempt_rejected');
  });

  test.each<[string, object]>([
    ['another nonce', { claims: { nonce: 'another' } }],
    ['another issuer', { claims: { iss: 'https://other.example' } }],
    ['another audience', { claims: { aud: 'another' } }],
    ['an expiry in the past', { claims: { exp: 1_700_000_000 } }],
    ['a forged signature', { isForged: true }],
  ])('refuses an ID token with %s', async (_, faults) => {
    standIn.faults = faults;
    expect((await withProvider(id, owner)).body.code).toBe('sign_in_rejected');
  });

  test('refuses the attempt of another step', async () => {
    const other = id === 'loginWithProvider' ? 'registerWithProvider' : 'loginWithProvider';
    const { attempt, authorizationUrl } = (await initiate(other)).body;
    const { code } = (await complete(id, attempt, standIn.visit(authorizationUrl, subject), owner)).body;
    expect(code).toBe('attempt_rejected');
  });

  test('exchanges a code once if it is sent 64 times at once', async () => {
    const { attempt, authorizationUrl } = (await initiate(id, owner)).body;
    const callback = standIn.visit(authorizationUrl, subject);
    const before = standIn.requests.filter((path) => path === '/token').length;
    const results = await Promise.all(Array.from({ length: 64 }, () => complete(id, attempt, callback, owner)));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(standIn.requests.filter((path) => path === '/token')).toHaveLength(before + 1);
  });

  test('responds 503 with the provider while it is down, and completes the same attempt afterwards', async () => {
    const { attempt, authorizationUrl } = (await initiate(id, owner)).body;
    const callback = standIn.visit(authorizationUrl, subject);
    standIn.faults = { status: { '/token': 503 } };
    const { status, body, headers } = await complete(id, attempt, callback, owner);
    expect([status, body.code, body.dependency, body.retryable]).toEqual([503, 'dependency_unavailable', provider, true]);
    expect(headers.get('retry-after')).toBe('5');
    standIn.faults = {};
    // The failed request did not reach the code.
    expect((await complete(id, attempt, callback, owner)).status).toBe(200);
  });

  test('responds 503 if the provider is slow', async () => {
    const { attempt, authorizationUrl } = (await initiate(id, owner)).body;
    standIn.faults = { hangs: ['/token'] };
    const before = standIn.requests.length;
    const pending = complete(id, attempt, standIn.visit(authorizationUrl, subject), owner);
    await eventually(() => expect(standIn.requests.length).toBeGreaterThan(before));
    await time.advance(PROVIDER_TIMEOUT_MS);
    expect((await pending).body).toMatchObject({ code: 'dependency_unavailable', dependency: provider });
  });
});

test('does not send to the provider again while its answer is being verified', async () => {
  const { attempt, authorizationUrl } = (await initiate('registerWithProvider')).body;
  standIn.faults = { hangs: ['/token'] };
  const before = standIn.requests.length;
  const pending = complete('registerWithProvider', attempt, standIn.visit(authorizationUrl, subject));
  await eventually(() => expect(standIn.requests.length).toBeGreaterThan(before));
  expect((await venue.call('recoverRegistration', { body: { attempt } })).body.code).toBe('attempt_rejected');
  await time.advance(PROVIDER_TIMEOUT_MS);
  expect((await pending).body.code).toBe('dependency_unavailable');
  expect((await venue.call('recoverRegistration', { body: { attempt } })).body.status).toBe('redirect');
});

test("refuses another account's attempt to link", async () => {
  const owner = await register();
  const { attempt, authorizationUrl } = (await initiate('recoverMapping', owner)).body;
  const callback = standIn.visit(authorizationUrl, subject);
  subject = 'other-owner';
  const other = await register();
  expect((await complete('recoverMapping', attempt, callback, other)).body.code).toBe('attempt_rejected');
});

test('refuses a local identity', async () => {
  const body = { provider, action: 'initiate', local: { name: 'a', passphrase: 'b' } };
  expect((await venue.call('registerWithProvider', { body })).body.code).toBe('invalid_request');
});

test('lists the provider', async () => {
  const listed = [{ provider, name: 'Stand-in', kind: 'oidc' }];
  expect((await venue.call('getAuthCapabilities')).body).toMatchObject({ socialRegistration: listed, socialLogin: listed });
});
