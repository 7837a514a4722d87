/**
 * A signed step of a withdrawal that its client sends again, because the first response was lost: the step is carried out once, and
 * the repetition returns what is due meanwhile. It needs the key, the challenge and the body of the first request.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OwnedStores } from '#http/testing/owned-stores.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { MAX_PAGE } from '#settlement/port/ledger.ts';
import { IDEMPOTENCY_LIMITS } from '#writer/idempotency/idempotency-index.ts';

/** More than the ledger needs for a step and its receipt. */
const STEP_MS = 10_000;
type Sent = Readonly<Record<string, unknown>>;

let stores: OwnedStores;
let venue: VenueUnderTest;
let owner: TestOwner;
let withdrawalId: string;
beforeEach(async () => {
  stores = new OwnedStores();
  await open();
  owner = await TestOwner.register(client());
  await pass(owner.body('startParty'));
  await pass(owner.activate());
  const { depositId } = await pass(owner.prepareDeposit());
  for (let step = 0; step < 2; step += 1) {
    const { signingStep, challenge } = await owner.initiateDeposit(depositId);
    const approved = { action: 'complete', depositId, signingStep, ...owner.approval(challenge) };
    await pass(owner.body('confirmDeposit', approved));
  }
  withdrawalId = (await pass(owner.requestWithdrawal('400'))).body.withdrawalId;
  await owner.authorize(withdrawalId);
});
afterEach(close);

async function open(): Promise<void> {
  venue = await startVenue({ ...UNLIMITED, environment: 'local', owned: stores });
}

async function close(): Promise<void> {
  const { internalErrors } = venue;
  await stores.whileTimePasses(venue.close());
  expect(internalErrors).toEqual([]);
}

async function restart(): Promise<void> {
  await close();
  stores = new OwnedStores(stores.time, stores.copies());
  await open();
  owner = await owner.on(client());
  await stores.time.advance(STEP_MS);
}

function client(): VenueUnderTest {
  return { ...venue, call: (id, request) => stores.whileWaiting(venue.call(id, request)) };
}

/** Lets the ledger finish what the request starts. */
async function pass<Value>(response: Promise<Value>): Promise<Value> {
  const value = await response;
  await stores.time.advance(STEP_MS);
  return value;
}

function confirm(idempotencyKey: string, body: Sent): Promise<VenueResponse> {
  return owner.call('confirmWithdrawal', { params: { withdrawalId }, body: { withdrawalId, ...body }, idempotencyKey });
}

/** The signature of the step that is due. */
async function signed(): Promise<Sent> {
  const { signingStep, challenge } = (await confirm('prepare', { action: 'initiate' })).body;
  return { action: 'complete', signingStep, ...owner.approval(challenge) };
}

async function entries(): Promise<readonly string[]> {
  const all = await venue.settlement!.local.entries({ afterOffset: 0, limit: MAX_PAGE });
  return all.map(({ command }) => command.step);
}

/** What must not change, beside what the response says. */
async function moved() {
  return { entries: await entries(), sequence: venue.sequence(), state: venue.stateDigest() };
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
  await pass(confirm('a', consent));
  const before = await moved();
  const { status, body } = await confirm('a', consent);
  expect([status, body]).toMatchObject([200, payoutIsDue]);
  expect(body.challenge.challengeIdentifier).not.toBe(consent.challengeIdentifier);
  expect(await moved()).toEqual(before);
});

test('refuses the used challenge under another key, and another body under the key', async () => {
  const consent = await signed();
  await pass(confirm('a', consent));
  const before = await moved();
  expect((await confirm('b', consent)).body).toMatchObject(conflict);
  const other = await confirm('a', { ...consent, signingStep: 'owner_offer_acceptance' });
  expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
  expect(await moved()).toEqual(before);
});

test('takes the key again for the next challenge', async () => {
  const consent = await signed();
  await pass(confirm('a', consent));
  const acceptance = await signed();
  expect((await pass(confirm('a', acceptance))).status).toBe(200);
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
  const responses = await Promise.all(Array.from({ length: 8 }, () => confirm('a', consent)));
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
  await stores.time.advance(STEP_MS);
  expect((await entries()).filter((step) => step === 'owner_withdrawal_consent')).toHaveLength(1);
});

test('returns what is due after a restart, until the key has expired', async () => {
  const consent = await signed();
  await pass(confirm('a', consent));
  await restart();
  const before = await entries();
  const { status, body } = await confirm('a', consent);
  expect([status, body]).toMatchObject([200, payoutIsDue]);
  expect((await confirm('b', consent)).body).toMatchObject(conflict);
  expect(await entries()).toEqual(before);
  await pass(confirm('c', await signed()));
  await restart();
  expect((await confirm('a', consent)).body).toMatchObject(isSettled);
  stores.time.pass(IDEMPOTENCY_LIMITS.retentionMs);
  await stores.time.advance(STEP_MS);
  owner = await owner.on(client());
  expect((await confirm('a', consent)).body).toMatchObject({ code: 'withdrawal_state_conflict' });
});
