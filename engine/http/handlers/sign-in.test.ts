/** Sign-in over HTTP: the whole way from registration to login, and every wrong turn. Passkeys are real signatures. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENVIRONMENTS } from '#contract/environments.ts';
import { answered, type OwnerClient, registerOwner, SITE, signInAgain } from '#http/testing/owner-client.ts';
import { retire, retireAsLegacy } from '#http/testing/provocations.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { type Request, startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { CHALLENGE_LIFETIME_MS } from '#identity/challenges.ts';
import { ATTEMPT_LIFETIME_MS } from '#identity/sign-in/attempts.ts';
import { type Ceremony, FLAGS, SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';

const LOCAL = { provider: 'local', action: 'initiate' } as const;

let venue: VenueUnderTest;
let owner: OwnerClient;
let names = 0;

beforeAll(async () => {
  venue = await startVenue(UNLIMITED);
  owner = await registerOwner(venue);
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

function stranger() {
  names += 1;
  return { name: `stranger-${names}`, passphrase: 'correct horse' };
}

async function begin(local = stranger()): Promise<VenueResponse['body']> {
  return (await venue.call('registerWithProvider', { body: { ...LOCAL, local } })).body;
}

function ending(step: VenueResponse['body'], authenticator = new SoftwareAuthenticator(), ceremony: Partial<Ceremony> = {}) {
  const { attempt, creation } = step;
  const credential = authenticator.register({ challenge: creation.challenge, ...SITE, ...ceremony });
  return { attempt, challengeIdentifier: creation.challengeIdentifier, passkeyName: 'laptop', credential };
}

async function loginChallenge(): Promise<VenueResponse['body']> {
  return (await venue.call('startPasskeyLogin', { body: {} })).body.challenge;
}

/** Calls, and expects a refusal that leaves nothing in the journal. */
async function refused(id: Parameters<VenueUnderTest['call']>[0], request: Request, code: string): Promise<VenueResponse> {
  const before = venue.sequence();
  const response = await venue.call(id, request);
  expect(response.body, JSON.stringify(response.body)).toMatchObject({ code });
  expect(venue.sequence()).toBe(before);
  return response;
}

describe('an owner', () => {
  test('registers, gets a session, and signs in by passkey and by provider', async () => {
    const local = stranger();
    const step = await begin(local);
    expect(step).toMatchObject({ status: 'passkey_required', authorizationUrl: null, attempt: expect.stringMatching(/^opr_/) });
    expect(step.creation).toMatchObject({
      relyingParty: { id: 'localhost' },
      userVerification: 'required',
      residentKey: 'required',
      excludeCredentials: [],
    });
    const authenticator = new SoftwareAuthenticator();
    const { status, body: session } = await venue.call('completeRegistration', { body: ending(step, authenticator) });
    expect(status).toBe(200);
    expect(session).toMatchObject({ signedInBy: 'passkey', accountId: expect.stringMatching(/^acct-/) });
    const login = await venue.call('completePasskeyLogin', { body: answered(await loginChallenge(), authenticator) });
    expect(login.body).toMatchObject({ accountId: session.accountId, signedInBy: 'passkey' });
    const social = await venue.call('loginWithProvider', { body: { ...LOCAL, local } });
    expect(social.body).toMatchObject({
      status: 'signed_in',
      session: { accountId: session.accountId, signedInBy: 'social' },
    });
    const bearer = { authorization: `Bearer ${social.body.session.accessToken}` };
    const account = await venue.call('getAccount', { params: { accountId: session.accountId }, headers: bearer });
    expect(account.status).toBe(200);
  });

  test('cannot trade after signing in: the account has no party', async () => {
    const terms = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
    const body = { accountId: owner.accountId, clientOrderId: 'first', ...terms };
    const { status, body: refusal } = await venue.call('placeOrder', { bot: owner, idempotencyKey: 'one', body });
    expect([status, refusal.code]).toEqual([403, 'account_not_enabled']);
  });

  test('who is known to the provider but not here cannot sign in', async () => {
    await refused('loginWithProvider', { body: { ...LOCAL, local: stranger() } }, 'identity_not_registered');
    const { local } = owner;
    const body = { ...LOCAL, local: { ...local, passphrase: 'another' } };
    await refused('loginWithProvider', { body }, 'identity_not_registered');
  });

  test('who has registered is refused a second account', async () => {
    await refused('registerWithProvider', { body: { ...LOCAL, local: owner.local } }, 'identity_registered');
  });

  test('is not stored by name, passphrase or provider subject', async () => {
    const view = JSON.stringify((await venue.call('listPasskeys', { bot: owner, params: { accountId: owner.accountId } })).body);
    expect(view).not.toContain(owner.local.name);
    expect(view).not.toContain(owner.local.passphrase);
  });
});

