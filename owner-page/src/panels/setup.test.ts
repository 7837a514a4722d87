import { beforeEach, describe, expect, test } from 'vitest';
import { createSetupKey } from '#owner-page/src/ceremonies/setup-key.ts';
import { Signer } from '#owner-page/src/ceremonies/signer.ts';
import { OwnerOperations } from '#owner-page/src/venue/owner-operations.ts';
import {
  challengeOf,
  MemoryKeyStore,
  RecordedPage,
  ScriptedAuthenticator,
  ScriptedVenue,
} from '#owner-page/testing/scripted-venue.ts';
import { SetupPanel } from './setup.ts';

const ACCOUNT = '/v1/accounts/acct-7';
const BINDING = { status: 'active', partyId: 'party-7', source: 'owner' };
const PENDING = { ...BINDING, status: 'absent', partyId: null, setup: 'not_started' };
const COMPLETE = { ...BINDING, setup: 'complete' };

let venue: ScriptedVenue;
let page: RecordedPage;
let authenticator: ScriptedAuthenticator;
let store: MemoryKeyStore;
let setup: SetupPanel;

beforeEach(() => {
  venue = new ScriptedVenue();
  page = new RecordedPage();
  authenticator = new ScriptedAuthenticator();
  store = new MemoryKeyStore();
  setup = new SetupPanel(page, new Signer(authenticator, store, 'acct-7'), new OwnerOperations(venue.client, 'acct-7'));
  venue.on(`GET ${ACCOUNT}/party`, PENDING, COMPLETE);
});

/** The venue registers the browser's setup key and permits it for each signature. */
async function venueWithSetupKey(): Promise<string> {
  const key = await createSetupKey();
  store.keys.set('acct-7', key);
  venue.on(
    `POST ${ACCOUNT}/party`,
    { status: 'approval_required', challenge: challengeOf('party', key.credentialId) },
    { status: 'active', challenge: null },
  );
  venue.on(`POST ${ACCOUNT}/party/complete`, { status: 'active', challenge: null });
  const wallet = `POST ${ACCOUNT}/local-signing-wallet`;
  venue.on(
    wallet,
    { status: 'approval_required', challenge: challengeOf('wallet', key.credentialId) },
    { status: 'active', challenge: null },
  );
  const retired = { consentState: 'present', challenge: challengeOf('retire', key.credentialId), failure: null };
  const consent = {
    consentState: 'absent',
    challenge: challengeOf('consent', key.credentialId),
    failure: { step: 'package_check', reason: 'approval_required' },
  };
  const pending = { consentState: 'pending', challenge: null, failure: null };
  venue.on(`POST ${ACCOUNT}/party/consent`, consent, pending, pending, retired, retired, { ...retired, challenge: null });
  return key.credentialId;
}

describe('with a setup key', () => {
  test('every remaining signature is the key’s, without a prompt, also that of its deactivation', async () => {
    const keyId = await venueWithSetupKey();
    await setup.load();
    await setup.start();
    expect([setup.failure, setup.due?.by, setup.isComplete]).toEqual([undefined, 'none', true]);
    expect(authenticator.prompts).toBe(0);
    const approvals = [
      venue.bodiesOf(`POST ${ACCOUNT}/party/complete`)[0],
      ...venue.bodiesOf(`POST ${ACCOUNT}/local-signing-wallet`).map(({ approval }) => approval),
      ...venue.bodiesOf(`POST ${ACCOUNT}/party/consent`).map(({ approval }) => approval),
    ].filter((it) => it !== undefined);
    expect(approvals.map((it) => it as { challengeIdentifier: string })).toMatchObject(
      ['party', 'wallet', 'consent', 'retire'].map((name) => ({
        challengeIdentifier: name,
        firstFactor: { credentialAssertion: { credId: keyId, clientData: challengeOf(name).challenge, authenticatorData: '' } },
      })),
    );
  });

  test('the browser forgets the key when setup ends, and the focus moves to the result', async () => {
    await venueWithSetupKey();
    await setup.load();
    await setup.start();
    expect(store.keys.size).toBe(0);
    expect(page.focused.at(-1)).toBe('setup-due');
  });

  test('a consent that was revoked or refused is not signed by the key', async () => {
    const key = await createSetupKey();
    store.keys.set('acct-7', key);
    venue.on(`POST ${ACCOUNT}/party`, { status: 'active', challenge: null });
    venue.on(`POST ${ACCOUNT}/local-signing-wallet`, { status: 'active', challenge: null });
    venue.on(`POST ${ACCOUNT}/party/consent`, {
      consentState: 'revoked',
      challenge: challengeOf('again', key.credentialId),
      failure: null,
    });
    await setup.start();
    expect(setup.due).toMatchObject({ by: 'owner', step: 'renew_consent' });
    expect(venue.bodiesOf(`POST ${ACCOUNT}/party/consent`)).toEqual([{}]);
  });
});

