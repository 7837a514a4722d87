/** Whether a funding may move now: its accounts, the switches of the venue, and the cash of the account that pays. */
import type { AccountOrdinal } from '#units/ids.ts';
import { retirementOf } from '#venue/account/account.ts';
import { checkOwner } from '#venue/owner/owner-turn.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Switches } from '#venue/switches/switches.ts';
import { checkAvailable } from '#venue/transfer/withdrawal.ts';
import type { Turn } from '#venue/turn.ts';
import { checkAgentAccount, checkIdentityReady } from './agent-account-turn.ts';
import type { AgentFunding } from './agent-funding.ts';

type Route = Pick<AgentFunding, 'account' | 'agentAccount' | 'direction'>;

/** The accounts that a funding moves money between, in its direction. */
export function routeOf({ account, agentAccount, direction }: Route): {
  readonly from: AccountOrdinal;
  readonly to: AccountOrdinal;
} {
  return direction === 'owner_to_agent' ? { from: account, to: agentAccount } : { from: agentAccount, to: account };
}

/** Checks the accounts first, so that a refusal for good is not reported as one that may pass. */
export function checkRoute(turn: Turn, route: Route): Refusal | undefined {
  return checkAccounts(turn, route) ?? checkSwitches(turn.state.switches, route);
}

export function checkMovable(turn: Turn, funding: AgentFunding): Refusal | undefined {
  const { from } = routeOf(funding);
  return checkRoute(turn, funding) ?? checkAvailable(turn.state.account(from)!, funding.amountAtoms);
}

/** Whether a retirement of one of its accounts stops it for good: money only returns from and to retired ones, and never if they are legacy. */
export function isUnmovable({ state }: Turn, { account, agentAccount, direction }: Route): boolean {
  const accounts = [account, agentAccount].map((it) => state.account(it)!);
  return accounts.some(({ isRetired, isLegacy }) => isLegacy || (isRetired && direction === 'owner_to_agent'));
}

/**
 * Money enters only an agent account that is identity-ready. It may always return, so that it is not locked in: also after a retirement,
 * because the owner of a retired account may withdraw its cash, unless it is excluded as legacy.
 */
function checkAccounts(turn: Turn, { account, agentAccount, direction }: Route): Refusal | undefined {
  if (direction === 'owner_to_agent') return checkIdentityReady(turn, account, agentAccount);
  const refusal = checkOwner(turn, account) ?? checkAgentAccount(turn, account, agentAccount);
  if (refusal !== undefined) return refusal;
  const { state } = turn;
  const legacy = [account, agentAccount].map((it) => state.account(it)!).find(({ isLegacy }) => isLegacy);
  return legacy && retirementOf(legacy);
}

function checkSwitches(switches: Switches, { direction }: Route): Refusal | undefined {
  const refusal = checkIntake(switches, 'move_money', 'transfers');
  return refusal ?? (direction === 'owner_to_agent' ? checkIntake(switches, 'move_money', 'agents') : undefined);
}
