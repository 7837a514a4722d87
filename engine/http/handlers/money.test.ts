/** The whole way of an owner over HTTP: setup, faucet, deposit, withdrawal; and what happens when it is interrupted. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { retire } from '#http/testing/provocations.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';

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

test('takes an owner from the registration through setup, deposit and withdrawal', async () => {
  const { accountId } = owner;
  const started = await owner.startParty();
  expect(started).toMatchObject({ accountId, status: 'approval_required', partyId: expect.stringMatching(`^${accountId}::`) });
  const { partyId } = await owner.body('completeParty', owner.approval(started.challenge));
  expect(await owner.body('getParty')).toMatchObject({ status: 'active', partyId, setup: 'pending' });
  expect(await owner.createWallet()).toMatchObject({ status: 'active', partyId, challenge: null });
  expect(await owner.consent()).toMatchObject({ consentState: 'present', challenge: null, failure: null });
  expect(await owner.body('getParty')).toMatchObject({ setup: 'complete' });
  const deposit = await owner.prepareDeposit();
  expect(deposit).toMatchObject({ environment: 'development', partyId, amountAtoms: '10000000000', status: 'bound' });
  const confirmed = await owner.confirmDeposit(deposit.depositId);
  expect(confirmed).toMatchObject({ signingStep: null, challenge: null, deposit: { status: 'ledger_confirmed' } });
  expect(await owner.body('getAccount')).toMatchObject({ cashBalance: '10000', consentState: 'present' });
  const requested = await owner.requestWithdrawal('2500.5');
  expect([requested.status, requested.body]).toMatchObject([202, { status: 'requested', amount: '2500.5', settled: false }]);
  const { withdrawalId } = requested.body;
  expect(await owner.body('getAccount')).toMatchObject({ cashBalance: '7499.5' });
  expect(await owner.settleWithdrawal(withdrawalId)).toMatchObject({ status: 'submitted', signingStep: null });
  expect((await owner.withdrawal(withdrawalId)).body).toMatchObject({ status: 'submitted', settled: true, dueSigningStep: null });
  expect(await venue.settlement?.local.balance(partyId)).toEqual({ availableAtoms: 2_500_500_000, offeredAtoms: 0 });
  const { transfers } = await owner.body('listTransfers');
  expect(transfers).toMatchObject([
    { kind: 'deposit', status: 'credited' },
    { kind: 'withdrawal', status: 'settled' },
  ]);
});

test('publishes ids of the venue for the commands of a deposit, and no id that the ledger will have', async () => {
  await owner.activate();
  const deposit = await owner.prepareDeposit();
  expect(deposit.plannedLedgerCommands.slice(-2)).toEqual([
    { step: 'owner_offer_acceptance', commandId: 'dep-1-owner_offer_acceptance-1' },
    { step: 'owner_account_acceptance', commandId: 'dep-1-owner_account_acceptance-1' },
  ]);
  const { challenge } = await owner.initiateDeposit(deposit.depositId);
  const [nonce, secret] = venue.owners.openDeposits()[0]!.ledgerKey.split('.');
  for (const part of [nonce!, secret!]) expect(JSON.stringify([deposit, challenge])).not.toContain(part);
});

test('lets the owner of a retired account sign in and withdraw', async () => {
  await owner.fund();
  const partyId = await owner.partyId();
  await retire(venue, owner.bot);
  const back = await owner.signIn();
  expect(await back.body('getAccount')).toMatchObject({ cashBalance: '10000' });
  const { status, body } = await back.requestWithdrawal('10000');
  expect(status, JSON.stringify(body)).toBe(202);
  await back.settleWithdrawal(body.withdrawalId);
  expect(await venue.settlement?.local.balance(partyId)).toEqual({ availableAtoms: 10_000_000_000, offeredAtoms: 0 });
});
