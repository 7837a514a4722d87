/** The statuses that an owner sees while the ledger is down, slow or answers late, and how a consent follows the ledger. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UNLIMITED } from '#http/testing/stage.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';
import { OFFER_LIFETIME_MS } from '#settlement/coordinator/pass-ports.ts';
import { eventually } from '#time/testing/eventually.ts';

let venue: VenueUnderTest;
let owner: TestOwner;
beforeEach(async () => {
  venue = await startVenue({ ...UNLIMITED, environment: 'local' });
  owner = await TestOwner.register(venue);
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

test('shows a step without an answer as submitted_unknown, and goes on when the ledger is up', async () => {
  await owner.activate();
  const { depositId } = await owner.prepareDeposit();
  const due = await eventually(async () => {
    const initiated = await owner.initiateDeposit(depositId);
    if (initiated.status !== 'approval_required') throw new Error(initiated.status);
    return initiated;
  });
  const { ledger } = venue.settlement!;
  ledger.isDown = true;
  const body = { action: 'complete', depositId, signingStep: due.signingStep, ...owner.approval(due.challenge) };
  expect(await owner.body('confirmDeposit', body)).toMatchObject({
    status: 'submitted_unknown',
    signingStep: null,
    challenge: null,
  });
  expect(await owner.initiateDeposit(depositId)).toMatchObject({ status: 'submitted_unknown' });
  expect((await owner.body('listFundingIntents')).fundingIntents).toMatchObject([{ status: 'deposit_bound', depositId }]);
  ledger.isDown = false;
  expect(await owner.confirmDeposit(depositId)).toMatchObject({ status: 'ledger_confirmed', deposit: { environment: 'local' } });
  expect((await owner.body('listFundingIntents')).fundingIntents).toMatchObject([{ status: 'consumed' }]);
  expect(await owner.body('claimFaucetGrant')).toMatchObject({ status: 'consumed', replayed: true });
});

test('shows a step that a full ledger does not take as submitted_unknown, and goes on when it has room', async () => {
  const { ledger } = venue.settlement!;
  ledger.isFull = true;
  expect(await owner.body('startParty')).toMatchObject({ status: 'allocating', partyId: null, challenge: null });
  ledger.isFull = false;
  await owner.activate();
  const { depositId } = await owner.prepareDeposit();
  const due = await eventually(async () => {
    const initiated = await owner.initiateDeposit(depositId);
    if (initiated.status !== 'approval_required') throw new Error(initiated.status);
    return initiated;
  });
  ledger.isFull = true;
  const body = { action: 'complete', depositId, signingStep: due.signingStep, ...owner.approval(due.challenge) };
  const waiting = { status: 'submitted_unknown', signingStep: null, challenge: null };
  expect(await owner.body('confirmDeposit', body)).toMatchObject(waiting);
  expect(await owner.initiateDeposit(depositId)).toMatchObject(waiting);
  ledger.isFull = false;
  expect(await owner.confirmDeposit(depositId)).toMatchObject({ status: 'ledger_confirmed' });
  expect(await owner.body('getAccount')).toMatchObject({ cashBalance: '10000' });
});

test('shows a party as allocating while the ledger is down', async () => {
  venue.settlement!.ledger.isDown = true;
  expect(await owner.body('startParty')).toMatchObject({ status: 'allocating', partyId: null, challenge: null });
  const early = await owner.call('createSigningWallet', { params: { accountId: owner.accountId }, body: {} });
  expect(early.body).toMatchObject({ code: 'party_state_conflict' });
  venue.settlement!.ledger.isDown = false;
  expect(await owner.startParty()).toMatchObject({ status: 'approval_required' });
});

test('waits for the package, and never creates a revoked consent again by itself', async () => {
  const { local, ledger } = venue.settlement!;
  const partyId = await owner.activate();
  await owner.createWallet();
  await local.submit({ step: 'package_availability', commandId: 'remove', isAvailable: false });
  expect(await owner.body('consentParty', {})).toMatchObject({
    consentState: 'absent',
    failure: { step: 'package_check', reason: 'approval_required' },
  });
  const absent = { consentState: 'absent', challenge: null, failure: { step: 'package_check', reason: 'package_absent' } };
  expect(await owner.consent()).toMatchObject(absent);
  expect(await owner.body('consentParty', {})).toMatchObject(absent);
  expect(await owner.body('getParty')).toMatchObject({ status: 'active', setup: 'waiting_for_package' });
  ledger.isDown = true;
  expect(await owner.body('consentParty', {})).toMatchObject({
    failure: { step: 'package_check', reason: 'ledger_unavailable' },
  });
  ledger.isDown = false;
  await local.submit({ step: 'package_availability', commandId: 'add', isAvailable: true });
  const { challenge } = await eventually(async () => {
    const consent = await owner.body('consentParty', {});
    if (consent.challenge === null) throw new Error(JSON.stringify(consent.failure));
    return consent;
  });
  ledger.isDown = true;
  const pending = await owner.body('consentParty', { approval: owner.approval(challenge) });
  expect(pending).toMatchObject({
    consentState: 'pending',
    failure: { step: 'consent_submission', reason: 'ledger_unavailable' },
  });
  ledger.isDown = false;
  await eventually(async () =>
    expect(await owner.body('consentParty', {})).toMatchObject({ consentState: 'present', failure: null }),
  );
  await local.submit({ step: 'party_consent_revocation', commandId: 'revoke', partyId });
  const revoked = { consentState: 'revoked', failure: { step: 'consent_submission', reason: 'consent_revoked' } };
  await eventually(async () => expect(await owner.body('consentParty', {})).toMatchObject(revoked));
  expect(await owner.body('consentParty', {})).toMatchObject(revoked);
  expect(await local.consent(partyId)).toMatchObject({ state: 'revoked' });
  expect(await owner.consent()).toMatchObject({ consentState: 'present' });
});

test('lets the setup key sign the setup, and its own deactivation at the end', async () => {
  const key = new SoftwareSetupKey();
  const { account } = owner.bot;
  const site = { relyingPartyId: 'localhost', origin: 'http://localhost:8080' };
  const passkey = {
    credentialId: key.credentialId,
    kind: 'setup_key',
    publicKey: key.publicKey,
    signatureCount: 0,
    name: 'setup',
  } as const;
  await venue.operate({ type: 'AddPasskey', account, passkey: { ...passkey, ...site } }, 'PasskeyAdded');
  const signed = ({ challenge, challengeIdentifier }: { challenge: string; challengeIdentifier: string }) => ({
    challengeIdentifier,
    firstFactor: key.approve(challenge),
  });
  await owner.body('completeParty', signed((await owner.startParty()).challenge));
  const { challenge: forWallet } = await owner.body('createSigningWallet', {});
  await owner.body('createSigningWallet', { approval: signed(forWallet) });
  const { challenge: forConsent } = await owner.body('consentParty', {});
  const ended = await owner.body('consentParty', { approval: signed(forConsent) });
  expect(ended).toMatchObject({
    consentState: 'present',
    challenge: { allowCredentials: { key: [{ id: key.credentialId }], webauthn: [] } },
  });
  const { depositId } = await owner.prepareDeposit();
  const due = await eventually(async () => {
    const initiated = await owner.initiateDeposit(depositId);
    if (initiated.challenge === null) throw new Error(initiated.status);
    return initiated;
  });
  expect(due.challenge.allowCredentials.key).toEqual([]);
  const body = { action: 'complete', depositId, signingStep: due.signingStep, ...signed(due.challenge) };
  const response = await owner.call('confirmDeposit', { params: { accountId: owner.accountId }, body });
  expect(response.body).toMatchObject({ code: 'signature_rejected' });
  expect(await owner.body('consentParty', { approval: signed(ended.challenge) })).toMatchObject({
    consentState: 'present',
    challenge: null,
  });
  const { passkeys } = await owner.body('listPasskeys');
  expect(passkeys.map((it: { kind: string }) => it.kind)).toEqual(['passkey']);
});

test('accepts no approval of an offer of a deposit that has expired meanwhile', async () => {
  await owner.activate();
  const { depositId } = await owner.prepareDeposit();
  const due = (of: TestOwner) =>
    eventually(async () => {
      const initiated = await of.initiateDeposit(depositId);
      if (initiated.status !== 'approval_required') throw new Error(initiated.status);
      return initiated;
    });
  await due(owner);
  venue.pass(OFFER_LIFETIME_MS - 60_000);
  const late = await owner.signIn();
  const { challenge, signingStep, deposit } = await due(late);
  const approval = late.approval(challenge);
  venue.pass(120_000);
  const renewed = await eventually(async () => {
    const initiated = await due(late);
    expect(initiated.deposit.plannedLedgerCommands).not.toEqual(deposit.plannedLedgerCommands);
    return initiated;
  });
  const answer = await late.body('confirmDeposit', { action: 'complete', depositId, signingStep, ...approval });
  expect(answer).toMatchObject({ status: 'approval_required', signingStep, deposit: renewed.deposit });
  expect(answer.challenge.challengeIdentifier).not.toBe(challenge.challengeIdentifier);
  expect(await late.confirmDeposit(depositId)).toMatchObject({ status: 'ledger_confirmed' });
});

test('blocks a withdrawal whose payout offer has expired, and returns the cash once', async () => {
  await owner.fund();
  const { withdrawalId } = (await owner.requestWithdrawal('400')).body;
  await eventually(async () => expect((await owner.authorize(withdrawalId)).status).toBe(200));
  const { challenge, signingStep } = (await owner.confirmWithdrawal(withdrawalId, { action: 'initiate' })).body;
  await owner.confirmWithdrawal(withdrawalId, { action: 'complete', signingStep, ...owner.approval(challenge) });
  const offered = await eventually(async () => {
    const { body } = await owner.confirmWithdrawal(withdrawalId, { action: 'initiate' });
    if (body.signingStep !== 'owner_offer_acceptance') throw new Error(JSON.stringify(body));
    return body;
  });
  expect(offered.withdrawal.payoutOfferExpiresAtEpochMs).toBeGreaterThan(0);
  venue.pass(OFFER_LIFETIME_MS + 1_000);
  // A session does not last so long.
  const again = await venue.signIn(owner.bot);
  const read = () =>
    venue.call('confirmWithdrawal', {
      bot: again,
      params: { withdrawalId },
      body: { action: 'initiate', withdrawalId },
      idempotencyKey: 'again',
    });
  await eventually(async () =>
    expect((await read()).body).toMatchObject({ status: 'blocked', challenge: null, withdrawal: { settled: false } }),
  );
  const { body } = await venue.call('getWithdrawal', { bot: again, params: { withdrawalId } });
  expect(body).toMatchObject({ status: 'blocked', settled: false, reason: 'payout_offer_expired' });
  const account = await venue.call('getAccount', { bot: again, params: { accountId: owner.accountId } });
  expect(account.body.cashBalance).toBe('10000');
});
