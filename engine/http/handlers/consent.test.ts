/** The consent of an owner's party over HTTP: what its signature approves, and who may sign it after a revocation. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestOwner } from '#http/testing/test-owner.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';
import { ledgerKeyOf, newLedgerKey } from '#settlement/coordinator/command-id.ts';

let venue: VenueUnderTest;
let owner: TestOwner;
beforeEach(async () => {
  venue = await startVenue();
  owner = await TestOwner.register(venue);
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

/** Registers a setup key, approved by the passkey. */
async function setupKey(): Promise<SoftwareSetupKey> {
  const key = new SoftwareSetupKey();
  const { creation } = await owner.body('setUpKey', { action: 'initiate' });
  const credential = key.register(creation.challenge);
  const { challengeIdentifier } = creation;
  const { challenge } = await owner.body('setUpKey', { action: 'approve', challengeIdentifier, credential });
  await owner.body('setUpKey', { action: 'complete', credential, ...owner.approval(challenge) });
  return key;
}

const consentParty = (body: object) => owner.call('consentParty', { params: { accountId: owner.accountId }, body });

async function revoke(): Promise<void> {
  const { account } = owner.bot;
  const { party, consent } = venue.owners.owner(account)!;
  const { partyId } = party;
  const { consentId } = consent;
  await venue.settlement!.local.submit({ step: 'party_consent_revocation', commandId: 'revocation', partyId });
  const revoked = { consent: 'revoked', consentId, reason: 'consent_revoked' } as const;
  await venue.operate({ type: 'RecordPartyConsent', account, ...revoked }, 'PartyConsentChanged');
}

test('after a revocation is signed by a passkey only, and the setup key has ended', async () => {
  await owner.activate();
  const key = await setupKey();
  await owner.createWallet();
  const { challenge: deactivation } = await owner.consent();
  expect(deactivation.allowCredentials.key).toHaveLength(1);
  await revoke();
  expect((await owner.body('listPasskeys')).passkeys.map(({ kind }: { kind: string }) => kind)).toEqual(['passkey']);
  const revoked = await owner.body('consentParty', {});
  expect(revoked).toMatchObject({ consentState: 'revoked', challenge: { allowCredentials: { key: [] } } });
  const { challenge, challengeIdentifier } = revoked.challenge;
  const refused = await consentParty({ approval: { challengeIdentifier, firstFactor: key.approve(challenge) } });
  expect([refused.status, refused.body.code]).toEqual([409, 'signature_rejected']);
  expect(await owner.consent()).toMatchObject({ consentState: 'present', challenge: null });
});

test('has a ledger key of its own, which does not follow from what the owner knows', async () => {
  const keyOf = () => venue.owners.owner(owner.bot.account)!.consent.ledgerKey;
  await owner.activate();
  const { challenge } = await owner.body('consentParty', {});
  await owner.body('consentParty', { approval: owner.approval(challenge) });
  const first = keyOf();
  const { challengeIdentifier } = challenge;
  expect(first).toBe(ledgerKeyOf(challengeIdentifier, venue.owners.owner(owner.bot.account)!.party.ledgerKey));
  expect(first).not.toBe(ledgerKeyOf(challengeIdentifier, newLedgerKey()));
  await revoke();
  await owner.consent();
  expect(keyOf()).not.toBe(first);
});
