/** What moves nothing: wrong signatures, other challenges, steps that are not due, switches, a venue without a ledger. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UNLIMITED } from '#http/testing/stage.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { Capability } from '#venue/command.ts';

let venue: VenueUnderTest;
let owner: TestOwner;
beforeEach(async () => {
  venue = await startVenue(UNLIMITED);
  owner = await TestOwner.register(venue);
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

/** The deposit whose first signature is due, with its challenge. */
async function dueDeposit(of = owner) {
  await of.activate();
  const { depositId } = await of.prepareDeposit();
  return eventually(async () => {
    const initiated = await of.initiateDeposit(depositId);
    if (initiated.status !== 'approval_required') throw new Error(initiated.status);
    return initiated;
  });
}

function complete(of: TestOwner, depositId: string, more: object) {
  const body = { action: 'complete', depositId, signingStep: 'owner_offer_acceptance', ...more };
  return of.call('confirmDeposit', { params: { accountId: of.accountId }, body });
}

const cashOf = async (of: TestOwner) => (await of.body('getAccount')).cashBalance;

test('refuses steps that are not due, with the status of the withdrawal', async () => {
  await owner.fund();
  const { withdrawalId } = (await owner.requestWithdrawal('10')).body;
  await eventually(async () => expect((await owner.withdrawal(withdrawalId)).body.status).toBe('reserved'));
  const { challenge } = await owner.body('consentParty', {});
  const early = { action: 'complete', signingStep: 'owner_withdrawal_consent', ...owner.approval(challenge) };
  expect((await owner.confirmWithdrawal(withdrawalId, early)).body).toMatchObject({
    code: 'withdrawal_state_conflict',
    withdrawalFailure: 'reserved',
  });
  expect((await owner.confirmWithdrawal(withdrawalId, { action: 'initiate' })).body).toMatchObject({
    status: 'reserved',
    challenge: null,
  });
  await owner.settleWithdrawal(withdrawalId);
  expect((await owner.authorize(withdrawalId)).body).toMatchObject({ settled: true });
  const { depositId } = await owner.body('prepareDeposit', { fundingIntentId: 'intent-1' });
  expect((await complete(owner, depositId, owner.approval((await owner.body('consentParty', {})).challenge))).body).toMatchObject(
    {
      code: 'deposit_state_conflict',
    },
  );
});

test('refuses amounts, destinations and accounts that cannot withdraw', async () => {
  await owner.fund();
  for (const amount of ['0', '0.0000001', '99999999999999999999'])
    expect((await owner.requestWithdrawal(amount)).body).toMatchObject({
      code: 'amount_out_of_bounds',
      rejectionGuard: 'amount_atoms_invalid',
    });
  expect((await owner.requestWithdrawal('10000.1')).body).toMatchObject({ code: 'insufficient_cash' });
  const other = await TestOwner.register(venue);
  const body = { accountId: owner.accountId, asset: 'USD.E', amount: '1', destination: 'someone-else' };
  expect((await owner.call('requestWithdrawal', { body, idempotencyKey: 'other' })).body).toMatchObject({
    code: 'destination_not_allowed',
  });
  const unset = { ...body, accountId: other.accountId };
  expect((await other.call('requestWithdrawal', { body: unset, idempotencyKey: 'unset' })).body).toMatchObject({
    code: 'account_not_enabled',
  });
  for (let count = 1; count <= 16; count += 1) expect((await owner.requestWithdrawal('1')).status).toBe(202);
  expect((await owner.requestWithdrawal('1')).body).toMatchObject({ code: 'too_many_withdrawals' });
});

test('lets one of 64 withdrawals of the whole balance through', async () => {
  await owner.fund();
  const destination = await owner.partyId();
  const body = { accountId: owner.accountId, asset: 'USD.E', amount: '10000', destination };
  const all = Array.from({ length: 64 }, (_, index) => owner.call('requestWithdrawal', { body, idempotencyKey: `all-${index}` }));
  const statuses = (await Promise.all(all)).map(({ status, body: { code } }) => (status === 202 ? 'taken' : code));
  expect(statuses.filter((status) => status === 'taken')).toHaveLength(1);
  expect(new Set(statuses)).toEqual(new Set(['taken', 'insufficient_cash']));
  expect(await cashOf(owner)).toBe('0');
  const params = { accountId: owner.accountId };
  const { transfers } = (await owner.call('listTransfers', { params, query: { kind: 'withdrawal' } })).body;
  expect(transfers).toMatchObject([{ amount: '10000' }]);
});

