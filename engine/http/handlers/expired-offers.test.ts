/**
 * An offer whose time is over by the journal's clock, while the ledger does not respond or transfers are off, so that the venue cannot
 * withdraw it yet: no signature is requested for it, and none is accepted.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OwnedVenue } from '#http/testing/owned-venue.ts';
import { OFFER_LIFETIME_MS } from '#settlement/coordinator/pass-ports.ts';

const MINUTE_MS = 60_000;

let owned: OwnedVenue;
beforeEach(async () => {
  owned = await OwnedVenue.open();
});
afterEach(() => owned.close());

const initiate = (withdrawalId: string) => owned.owner.confirmWithdrawal(withdrawalId, { action: 'initiate' });

/** A withdrawal whose payout offer expires in a minute. */
async function expiringPayout(): Promise<string> {
  await owned.creditDeposit();
  const withdrawalId = await owned.authorizeWithdrawal('400');
  const { challenge, signingStep } = (await initiate(withdrawalId)).body;
  const signed = { action: 'complete', signingStep, ...owned.owner.approval(challenge) };
  await owned.settled(owned.owner.confirmWithdrawal(withdrawalId, signed));
  await owned.pass(OFFER_LIFETIME_MS - MINUTE_MS);
  return withdrawalId;
}

test('requests and accepts no signature of a payout whose offer has expired', async () => {
  const withdrawalId = await expiringPayout();
  owned.venue.settlement!.ledger.isDown = true;
  const due = (await initiate(withdrawalId)).body;
  expect(due).toMatchObject({ status: 'approval_required', signingStep: 'owner_offer_acceptance' });
  const { payoutOfferExpiresAtEpochMs } = due.withdrawal;
  await owned.pass(2 * MINUTE_MS);
  const expired = { status: 'submitted', dueSigningStep: null, payoutOfferExpiresAtEpochMs, settled: false };
  expect((await initiate(withdrawalId)).body).toMatchObject({
    status: 'submitted',
    signingStep: null,
    challenge: null,
    withdrawal: expired,
  });
  expect((await owned.owner.withdrawal(withdrawalId)).body).toMatchObject(expired);
  expect((await owned.owner.authorize(withdrawalId)).body).toMatchObject(expired);
  const before = owned.venue.sequence();
  const signed = { action: 'complete', signingStep: due.signingStep, ...owned.owner.approval(due.challenge) };
  const late = await owned.owner.confirmWithdrawal(withdrawalId, signed);
  expect(late.body).toMatchObject({ code: 'withdrawal_state_conflict', withdrawalFailure: 'submitted' });
  expect(owned.venue.sequence()).toBe(before);
  owned.venue.settlement!.ledger.isDown = false;
  await owned.pass(2 * MINUTE_MS);
  await owned.settled(initiate(withdrawalId));
  expect((await owned.owner.withdrawal(withdrawalId)).body).toMatchObject({ status: 'blocked', reason: 'payout_offer_expired' });
  expect(await owned.owner.body('getAccount')).toMatchObject({ cashBalance: '10000' });
});

test('requests and accepts no signature of a deposit whose offer has expired', async () => {
  const depositId = await owned.offerDeposit();
  await owned.pass(OFFER_LIFETIME_MS - MINUTE_MS);
  owned.venue.settlement!.ledger.isDown = true;
  const due = await owned.owner.initiateDeposit(depositId);
  expect(due).toMatchObject({ status: 'approval_required', signingStep: 'owner_offer_acceptance' });
  await owned.pass(2 * MINUTE_MS);
  expect(await owned.owner.initiateDeposit(depositId)).toMatchObject({ status: 'bound', signingStep: null, challenge: null });
  const before = owned.venue.sequence();
  const body = { action: 'complete', depositId, signingStep: due.signingStep, ...owned.owner.approval(due.challenge) };
  const late = await owned.owner.call('confirmDeposit', { params: { accountId: owned.owner.accountId }, body });
  expect([late.status, late.body.code]).toEqual([409, 'deposit_state_conflict']);
  expect(owned.venue.sequence()).toBe(before);
  owned.venue.settlement!.ledger.isDown = false;
  await owned.pass(2 * MINUTE_MS);
  await owned.settled(owned.owner.initiateDeposit(depositId));
  expect(await owned.owner.initiateDeposit(depositId)).toMatchObject({ status: 'approval_required' });
});
