/** Withdrawals: cash of the account that leaves to the owner's party, by commands that the owner signs (2.5, 2.9, 4.3). */
import * as z from 'zod';
import { checkSigningFields, signingAction } from './deposits.ts';
import { accountId, decimal, decimalInput, idInput, ours, sequence, settlementAsset, textInput } from './fields.ts';
import type { Operation } from './operation.ts';
import { signingChallenge } from './signing.ts';
import { withdrawalState, withdrawalStatus } from './withdrawal-state.ts';

/** The steps that the owner signs. */
export const WITHDRAWAL_SIGNING_STEPS = ['owner_withdrawal_consent', 'owner_offer_acceptance'] as const;

/** The minimum amount. All cash of an account may be withdrawn also below it. */
export const MIN_WITHDRAWAL = '1';

const { withdrawalId, amountAtoms, dueSigningStep, payoutOfferExpiresAtEpochMs, reason } = withdrawalState.shape;
const settled = z
  .boolean()
  .meta({ description: 'Whether the money has reached the party of the owner. Then nothing changes any more.' });

/** The withdrawal (2.5). */
export const withdrawal = z
  .strictObject({
    version: z.literal('external-withdrawal/v1'),
    withdrawalId: z.string().min(1),
    accountId,
    asset: settlementAsset,
    amount: decimal,
    status: withdrawalStatus,
    lastSequence: sequence,
    idempotencyKey: z.string().min(1),
    amountAtoms: ours(amountAtoms, 'The amount in smallest units.'),
    settled: ours(settled, 'Whether the money has reached the party of the owner. Then nothing changes any more.'),
    dueSigningStep: ours(
      dueSigningStep,
      'What the owner signs next by POST /v1/withdrawals/{withdrawalId}/confirm; null if nothing is due.',
    ),
    payoutOfferExpiresAtEpochMs: ours(
      payoutOfferExpiresAtEpochMs,
      'Until when the owner can accept the payout offer; null before it.',
    ),
    reason: ours(reason, 'Why it was blocked, or why its offer is being withdrawn; otherwise null.'),
  })
  .meta({ id: 'Withdrawal' });
export type WithdrawalResource = z.infer<typeof withdrawal>;

export const withdrawalConfirmation = z
  .strictObject({
    version: z.literal('local-signing/v2'),
    status: z.enum(['approval_required', 'requested', 'reserved', 'submitted', 'blocked']).meta({
      description: 'approval_required: the owner signs the challenge. Otherwise the status of the withdrawal.',
    }),
    signingStep: dueSigningStep,
    challenge: signingChallenge.nullable(),
    withdrawal: z
      .strictObject({
        version: z.literal('local-signing/v2'),
        withdrawalId,
        accountId,
        asset: settlementAsset,
        amountAtoms,
        status: withdrawalStatus,
        dueSigningStep,
        payoutOfferExpiresAtEpochMs,
        settled,
      })
      .meta({ id: 'SigningWithdrawal' }),
  })
  .meta({ id: 'WithdrawalConfirmation' });
export type WithdrawalConfirmation = z.infer<typeof withdrawalConfirmation>;

const requestBody = z
  .strictObject({
    accountId: idInput,
    asset: settlementAsset,
    amount: decimalInput,
    destination: textInput(160, 1).meta({ description: 'The party that receives the money: the party of this account.' }),
  })
  .meta({ id: 'WithdrawalRequest' });

const confirmationBody = z
  .strictObject({ withdrawalId: idInput, ...signingAction(WITHDRAWAL_SIGNING_STEPS) })
  .superRefine(checkSigningFields)
  .meta({ id: 'WithdrawalConfirmationRequest' });

const withdrawalParams = z.strictObject({ withdrawalId: idInput });
const MONEY_REFUSALS = ['intake_paused', 'capability_unavailable', 'venue_busy', 'venue_halted'] as const;
const owned = { group: 'Withdrawals', method: 'POST', access: 'session:passkey', limit: 'signing' } as const;

export const requestWithdrawal = {
  ...owned,
  id: 'requestWithdrawal',
  path: '/v1/withdrawals',
  summary: 'Request a withdrawal',
  description:
    'Reserves free cash of the account at once. The money is paid to the party of the account after the owner has authorized and signed it. ' +
    'A withdrawal that is not authorized and signed within 24 hours is blocked, and its cash returns. ' +
    `The minimum is ${MIN_WITHDRAWAL} USD.E; an account with less cash withdraws all of it.`,
  startsLedgerStep: true,
  needsIdempotencyKey: true,
  body: requestBody,
  success: { status: 202, schema: withdrawal, description: 'The withdrawal.' },
  refusals: [
    ...MONEY_REFUSALS,
    'account_forbidden',
    'account_legacy_excluded',
    'account_not_enabled',
    'destination_not_allowed',
    'amount_out_of_bounds',
    'insufficient_cash',
    'too_many_withdrawals',
  ],
  refusalDetails: ['agentRefusal', 'rejectionGuard'],
} as const satisfies Operation;

export const getWithdrawal = {
  id: 'getWithdrawal',
  group: 'Withdrawals',
  method: 'GET',
  path: '/v1/withdrawals/{withdrawalId}',
  summary: 'Read a withdrawal',
  description: 'A withdrawal that the owner requested. Those of the operator are only in the list of transfers.',
  access: 'bearer:read',
  params: withdrawalParams,
  success: { status: 200, schema: withdrawal, description: 'The withdrawal.' },
  refusals: ['withdrawal_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const authorizeWithdrawal = {
  ...owned,
  id: 'authorizeWithdrawal',
  path: '/v1/withdrawals/{withdrawalId}/authorize',
  summary: 'Authorize a withdrawal',
  description:
    'The owner approves the withdrawal by the session. It must be reserved; repeating it changes nothing. Then the owner signs the consent. ' +
    'Needs no body.',
  params: withdrawalParams,
  success: { status: 200, schema: withdrawal, description: 'The withdrawal.' },
  refusals: [...MONEY_REFUSALS, 'withdrawal_not_found', 'withdrawal_state_conflict'],
  refusalDetails: ['agentRefusal', 'withdrawalFailure'],
} as const satisfies Operation;

export const confirmWithdrawal = {
  ...owned,
  id: 'confirmWithdrawal',
  path: '/v1/withdrawals/{withdrawalId}/confirm',
  summary: 'Prepare or complete the withdrawal step due',
  description:
    'initiate returns the challenge of the step that the owner signs next, or the withdrawal if none is due. complete executes the exact ledger ' +
    'command of that challenge, also the acceptance of the payout offer. Another, used or expired challenge moves nothing: the response then ' +
    'has a fresh one. A key may be used again with another challenge. A complete that is repeated with its key, challenge and body returns ' +
    'what is due now.',
  startsLedgerStep: true,
  needsIdempotencyKey: true,
  isRepeatable: true,
  params: withdrawalParams,
  body: confirmationBody,
  example: { body: { action: 'initiate', withdrawalId: 'withdrawal-1' } },
  success: { status: 200, schema: withdrawalConfirmation, description: 'The step that is due, and the withdrawal.' },
  refusals: [
    ...MONEY_REFUSALS,
    'withdrawal_not_found',
    'withdrawal_state_conflict',
    'idempotency_conflict',
    'signature_rejected',
    'no_usable_passkey',
  ],
  refusalDetails: ['agentRefusal', 'withdrawalFailure'],
} as const satisfies Operation;

export const withdrawalOperations = { requestWithdrawal, getWithdrawal, authorizeWithdrawal, confirmWithdrawal };
