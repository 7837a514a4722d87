/** What the commands of agents share: whether an agent account belongs to the owner, and whether it is identity-ready. */
import type { AccountOrdinal } from '#units/ids.ts';
import { retirementOf } from '#venue/account/account.ts';
import { checkActiveOwner } from '#venue/owner/owner-turn.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';

/** Refuses an account that is not an agent account of the owner; otherwise returns `undefined`. */
export function checkAgentAccount({ state }: Turn, account: AccountOrdinal, agentAccount: AccountOrdinal): Refusal | undefined {
  return state.agentAccounts.ownerOf(agentAccount) === account ? undefined : { code: 'agent_account_not_found' };
}

/**
 * The same, and refuses one that is not identity-ready: the owner has an active party and a consent, and neither account is retired. An
 * agent account is only opened with an active party, which stays active.
 */
export function checkIdentityReady(turn: Turn, account: AccountOrdinal, agentAccount: AccountOrdinal): Refusal | undefined {
  const refusal = checkActiveOwner(turn, account) ?? checkAgentAccount(turn, account, agentAccount);
  if (refusal !== undefined) return refusal;
  const agent = turn.state.account(agentAccount)!;
  if (agent.isRetired) return retirementOf(agent);
  return turn.state.owners.of(account)!.consent.state === 'present' ? undefined : { code: 'agent_account_not_ready' };
}
