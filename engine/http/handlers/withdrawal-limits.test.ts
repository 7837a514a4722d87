/** What one owner can start on the external ledger: the minimum of a withdrawal, and the steps of an account in a day. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SigningChallenge } from '#contract/signing.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { eventually } from '#time/testing/eventually.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';

/** An owner without a wallet needs one for its party and two for its deposit. */
const FUNDING_STEPS = 3;
const BURST = 8;
/** After the owner is funded. */
const LEFT = BURST - FUNDING_STEPS;

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
  expect(first).toMatchObject({ taken: LEFT, code: 'rate_limited' });
  expect(Number(first.retryAfter)).toBeGreaterThan(60);
  const second = await owner.signIn();
  expect(await withdrawWhilePossible(second)).toMatchObject({ taken: BURST, code: 'rate_limited' });
  expect(await withdrawWhilePossible(await owner.signIn())).toMatchObject({ taken: 0, code: 'rate_limited' });
  const other = await TestOwner.register(venue);
  await other.fund();
  expect(await withdrawWhilePossible(other)).toMatchObject({ taken: LEFT });
});

test('reports both limits, and counts only what starts a step', async () => {
  const { headers, body } = await owner.requestWithdrawal('1');
  expect(headers.get('ratelimit-policy')).toMatch(
    /^"signing-per-key";.*, "ledgerSteps-per-key";q=8;w=86400, "ledgerSteps-per-acc/,
  );
  expect(headers.get('ratelimit')).toMatch(new RegExp(`"ledgerSteps-per-key";r=${LEFT - 1};`));
  await eventually(async () => expect((await owner.authorize(body.withdrawalId)).status).toBe(200));
  await withdrawWhilePossible(owner);
  const due = (await owner.confirmWithdrawal(body.withdrawalId, { action: 'initiate' })).body;
  expect(due).toMatchObject({ signingStep: 'owner_withdrawal_consent' });
  const signed = { action: 'complete', signingStep: due.signingStep, ...owner.approval(due.challenge) };
  expect((await owner.confirmWithdrawal(body.withdrawalId, signed)).body).toMatchObject({ code: 'rate_limited' });
  expect((await owner.withdrawal(body.withdrawalId)).body).toMatchObject({ status: 'authorized' });
  expect((await owner.call('getAccount', { params: { accountId: owner.accountId } })).status).toBe(200);
});

/** The tokens that the response reports, of the session and of the account; undefined if it started no step. */
function leftIn({ headers }: VenueResponse): number[] | undefined {
  const left = [...headers.get('ratelimit')!.matchAll(/"ledgerSteps-per-\w+";r=(\d+);/g)];
  return left.length === 0 ? undefined : left.map(([, tokens]) => Number(tokens));
}

function whileSubmitFails(error: Error, request: () => Promise<VenueResponse>): Promise<VenueResponse> {
  const beforeSubmit = () => {
    throw error;
  };
  return whilePlanted(venue.planted, { beforeSubmit }, request);
}

/** A withdrawal whose consent is due, with its challenge. */
async function consentDue() {
  const { withdrawalId } = (await owner.requestWithdrawal('1')).body;
  await eventually(async () => expect((await owner.authorize(withdrawalId)).status).toBe(200));
  return { withdrawalId, due: (await owner.confirmWithdrawal(withdrawalId, { action: 'initiate' })).body };
}

test('charges no refused request', async () => {
  const full = [LEFT, BURST * 2 - FUNDING_STEPS];
  expect(leftIn(await owner.requestWithdrawal('100000'))).toEqual(full);
  expect(leftIn(await owner.requestWithdrawal('0.5'))).toEqual(full);
  await venue.operate({ type: 'SetCapability', capability: 'withdrawals', isOn: false }, 'CapabilitySet');
  expect(leftIn(await owner.requestWithdrawal('1'))).toEqual(full);
  await venue.operate({ type: 'SetCapability', capability: 'withdrawals', isOn: true }, 'CapabilitySet');
  const busy = await whileSubmitFails(new WriterBusy('planted'), () => owner.requestWithdrawal('1'));
  expect([busy.status, leftIn(busy)]).toEqual([503, full]);
  const depositId = 'dep-1';
  const { challenge } = await owner.body('consentParty', {});
  const approval = owner.approval(challenge);
  const body = { action: 'complete', depositId, signingStep: 'owner_offer_acceptance', ...approval };
  const late = await owner.call('confirmDeposit', { params: { accountId: owner.accountId }, body });
  expect([late.body.code, leftIn(late)]).toEqual(['deposit_state_conflict', undefined]);
  expect(await withdrawWhilePossible(owner)).toMatchObject({ taken: LEFT, code: 'rate_limited' });
});

test('charges no signature that is refused, and none of another challenge', async () => {
  const { withdrawalId, due } = await consentDue();
  const { signingStep, challenge } = due;
  const full = [LEFT - 1, BURST * 2 - FUNDING_STEPS - 1];
  const wrong = owner.approval({ ...challenge, challenge: randomBytes(32).toString('base64url') });
  const complete = (approval: object) => owner.confirmWithdrawal(withdrawalId, { action: 'complete', signingStep, ...approval });
  const refused = await complete(wrong);
  expect([refused.body.code, leftIn(refused)]).toEqual(['signature_rejected', full]);
  const used = await complete(owner.approval(challenge));
  expect([used.body.status, leftIn(used)]).toEqual(['approval_required', full]);
  expect(leftIn(await complete(owner.approval(used.body.challenge)))).toEqual(full.map((tokens) => tokens - 1));
});

test('charges no repeated request, and answers it also when no token is left', async () => {
  const { withdrawalId, due } = await consentDue();
  const signed = { action: 'complete', withdrawalId, signingStep: due.signingStep, ...owner.approval(due.challenge) };
  const confirmed = () => owner.call('confirmWithdrawal', { params: { withdrawalId }, body: signed, idempotencyKey: 'signed' });
  expect(leftIn(await confirmed())).toEqual([LEFT - 2, BURST * 2 - FUNDING_STEPS - 2]);
  const first = await owner.requestWithdrawal('1', 'requested');
  await withdrawWhilePossible(owner);
  const again = await owner.requestWithdrawal('1', 'requested');
  expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, first.body, 'true']);
  expect([(await confirmed()).status, leftIn(await confirmed())]).toEqual([200, undefined]);
  const other = await owner.signIn();
  expect(await withdrawWhilePossible(other)).toMatchObject({ taken: BURST, code: 'rate_limited' });
});

test('charges a request whose outcome is unknown', async () => {
  const unknown = await whileSubmitFails(new VenueHalted('planted'), () => owner.requestWithdrawal('1'));
  expect([unknown.status, leftIn(unknown)]).toEqual([503, [LEFT - 1, BURST * 2 - FUNDING_STEPS - 1]]);
});

test('charges each step of the setup once', async () => {
  const other = await TestOwner.register(venue);
  const params = { accountId: other.accountId };
  const started = await other.startParty();
  const completed = async (challenge: SigningChallenge) =>
    leftIn(await other.call('completeParty', { params, body: other.approval(challenge) }));
  expect(await completed(started.challenge)).toEqual([BURST - 1, 2 * BURST - 1]);
  expect(await completed(started.challenge)).toBeUndefined();
  const { challenge } = await other.body('consentParty', {});
  const consented = async () =>
    leftIn(await other.call('consentParty', { params, body: { approval: other.approval(challenge) } }));
  expect(await consented()).toEqual([BURST - 2, 2 * BURST - 2]);
  expect(await consented()).toBeUndefined();
});