describe('making the setup key', () => {
  beforeEach(() => {
    const challenge = challengeOf('approve');
    venue.on(
      `POST ${ACCOUNT}/passkeys/setup-key`,
      { creation: challengeOf('creation'), challenge: null },
      { creation: null, challenge },
      { creation: null, challenge: null },
    );
    venue.on(
      `POST ${ACCOUNT}/party`,
      { status: 'allocating', challenge: null },
      { status: 'approval_required', challenge: challengeOf('party') },
    );
  });

  test('takes one prompt, and sends the same credential with the signature of the passkey', async () => {
    await setup.start();
    const [, approved, completed] = venue.bodiesOf(`POST ${ACCOUNT}/passkeys/setup-key`);
    expect(approved).toMatchObject({
      action: 'approve',
      challengeIdentifier: 'creation',
      credential: { credentialId: expect.stringMatching(/^venue-setup-key-[\w-]{22}$/) },
    });
    expect(completed).toMatchObject({ action: 'complete', challengeIdentifier: 'approve', firstFactor: { kind: 'Fido2' } });
    expect(completed!.credential).toEqual(approved!.credential);
    expect([authenticator.prompts, store.keys.size]).toEqual([1, 1]);
  });

  test('a prompt that is closed leaves no key behind and registers none', async () => {
    authenticator.failure = new DOMException('closed', 'NotAllowedError');
    await setup.start();
    expect(setup.failure).toMatch(/closed, ran out of time, or found no passkey/);
    expect([store.keys.size, venue.bodiesOf(`POST ${ACCOUNT}/passkeys/setup-key`).length]).toEqual([0, 2]);
  });

  test('a browser without storage signs each step by passkey', async () => {
    store.isRefused = true;
    await setup.start();
    expect(venue.bodiesOf(`POST ${ACCOUNT}/passkeys/setup-key`)).toEqual([]);
    expect(setup.due).toMatchObject({ by: 'owner', step: 'party' });
  });
});

test('if the venue refuses a setup key, the passkey signs each step', async () => {
  venue.on(`POST ${ACCOUNT}/passkeys/setup-key`, { status: 409, code: 'setup_key_active' });
  venue.on(
    `POST ${ACCOUNT}/party`,
    { status: 'approval_required', challenge: challengeOf('party') },
    { status: 'active', challenge: null },
  );
  venue.on(`POST ${ACCOUNT}/party/complete`, { status: 'active', challenge: null });
  venue.on(`POST ${ACCOUNT}/local-signing-wallet`, { status: 'approval_required', challenge: challengeOf('wallet') });
  await setup.start();
  expect([setup.failure, store.keys.size, setup.due]).toMatchObject([undefined, 0, { step: 'party' }]);
  await setup.approve();
  expect([setup.due, setup.current, authenticator.prompts]).toMatchObject([{ step: 'wallet' }, 'wallet', 1]);
});
