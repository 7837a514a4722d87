/** Passkeys and setup keys over HTTP: further passkeys, their removal, and every row of 7.3 about setup keys. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SigningChallenge } from '#contract/signing.ts';
import { answered, type OwnerClient, registerOwner, SITE, signInAgain } from '#http/testing/owner-client.ts';
import { retire, retireAsLegacy, whilePlanted } from '#http/testing/provocations.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { type Request, startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { CHALLENGE_LIFETIME_MS } from '#identity/challenges.ts';
import { type Ceremony, FLAGS, SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';

type Id = 'addPasskey' | 'setUpKey';

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

function call(id: Id, body: object, by = owner): Promise<VenueResponse> {
  return venue.call(id, { bot: by, params: { accountId: by.accountId }, body });
}

async function refused(id: Id, body: object, code: string, by = owner): Promise<VenueResponse> {
  const before = venue.sequence();
  const response = await call(id, body, by);
  expect(response.body, JSON.stringify(response.body)).toMatchObject({ code });
  expect(venue.sequence()).toBe(before);
  return response;
}

async function passkeys(by = owner): Promise<VenueResponse['body']> {
  return (await venue.call('listPasskeys', { bot: by, params: { accountId: by.accountId } })).body;
}

/** What the owner's browser has made, before it is approved. */
async function made(id: Id, by = owner): Promise<{ readonly challengeIdentifier: string; readonly added: object }> {
  const { creation } = (await call(id, { action: 'initiate' }, by)).body;
  const { challengeIdentifier, challenge } = creation;
  if (id === 'setUpKey') return { challengeIdentifier, added: { credential: new SoftwareSetupKey().register(challenge) } };
  const credential = new SoftwareAuthenticator().register({ challenge, ...SITE });
  return { challengeIdentifier, added: { passkeyName: 'phone', credential } };
}

/** The challenge of the approval, with what it approves. */
async function approvable(id: Id, by = owner): Promise<{ readonly challenge: SigningChallenge; readonly added: object }> {
  const { challengeIdentifier, added } = await made(id, by);
  const { body } = await call(id, { action: 'approve', challengeIdentifier, ...added }, by);
  return { challenge: body.challenge, added };
}

const completing = (added: object, approval: object) => ({ action: 'complete', ...added, ...approval });

