/** Agent accounts: accounts that an owner opens for automation. They have the owner's party, and no session or key of their own. */
import * as z from 'zod';
import { PARTIAL_FEATURES } from './environments.ts';
import { accountId, accountParams, atoms, decimal, freshness, idInput, nameInput, settlementAsset } from './fields.ts';
import type { Operation } from './operation.ts';

export const MAX_AGENT_LABEL = 64;

const label = z.string().meta({ description: 'The label that the owner gave the account.' });
export const agentAccountId = accountId.meta({ description: 'The id of the agent account, which is an account of its own.' });

export const openedAgentAccount = z
  .strictObject({
    version: z.literal('external-agent-account-opening/v1'),
    accountId: accountId.meta({ description: 'The account of the owner.' }),
    agentAccountId,
    label,
  })
  .meta({ id: 'AgentAccountOpening', 'x-openperp-ours': true });
export type OpenedAgentAccount = z.infer<typeof openedAgentAccount>;

const agentAccount = z
  .strictObject({
    agentAccountId,
    label,
    status: z.enum(['identity_ready', 'consent_missing', 'retired']).meta({
      description:
        'identity_ready: the owner has an active party and a consent, and neither account is retired. consent_missing: the consent of the ' +
        'owner is not present. retired: this account or that of the owner is retired; its money can only return to the owner.',
    }),
    asset: settlementAsset,
    cashBalanceAtoms: atoms,
    cashBalance: decimal,
  })
  .meta({ id: 'AgentAccount', 'x-openperp-ours': true });
export type AgentAccountResource = z.infer<typeof agentAccount>;

export const agentAccountList = z
  .strictObject({
    version: z.literal('external-agent-account-list/v1'),
    accountId: accountId.meta({ description: 'The account of the owner.' }),
    agentAccounts: z.array(agentAccount),
    freshness,
  })
  .meta({ id: 'AgentAccountList', 'x-openperp-ours': true });
export type AgentAccountList = z.infer<typeof agentAccountList>;

const path = '/v1/accounts/{accountId}/agent-accounts';
/** Absent in the environments that admit no agents. */
export const ofAgents = { isOurs: true, environments: PARTIAL_FEATURES.agents.environments } as const;

export const openAgentAccount = {
  ...ofAgents,
  id: 'openAgentAccount',
  group: 'Accounts',
  method: 'POST',
  path,
  summary: 'Open an agent account',
  description:
    'Opens an account for automation, with the party of the owner, who must have an active one. An owner has at most 20. Its money comes from ' +
    'the owner by fundings, and returns the same way.',
  access: 'session:passkey',
  limit: 'signing',
  needsIdempotencyKey: true,
  params: accountParams,
  body: z.strictObject({ label: nameInput(MAX_AGENT_LABEL) }).meta({ id: 'AgentAccountRequest', 'x-openperp-ours': true }),
  example: { body: { label: 'breakout' } },
  success: { status: 200, schema: openedAgentAccount, description: 'The agent account.' },
  refusals: [
    'account_forbidden',
    'account_retired',
    'account_legacy_excluded',
    'account_not_enabled',
    'too_many_agent_accounts',
    'intake_paused',
    'capability_unavailable',
    'venue_busy',
    'venue_halted',
  ],
} as const satisfies Operation;

export const listAgentAccounts = {
  ...ofAgents,
  id: 'listAgentAccounts',
  group: 'Accounts',
  method: 'GET',
  path,
  summary: 'Agent accounts of the owner',
  description: 'All agent accounts of the account, oldest first, with the retired ones.',
  access: 'bearer:read',
  params: accountParams,
  success: { status: 200, schema: agentAccountList, description: 'The agent accounts.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const agentAccountParams = accountParams.extend({ agentAccountId: idInput });

export const agentAccountOperations = { openAgentAccount, listAgentAccounts };
