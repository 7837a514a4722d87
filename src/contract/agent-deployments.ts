/**
 * Deployments of agents (2.11): a reviewed draft that trades on paper in one market, bound to an agent account. Its paper orders are
 * entries of the action log, which `agent-actions.ts` declares.
 */
import * as z from 'zod';
import { digest, ofAgents, REFUSALS_OF_CHANGE } from './agent-drafts.ts';
import {
  accountId,
  accountParams,
  atoms,
  boundedText,
  epochMs,
  freshness,
  idInput,
  listInput,
  marketId,
  numberedId,
  ours,
  wholeNumberInput,
} from './fields.ts';
import { ACCOUNT_PAGE } from './limits.ts';
import { DEPLOYMENT_TIMEFRAMES } from './markets.ts';
import type { Operation } from './operation.ts';
import { positionSnapshot } from './positions.ts';

export const MAX_HISTORY_BARS = 5_000;
/** Inputs of one deployment, and the characters of a text among them. */
const MAX_INPUTS = 40;
const MAX_INPUT_LENGTH = 100;

const inputRequest = z.strictObject({
  name: boundedText(MAX_INPUT_LENGTH),
  value: z.union([z.number(), z.boolean(), boundedText(MAX_INPUT_LENGTH)]),
});
const chosenInput = z
  .strictObject({ name: z.string(), value: z.union([z.number(), z.boolean(), z.string()]) })
  .meta({ id: 'ScriptInput', 'x-openperp-ours': true });
export type ScriptInput = z.infer<typeof chosenInput>;

export const agentDeployment = z
  .strictObject({
    deploymentId: numberedId,
    ownerAccountId: accountId,
    agentAccountId: ours(accountId, 'The agent account that it is bound to.'),
    draftId: ours(numberedId, 'The draft that it runs, which may have been removed after the end.'),
    strategySource: z.string(),
    strategyVersion: z.string().meta({ description: 'The SHA-256 of the script.' }),
    reviewDigest: ours(digest, 'Of the review that the owner had confirmed.'),
    marketId,
    mode: z.literal('paper'),
    state: z.enum(['pending', 'running', 'stopped', 'failed']).meta({
      description:
        'pending: created, its run has not started. stopped: by its owner. failed: its run ended. Nothing follows the last two.',
    }),
    stateVersion: z.int().min(1).meta({ description: '1 at first, and one more with each change of the state.' }),
    stateReason: ours(z.string(), 'Why it has this state; empty without a reason.'),
    parameters: z.strictObject({
      orderSizeAtoms: atoms.meta({ description: 'The quantity of an order for which the script names none.' }),
      timeframe: z.enum(DEPLOYMENT_TIMEFRAMES),
      historyBars: z.int().min(1).meta({ description: 'The candles before the first one that it acts on.' }),
      inputs: ours(z.array(chosenInput), 'The value of each input of the script, by name.'),
    }),
    createdAtEpochMs: epochMs,
    updatedAtEpochMs: epochMs,
    modelId: z.string().meta({ description: 'The interpreter of scripts and its version. No language model is called.' }),
    fallbackModelId: z.string().nullable().meta({ description: 'Always null: no other interpreter runs a script.' }),
  })
  .meta({ id: 'AgentDeployment' });
export type AgentDeploymentResource = z.infer<typeof agentDeployment>;

/** A deployment as the response to a request about it alone. */
export const singleAgentDeployment = z
  .strictObject({ version: z.literal('external-agent-deployment/v1'), deployment: agentDeployment })
  .meta({ id: 'SingleAgentDeployment', 'x-openperp-ours': true });
export type SingleAgentDeployment = z.infer<typeof singleAgentDeployment>;

export const agentDeploymentList = z
  .strictObject({
    version: z.literal('external-agent-deployment-list/v1'),
    accountId,
    deployments: z.array(agentDeployment).meta({ description: 'Newest first, open and ended.' }),
    nextAfterDeploymentId: numberedId
      .nullable()
      .meta({ description: 'Continues the list when the page is full; otherwise null.' }),
    freshness,
  })
  .meta({ id: 'AgentDeploymentList', 'x-openperp-ours': true });
export type AgentDeploymentList = z.infer<typeof agentDeploymentList>;

const path = '/v1/accounts/{accountId}/agents';
const deploymentPath = `${path}/{deploymentId}` as const;
export const deploymentParams = accountParams.extend({ deploymentId: idInput });

