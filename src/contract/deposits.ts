/** Deposits: money of the external ledger that becomes cash of the account, by commands that the owner signs (2.9, 4.4). */
import * as z from 'zod';
import { depositId, fundingIntentId } from './faucet.ts';
import { accountId, accountParams, atoms, idInput, settlementAsset } from './fields.ts';
import type { Operation } from './operation.ts';
import { approvalFields, signingChallenge } from './signing.ts';

const DEPOSIT_STEPS = ['treasury_offer', 'owner_offer_acceptance', 'owner_account_acceptance', 'offer_withdrawal'] as const;
/** The steps that the owner signs. */
export const DEPOSIT_SIGNING_STEPS = ['owner_offer_acceptance', 'owner_account_acceptance'] as const;

const step = z.enum(DEPOSIT_STEPS).meta({
  id: 'DepositStep',
  description:
    'treasury_offer: the venue offers the money. owner_offer_acceptance: the owner accepts the offer. owner_account_acceptance: the owner ' +
    'transfers the money to the venue. offer_withdrawal: the venue withdraws an offer that has expired or could not be accepted.',
});

export const deposit = z
  .strictObject({
    version: z.literal('local-signing/v2'),
    environment: z.enum(['local', 'development']),
    adminCommandId: z.string().meta({ description: "The venue's command that created the funding intent." }),
    fundingIntentId,
    depositId,
    engineCommandId: z.string().meta({ description: "The venue's command that credits the account; it is carried out once." }),
    accountId,
    partyId: z.string(),
    asset: settlementAsset,
    amountAtoms: atoms,
    plannedLedgerCommands: z.array(z.strictObject({ step, commandId: z.string() })).meta({
      description:
        'The commands of the external ledger that are still to be carried out, in order. commandId is the name that the venue gives a command; its id on the ledger is not published.',
    }),
    status: z.enum(['bound', 'submitted', 'submitted_unknown', 'ledger_confirmed']).meta({
      description:
        'bound: a step is to be approved or prepared. submitted: the external ledger has a step and has not confirmed it. submitted_unknown: it ' +
        'has not answered, and may or may not have the step. ledger_confirmed: the account is credited.',
    }),
    ledgerOutcome: z
      .strictObject({
        step,
        outcome: z.enum(['sequenced_accepted', 'sequenced_rejected']),
        guard: z.enum(['completion_accepted', 'completion_rejected']),
      })
      .nullable()
      .meta({ description: 'The newest outcome on the external ledger; null before the first one.' }),
  })
  .meta({ id: 'Deposit' });
export type DepositResource = z.infer<typeof deposit>;

export const depositConfirmation = z
  .strictObject({
    version: z.literal('local-signing/v2'),
    status: z.enum(['approval_required', 'bound', 'submitted', 'submitted_unknown', 'ledger_confirmed']).meta({
      description: 'approval_required: the owner signs the challenge. Otherwise the status of the deposit: repeat initiate.',
    }),
    signingStep: z.enum(DEPOSIT_SIGNING_STEPS).nullable(),
    challenge: signingChallenge.nullable(),
    deposit,
  })
  .meta({ id: 'DepositConfirmation' });
export type DepositConfirmation = z.infer<typeof depositConfirmation>;

/** For `initiate` and `complete` of deposits and withdrawals. */
export function signingAction<Step extends string>(steps: readonly [Step, ...Step[]]) {
  const { challengeIdentifier, firstFactor } = approvalFields;
  return {
    action: z.enum(['initiate', 'complete']).meta({
      description:
        'initiate: prepares the step that is due. complete: sends its signature, with signingStep, challengeIdentifier and firstFactor.',
    }),
    signingStep: z.enum(steps).optional(),
    challengeIdentifier: challengeIdentifier.optional(),
    firstFactor: firstFactor.optional(),
  };
}

interface Signing {
  readonly action: 'initiate' | 'complete';
  readonly signingStep?: string | undefined;
  readonly challengeIdentifier?: string | undefined;
  readonly firstFactor?: unknown;
}

/** Adds a fault if the fields do not fit the action. */
export function checkSigningFields(body: Signing, context: z.core.$RefinementCtx): void {
  for (const field of ['signingStep', 'challengeIdentifier', 'firstFactor'] as const) {
    const isGiven = body[field] !== undefined;
    if (body.action === 'complete' && !isGiven)
      context.addIssue({ code: 'custom', path: [field], message: 'is required if action is complete' });
    if (body.action === 'initiate' && isGiven && field !== 'signingStep')
      context.addIssue({ code: 'custom', path: [field], message: 'must be absent if action is initiate' });
  }
}

const confirmationBody = z
  .strictObject({ depositId: idInput, ...signingAction(DEPOSIT_SIGNING_STEPS) })
  .superRefine(checkSigningFields)
  .meta({ id: 'DepositConfirmationRequest' });

const MONEY_REFUSALS = ['account_forbidden', 'intake_paused', 'capability_unavailable', 'venue_busy', 'venue_halted'] as const;

const owned = { group: 'Accounts', method: 'POST', access: 'session:passkey', limit: 'signing', params: accountParams } as const;

export const prepareDeposit = {
  ...owned,
  id: 'prepareDeposit',
  path: '/v1/accounts/{accountId}/deposits',
  summary: 'Prepare a deposit',
  description:
    'Makes a deposit from a funding intent, once: repeating it returns the same deposit. The venue then offers the money on the external ledger, ' +
    'and POST /v1/accounts/{accountId}/deposits/confirm takes the owner through the approvals.',
  body: z.strictObject({ fundingIntentId: idInput }).meta({ id: 'DepositRequest', 'x-openperp-ours': true }),
  success: { status: 200, schema: deposit, description: 'The deposit.' },
  refusals: [
    ...MONEY_REFUSALS,
    'account_retired',
    'account_legacy_excluded',
    'account_not_enabled',
    'funding_intent_not_found',
    'amount_out_of_bounds',
  ],
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const confirmDeposit = {
  ...owned,
  id: 'confirmDeposit',
  path: '/v1/accounts/{accountId}/deposits/confirm',
  summary: 'Prepare or complete the deposit step due',
  description:
    'initiate returns the challenge of the step that the owner approves next, or the deposit if none is due. complete executes the exact ' +
    'command of that challenge. Another, used or expired challenge moves nothing: the response then has a fresh one. Repeat initiate until ' +
    'the status is ledger_confirmed.',
  startsLedgerStep: true,
  body: confirmationBody,
  example: { body: { action: 'initiate', depositId: 'dep-1' } },
  success: { status: 200, schema: depositConfirmation, description: 'The step that is due, and the deposit.' },
  refusals: [...MONEY_REFUSALS, 'deposit_not_found', 'deposit_state_conflict', 'signature_rejected', 'no_usable_passkey'],
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const depositOperations = { prepareDeposit, confirmDeposit };
