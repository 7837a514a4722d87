import { beforeEach, describe, expect, test } from 'vitest';
import { Signer } from '#owner-page/src/ceremonies/signer.ts';
import { MoneyOperations } from '#owner-page/src/venue/money-operations.ts';
import {
  challengeOf,
  MemoryKeyStore,
  RecordedPage,
  ScriptedAuthenticator,
  ScriptedVenue,
} from '#owner-page/testing/scripted-venue.ts';
import { WithdrawalsPanel } from './withdrawals.ts';

const REQUEST = 'POST /v1/withdrawals';
const READ = 'GET /v1/withdrawals/withdrawal-1';
const CONFIRM = 'POST /v1/withdrawals/withdrawal-1/confirm';
const WITHDRAWAL = { withdrawalId: 'withdrawal-1', amount: '12.5', settled: false, dueSigningStep: null, reason: null };
const at = (status: string, changes: object = {}) => ({ ...WITHDRAWAL, status, ...changes });
const EXPIRY = { payoutOfferExpiresAtEpochMs: 1_790_000_000_000 };
const due = (signingStep: string) => ({
  status: 'approval_required',
  signingStep,
  challenge: challengeOf(signingStep),
  withdrawal: EXPIRY,
});
const WAITS = { status: 'submitted', signingStep: null, challenge: null, withdrawal: EXPIRY };

let venue: ScriptedVenue;
let page: RecordedPage;
let withdrawals: WithdrawalsPanel;

beforeEach(() => {
  venue = new ScriptedVenue();
  page = new RecordedPage();
  const signer = new Signer(new ScriptedAuthenticator(), new MemoryKeyStore(), 'acct-7');
  withdrawals = new WithdrawalsPanel(page, signer, new MoneyOperations(venue.client, 'acct-7'));
});

describe('an amount', () => {
  test.each([
    ['13.5', '13500000', undefined, '13.5'],
    ['0013.500', '13500000', undefined, '13.5'],
    ['13.500001', '13500000', /^At most 13.5/, undefined],
    // As doubles, both amounts are 9007199254740993.
    ['9007199254.740993', '9007199254740992', /^At most/, undefined],
    ['1', '13500000', undefined, '1'],
    ['0.999999', '13500000', /^Withdraw at least 1.USD.E, or all of 13.5/, undefined],
    ['0.5', '500000', undefined, '0.5'],
    ['', '13500000', /^Enter an amount/, undefined],
    ['0', '13500000', /^Enter an amount/, undefined],
    ['1e2', '13500000', /^Enter an amount/, undefined],
  ])('%j of %s atoms', (typed, available, failure, amount) => {
    withdrawals.prepare(typed, available, 'party-7');
    expect(withdrawals.inputFailure).toEqual(failure === undefined ? undefined : expect.stringMatching(failure));
    expect(withdrawals.review?.amount).toBe(amount);
    expect(page.focused.at(-1)).toBe(amount === undefined ? 'withdrawal-amount' : 'withdrawal-review');
  });
});

test('a withdrawal is reviewed, reserved, authorized, signed twice and settled', async () => {
  venue.on(REQUEST, at('requested'));
  venue.on(READ, at('requested'), at('reserved'), at('submitted'), at('submitted'), at('submitted', { settled: true }));
  venue.on('POST /v1/withdrawals/withdrawal-1/authorize', at('authorized'));
  venue.on(CONFIRM, due('owner_withdrawal_consent'), WAITS, WAITS, due('owner_offer_acceptance'), WAITS);
  withdrawals.prepare('12.5', '13500000', 'party-7');
  expect(venue.sent).toEqual([]);
  await withdrawals.request();
  expect(venue.bodiesOf(REQUEST)).toEqual([{ accountId: 'acct-7', asset: 'USD.E', amount: '12.5', destination: 'party-7' }]);
  expect(withdrawals.due).toMatchObject({ by: 'owner', step: 'owner_withdrawal_consent' });
  expect(venue.bodiesOf('POST /v1/withdrawals/withdrawal-1/authorize')).toHaveLength(1);
  await withdrawals.approve();
  expect(withdrawals).toMatchObject({ due: { step: 'owner_offer_acceptance' }, payoutOfferExpiresAtEpochMs: 1_790_000_000_000 });
  await withdrawals.approve();
  expect(withdrawals.due).toMatchObject({ by: 'none', result: 'done' });
});

test('a request whose response was lost is repeated under its key', async () => {
  venue.on(REQUEST, new TypeError('Failed to fetch'), at('blocked'));
  venue.on(READ, at('blocked', { reason: 'not_authorized' }));
  withdrawals.prepare('12.5', '13500000', 'party-7');
  await withdrawals.request();
  expect(withdrawals.failure).toMatch(/does not respond/);
  await withdrawals.request();
  expect(withdrawals.due).toMatchObject({
    by: 'none',
    result: 'stopped',
    message: expect.stringMatching(/not_authorized.*back/),
  });
  const keys = venue.sent.filter(({ route }) => route === REQUEST).map(({ idempotencyKey }) => idempotencyKey);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
});

test('an owner who has signed too often reads so', async () => {
  venue.on(REQUEST, at('authorized'));
  venue.on(READ, at('authorized'));
  venue.on(
    CONFIRM,
    due('owner_withdrawal_consent'),
    { status: 429, code: 'rate_limited', isRetryable: true },
    due('owner_withdrawal_consent'),
  );
  withdrawals.prepare('12.5', '13500000', 'party-7');
  await withdrawals.request();
  await withdrawals.approve();
  expect(withdrawals.failure).toMatch(/rate_limited/);
});

test('a refused request is reviewed again under another key', async () => {
  venue.on(REQUEST, { status: 409, code: 'insufficient_cash' });
  for (const _ of [1, 2]) {
    withdrawals.prepare('12.5', '13500000', 'party-7');
    await withdrawals.request();
    expect([withdrawals.failure, withdrawals.review]).toEqual(['refused: insufficient_cash', undefined]);
  }
  expect(new Set(venue.sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
});