/** The number of an entry in a query string. */
export const afterIdInput = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be a digit string of at most 15 digits')
  .optional();
export const agentPageLimit = ours(wholeNumberInput(1, 200).default(100), 'The maximum number of entries.');

export const createAgentDeployment = {
  ...ofAgents,
  id: 'createAgentDeployment',
  method: 'POST',
  path,
  summary: 'Deploy a draft on paper',
  description:
    'Creates a deployment of a draft whose review is confirmed, bound to an identity-ready agent account of the owner. An owner has at most 20 ' +
    'open ones. Inputs without a value have their defaults. It trades on paper only: no balance, order or position changes.',
  limit: 'settings',
  needsIdempotencyKey: true,
  params: accountParams,
  body: z
    .strictObject({
      agentAccountId: idInput,
      draftId: idInput,
      marketId: idInput,
      timeframe: z.enum(DEPLOYMENT_TIMEFRAMES),
      historyBars: z.int().min(1).max(MAX_HISTORY_BARS),
      orderSizeAtoms: z
        .string()
        .regex(/^[1-9][0-9]{0,14}$/, 'must be a digit string of at most 15 digits, above zero')
        .meta({ maxLength: 15 }),
      inputs: listInput(inputRequest, 0, MAX_INPUTS).default([]),
    })
    .meta({ id: 'AgentDeploymentRequest', 'x-openperp-ours': true }),
  success: { status: 200, schema: singleAgentDeployment, description: 'The deployment.' },
  refusals: [
    ...REFUSALS_OF_CHANGE,
    'agent_account_not_found',
    'agent_account_not_ready',
    'agent_draft_not_found',
    'agent_draft_not_reviewed',
    'unknown_market',
    'agent_deployment_invalid',
    'quantity_out_of_bounds',
    'too_many_agent_deployments',
  ],
} as const satisfies Operation;

export const listAgentDeployments = {
  ...ofAgents,
  id: 'listAgentDeployments',
  method: 'GET',
  path,
  summary: 'List deployments',
  description: 'The deployments of the account, open and ended, newest first.',
  page: ACCOUNT_PAGE,
  params: accountParams,
  query: z.strictObject({
    limit: agentPageLimit,
    afterDeploymentId: afterIdInput.meta({ description: 'The last deploymentId of the previous page.' }),
  }),
  success: { status: 200, schema: agentDeploymentList, description: 'The deployments.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getAgentDeployment = {
  ...ofAgents,
  id: 'getAgentDeployment',
  method: 'GET',
  path: deploymentPath,
  summary: 'Read a deployment',
  description: 'A deployment of the account, open or ended.',
  params: deploymentParams,
  success: { status: 200, schema: singleAgentDeployment, description: 'The deployment.' },
  refusals: ['account_forbidden', 'agent_deployment_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const stopAgentDeployment = {
  ...ofAgents,
  id: 'stopAgentDeployment',
  method: 'POST',
  path: `${deploymentPath}/stop`,
  summary: 'Stop a deployment',
  description:
    'Ends a deployment for good; its paper position stays as it is in the log. Repeating it, also after the run has failed, returns the ' +
    'deployment unchanged. It is possible while agents are off.',
  limit: 'settings',
  params: deploymentParams,
  success: { status: 200, schema: singleAgentDeployment, description: 'The ended deployment.' },
  refusals: ['account_forbidden', 'agent_deployment_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

/** In every environment: where agents are not admitted, it says so. */
export const listAgentPositions = {
  id: 'listAgentPositions',
  group: 'Accounts',
  method: 'GET',
  path: `${deploymentPath}/positions`,
  summary: 'Positions of an agent account',
  description:
    'The open positions of the agent account that the deployment is bound to, with their live risk. They are real positions. The paper position ' +
    'of the deployment is in the paperPnl of its action log.',
  access: 'bearer:agents',
  params: deploymentParams,
  success: { status: 200, schema: positionSnapshot, description: 'The snapshot.' },
  refusals: ['account_forbidden', 'agents_not_admitted', 'agent_deployment_not_found', 'venue_busy', 'venue_halted'],
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const agentDeploymentOperations = {
  createAgentDeployment,
  listAgentDeployments,
  getAgentDeployment,
  stopAgentDeployment,
  listAgentPositions,
};
