/** Passkeys and setup keys over HTTP: further passkeys, and every row of 7.3 about setup keys. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answered, type OwnerClient, registerOwner, SITE, signInAgain } from '#http/testing/owner-client.ts';
import {
  addPasskeyStep,
  approvableAddition,
  completeAddition,
  completing,
  type AdditionId as Id,
  madeOnBrowser,
  passkeysOf,
} from '#http/testing/passkey-additions.ts';
import { retire, retireAsLegacy, whilePlanted } from '#http/testing/provocations.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { type Request, startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { CHALLENGE_LIFETIME_MS } from '#identity/challenges.ts';
import { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';

let venue: VenueUnderTest;
let owner: OwnerClient;

beforeAll(async () => {
  venue = await startVenue(UNLIMITED);
});
beforeEach(async () => {
  owner = await registerOwner(venue);
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

const call = (id: Id, body: object, by = owner) => addPasskeyStep(venue, id, body, by);
const passkeys = (by = owner) => passkeysOf(venue, by);
const made = (id: Id, by = owner) => madeOnBrowser(venue, id, by);
const approvable = (id: Id, by = owner) => approvableAddition(venue, id, by);
const complete = (id: Id, by = owner) => completeAddition(venue, id, by);

async function refused(id: Id, body: object, code: string, by = owner): Promise<VenueResponse> {
  const before = venue.sequence();
  const response = await call(id, body, by);
  expect(response.body, JSON.stringify(response.body)).toMatchObject({ code });
  expect(venue.sequence()).toBe(before);
  return response;
}

function setup(by: OwnerClient) {
  const { account } = by;
  const ledgerKey = '0'.repeat(32);
  return {
    start: () => venue.operate({ type: 'StartParty', account, ledgerKey }, 'PartyChanged'),
    async party() {
      await this.start();
      await venue.operate({ type: 'AllocateParty', account, partyId: `party::${account}` }, 'PartyChanged');
      await venue.operate({ type: 'ActivateParty', account }, 'PartyChanged');
      await venue.operate({ type: 'CreateSigningWallet', account, walletId: `wallet-${account}` }, 'SigningWalletCreated');
    },
    async consent(consent: 'present' | 'absent' | 'revoked', reason = '') {
      if (consent !== 'revoked')
        await venue.operate({ type: 'SubmitPartyConsent', account, ledgerKey, replacesConsentId: '' }, 'PartyConsentChanged');
      const consentId = consent === 'absent' ? '' : 'consent-1';
      await venue.operate({ type: 'RecordPartyConsent', account, consent, consentId, reason }, 'PartyConsentChanged');
    },
  };
}

describe('the list of passkeys', () => {
  test('shows those of the account, with the site that each was made on', async () => {
    const { credentialId, ...elsewhere } = await venue.addPasskeyOfOtherSite(owner);
    expect(await passkeys()).toMatchObject({
      version: 'account-passkeys/v1',
      relyingPartyId: 'localhost',
      passkeys: [
        {
          passkeyId: owner.authenticator.credentialId.toString('base64url'),
          name: 'laptop',
          createdAt: expect.stringMatching(/^2023-.*Z$/),
          relyingPartyId: 'localhost',
          origin: SITE.origin,
          status: 'usable_here',
          kind: 'passkey',
        },
        { passkeyId: credentialId, name: 'old', ...elsewhere, status: 'other_relying_party' },
      ],
    });
  });

  test('is empty for an account of the operator, and open to its key', async () => {
    const bot = await venue.bot(0, ['read'], '');
    const { body } = await venue.call('listPasskeys', { bot, params: { accountId: bot.accountId } });
    expect(body.passkeys).toEqual([]);
  });
});

describe.each<Id>(['addPasskey', 'setUpKey'])('%s', (id) => {
  test('adds what a passkey of the account has approved', async () => {
    const { challenge, added } = await approvable(id);
    const own = { type: 'public-key', id: owner.authenticator.credentialId.toString('base64url') };
    expect(challenge.allowCredentials).toEqual({ key: [], webauthn: [own] });
    const { status, body } = await call(id, completing(added, answered(challenge, owner.authenticator)));
    expect([status, body.action]).toEqual([200, 'complete']);
    const { passkeys: listed } = await passkeys();
    expect(listed.map(({ passkeyId }: { passkeyId: string }) => passkeyId)).toEqual([own.id, body.passkeyId]);
    expect(listed[1]).toMatchObject({ kind: id === 'setUpKey' ? 'setup_key' : 'passkey', status: 'usable_here' });
  });

  test('refuses an expired creation', async () => {
    const { challengeIdentifier, added } = await made(id);
    venue.pass(CHALLENGE_LIFETIME_MS);
    await refused(id, { action: 'approve', challengeIdentifier, ...added }, 'challenge_rejected');
  });

  test('refuses what answers another creation, and a creation that is used', async () => {
    const [one, other] = [await made(id), await made(id)];
    const { challengeIdentifier } = one;
    await refused(id, { action: 'approve', challengeIdentifier, ...other.added }, 'passkey_rejected');
    await refused(id, { action: 'approve', challengeIdentifier, ...one.added }, 'challenge_rejected');
  });

  test('refuses to add a credential twice', async () => {
    const { challengeIdentifier, added } = await made(id);
    const { body } = await call(id, { action: 'approve', challengeIdentifier, ...added });
    const { challenge } = body;
    await call(id, completing(added, answered(challenge, owner.authenticator)));
    const other = await registerOwner(venue);
    const { creation } = (await call(id, { action: 'initiate' }, other)).body;
    const taken = (added as { credential: { credentialId?: string } }).credential.credentialId;
    const credential =
      taken === undefined
        ? owner.authenticator.register({ challenge: creation.challenge, ...SITE })
        : new SoftwareSetupKey(taken).register(creation.challenge);
    const again = { ...added, credential, action: 'approve', challengeIdentifier: creation.challengeIdentifier };
    await refused(id, again, 'passkey_exists', other);
  });

  // A setup key has no name.
  if (id === 'addPasskey')
    test('refuses a name that shows as another one', async () => {
      const { challengeIdentifier, added } = await made(id);
      for (const passkeyName of ['pho\u202ene', 'phone\u200b', ' '])
        await refused(id, { action: 'approve', challengeIdentifier, ...added, passkeyName }, 'invalid_request');
    });

  test('needs a session that a passkey signed in', async () => {
    const social = await signInAgain(venue, owner, 'social');
    await refused(id, { action: 'initiate' }, 'passkey_required', social);
  });

  test('needs a passkey of this site', async () => {
    const { challengeIdentifier, added } = await made(id);
    const { authenticator, local } = owner;
    const old = { ...owner, ...(await venue.moveFromOtherSite({ ...owner, owner: { authenticator, local } })) };
    expect((await refused(id, { action: 'initiate' }, 'no_usable_passkey', old)).status).toBe(409);
    await refused(id, { action: 'approve', challengeIdentifier, ...added }, 'no_usable_passkey', old);
  });

  test.each([
    ['account_retired', retire],
    ['account_legacy_excluded', retireAsLegacy],
  ])('returns %s for an account that is retired meanwhile', async (code, retiring) => {
    const { challenge, added } = await approvable(id);
    venue.planted.beforeSubmit = () => retiring(venue, owner);
    const { body } = await call(id, completing(added, answered(challenge, owner.authenticator)));
    venue.planted.beforeSubmit = undefined;
    expect(body.code).toBe(code);
  });

  test('refuses to begin for a retired account, whose owner may still sign in', async () => {
    const { challengeIdentifier, added } = await made(id);
    await retire(venue, owner);
    const again = await signInAgain(venue, owner, 'passkey');
    await refused(id, { action: 'initiate' }, 'account_retired', again);
    await refused(id, { action: 'approve', challengeIdentifier, ...added }, 'account_retired', again);
  });

  test.each<[string, object]>([
    ['initiate with a credential', { action: 'initiate', challengeIdentifier: 'A' }],
    ['approve without one', { action: 'approve', challengeIdentifier: 'A' }],
    ['complete without a signature', { action: 'complete', challengeIdentifier: 'A' }],
    ['another action', { action: 'remove' }],
  ])('refuses %s', async (_, body) => {
    await refused(id, body, 'invalid_request');
  });
});

describe('a setup key', () => {
  test('that is completed again answers complete again, and no second key is added', async () => {
    const { challenge, added } = await approvable('setUpKey');
    const body = completing(added, answered(challenge, owner.authenticator));
    const first = await call('setUpKey', body);
    const before = venue.sequence();
    const second = await call('setUpKey', body);
    expect(second.body).toEqual(first.body);
    expect(venue.sequence()).toBe(before);
  });

  test('that has ended is not completed again: a completion would say that it may sign', async () => {
    const steps = setup(owner);
    await steps.party();
    const { challenge, added } = await approvable('setUpKey');
    const body = completing(added, answered(challenge, owner.authenticator));
    const { passkeyId } = (await call('setUpKey', body)).body;
    await steps.consent('present');
    expect((await call('setUpKey', body)).body).toMatchObject({ passkeyId });
    const { account } = owner;
    await venue.operate(
      { type: 'RemovePasskey', account, credentialId: passkeyId, relyingPartyId: 'localhost' },
      'PasskeyRemoved',
    );
    const before = venue.sequence();
    expect((await refused('setUpKey', body, 'setup_complete')).status).toBe(409);
    expect(venue.sequence()).toBe(before);
    expect((await passkeys()).passkeys).toHaveLength(1);
  });

  test('that was removed during the setup is not added again by its old approval', async () => {
    const { challenge, added } = await approvable('setUpKey');
    const body = completing(added, answered(challenge, owner.authenticator));
    const { passkeyId } = (await call('setUpKey', body)).body;
    const { account } = owner;
    await venue.operate(
      { type: 'RemovePasskey', account, credentialId: passkeyId, relyingPartyId: 'localhost' },
      'PasskeyRemoved',
    );
    await refused('setUpKey', body, 'challenge_rejected');
    expect((await passkeys()).passkeys).toHaveLength(1);
  });

  test('is refused beside an active one', async () => {
    const { challengeIdentifier, added } = await made('setUpKey');
    await complete('setUpKey');
    expect((await refused('setUpKey', { action: 'initiate' }, 'setup_key_active')).status).toBe(409);
    await refused('setUpKey', { action: 'approve', challengeIdentifier, ...added }, 'setup_key_active');
  });

  test('of which two are completed at once is registered once', async () => {
    const [one, other] = [await approvable('setUpKey'), await approvable('setUpKey')];
    const results = await Promise.all(
      [one, other].map(({ challenge, added }) => call('setUpKey', completing(added, answered(challenge, owner.authenticator)))),
    );
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(results.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'setup_key_busy', retryable: true });
  });

  test('runs while the setup is pending, and not after it is complete', async () => {
    const steps = setup(owner);
    await steps.party();
    const { challengeIdentifier, added } = await made('setUpKey');
    await steps.consent('present');
    expect((await refused('setUpKey', { action: 'initiate' }, 'setup_complete')).status).toBe(409);
    await refused('setUpKey', { action: 'approve', challengeIdentifier, ...added }, 'setup_complete');
  });

  test.each([
    ['the consent is revoked', 'revoked', ''],
    ['the setup waits for a package', 'absent', 'package_absent'],
  ] as const)('is refused while %s', async (_, consent, reason) => {
    const steps = setup(owner);
    await steps.party();
    if (consent === 'revoked') await steps.consent('present');
    await steps.consent(consent, reason);
    expect((await refused('setUpKey', { action: 'initiate' }, 'setup_unavailable')).status).toBe(409);
  });

  test('responds 503 for an account whose setup cannot be read', async () => {
    const { status, body } = await whilePlanted(venue.planted, { hidesOwners: true }, () =>
      refused('setUpKey', { action: 'initiate' }, 'source_unavailable'),
    );
    expect([status, body.agentRefusal, body.retryable]).toEqual([503, 'engine_view_unavailable', true]);
  });

  test.each<[string, object]>([
    ['the id of a passkey', { credentialId: 'A'.repeat(43) }],
    ['nothing after the prefix', { credentialId: 'venue-setup-key-' }],
    ['padding', { publicKey: 'AA==' }],
  ])('with %s is refused by its form', async (_, changed) => {
    const { challengeIdentifier, added } = await made('setUpKey');
    const credential = { ...(added as { credential: object }).credential, ...changed };
    await refused('setUpKey', { action: 'approve', challengeIdentifier, credential }, 'invalid_request');
  });

  test.each<[string, (by: SoftwareSetupKey) => object]>([
    ['another key', () => ({ publicKey: new SoftwareSetupKey().publicKey })],
    ['a signature over other data', (by) => ({ signature: by.register('A'.repeat(43)).signature })],
    ['no signature', () => ({ signature: '' })],
  ])('with %s is refused', async (_, change) => {
    const { creation } = (await call('setUpKey', { action: 'initiate' })).body;
    const key = new SoftwareSetupKey();
    const credential = { ...key.register(creation.challenge), ...change(key) };
    const { challengeIdentifier } = creation;
    await refused('setUpKey', { action: 'approve', challengeIdentifier, credential }, 'passkey_rejected');
  });
});

test('an account without an owner has no passkeys to add to or to remove from', async () => {
  const request = { bot: owner, params: { accountId: owner.accountId } } satisfies Request;
  const whileHidden = (id: 'addPasskey' | 'removePasskey', more: Request) =>
    whilePlanted(venue.planted, { hidesOwners: true }, () => venue.call(id, { ...request, ...more }));
  expect((await whileHidden('addPasskey', { body: { action: 'initiate' } })).body.code).toBe('owner_not_found');
  const params = { ...request.params, passkeyId: 'AAAA' };
  expect((await whileHidden('removePasskey', { params, body: {} })).body.code).toBe('owner_not_found');
});

test('no more than 20 passkeys', async () => {
  for (let count = 1; count < 20; count += 1) expect((await complete('addPasskey')).status).toBe(200);
  expect((await complete('addPasskey')).body.code).toBe('too_many_passkeys');
  expect((await complete('setUpKey')).body.code).toBe('too_many_passkeys');
});
