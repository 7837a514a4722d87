/** Steps of owners that cannot be signed or are not due: each is refused with its code, and what is shown meanwhile is true. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationId } from '#contract/operations.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { type Bot, startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { eventually } from '#time/testing/eventually.ts';
import { parseWithdrawalId } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';

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

const as = (bot: Bot, id: OperationId, body?: object) =>
  venue.call(id, { bot, params: { accountId: bot.accountId }, ...(body && { body }) });
/** Signed over another challenge than the one that is due. */
const misdirected = (challenge: { challengeIdentifier: string }) =>
  owner.approval({ ...challenge, challenge: randomBytes(32).toString('base64url') } as never);
const unknown = () => ({ ...misdirected({ challengeIdentifier: randomBytes(16).toString('base64url') }) });

async function dueDeposit(of = owner) {
  const { depositId } = await of.prepareDeposit();
  return eventually(async () => {
    const initiated = await of.initiateDeposit(depositId);
    if (initiated.status !== 'approval_required') throw new Error(initiated.status);
    return initiated;
  });
}

async function authorized(amount = '400'): Promise<string> {
  const { withdrawalId } = (await owner.requestWithdrawal(amount)).body;
  await eventually(async () => expect((await owner.authorize(withdrawalId)).status).toBe(200));
  return withdrawalId;
}

test('refuses to prepare a signature that no passkey here can give', async () => {
  await owner.startParty();
  let moved = await venue.moveFromOtherSite(owner.bot);
  expect((await as(moved, 'startParty')).body.code).toBe('no_usable_passkey');
  expect((await as(moved, 'completeParty', unknown())).body.code).toBe('no_usable_passkey');
  const active = await TestOwner.register(venue);
  await active.activate();
  const { deposit } = await dueDeposit(active);
  moved = await venue.moveFromOtherSite(active.bot);
  expect((await as(moved, 'createSigningWallet', {})).body.code).toBe('no_usable_passkey');
  expect((await as(moved, 'consentParty', {})).body.code).toBe('no_usable_passkey');
  const initiate = { action: 'initiate', depositId: deposit.depositId };
  expect((await as(moved, 'confirmDeposit', initiate)).body.code).toBe('no_usable_passkey');
});

test('refuses to prepare the signature of a withdrawal that no passkey here can give', async () => {
  await owner.fund();
  const withdrawalId = await authorized();
  const moved = await venue.moveFromOtherSite(owner.bot);
  const request = { params: { withdrawalId }, body: { action: 'initiate', withdrawalId }, idempotencyKey: 'moved' };
  expect((await venue.call('confirmWithdrawal', { bot: moved, ...request })).body.code).toBe('no_usable_passkey');
});

test('refuses setup steps before the party, and a deposit before it is active', async () => {
  expect((await as(owner.bot, 'completeParty', unknown())).body.code).toBe('party_state_conflict');
  expect((await as(owner.bot, 'consentParty', {})).body.code).toBe('party_state_conflict');
  const { fundingIntentId } = await owner.body('claimFaucetGrant');
  expect((await as(owner.bot, 'prepareDeposit', { fundingIntentId })).body.code).toBe('account_not_enabled');
});

test('changes no party while the venue is halted or paused, or transfers are off', async () => {
  const { challenge } = await owner.startParty();
  const fresh = await TestOwner.register(venue);
  const active = await TestOwner.register(venue);
  await active.activate();
  const steps = () =>
    Promise.all([
      as(fresh.bot, 'startParty'),
      as(owner.bot, 'startParty'),
      as(owner.bot, 'completeParty', owner.approval(challenge)),
      as(active.bot, 'createSigningWallet', {}),
      as(active.bot, 'consentParty', {}),
    ]);
  const refusals = async () => (await steps()).map(({ status, body }) => [status, body.code, body.agentRefusal]);
  await venue.operate({ type: 'SetVenueStatus', status: 'halted' }, 'VenueStatusChanged');
  expect(await refusals()).toEqual(Array(5).fill([503, 'venue_halted', 'venue_halted']));
  await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
  expect(await refusals()).toEqual(Array(5).fill([503, 'intake_paused', undefined]));
  await venue.operate({ type: 'SetVenueStatus', status: 'open' }, 'VenueStatusChanged');
  await venue.operate({ type: 'SetCapability', capability: 'transfers', isOn: false }, 'CapabilitySet');
  expect(await refusals()).toEqual(Array(5).fill([503, 'capability_unavailable', 'account_transfer_unavailable']));
  // What is set up is shown all the same, and the challenge of before is still good afterwards.
  expect(await active.body('getParty')).toMatchObject({ status: 'active', setup: 'pending' });
  await venue.operate({ type: 'SetCapability', capability: 'transfers', isOn: true }, 'CapabilitySet');
  expect(await owner.body('completeParty', owner.approval(challenge))).toMatchObject({ status: 'active' });
});