const switchOff = (capability: Capability) => venue.operate({ type: 'SetCapability', capability, isOn: false }, 'CapabilitySet');

test('does not confirm the deposit of another owner, nor an unknown one', async () => {
  const other = await TestOwner.register(venue);
  const { depositId } = (await dueDeposit(other)).deposit;
  await owner.activate();
  for (const id of [depositId, 'deposit-999']) {
    const body = { action: 'initiate', depositId: id };
    const refused = await owner.call('confirmDeposit', { params: { accountId: owner.accountId }, body });
    expect([refused.status, refused.body.code]).toEqual([404, 'deposit_not_found']);
  }
});

test('moves nothing while the venue is halted or paused, or a capability is off', async () => {
  await owner.fund();
  const other = await TestOwner.register(venue);
  const { depositId } = (await dueDeposit(other)).deposit;
  const { withdrawalId } = (await owner.requestWithdrawal('10')).body;
  await eventually(async () => expect((await owner.withdrawal(withdrawalId)).body.status).toBe('reserved'));
  const third = await TestOwner.register(venue);
  await third.activate();
  const { fundingIntentId } = await third.body('claimFaucetGrant');
  const responses = async () => [
    (await other.call('confirmDeposit', { params: { accountId: other.accountId }, body: { action: 'initiate', depositId } }))
      .body,
    (await third.call('prepareDeposit', { params: { accountId: third.accountId }, body: { fundingIntentId } })).body,
    (await owner.confirmWithdrawal(withdrawalId, { action: 'initiate' })).body,
    (await owner.authorize(withdrawalId)).body,
    (await owner.requestWithdrawal('1')).body,
  ];
  for (const [status, code] of [
    ['halted', 'venue_halted'],
    ['intake_paused', 'intake_paused'],
  ] as const) {
    await venue.operate({ type: 'SetVenueStatus', status }, 'VenueStatusChanged');
    expect((await responses()).map((body) => body.code)).toEqual(Array(5).fill(code));
    const fourth = await TestOwner.register(venue).catch(() => undefined);
    if (fourth !== undefined)
      expect((await fourth.call('claimFaucetGrant', { params: { accountId: fourth.accountId } })).body.code).toBe(code);
  }
  await venue.operate({ type: 'SetVenueStatus', status: 'open' }, 'VenueStatusChanged');
  const fifth = await TestOwner.register(venue);
  await switchOff('transfers');
  for (const body of await responses())
    expect(body).toMatchObject({ code: 'capability_unavailable', agentRefusal: 'account_transfer_unavailable' });
  await switchOff('deposits');
  expect((await fifth.call('claimFaucetGrant', { params: { accountId: fifth.accountId } })).body).toMatchObject({
    code: 'capability_unavailable',
  });
  expect(await cashOf(owner)).toBe('9990');
});

test('names the missing ledger on a venue that has none', async () => {
  const without = await startVenue({ settles: false });
  try {
    const lost = await TestOwner.register(without);
    const { body } = await lost.call('startParty', { params: { accountId: lost.accountId } });
    expect(body).toMatchObject({ code: 'dependency_unavailable', dependency: 'external_ledger' });
    const { account, accountId } = lost.bot;
    const withdrawal = { accountId, asset: 'USD.E', amount: '1', destination: `party::${account}` };
    const request = (key: string) => lost.call('requestWithdrawal', { body: withdrawal, idempotencyKey: key });
    expect((await request('open')).body).toMatchObject({ code: 'dependency_unavailable' });
    await without.operate({ type: 'SetCapability', capability: 'withdrawals', isOn: false }, 'CapabilitySet');
    expect((await request('closed')).body).toMatchObject({ code: 'capability_unavailable' });
  } finally {
    await without.close();
  }
});
