/** Fundings of agent accounts: cash that moves once between an owner and an agent account, after the owner has signed it (2.10, 4.4). */
import * as z from 'zod';
import { agentAccountId, agentAccountParams, ofAgents } from './agent-accounts.ts';
import {
  accountId,
  atoms,
  cursorInput,
  decimal,
  decimalInput,
  epochMs,
  freshness,
  idInput,
  limitInput,
  nextCursor,
  sequence,
  settlementAsset,
} from './fields.ts';
import { ACCOUNT_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';
import { approvalFields, signingChallenge } from './signing.ts';

/** Why an attempt on a funding is refused with 409 (7.3). */
export const AGENT_FUNDING_REFUSALS = [
  'owner_signature_invalid',
  'transfer_eligibility_insufficient',
  'transfer_blocked',
  'account_unavailable',
] as const;
export type AgentFundingRefusal = (typeof AGENT_FUNDING_REFUSALS)[number];

/** How long an owner can approve a funding. */
export const AGENT_FUNDING_LIFETIME_MS = 3_600_000;

const direction = z
  .enum(['owner_to_agent', 'agent_to_owner'])
  .meta({ description: 'owner_to_agent: from the owner to the agent account. agent_to_owner: back.' });
const transferId = z.string().min(1);
const status = z.enum(['prepared', 'submitted', 'credited', 'refused']).meta({
  description:
    'prepared: the owner has not approved it. submitted: approved, and the money has not moved yet. credited: the money has moved, once. ' +
    'refused: one of its accounts was retired, so the money never moves.',
});
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** What a list shows. */
const intent = {
  transferId,
  accountId,
  agentAccountId,
  direction,
  asset: settlementAsset,
  amount: decimal,
  amountAtoms: atoms,
  status,
  expiresAtEpochMs: epochMs.meta({ description: 'From then on it cannot be approved any more. An approved one never expires.' }),
  createdAtEpochMs: epochMs,
};

/** The funding (2.10). */
export const agentFunding = z
  .strictObject({
    ...intent,
    refusalReason: z.enum(AGENT_FUNDING_REFUSALS).nullable().meta({
      description:
        'Why the last attempt was refused; null if none was since the last challenge, the approval, or the start of the venue.',
    }),
    journalRecordOrdinal: sequence
      .nullable()
      .meta({ description: 'The record of the journal that moved the money; null before.' }),
    journalRecordDigest: digest.nullable().meta({
      description:
        'SHA-256 of the bytes of that record in the journal; null before, and once the segment of the journal was moved elsewhere.',
    }),
    intentDigest: digest.meta({ description: 'SHA-256 of what the owner signs: see docs/agent-funding.md.' }),
  })
  .meta({ id: 'AgentFunding' });
export type AgentFundingResource = z.infer<typeof agentFunding>;

export const agentFundingConfirmation = z
  .strictObject({
    status: z.enum(['approval_required', 'owner_signature_required', 'submitted', 'credited', 'refused', 'expired']).meta({
      description:
        'approval_required: the owner signs a challenge, which initiate returns. owner_signature_required: the same, for a bearer that ' +
        'cannot sign. submitted: approved; send initiate again. credited: the money has moved. refused: it never moves, ' +
        'because one of its accounts was retired. expired: it was not approved in time.',
    }),
    funding: agentFunding,
    challenge: signingChallenge.nullable().meta({ description: 'What the owner signs; null if nothing is to be signed.' }),
  })
  .meta({ id: 'AgentFundingConfirmation' });
export type AgentFundingConfirmation = z.infer<typeof agentFundingConfirmation>;

const agentFundingSummary = z.strictObject(intent).meta({ id: 'AgentFundingSummary', 'x-openperp-ours': true });
export type AgentFundingSummary = z.infer<typeof agentFundingSummary>;

export const agentFundingList = z
  .strictObject({
    version: z.literal('external-agent-funding-list/v1'),
    accountId,
    agentAccountId,
    fundings: z.array(agentFundingSummary),
    nextCursor,
    freshness,
  })
  .meta({ id: 'AgentFundingList', 'x-openperp-ours': true });
export type AgentFundingList = z.infer<typeof agentFundingList>;

const fundingBody = z
  .strictObject({ direction: direction.default('owner_to_agent'), amount: decimalInput })
  .meta({ id: 'AgentFundingRequest', 'x-openperp-ours': true });

const { challengeIdentifier, firstFactor } = approvalFields;
const confirmationBody = z
  .strictObject({
    action: z.enum(['status', 'initiate', 'complete']).meta({
      description:
        'status: returns the funding. initiate: returns the challenge, or moves what is approved. complete: sends the signature, with ' +
        'challengeIdentifier and firstFactor; only in a session that a passkey signed in.',
    }),
    challengeIdentifier: challengeIdentifier.optional(),
    firstFactor: firstFactor.optional(),
  })
  .superRefine((body, context) => {
    for (const field of ['challengeIdentifier', 'firstFactor'] as const) {
      const isGiven = body[field] !== undefined;
      if (isGiven === (body.action === 'complete')) continue;
      const message = isGiven ? 'must be absent unless action is complete' : 'is required if action is complete';
      context.addIssue({ code: 'custom', path: [field], message });
    }
  })
  .meta({ id: 'AgentFundingConfirmationRequest' });

const path = '/v1/accounts/{accountId}/agent-accounts/{agentAccountId}/fundings';
const funding = { group: 'Accounts', access: 'bearer:funding' } as const;
const MONEY_REFUSALS = [
  'account_forbidden',
  'account_retired',
  'account_legacy_excluded',
  'agent_account_not_ready',
  'intake_paused',
  'capability_unavailable',
  'venue_busy',
  'venue_halted',
] as const;

export const createAgentFunding = {
  ...funding,
  ...ofAgents,
  access: 'session',
  id: 'createAgentFunding',
  method: 'POST',
  path,
  summary: 'Create a funding of an agent account',
  description:
    'Prepares a movement of cash between the owner and the agent account. Nothing moves: the owner approves exactly this by the confirm ' +
    'operation, within an hour. An owner has at most 100 that are approved, or can still be, so a key cannot create any.',
  limit: 'signing',
  needsIdempotencyKey: true,
  params: agentAccountParams,
  body: fundingBody,
  example: { body: { direction: 'owner_to_agent', amount: '250' } },
  success: { status: 200, schema: agentFunding, description: 'The funding.' },
  refusals: [...MONEY_REFUSALS, 'agent_account_not_found', 'amount_out_of_bounds', 'too_many_agent_fundings'],
  refusalDetails: ['agentRefusal', 'rejectionGuard'],
} as const satisfies Operation;

export const listAgentFundings = {
  ...funding,
  ...ofAgents,
  id: 'listAgentFundings',
  method: 'GET',
  path,
  summary: 'Fundings of an agent account',
  description: 'Newest first. The confirm operation with the action status returns one with the record that moved it.',
  page: ACCOUNT_PAGE,
  params: agentAccountParams,
  query: z.strictObject({ limit: limitInput, cursor: cursorInput }),
  success: { status: 200, schema: agentFundingList, description: 'The fundings.' },
  refusals: ['account_forbidden', 'agent_account_not_found', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const confirmAgentFunding = {
  ...funding,
  id: 'confirmAgentFunding',
  method: 'POST',
  path: `${path}/{transferId}/confirm`,
  summary: 'Read, prepare or complete a funding of an agent account',
  description:
    'initiate returns the challenge that the owner signs, and complete takes the signature: the money moves once. Another, used or expired ' +
    'challenge moves nothing: the response then has a fresh one. A funding that is approved and has not moved stays submitted: initiate moves ' +
    'it without another signature. An API key may send status and initiate.',
  limit: 'signing',
  params: agentAccountParams.extend({ transferId: idInput }),
  body: confirmationBody,
  example: { body: { action: 'status' } },
  success: { status: 200, schema: agentFundingConfirmation, description: 'What is due, and the funding.' },
  refusals: [
    ...MONEY_REFUSALS,
    'agents_not_admitted',
    'agent_funding_not_found',
    'agent_funding_expired',
    'insufficient_cash',
    'passkey_required',
    'passkey_not_found',
    'signature_rejected',
    'no_usable_passkey',
  ],
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const agentFundingOperations = { createAgentFunding, listAgentFundings, confirmAgentFunding };
