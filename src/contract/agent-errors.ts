/** Refusals of agent accounts, drafts and deployments. */
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
  agent_script_invalid: entry(
    400,
    'The script is empty or too long, has no name or a name that is too long, or a digest is not a SHA-256.',
    'Send a script of at most 16,384 characters with a name of at most 64.',
    'fix_request',
  ),
  too_many_agent_drafts: entry(
    409,
    'The owner has the maximum number of drafts.',
    'Remove one of them.',
    'read_account',
    'retry_later',
  ),
  agent_draft_not_found: entry(404, 'The account has no draft with this id.', 'Check the draftId.', 'fix_request'),
  agent_draft_not_reviewed: entry(
    409,
    'The owner has not confirmed the review of the draft.',
    'Confirm the review, then deploy the draft.',
    'none',
  ),
  agent_draft_in_use: entry(409, 'An open deployment runs the draft.', 'Stop the deployment first.', 'none'),
  agent_deployment_invalid: entry(
    400,
    'The deployment has a timeframe, history, parameters, strategy or reason that is missing or too large.',
    'Send values within the published limits.',
    'fix_request',
  ),
  too_many_agent_deployments: entry(
    409,
    'The owner has the maximum number of open deployments.',
    'Stop one of them.',
    'read_account',
    'retry_later',
  ),
  agent_deployment_not_found: entry(404, 'The account has no deployment with this id.', 'Check the deploymentId.', 'fix_request'),
  agent_deployment_ended: entry(409, 'The deployment has ended.', 'Create another deployment.', 'none'),
  agent_state_conflict: entry(
    409,
    'The deployment is not in the state, or not of the state version, that the request expects.',
    'Read the deployment to see its state and its state version.',
    'none',
  ),
  agent_order_invalid: entry(400, 'The paper order has an invalid place or signal.', 'Use an index below 1,000.', 'fix_request'),
  agent_order_repeated: entry(
    409,
    'The deployment has placed the order of this place, or a later one. Nothing was placed again.',
    'Read the action log.',
    'none',
  ),
} as const satisfies Record<string, ErrorEntry>;
