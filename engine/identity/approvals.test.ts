/** Approvals with real signatures: who may sign what, what consumes a challenge, and what is durable before the approval counts. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { SigningChallenge } from '#contract/signing.ts';
import { eventually } from '#time/testing/eventually.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { type ApprovalRequest, Approvals, type OwnerCredential, type PasskeyUse } from './approvals.ts';
import { ACCOUNT_CHALLENGES, CHALLENGE_LIFETIME_MS, Challenges, type StoredChallenge } from './challenges.ts';
import { MemoryExpiringStore } from './expiring-store.ts';
import type { Fido2Approval } from './webauthn/passkey.ts';
import { verifyRegistration } from './webauthn/registration.ts';
import { relyingPartyOf } from './webauthn/relying-party.ts';
import { SoftwareAuthenticator } from './webauthn/testing/software-authenticator.ts';
import { SoftwareSetupKey } from './webauthn/testing/software-setup-key.ts';

const ORIGIN = 'https://venue.example';
const relyingParty = relyingPartyOf(ORIGIN);
const site = { origin: ORIGIN, rpId: relyingParty.id };
const account = 7 as AccountOrdinal;
const request: ApprovalRequest = {
  account,
  operation: 'deposit/owner_offer_acceptance',
  command: Buffer.from('accept offer 1'),
  signers: 'passkey',
};

let time: ManualTime;
let passkey: SoftwareAuthenticator;
let setupKey: SoftwareSetupKey;
let credentials: OwnerCredential[];
let uses: PasskeyUse[];
let storeUse: (use: PasskeyUse) => Promise<'recorded' | 'refused'>;
let approvals: Approvals;

beforeEach(async () => {
  time = new ManualTime();
  passkey = new SoftwareAuthenticator();
  setupKey = new SoftwareSetupKey();
  const here = { relyingPartyId: relyingParty.id, signatureCount: 0 };
  credentials = [
    await registered(passkey),
    { credentialId: setupKey.credentialId, kind: 'setup_key', publicKey: setupKey.publicKey, ...here },
    { ...(await registered(new SoftwareAuthenticator())), relyingPartyId: 'elsewhere.example' },
  ];
  uses = [];
  storeUse = async (use) => {
    uses.push(use);
    return 'recorded';
  };
  approvals = new Approvals({
    challenges: new Challenges({ store: new MemoryExpiringStore(ACCOUNT_CHALLENGES), clock: time }),
    relyingParty,
    credentialsOf: (of) => (of === account ? credentials : []),
    recordPasskeyUse: (use) => storeUse(use),
  });
});

async function registered(authenticator: SoftwareAuthenticator): Promise<OwnerCredential> {
  const challenge = 'A'.repeat(43);
  const verified = await verifyRegistration({
    registration: authenticator.register({ challenge, ...site }),
    challenge,
    relyingParty,
  });
  if ('rejection' in verified) throw new Error(verified.rejection);
  const { credentialId, publicKey, relyingPartyId } = verified.passkey;
  return { credentialId, kind: 'passkey', publicKey, relyingPartyId, signatureCount: 0 };
}

async function issue(of = request): Promise<SigningChallenge> {
  const issued = await approvals.issue(of);
  if ('failure' in issued) throw new Error(issued.failure);
  return issued.challenge;
}

const signed = (by: SigningChallenge, firstFactor: Fido2Approval) => ({
  challengeIdentifier: by.challengeIdentifier,
  firstFactor,
});
const assert = (by: SigningChallenge, more: { counter?: number } = {}) =>
  signed(by, passkey.assert({ challenge: by.challenge, ...site, ...more }));

const idOf = (it: SoftwareAuthenticator) => it.credentialId.toString('base64url');
const listed = (id: string) => ({ type: 'public-key', id });

describe('a challenge', () => {
  test.each<[ApprovalRequest['signers'], () => object]>([
    ['passkey', () => ({ key: [], webauthn: [listed(idOf(passkey))] })],
    ['setup_key', () => ({ key: [listed(setupKey.credentialId)], webauthn: [] })],
    ['passkey_or_setup_key', () => ({ key: [listed(setupKey.credentialId)], webauthn: [listed(idOf(passkey))] })],
  ])('for the signers %s lists exactly those of this relying party', async (signers, expected) => {
    expect((await issue({ ...request, signers })).allowCredentials).toEqual(expected());
  });

  test('is not issued if no credential may sign', async () => {
    credentials = credentials.filter(({ relyingPartyId }) => relyingPartyId !== relyingParty.id);
    expect(await approvals.issue({ ...request, signers: 'passkey_or_setup_key' })).toEqual({ failure: 'no_signer' });
    expect(await approvals.issue({ ...request, account: 8 as AccountOrdinal })).toEqual({ failure: 'no_signer' });
  });

  test('is not issued beyond the capacity of the store', async () => {
    const store = new MemoryExpiringStore<StoredChallenge>({ ...ACCOUNT_CHALLENGES, maxInAll: 0 });
    const full = new Approvals({
      challenges: new Challenges({ store, clock: time }),
      relyingParty,
      credentialsOf: () => credentials,
      recordPasskeyUse: storeUse,
    });
    expect(await full.issue(request)).toEqual({ failure: 'full' });
  });
});

describe('an approval', () => {
  test('by a passkey without a counter records no use', async () => {
    expect(await approvals.verify(request, assert(await issue()))).toEqual({ credentialId: idOf(passkey), kind: 'passkey' });
    expect(uses).toEqual([]);
  });

  test('by the setup key counts where it may sign', async () => {
    const of = { ...request, signers: 'passkey_or_setup_key' } as const;
    const challenge = await issue(of);
    const approved = await approvals.verify(of, signed(challenge, setupKey.approve(challenge.challenge)));
    expect(approved).toEqual({ credentialId: setupKey.credentialId, kind: 'setup_key' });
  });

  test('stores a counter before it counts', async () => {
    let finish = (_: 'recorded') => {};
    storeUse = (use) => {
      uses.push(use);
      return new Promise((resolve) => {
        finish = resolve;
      });
    };
    let isApproved = false;
    const verifying = approvals.verify(request, assert(await issue(), { counter: 5 })).then((result) => {
      isApproved = true;
      return result;
    });
    await eventually(() => expect(uses).toHaveLength(1));
    expect(uses).toEqual([{ account, credentialId: idOf(passkey), signatureCount: 5 }]);
    expect(isApproved).toBe(false);
    finish('recorded');
    expect(await verifying).toMatchObject({ kind: 'passkey' });
  });

  test('is rejected if another use has stored the counter meanwhile', async () => {
    storeUse = async () => 'refused';
    const result = await approvals.verify(request, assert(await issue(), { counter: 5 }));
    expect(result).toEqual({ failure: 'signature_rejected', rejection: 'counter_not_increased' });
  });

  test('fails if the counter cannot be stored', async () => {
    storeUse = () => Promise.reject(new Error('halted'));
    await expect(approvals.verify(request, assert(await issue(), { counter: 5 }))).rejects.toThrow('halted');
  });

  test('is rejected if the passkey is removed during the verification', async () => {
    storeUse = async () => {
      credentials = [];
      return 'recorded';
    };
    expect(await approvals.verify(request, assert(await issue(), { counter: 5 }))).toEqual({
      failure: 'credential_not_allowed',
    });
  });

  test.each<[string, Partial<ApprovalRequest>]>([
    ['account', { account: 8 as AccountOrdinal }],
    ['operation', { operation: 'withdrawal/owner_withdrawal_consent' }],
    ['command', { command: Buffer.from('accept offer 2') }],
  ])('of the challenge of another %s is rejected, and consumes it', async (_, other) => {
    const approval = assert(await issue());
    expect(await approvals.verify({ ...request, ...other }, approval)).toEqual({ failure: 'challenge_of_another_request' });
    expect(await approvals.verify(request, approval)).toEqual({ failure: 'challenge_unknown' });
  });

  test('by the setup key is rejected where only passkeys may sign', async () => {
    const challenge = await issue();
    const approval = signed(challenge, setupKey.approve(challenge.challenge));
    expect(await approvals.verify(request, approval)).toEqual({ failure: 'credential_not_allowed' });
  });

  test('by a passkey is rejected where only the setup key may sign', async () => {
    const of = { ...request, signers: 'setup_key' } as const;
    expect(await approvals.verify(of, assert(await issue(of)))).toEqual({ failure: 'credential_not_allowed' });
  });

  test("by another relying party's passkey, or a stranger's, is rejected", async () => {
    const challenge = await issue();
    const foreign = new SoftwareAuthenticator();
    const approval = signed(challenge, foreign.assert({ challenge: challenge.challenge, ...site }));
    expect(await approvals.verify(request, approval)).toEqual({ failure: 'credential_not_allowed' });
    const next = assert(await issue());
    credentials = credentials.map((it) => ({ ...it, relyingPartyId: 'elsewhere.example' }));
    expect(await approvals.verify(request, next)).toEqual({ failure: 'credential_not_allowed' });
  });

  test('over another challenge is rejected, and consumes its own', async () => {
    const [one, other] = [await issue(), await issue()];
    const approval = signed(one, passkey.assert({ challenge: other.challenge, ...site }));
    expect(await approvals.verify(request, approval)).toEqual({
      failure: 'signature_rejected',
      rejection: 'challenge_mismatch',
    });
    expect(await approvals.verify(request, assert(one))).toEqual({ failure: 'challenge_unknown' });
    expect(await approvals.verify(request, assert(other))).toMatchObject({ kind: 'passkey' });
  });

  test('is rejected after the challenge has expired', async () => {
    const approval = assert(await issue());
    time.pass(CHALLENGE_LIFETIME_MS);
    expect(await approvals.verify(request, approval)).toEqual({ failure: 'challenge_expired' });
  });

  test('counts once if it is sent 64 times at once', async () => {
    const approval = assert(await issue(), { counter: 1 });
    const results = await Promise.all(Array.from({ length: 64 }, () => approvals.verify(request, approval)));
    expect(results.filter((result) => !('failure' in result))).toHaveLength(1);
    expect(results.filter((result) => 'failure' in result && result.failure === 'challenge_unknown')).toHaveLength(63);
    expect(uses).toHaveLength(1);
  });
});
