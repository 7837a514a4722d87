/** Refusals of agent accounts. */
import { type ErrorEntry, entry } from './error-entry.ts';

export const AGENT_ERRORS = {
  agent_account_invalid: entry(400, 'The label of the agent account is too long.', 'Use at most 64 characters.', 'fix_request'),
  too_many_agent_accounts: entry(409, 'The owner has the maximum number of agent accounts.', 'Use one of them.', 'none'),
  agent_account_not_found: entry(
    404,
    'The account has no agent account with this id.',
    'Check the agentAccountId.',
    'fix_request',
  ),
  agent_account_not_ready: entry(
    409,
    'The agent account is not identity-ready: its owner has no party consent.',
    'Complete the setup of the owner.',
    'complete_party_binding',
  ),
} as const satisfies Record<string, ErrorEntry>;
