/**
 * The action log of a deployment (2.11, 4.6): every change of its state and every paper order, append-only, with the paper ledger. Its
 * amounts are simulated integer atoms from zero, never a balance.
 */
import * as z from 'zod';
import { afterIdInput, agentDeployment, agentPageLimit, deploymentParams } from './agent-deployments.ts';
import { digest } from './agent-drafts.ts';
import { PARTIAL_FEATURES } from './environments.ts';
import { accountId, atoms, epochMs, freshness, numberedId, ours, side, signedAtoms } from './fields.ts';
import { ACCOUNT_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';

/** The paper ledger after an action. */
const ledgerAfter = z
  .strictObject({
    positionBaseAtoms: signedAtoms,
    cashQuoteAtoms: signedAtoms,
    feesQuoteAtoms: signedAtoms,
    fillCount: z.int().min(0),
  })
  .meta({ id: 'PaperLedger', 'x-openperp-ours': true });

const changePayload = z
  .strictObject({ stateVersion: z.int().min(1), reason: z.string(), ledger: ledgerAfter })
  .meta({ id: 'AgentChangePayload', 'x-openperp-ours': true });

const orderPayload = z
  .strictObject({
    marketId: z.string(),
    barEpochMs: epochMs.meta({ description: 'The start of the candle that the script decided on.' }),
    index: z.int().min(0).meta({ description: 'The number of the order at its candle.' }),
    signal: z.string().meta({ description: 'The id that the script gave the order: data of the script.' }),
    side,
    reduceOnly: z.boolean(),
    quantityAtoms: atoms,
    filledBaseAtoms: atoms,
    filledNotionalAtoms: atoms,
    feeAtoms: signedAtoms,
    fills: z.int().min(0),
    worstPriceAtoms: atoms.nullable().meta({ description: 'The price of the last fill; null without one.' }),
    markPriceAtoms: atoms.nullable().meta({ description: 'The mark at the order; null before the first price.' }),
    reason: z.string().meta({
      description: 'Why a quantity did not fill, or `none`: the code that a real market order would have, or paper_limit.',
    }),
    ledger: ledgerAfter,
  })
  .meta({ id: 'PaperOrderPayload', 'x-openperp-ours': true });

export const agentAction = z
  .strictObject({
    actionId: numberedId,
    deploymentId: numberedId,
    ownerAccountId: accountId,
    kind: z.enum(['deployment_started', 'deployment_stopped', 'deployment_failed', 'entry', 'exit', 'close']).meta({
      description: 'A change of the state, or the call of the script that resulted in a paper order.',
    }),
    outcome: z.enum(['applied', 'partially_applied', 'refused']).meta({
      description: 'applied: the whole quantity filled, or the state changed. refused: nothing filled.',
    }),
    payload: z.union([orderPayload, changePayload]),
    payloadDigest: digest.meta({
      description: 'The SHA-256 of the payload as JSON without spaces, in the order of its fields here.',
    }),
    recordedAtEpochMs: epochMs,
    model: z.strictObject({ modelId: z.string(), version: z.string() }).meta({
      description: 'The interpreter that decided, and the version of the script.',
    }),
    sequence: ours(z.int().min(1), 'The record of the journal with the action.'),
  })
  .meta({ id: 'AgentAction' });
export type AgentActionResource = z.infer<typeof agentAction>;

export const paperPnl = z
  .strictObject({
    positionBaseAtoms: signedAtoms.meta({ description: 'Below zero if short.' }),
    cashQuoteAtoms: signedAtoms.meta({ description: 'Sales minus purchases, without fees.' }),
    feesQuoteAtoms: signedAtoms,
    markPriceAtoms: atoms.nullable().meta({ description: 'The mark of the market now; null before its first price.' }),
    equityQuoteAtoms: signedAtoms.meta({ description: 'cashQuoteAtoms plus the position at the mark, minus feesQuoteAtoms.' }),
    fillCount: z.int().min(0),
  })
  .meta({ id: 'PaperPnl', description: 'Simulated, in atoms of the settlement asset, from zero. Never a balance.' });
export type PaperPnl = z.infer<typeof paperPnl>;

export const agentActionLog = z
  .strictObject({
    deployment: agentDeployment,
    actions: z.array(agentAction),
    paperPnl,
    nextAfterActionId: numberedId.nullable().meta({ description: 'Continues the log when the page is full; otherwise null.' }),
    freshness: ours(freshness, 'How current this response is.'),
  })
  .meta({ id: 'AgentActionLog' });
export type AgentActionLog = z.infer<typeof agentActionLog>;

export const listAgentActions = {
  id: 'listAgentActions',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/agents/{deploymentId}/actions',
  summary: 'Action log of a deployment',
  description:
    'Every change of the state and every paper order, with the paper PnL now. Oldest first by default; a page continues after the last ' +
    'actionId of the one before, in its order. To follow the log, continue after the last actionId seen.',
  environments: PARTIAL_FEATURES.agentActionLog.environments,
  access: 'bearer:agents',
  page: ACCOUNT_PAGE,
  params: deploymentParams,
  query: z.strictObject({
    limit: agentPageLimit,
    order: ours(z.enum(['oldest_first', 'newest_first']).default('oldest_first'), 'The order of the page.'),
    afterActionId: afterIdInput.meta({ description: 'The last actionId of the previous page.' }),
  }),
  success: { status: 200, schema: agentActionLog, description: 'A page of the log.' },
  refusals: ['account_forbidden', 'agent_deployment_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const agentActionOperations = { listAgentActions };
