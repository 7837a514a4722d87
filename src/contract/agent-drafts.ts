/**
 * Drafts of agents: scripts of an owner with their review. A script that the subset does not fit is refused and not stored. The owner
 * confirms a review by its digest; only then the draft can be deployed.
 */
import * as z from 'zod';
import { PARTIAL_FEATURES } from './environments.ts';
import { scriptRefusal } from './error-envelope.ts';
import { accountId, accountParams, boundedText, epochMs, freshness, idInput, nameInput, numberedId } from './fields.ts';
import type { Operation } from './operation.ts';

export const MAX_SCRIPT_LENGTH = 16_384;
export const MAX_DRAFT_NAME_LENGTH = 64;

/** A SHA-256 in hex. */
export const digest = z.string().regex(/^[0-9a-f]{64}$/);

const input = { name: z.string(), title: z.string() };
const choices = <Entry extends z.ZodType>(entry: Entry) => z.array(entry).nullable();
/** An `input` of the script. */
const scriptParameter = z
  .discriminatedUnion('kind', [
    z.strictObject({
      ...input,
      kind: z.literal(['int', 'float']),
      default: z.number(),
      min: z.number().nullable(),
      max: z.number().nullable(),
      step: z.number().nullable(),
      options: choices(z.number()),
    }),
    z.strictObject({ ...input, kind: z.literal('bool'), default: z.boolean() }),
    z.strictObject({ ...input, kind: z.literal('text'), default: z.string(), options: choices(z.string()) }),
    z.strictObject({ ...input, kind: z.literal('source'), default: z.string(), options: choices(z.string()) }),
  ])
  .meta({ id: 'ScriptParameter', 'x-openperp-ours': true });

export const scriptReview = z
  .strictObject({
    title: z.string(),
    languageVersion: z.int().meta({ description: 'The version of Pine Script that the script names.' }),
    interpreterVersion: z.string(),
    parameters: z.array(scriptParameter),
    sentences: z.array(z.string()).meta({ description: 'What the script will do. Quotations of the script are data.' }),
    ignored: z
      .array(z.strictObject({ name: z.string(), reason: z.string() }))
      .meta({ description: 'Calls and arguments without effect.' }),
    warnings: z.array(z.string()),
    warmUpBars: z.int().min(0).meta({ description: 'Bars that the indicators need first, with the defaults.' }),
    fuelPerBar: z.int().min(0).nullable().meta({ description: 'The largest work on a bar; null if a loop has no known bound.' }),
    cells: z.int().min(0).meta({ description: 'Memory, in cells of eight bytes.' }),
  })
  .meta({ id: 'ScriptReview', 'x-openperp-ours': true });
export type ScriptReviewResource = z.infer<typeof scriptReview>;

const draftFields = {
  draftId: numberedId,
  ownerAccountId: accountId,
  name: z.string(),
  textDigest: digest.meta({ description: 'The SHA-256 of the text in UTF-8.' }),
  confirmedReviewDigest: digest.nullable().meta({ description: 'Of the review that the owner confirmed; null before.' }),
  createdAtEpochMs: epochMs,
};

export const agentDraft = z
  .strictObject({
    version: z.literal('external-agent-draft/v1'),
    ...draftFields,
    text: z.string(),
    review: scriptReview.nullable().meta({ description: 'null if this release refuses a script that an earlier one stored.' }),
    reviewDigest: digest
      .nullable()
      .meta({ description: 'The SHA-256 of the review as JSON without spaces, in the order of its fields here.' }),
    scriptRefusals: z.array(scriptRefusal).meta({ description: 'Empty unless review is null.' }),
  })
  .meta({ id: 'AgentDraft', 'x-openperp-ours': true });
export type AgentDraftResource = z.infer<typeof agentDraft>;

export const listedAgentDraft = z.strictObject(draftFields).meta({ id: 'ListedAgentDraft', 'x-openperp-ours': true });
export type ListedAgentDraft = z.infer<typeof listedAgentDraft>;

export const agentDraftList = z
  .strictObject({
    version: z.literal('external-agent-draft-list/v1'),
    accountId,
    drafts: z.array(listedAgentDraft).meta({ description: 'All of them, oldest first; at most 100.' }),
    freshness,
  })
  .meta({ id: 'AgentDraftList', 'x-openperp-ours': true });
export type AgentDraftList = z.infer<typeof agentDraftList>;

