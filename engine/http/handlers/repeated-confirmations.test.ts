/**
 * A signed step of a withdrawal that its client sends again, because the first response was lost: the step is carried out once, and
 * the repetition returns what is due meanwhile. It needs the key, the challenge and the body of the first request.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OwnedVenue } from '#http/testing/owned-venue.ts';
import type { VenueResponse } from '#http/testing/venue-under-test.ts';
import { IDEMPOTENCY_LIMITS } from '#writer/idempotency/idempotency-index.ts';

type ConfirmationBody = Readonly<Record<string, unknown>>;

let owned: OwnedVenue;
let withdrawalId: string;
beforeEach(async () => {
  owned = await OwnedVenue.open();
  await owned.creditDeposit();
  withdrawalId = await owned.authorizeWithdrawal('400');
});
afterEach(() => owned.close());

function confirm(idempotencyKey: string, body: ConfirmationBody): Promise<VenueResponse> {
  return owned.owner.call('confirmWithdrawal', { params: { withdrawalId }, body: { withdrawalId, ...body }, idempotencyKey });
}

/** The signature of the step that is due. */
async function signed(): Promise<ConfirmationBody> {
  const { signingStep, challenge } = (await confirm('prepare', { action: 'initiate' })).body;
  return { action: 'complete', signingStep, ...owned.owner.approval(challenge) };
}

/** What must not change, beside what the response says. */
async function moved() {
  const { venue } = owned;
  return { entries: await owned.entries(), sequence: venue.sequence(), state: venue.stateDigest() };
}

const payoutIsDue = {
  status: 'approval_required',
  signingStep: 'owner_offer_acceptance',
  withdrawal: { status: 'submitted', dueSigningStep: 'owner_offer_acceptance', settled: false },
};
const conflict = { code: 'withdrawal_state_conflict', withdrawalFailure: 'submitted' };
const isSettled = { status: 'submitted', signingStep: null, challenge: null, withdrawal: { settled: true } };

test('returns what is due to a repeated request, and carries nothing out again', async () => {
  const consent = await signed();
  await owned.settled(confirm('a', consent));
  const before = await moved();
  const { status, body } = await confirm('a', consent);
  expect([status, body]).toMatchObject([200, payoutIsDue]);
  expect(body.challenge.challengeIdentifier).not.toBe(consent.challengeIdentifier);
  expect(await moved()).toEqual(before);
});

test('refuses the used challenge under another key, and another body under the key', async () => {
  const consent = await signed();
  await owned.settled(confirm('a', consent));
  const before = await moved();
  expect((await confirm('b', consent)).body).toMatchObject(conflict);
  const other = await confirm('a', { ...consent, signingStep: 'owner_offer_acceptance' });
  expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
  expect(await moved()).toEqual(before);
});

test('takes the key again for the next challenge', async () => {
  const consent = await signed();
  await owned.settled(confirm('a', consent));
  const acceptance = await signed();
  expect((await owned.settled(confirm('a', acceptance))).status).toBe(200);
  const before = await moved();
  for (const each of [consent, acceptance]) {
    const { status, body } = await confirm('a', each);
    expect([status, body]).toMatchObject([200, isSettled]);
  }
  expect(await moved()).toEqual(before);
  expect((await confirm('b', acceptance)).body).toMatchObject({ code: 'withdrawal_state_conflict' });
  expect(before.entries.filter((step) => step === 'owner_withdrawal_consent')).toHaveLength(1);
});

test('carries out one of several equal requests at once', async () => {
  const consent = await signed();
  const responses = await owned.settled(Promise.all(Array.from({ length: 8 }, () => confirm('a', consent))));
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect((await owned.entries()).filter((step) => step === 'owner_withdrawal_consent')).toHaveLength(1);
});

test('returns what is due after a restart, until the key has expired', async () => {
  const consent = await signed();
  await owned.settled(confirm('a', consent));
  await owned.restart();
  const before = await owned.entries();
  const { status, body } = await confirm('a', consent);
  expect([status, body]).toMatchObject([200, payoutIsDue]);
  expect((await confirm('b', consent)).body).toMatchObject(conflict);
  expect(await owned.entries()).toEqual(before);
  await owned.settled(confirm('c', await signed()));
  await owned.restart();
  expect((await confirm('a', consent)).body).toMatchObject(isSettled);
  await owned.pass(IDEMPOTENCY_LIMITS.retentionMs + 1);
  expect((await confirm('a', consent)).body).toMatchObject({ code: 'withdrawal_state_conflict' });
});