async function complete(id: Id, by = owner): Promise<VenueResponse> {
  const { challenge, added } = await approvable(id, by);
  return call(id, completing(added, answered(challenge, by.authenticator)), by);
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
    const elsewhere = { relyingPartyId: 'testnet.example', origin: 'https://testnet.example' };
    const passkey = {
      credentialId: 'AAAA',
      kind: 'passkey',
      publicKey: 'AAAA',
      signatureCount: 0,
      name: 'old',
      ...elsewhere,
    } as const;
    const credentialId = `AAAA${owner.account}`.padEnd(12, 'A');
    await venue.operate({ type: 'AddPasskey', account: owner.account, passkey: { ...passkey, credentialId } }, 'PasskeyAdded');
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

  test.each<[string, Partial<Ceremony>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ["another site's id", { rpId: 'evil.example' }],
    ['the type of a registration', { type: 'webauthn.create' }],
    ['another challenge', { challenge: 'A'.repeat(43) }],
    ['no user verification', { flags: FLAGS.present }],
    ['no user presence', { flags: FLAGS.verified }],
    ['a frame of another origin', { more: { topOrigin: 'https://evil.example' } }],
  ])('refuses an approval with %s, which is used up', async (_, ceremony) => {
    const { challenge, added } = await approvable(id);
    const firstFactor = owner.authenticator.assert({ challenge: challenge.challenge, ...SITE, ...ceremony });
    const { challengeIdentifier } = challenge;
    const { status, body } = await refused(id, completing(added, { challengeIdentifier, firstFactor }), 'signature_rejected');
    expect([status, body.agentRefusal]).toEqual([409, 'owner_signature_invalid']);
    await refused(id, completing(added, answered(challenge, owner.authenticator)), 'challenge_rejected');
  });

  test('refuses an approval of another credential', async () => {
    const [one, other] = [await approvable(id), await approvable(id)];
    await refused(id, completing(other.added, answered(one.challenge, owner.authenticator)), 'challenge_rejected');
  });

  test('refuses the approval of another operation', async () => {
    const other = await approvable(id === 'addPasskey' ? 'setUpKey' : 'addPasskey');
    const { added } = await approvable(id);
    await refused(id, completing(added, answered(other.challenge, owner.authenticator)), 'challenge_rejected');
  });

  test("refuses another account's challenge and passkey", async () => {
    const other = await registerOwner(venue);
    const { challenge, added } = await approvable(id);
    await refused(id, completing(added, answered(challenge, owner.authenticator)), 'challenge_rejected', other);
    const own = await approvable(id);
    await refused(id, completing(own.added, answered(own.challenge, other.authenticator)), 'signature_rejected');
  });

  test('refuses an expired approval and an expired creation', async () => {
    const { challenge, added } = await approvable(id);
    const creation = await made(id);
    venue.pass(CHALLENGE_LIFETIME_MS);
    await refused(id, completing(added, answered(challenge, owner.authenticator)), 'challenge_rejected');
    const { challengeIdentifier } = creation;
    await refused(id, { action: 'approve', challengeIdentifier, ...creation.added }, 'challenge_rejected');
  });

  test('refuses what answers another creation, and a creation that is used', async () => {
    const [one, other] = [await made(id), await made(id)];
    const { challengeIdentifier } = one;
    await refused(id, { action: 'approve', challengeIdentifier, ...other.added }, 'passkey_rejected');
    await refused(id, { action: 'approve', challengeIdentifier, ...one.added }, 'challenge_rejected');
  });

  test('adds one for an approval that is sent 64 times at once', async () => {
    const { challenge, added } = await approvable(id);
    const body = completing(added, answered(challenge, owner.authenticator));
    const results = await Promise.all(Array.from({ length: 64 }, () => call(id, body)));
    expect(results.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect((await passkeys()).passkeys).toHaveLength(2);
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
    const elsewhere = { relyingPartyId: 'testnet.example', origin: 'https://testnet.example' };
    const passkey = { kind: 'passkey', publicKey: 'AAAA', signatureCount: 0, name: 'old', ...elsewhere } as const;
    const { account } = owner;
    const credentialId = `BBBB${account}`.padEnd(12, 'B');
    await venue.operate({ type: 'AddPasskey', account, passkey: { ...passkey, credentialId } }, 'PasskeyAdded');
    const { challengeIdentifier, added } = await made(id);
    const own = owner.authenticator.credentialId.toString('base64url');
    const { relyingPartyId } = elsewhere;
    await venue.operate({ type: 'RemovePasskey', account, credentialId: own, relyingPartyId }, 'PasskeyRemoved');
    // A session from before the venue moved to this site.
    const opened = await venue.sessions.open(account, { by: 'passkey', credentialId });
    const old = { ...owner, key: opened === 'full' ? '' : opened.bearer };
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

  test('does not approve another passkey, and does not sign in', async () => {
    const { creation } = (await call('setUpKey', { action: 'initiate' })).body;
    const key = new SoftwareSetupKey();
    const added = { credential: key.register(creation.challenge) };
    const { challengeIdentifier } = creation;
    const { challenge } = (await call('setUpKey', { action: 'approve', challengeIdentifier, ...added })).body;
    await call('setUpKey', completing(added, answered(challenge, owner.authenticator)));
    const next = await approvable('addPasskey');
    const firstFactor = key.approve(next.challenge.challenge);
    const approval = { challengeIdentifier: next.challenge.challengeIdentifier, firstFactor };
    await refused('addPasskey', completing(next.added, approval), 'signature_rejected');
    const login = (await venue.call('startPasskeyLogin', { body: {} })).body.challenge;
    const body = { challengeIdentifier: login.challengeIdentifier, firstFactor: key.approve(login.challenge) };
    expect((await venue.call('completePasskeyLogin', { body })).body.code).toBe('passkey_rejected');
  });
});

describe('a removed passkey', () => {
  const request = (passkeyId: string, body: object, by = owner) =>
    venue.call('removePasskey', { bot: by, params: { accountId: by.accountId, passkeyId }, body });
  /** With the approval of the owner's passkey, unless it is refused without one. */
  const remove = async (passkeyId: string, signer = owner.authenticator, by = owner) => {
    const due = await request(passkeyId, {}, by);
    return due.status === 200 ? request(passkeyId, { approval: answered(due.body.challenge, signer) }, by) : due;
  };
  const own = () => owner.authenticator.credentialId.toString('base64url');

  test('signs in no more, and its sessions end', async () => {
    const { body } = await complete('addPasskey');
    const social = await signInAgain(venue, owner, 'social');
    const removed = await remove(own());
    expect([removed.status, removed.body.status, removed.body.challenge]).toEqual([200, 'removed', null]);
    expect((await venue.call('listPasskeys', { bot: owner, params: { accountId: owner.accountId } })).body).toMatchObject({
      code: 'unauthorized',
      apiKeyRejection: 'revoked',
    });
    const { challenge } = (await venue.call('startPasskeyLogin', { body: {} })).body;
    const login = await venue.call('completePasskeyLogin', { body: answered(challenge, owner.authenticator) });
    expect(login.body.code).toBe('passkey_rejected');
    expect((await passkeys(social)).passkeys).toEqual([expect.objectContaining({ passkeyId: body.passkeyId })]);
  });

  test('is not the last one of this site', async () => {
    expect((await remove(own())).body.code).toBe('last_passkey');
    await complete('setUpKey');
    expect((await remove(own())).body.code).toBe('last_passkey');
    const elsewhere = { relyingPartyId: 'testnet.example', origin: 'https://testnet.example' };
    const passkey = { kind: 'passkey', publicKey: 'AAAA', signatureCount: 0, name: 'old', ...elsewhere } as const;
    const credentialId = `CCCC${owner.account}`.padEnd(12, 'C');
    await venue.operate({ type: 'AddPasskey', account: owner.account, passkey: { ...passkey, credentialId } }, 'PasskeyAdded');
    expect((await remove(own())).body.code).toBe('last_passkey');
  });

  test('may be a setup key', async () => {
    const { body } = await complete('setUpKey');
    expect((await remove(body.passkeyId)).status).toBe(200);
    expect((await passkeys()).passkeys).toHaveLength(1);
  });

  test('needs the signature of a passkey of the account over exactly its removal', async () => {
    const [first, second] = [(await complete('addPasskey')).body.passkeyId, (await complete('addPasskey')).body.passkeyId];
    const due = await request(first, {});
    expect(due.body).toMatchObject({ status: 'approval_required', passkeyId: first });
    expect(due.body.challenge.allowCredentials.webauthn).toHaveLength(3);
    const approval = answered(due.body.challenge, owner.authenticator);
    expect((await request(second, { approval })).body.code).toBe('challenge_rejected');
    expect((await request(first, { approval })).body.code).toBe('challenge_rejected');
    const stranger = (await registerOwner(venue)).authenticator;
    expect((await remove(first, stranger)).body.code).toBe('signature_rejected');
    expect((await passkeys()).passkeys).toHaveLength(3);
  });

  test('that is a setup key needs a passkey of this site', async () => {
    const key = (await complete('setUpKey')).body.passkeyId;
    const { authenticator, local } = owner;
    const moved = await venue.moveFromOtherSite({ ...owner, owner: { authenticator, local } });
    expect((await request(key, {}, { ...owner, ...moved })).body.code).toBe('no_usable_passkey');
  });

  test('leaves one that signs here, also if two are removed at once', async () => {
    const second = (await complete('addPasskey')).body.passkeyId;
    const site = { relyingPartyId: 'testnet.example', origin: 'https://testnet.example' };
    const foreign = { credentialId: `CCCC${owner.account}`.padEnd(12, 'C'), name: 'old', ...site } as const;
    const passkey = { kind: 'passkey', publicKey: 'AAAA', signatureCount: 0, ...foreign } as const;
    await venue.operate({ type: 'AddPasskey', account: owner.account, passkey }, 'PasskeyAdded');
    const social = await signInAgain(venue, owner, 'passkey');
    const due = [await request(own(), {}), await request(second, {}, social)];
    const approvals = due.map(({ body }) => ({ approval: answered(body.challenge, owner.authenticator) }));
    const results = await Promise.all([request(own(), approvals[0]!), request(second, approvals[1]!, social)]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(results.find(({ status }) => status === 409)?.body.code).toMatch(/^(last_passkey|signature_rejected)$/);
  });

  test('is one of the account', async () => {
    const other = await registerOwner(venue);
    expect((await remove(other.authenticator.credentialId.toString('base64url'))).body.code).toBe('passkey_not_found');
    expect((await remove('AAAA')).body.code).toBe('passkey_not_found');
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