/** Of operations of ours; absent where agents are not admitted. */
export const ofAgents = {
  group: 'Agent access',
  isOurs: true,
  environments: PARTIAL_FEATURES.agents.environments,
  access: 'bearer:agents',
} as const;

const path = '/v1/accounts/{accountId}/agent-drafts';
const draftPath = `${path}/{draftId}` as const;
const draftParams = accountParams.extend({ draftId: idInput });
const REVIEWED = 'Counts in the limit settings, because the script is reviewed for the response.';

/** What may refuse a change of agents, besides what it names. */
export const REFUSALS_OF_CHANGE = [
  'account_forbidden',
  'account_retired',
  'account_legacy_excluded',
  'intake_paused',
  'capability_unavailable',
  'venue_busy',
  'venue_halted',
] as const;

export const draftAgentScript = {
  ...ofAgents,
  id: 'draftAgentScript',
  method: 'POST',
  path,
  summary: 'Draft a script',
  description:
    'Stores a script of the owner, or that of a strategy of the catalogue, and returns it with its review. A script that is refused is not ' +
    'stored: scriptRefusals names line, column, reason and remedy. A changed script is another draft.',
  limit: 'settings',
  needsIdempotencyKey: true,
  params: accountParams,
  body: z
    .strictObject({
      name: nameInput(MAX_DRAFT_NAME_LENGTH),
      text: boundedText(MAX_SCRIPT_LENGTH)
        .refine((text) => text.isWellFormed() && text.length > 0, 'must be well-formed Unicode, and not empty')
        .optional(),
      strategyId: idInput.optional().meta({ description: 'Instead of text: of a strategy whose script is not null.' }),
    })
    .refine(({ text, strategyId }) => (text === undefined) !== (strategyId === undefined), {
      path: ['text'],
      message: 'send either text or strategyId',
    })
    .meta({ id: 'AgentDraftRequest', 'x-openperp-ours': true }),
  example: { body: { name: 'breakout', strategyId: 'donchian-breakout' } },
  success: { status: 200, schema: agentDraft, description: 'The draft.' },
  refusals: [
    ...REFUSALS_OF_CHANGE,
    'owner_not_found',
    'agent_script_refused',
    'unknown_strategy',
    'agent_script_invalid',
    'too_many_agent_drafts',
  ],
  refusalDetails: ['scriptRefusals'],
} as const satisfies Operation;

export const listAgentDrafts = {
  ...ofAgents,
  id: 'listAgentDrafts',
  method: 'GET',
  path,
  summary: 'List drafts',
  description: 'The drafts of the account, without their texts and reviews.',
  params: accountParams,
  success: { status: 200, schema: agentDraftList, description: 'The drafts.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getAgentDraft = {
  ...ofAgents,
  id: 'getAgentDraft',
  method: 'GET',
  path: draftPath,
  summary: 'Read a draft',
  description: `The script with its review by this release. ${REVIEWED}`,
  limit: 'settings',
  params: draftParams,
  success: { status: 200, schema: agentDraft, description: 'The draft.' },
  refusals: ['account_forbidden', 'agent_draft_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const confirmAgentReview = {
  ...ofAgents,
  id: 'confirmAgentReview',
  method: 'POST',
  path: `${draftPath}/review`,
  summary: 'Confirm the review of a draft',
  description:
    'Says that the owner has read this exact review: reviewDigest is that of the draft. Repeating it changes nothing. A release that reviews ' +
    'the script differently needs another confirmation before the next deployment.',
  limit: 'settings',
  params: draftParams,
  body: z.strictObject({ reviewDigest: idInput }).meta({ id: 'AgentReviewConfirmation', 'x-openperp-ours': true }),
  success: { status: 200, schema: agentDraft, description: 'The draft.' },
  refusals: [...REFUSALS_OF_CHANGE, 'agent_draft_not_found', 'agent_review_changed'],
} as const satisfies Operation;

export const removeAgentDraft = {
  ...ofAgents,
  id: 'removeAgentDraft',
  method: 'DELETE',
  path: draftPath,
  summary: 'Remove a draft',
  description: 'A draft that an open deployment runs is not removed. A removed draft is unknown afterwards.',
  limit: 'settings',
  params: draftParams,
  success: { status: 204, description: 'The draft is removed.' },
  refusals: ['account_forbidden', 'agent_draft_not_found', 'agent_draft_in_use', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const agentDraftOperations = {
  draftAgentScript,
  listAgentDrafts,
  getAgentDraft,
  confirmAgentReview,
  removeAgentDraft,
};
