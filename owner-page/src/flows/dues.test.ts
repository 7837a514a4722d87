/** What is due for each response of the venue. */
import { expect, test } from 'vitest';
import type { Challenge, ConsentState, Deposit, DepositSigning, Withdrawal } from '#owner-page/src/venue/resources.ts';
import { dueOfFunding } from './agent-funding.ts';
import { dueOfDeposit } from './deposit.ts';
import { dueOfConsent, dueOfSetupStep } from './setup.ts';
import { dueOfWithdrawal, dueOfWithdrawalSigning } from './withdrawal.ts';

const CHALLENGE: Challenge = { challenge: 'AA', challengeIdentifier: 'id', allowCredentials: { key: [], webauthn: [] } };

function deposit(status: Deposit['status'], signingStep: string | null = null): DepositSigning {
  const challenge = signingStep === null ? null : CHALLENGE;
  return {
    status,
    signingStep,
    challenge,
    deposit: { depositId: 'dep-1', fundingIntentId: 'intent-1', amountAtoms: '1', status },
  };
}

test.each([
  [deposit('bound'), { by: 'venue', waitsFor: expect.stringMatching(/prepares/) }],
  [deposit('bound', 'owner_offer_acceptance'), { by: 'owner', step: 'owner_offer_acceptance', challenge: CHALLENGE }],
  [deposit('submitted'), { by: 'venue', waitsFor: expect.stringMatching(/confirms/) }],
  [deposit('submitted_unknown'), { by: 'venue', waitsFor: expect.stringMatching(/moves once/) }],
  [deposit('ledger_confirmed'), { by: 'none', result: 'done', message: expect.stringMatching(/confirmed/) }],
])('a deposit %#', (response, due) => {
  expect(dueOfDeposit(response)).toEqual(due);
});

function withdrawal(changes: Partial<Withdrawal>): Withdrawal {
  return {
    withdrawalId: 'withdrawal-1',
    amount: '1',
    status: 'requested',
    settled: false,
    dueSigningStep: null,
    reason: null,
    ...changes,
  };
}

test.each([
  [withdrawal({}), { by: 'venue' }],
  [withdrawal({ status: 'reserved' }), { by: 'authorization' }],
  [withdrawal({ status: 'authorized' }), { by: 'signing' }],
  [withdrawal({ status: 'submitted' }), { by: 'signing' }],
  [withdrawal({ status: 'submitted', settled: true }), { by: 'none', result: 'done' }],
  [
    withdrawal({ status: 'blocked', reason: 'expired' }),
    { by: 'none', result: 'stopped', message: expect.stringMatching(/expired.*back/) },
  ],
])('a withdrawal %#', (resource, due) => {
  expect(dueOfWithdrawal(resource)).toMatchObject(due);
});

test('a signing response of a withdrawal', () => {
  const payout = { payoutOfferExpiresAtEpochMs: null };
  const signing = {
    status: 'approval_required',
    signingStep: 'owner_withdrawal_consent',
    challenge: CHALLENGE,
    withdrawal: payout,
  };
  expect(dueOfWithdrawalSigning(signing)).toEqual({ by: 'owner', step: 'owner_withdrawal_consent', challenge: CHALLENGE });
  expect(dueOfWithdrawalSigning({ ...signing, challenge: null })).toMatchObject({ by: 'venue' });
});

test('a step of the set-up', () => {
  expect(dueOfSetupStep('party', { status: 'allocating', challenge: null })).toMatchObject({ by: 'venue' });
  expect(dueOfSetupStep('party', { status: 'approval_required', challenge: CHALLENGE })).toMatchObject({
    by: 'owner',
    step: 'party',
  });
  expect(dueOfSetupStep('wallet', { status: 'active', challenge: null })).toEqual({ by: 'next_step' });
});

function consent(consentState: string, challenge: Challenge | null = null, step?: string): ConsentState {
  return { consentState, challenge, failure: step === undefined ? null : { step, reason: 'package_absent' } };
}

test.each([
  [consent('absent', CHALLENGE), { by: 'owner', step: 'consent' }],
  [consent('pending'), { by: 'venue', waitsFor: expect.stringMatching(/records/) }],
  [consent('absent', null, 'package_check'), { by: 'none', result: 'stopped', message: expect.stringMatching(/later/) }],
  [consent('absent', CHALLENGE, 'package_check'), { by: 'owner', step: 'retry_consent' }],
  [consent('present', CHALLENGE), { by: 'owner', step: 'retire_key' }],
  [consent('present'), { by: 'none', result: 'done' }],
  [consent('revoked'), { by: 'none', result: 'stopped' }],
  [consent('revoked', CHALLENGE), { by: 'owner', step: 'renew_consent' }],
])('the consent %#', (response, due) => {
  expect(dueOfConsent(response)).toMatchObject(due);
});

test.each([
  [
    { status: 'approval_required', challenge: CHALLENGE },
    { by: 'owner', step: 'approval', challenge: CHALLENGE },
  ],
  [
    { status: 'owner_signature_required', challenge: null },
    { by: 'none', result: 'stopped' },
  ],
  [
    { status: 'submitted', challenge: null },
    { by: 'venue', waitsFor: expect.stringMatching(/moves the money/) },
  ],
  [
    { status: 'credited', challenge: null },
    { by: 'none', result: 'done' },
  ],
  [
    { status: 'expired', challenge: null },
    { by: 'none', result: 'stopped', message: expect.stringMatching(/create it again/) },
  ],
  [
    { status: 'refused', challenge: null },
    { by: 'none', result: 'stopped', message: expect.stringMatching(/never moves/) },
  ],
] as const)('a funding of an agent account %#', (response, due) => {
  expect(dueOfFunding(response, 'owner_to_agent')).toMatchObject(due);
});