test('grants nothing while the intake is paused, or beyond the bound of all deposits', async () => {
  await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
  expect((await as(owner.bot, 'claimFaucetGrant')).body.code).toBe('intake_paused');
  await venue.operate({ type: 'SetVenueStatus', status: 'open' }, 'VenueStatusChanged');
  const late = await TestOwner.register(venue);
  await late.activate();
  const { fundingIntentId } = await late.body('claimFaucetGrant');
  await venue.operate({ type: 'CreditInsurance', amountAtoms: quoteAtoms(2 ** 52 - 1), reference: 'all of it' }, 'LedgerPosted');
  expect((await as(owner.bot, 'claimFaucetGrant')).body.code).toBe('amount_out_of_bounds');
  expect((await as(late.bot, 'prepareDeposit', { fundingIntentId })).body.code).toBe('amount_out_of_bounds');
});

test('names the status of a withdrawal whose step is not due', async () => {
  await owner.fund();
  const early = { action: 'complete', signingStep: 'owner_offer_acceptance', ...unknown() };
  const withdrawalId = await authorized();
  const conflict = { code: 'withdrawal_state_conflict' };
  const refused = async (body: object) => (await owner.confirmWithdrawal(withdrawalId, body)).body;
  expect(await refused(early)).toMatchObject({ ...conflict, withdrawalFailure: 'authorized' });
  const { challenge, signingStep } = (await owner.confirmWithdrawal(withdrawalId, { action: 'initiate' })).body;
  await owner.confirmWithdrawal(withdrawalId, { action: 'complete', signingStep, ...owner.approval(challenge) });
  await eventually(async () => expect((await owner.withdrawal(withdrawalId)).body.dueSigningStep).toBe('owner_offer_acceptance'));
  expect(await refused({ ...early, signingStep })).toMatchObject({ ...conflict, withdrawalFailure: 'submitted' });
  const { transfers } = (await owner.call('listTransfers', { params: { accountId: owner.accountId } })).body;
  expect(transfers.map((it: { status: string }) => it.status)).toEqual(['credited', 'submitted']);
});

test('names the status of a withdrawal that the ledger does not cover, or that was blocked', async () => {
  await owner.activate();
  const { account } = owner.bot;
  await venue.operate({ type: 'CreditCash', account, amountAtoms: quoteAtoms(1_000_000), reference: 'uncovered' }, 'CashPosted');
  const { withdrawalId } = (await owner.requestWithdrawal('1')).body;
  const early = { action: 'complete', signingStep: 'owner_withdrawal_consent', ...unknown() };
  const conflict = { code: 'withdrawal_state_conflict' };
  const waiting = (await owner.confirmWithdrawal(withdrawalId, early)).body;
  expect(waiting).toMatchObject({ ...conflict, withdrawalFailure: 'requested' });
  const withdrawal = parseWithdrawalId(withdrawalId)!;
  await venue.operate({ type: 'BlockWithdrawal', withdrawal, reason: 'test' }, 'WithdrawalBlocked');
  expect((await owner.authorize(withdrawalId)).body).toMatchObject({ ...conflict, withdrawalFailure: 'blocked' });
});

test('shows the grant of an account that was retired before its deposit as cancelled', async () => {
  await owner.body('claimFaucetGrant');
  await venue.operate({ type: 'RetireAccount', account: owner.bot.account }, 'AccountRetired');
  expect((await owner.body('listFundingIntents')).fundingIntents).toMatchObject([{ status: 'cancelled' }]);
  expect(await owner.body('claimFaucetGrant')).toMatchObject({ status: 'cancelled', replayed: true });
});

test('proves no mapping with a provider that is switched off', async () => {
  await venue.operate({ type: 'SetCapability', capability: 'provider:local', isOn: false }, 'CapabilitySet');
  const body = { provider: 'local', action: 'initiate', local: owner.owner.local };
  const { status, body: refused } = await venue.call('recoverMapping', { bot: owner.bot, body });
  expect([status, refused.code]).toEqual([503, 'capability_unavailable']);
});