describe('a registration', () => {
  test('is resumed with its attempt, with a new challenge', async () => {
    const step = await begin();
    const resumed = (await venue.call('recoverRegistration', { body: { attempt: step.attempt } })).body;
    expect(resumed).toMatchObject({ status: 'passkey_required', attempt: step.attempt });
    expect(resumed.creation.challenge).not.toBe(step.creation.challenge);
    expect(resumed.creation.user).toEqual(step.creation.user);
    expect((await venue.call('completeRegistration', { body: ending(resumed) })).status).toBe(200);
    const ended = (await venue.call('recoverRegistration', { body: { attempt: step.attempt } })).body;
    expect(ended).toMatchObject({ status: 'registered', creation: null, authorizationUrl: null });
    const again = { ...step, attempt: step.attempt };
    await refused('completeRegistration', { body: ending(again) }, 'identity_registered');
  });

  test('of one identity in two attempts opens one account', async () => {
    const local = stranger();
    const [one, other] = [await begin(local), await begin(local)];
    const ended = await Promise.all([one, other].map((step) => venue.call('completeRegistration', { body: ending(step) })));
    expect(ended.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(ended.find(({ status }) => status === 409)?.body.code).toBe('identity_registered');
  });

  test('with a passkey that another owner has is refused', async () => {
    await refused('completeRegistration', { body: ending(await begin(), owner.authenticator) }, 'passkey_exists');
  });

  test('of an identity that has registered meanwhile is refused', async () => {
    const local = stranger();
    const [one, other] = [await begin(local), await begin(local)];
    expect((await venue.call('completeRegistration', { body: ending(one) })).status).toBe(200);
    await refused('completeRegistration', { body: ending(other) }, 'identity_registered');
  });

  test.each<[string, (attempt: string) => string]>([
    ['an unknown attempt', () => `opr_${'0'.repeat(16)}_${'A'.repeat(43)}`],
    ['another secret', (attempt) => `${attempt.slice(0, -43)}${'A'.repeat(43)}`],
  ])('with %s is refused', async (_, changed) => {
    const step = await begin();
    const attempt = changed(step.attempt);
    await refused('completeRegistration', { body: { ...ending(step), attempt } }, 'attempt_rejected');
    await refused('recoverRegistration', { body: { attempt } }, 'attempt_rejected');
  });

  test('expires, first its challenge and then its attempt', async () => {
    const step = await begin();
    venue.pass(CHALLENGE_LIFETIME_MS);
    await refused('completeRegistration', { body: ending(step) }, 'challenge_rejected');
    const resumed = (await venue.call('recoverRegistration', { body: { attempt: step.attempt } })).body;
    venue.pass(ATTEMPT_LIFETIME_MS);
    await refused('completeRegistration', { body: ending(resumed) }, 'attempt_rejected');
  });
});

describe('a login', () => {
  test('with a signature of another key, with an unknown passkey, and without its user is refused with the same message', async () => {
    const unknown = new SoftwareAuthenticator();
    const impostor = new SoftwareAuthenticator('ES256', owner.authenticator.credentialId);
    const messages = [];
    for (const authenticator of [unknown, impostor]) {
      const body = answered(await loginChallenge(), authenticator);
      messages.push((await refused('completePasskeyLogin', { body }, 'passkey_rejected')).body.safeMessage);
    }
    const { challengeIdentifier, challenge } = await loginChallenge();
    const absent = owner.authenticator.assert({ challenge, flags: FLAGS.verified, ...SITE });
    const body = { challengeIdentifier, firstFactor: absent };
    messages.push((await refused('completePasskeyLogin', { body }, 'passkey_rejected')).body.safeMessage);
    expect(new Set(messages).size).toBe(1);
  });

  test.each(['passkey', 'social'] as const)(
    'by %s is refused for a legacy account, and opens one of a retired account',
    async (by) => {
      const [legacy, retired] = [await registerOwner(venue), await registerOwner(venue)];
      await retireAsLegacy(venue, legacy);
      await retire(venue, retired);
      await expect(signInAgain(venue, legacy, by)).rejects.toThrow('account_legacy_excluded');
      const session = await signInAgain(venue, retired, by);
      expect((await venue.call('getCurrentSession', { bot: session })).status).toBe(200);
    },
  );

  test('stores a counter, and refuses one that does not increase', async () => {
    const { authenticator } = await registerOwner(venue);
    const sent = async (counter: number) =>
      venue.call('completePasskeyLogin', { body: answered(await loginChallenge(), authenticator, counter) });
    expect((await sent(5)).status).toBe(200);
    expect((await sent(5)).body.code).toBe('passkey_rejected');
    expect((await sent(4)).body.code).toBe('passkey_rejected');
    expect((await sent(0)).body.code).toBe('passkey_rejected');
    expect((await sent(6)).status).toBe(200);
    const copies = await Promise.all([sent(7), sent(7)]);
    expect(copies.map(({ status }) => status).sort()).toEqual([200, 403]);
  });
});

describe('linking an account again', () => {
  const link = (by: OwnerClient, local: object) => ({ bot: by, body: { ...LOCAL, local } });

  test('succeeds for the identity that registered it, also in a social session', async () => {
    const linked = { version: 'auth-mapping/v1', accountId: owner.accountId, status: 'linked' };
    expect((await venue.call('recoverMapping', link(owner, owner.local))).body).toMatchObject(linked);
    const social = await signInAgain(venue, owner, 'social');
    expect((await venue.call('recoverMapping', link(social, owner.local))).body).toMatchObject(linked);
  });

  test('is refused for another identity', async () => {
    const other = await registerOwner(venue);
    await refused('recoverMapping', link(owner, other.local), 'mapping_forbidden');
    await refused('recoverMapping', link(owner, stranger()), 'mapping_forbidden');
  });
});

describe('the switches of the operator', () => {
  const switched = (capability: 'registration' | 'provider:local', isOn: boolean) =>
    venue.operate({ type: 'SetCapability', capability, isOn }, 'CapabilitySet');

  test('close registration while owners sign in', async () => {
    const step = await begin();
    await switched('registration', false);
    const { body } = await venue.call('getAuthCapabilities');
    expect(body).toMatchObject({ registration: 'closed', socialRegistration: [], passkeyLogin: 'available' });
    expect(body.socialLogin).toEqual([{ provider: 'local', name: 'Local development', kind: 'local' }]);
    await refused('registerWithProvider', { body: { ...LOCAL, local: stranger() } }, 'capability_unavailable');
    await refused('recoverRegistration', { body: { attempt: step.attempt } }, 'capability_unavailable');
    const ended = await venue.call('completeRegistration', { body: ending(step) });
    expect(ended.body.code).toBe('capability_unavailable');
    await signInAgain(venue, owner, 'passkey');
    await signInAgain(venue, owner, 'social');
    await switched('registration', true);
    expect((await venue.call('getAuthCapabilities')).body).toMatchObject({ registration: 'open' });
  });

  test('close one provider while passkeys sign in', async () => {
    await switched('provider:local', false);
    expect((await venue.call('getAuthCapabilities')).body).toMatchObject({ socialRegistration: [], socialLogin: [] });
    await refused('registerWithProvider', { body: { ...LOCAL, local: stranger() } }, 'capability_unavailable');
    await refused('loginWithProvider', { body: { ...LOCAL, local: owner.local } }, 'capability_unavailable');
    await signInAgain(venue, owner, 'passkey');
    await switched('provider:local', true);
  });
});

describe('the capabilities', () => {
  test.each(ENVIRONMENTS)('of %s name the environment, and whether the site of passkeys is configured', async (environment) => {
    const own = await startVenue({ ...UNLIMITED, environment });
    const { body } = await own.call('getAuthCapabilities');
    const isForDevelopment = environment === 'local' || environment === 'development';
    expect(body).toMatchObject({ environment, passkeyLogin: isForDevelopment ? 'available' : 'unavailable' });
    const login = await own.call('startPasskeyLogin', { body: {} });
    expect(login.body.code).toBe(isForDevelopment ? undefined : 'source_unavailable');
    await own.close();
  });
});

test('a paused intake refuses registrations, and owners sign in', async () => {
  const step = await begin();
  await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
  await refused('completeRegistration', { body: ending(step) }, 'intake_paused');
  await signInAgain(venue, owner, 'passkey');
  await venue.operate({ type: 'SetVenueStatus', status: 'open' }, 'VenueStatusChanged');
  const resumed = (await venue.call('recoverRegistration', { body: { attempt: step.attempt } })).body;
  expect((await venue.call('completeRegistration', { body: ending(resumed) })).status).toBe(200);
});

describe('the form of a step', () => {
  test.each<[string, object]>([
    ['local without credentials', { provider: 'local', action: 'initiate' }],
    ['complete without the answer', { provider: 'local', action: 'complete' }],
    ['complete with credentials', { provider: 'local', action: 'complete', local: { name: 'a', passphrase: 'b' } }],
    ['initiate with an answer', { provider: 'local', action: 'initiate', callback: 'code=1' }],
    ['a malformed attempt', { provider: 'local', action: 'complete', attempt: 'opr_1', callback: 'code=1' }],
  ])('%s is refused', async (_, body) => {
    await refused('registerWithProvider', { body }, 'invalid_request');
    await refused('loginWithProvider', { body }, 'invalid_request');
    await refused('recoverMapping', { bot: owner, body }, 'invalid_request');
  });

  test('an unknown provider is refused', async () => {
    const body = { ...LOCAL, provider: 'elsewhere', local: stranger() };
    await refused('registerWithProvider', { body }, 'unknown_provider');
    await refused('loginWithProvider', { body }, 'unknown_provider');
    await refused('recoverMapping', { bot: owner, body }, 'unknown_provider');
  });

  test('an attempt of the local provider has no second step', async () => {
    const { attempt } = await begin();
    const body = { provider: 'local', action: 'complete', attempt, callback: 'code=1' };
    await refused('registerWithProvider', { body }, 'attempt_rejected');
  });
});

test('a network registers five owners at once, and then waits', async () => {
  const limited = await startVenue();
  for (let count = 0; count < 5; count += 1) await registerOwner(limited);
  await expect(registerOwner(limited)).rejects.toThrow('rate_limited');
  await limited.close();
});

test('registration is closed on testnet while passkeys have no site', async () => {
  const testnet = await startVenue({ environment: 'testnet' });
  const { body } = await testnet.call('getAuthCapabilities');
  expect(body).toMatchObject({
    registration: 'closed',
    passkeyLogin: 'unavailable',
    socialRegistration: [],
    relyingPartyId: null,
  });
  expect((await testnet.call('getReady')).body.capabilities).toMatchObject({ registration: false });
  await expect(registerOwner(testnet)).rejects.toThrow('capability_unavailable');
  await testnet.close();
});
