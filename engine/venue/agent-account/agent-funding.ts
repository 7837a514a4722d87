/**
 * A funding: cash that moves once between an owner and one of its agent accounts, after the owner has signed exactly this. Created ones
 * expire, approved ones do not.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';

export const AGENT_FUNDING_DIRECTIONS = ['owner_to_agent', 'agent_to_owner'] as const;
export type AgentFundingDirection = (typeof AGENT_FUNDING_DIRECTIONS)[number];

/** A funding that was neither moved nor dropped after its expiry. */
export interface AgentFunding {
  readonly transferId: string;
  /** The account of the owner. */
  readonly account: AccountOrdinal;
  readonly agentAccount: AccountOrdinal;
  readonly direction: AgentFundingDirection;
  readonly amountAtoms: QuoteAtoms;
  /** From this time on it cannot be approved any more. It does not matter once it is approved. */
  readonly expiresAtEpochMs: EpochMs;
  readonly isApproved: boolean;
}

/** An approved one never expires. */
export function isExpired({ isApproved, expiresAtEpochMs }: AgentFunding, now: EpochMs): boolean {
  return !isApproved && now >= expiresAtEpochMs;
}
