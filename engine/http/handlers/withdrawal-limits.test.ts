/** What one owner can start on the external ledger: the minimum of a withdrawal, and the steps of an account in a day. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UNLIMITED } from '#http/testing/stage.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { eventually } from '#time/testing/eventually.ts';

/** An owner without a wallet needs one for its party and two for its deposit. */
const FUNDING_STEPS = 3;
const BURST = 8;

let venue: VenueUnderTest;
let owner: TestOwner;
beforeEach(async () => {
  const ledgerSteps = { burst: BURST, perSecond: BURST / 86_400 };
  venue = await startVenue({ ...UNLIMITED, rates: { ...UNLIMITED.rates, ledgerSteps } });
  owner = await TestOwner.register(venue);
  await owner.fund();
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

/** Requests withdrawals until one is refused. */
async function withdrawWhilePossible(by: TestOwner): Promise<{ taken: number; code: string; retryAfter: string | null }> {
  for (let taken = 0; ; taken += 1) {
    const { status, body, headers } = await by.requestWithdrawal('1');
    if (status !== 202) return { taken, code: body.code, retryAfter: headers.get('retry-after') };
  }
}

test('refuses an amount below the minimum, unless it is all cash of the account', async () => {
  const tooSmall = {
    code: 'amount_out_of_bounds',
    rejectionGuard: 'amount_atoms_invalid',
    safeMessage: expect.stringContaining('1 USD.E or more'),
  };
  expect((await owner.requestWithdrawal('0.999999')).body).toMatchObject(tooSmall);
  expect((await owner.requestWithdrawal('9999.5')).status).toBe(202);
  expect((await owner.requestWithdrawal('0.4')).body).toMatchObject(tooSmall);
  expect((await owner.requestWithdrawal('0.5')).status).toBe(202);
  expect(await owner.body('getAccount')).toMatchObject({ cashBalance: '0' });
});

test('counts the ledger steps of an account over all of its sessions, and not those of another', async () => {
  const first = await withdrawWhilePossible(owner);
  expect(first).toMatchObject({ taken: BURST - FUNDING_STEPS, code: 'rate_limited' });
  expect(Number(first.retryAfter)).toBeGreaterThan(60);
  const second = await owner.signIn();
  expect(await withdrawWhilePossible(second)).toMatchObject({ taken: BURST, code: 'rate_limited' });
  expect(await withdrawWhilePossible(await owner.signIn())).toMatchObject({ taken: 0, code: 'rate_limited' });
  const other = await TestOwner.register(venue);
  await other.fund();
  expect(await withdrawWhilePossible(other)).toMatchObject({ taken: BURST - FUNDING_STEPS });
});

test('reports both limits, and counts only what starts a step', async () => {
  const { headers, body } = await owner.requestWithdrawal('1');
  expect(headers.get('ratelimit-policy')).toMatch(
    /^"signing-per-key";.*, "ledgerSteps-per-key";q=8;w=86400, "ledgerSteps-per-acc/,
  );
  expect(headers.get('ratelimit')).toMatch(new RegExp(`"ledgerSteps-per-key";r=${BURST - FUNDING_STEPS - 1};`));
  await eventually(async () => expect((await owner.authorize(body.withdrawalId)).status).toBe(200));
  await withdrawWhilePossible(owner);
  const due = (await owner.confirmWithdrawal(body.withdrawalId, { action: 'initiate' })).body;
  expect(due).toMatchObject({ signingStep: 'owner_withdrawal_consent' });
  const signed = { action: 'complete', signingStep: due.signingStep, ...owner.approval(due.challenge) };
  expect((await owner.confirmWithdrawal(body.withdrawalId, signed)).body).toMatchObject({ code: 'rate_limited' });
  expect((await owner.withdrawal(body.withdrawalId)).body).toMatchObject({ status: 'authorized' });
  expect((await owner.call('getAccount', { params: { accountId: owner.accountId } })).status).toBe(200);
});
