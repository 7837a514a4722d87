/**
 * The commands of fundings: created, approved by the owner's signature, then moved. Approval and movement are commands of their own: an
 * approval is durable before money moves, and what was approved can be finished after a crash or a refusal.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { AgentFundingEvent } from '#venue/event/agent-funding-events.ts';
import type { Refusal } from '#venue/refusal.ts';
import { transferCash } from '#venue/transfer/transfer.ts';
import type { Turn } from '#venue/turn.ts';
import { AGENT_FUNDING_DIRECTIONS, type AgentFunding, type AgentFundingDirection, isExpired } from './agent-funding.ts';
import { checkMovable, checkRoute, isUnmovable, routeOf } from './funding-gate.ts';

export interface CreateAgentFunding {
  readonly type: 'CreateAgentFunding';
  /** The account of the owner. */
  readonly account: AccountOrdinal;
  readonly agentAccount: AccountOrdinal;
  /** Random. Refused for good after its first use. */
  readonly transferId: string;
  readonly direction: AgentFundingDirection;
  readonly amountAtoms: QuoteAtoms;
  readonly expiresAtEpochMs: EpochMs;
}

/** A passkey of the owner signed the intent of this digest. The caller has verified the signature. */
export interface ApproveAgentFunding {
  readonly type: 'ApproveAgentFunding';
  readonly account: AccountOrdinal;
  readonly transferId: string;
  readonly credentialId: string;
  /** SHA-256 of the intent, in hex. */
  readonly intentDigest: string;
}

/** Moves the money of an approved funding, once. */
export interface MoveAgentFunding {
  readonly type: 'MoveAgentFunding';
  readonly account: AccountOrdinal;
  readonly transferId: string;
}

export type AgentFundingCommand = CreateAgentFunding | ApproveAgentFunding | MoveAgentFunding;

export const AGENT_FUNDING_COMMANDS: CommandRules<AgentFundingCommand> = {
  CreateAgentFunding: {
    plan: planCreation,
    commit: (turn, { type: _, ...intent }) => emitFunding(turn, { type: 'AgentFundingCreated', ...intent }),
    layout: {
      tag: 76,
      fields: (io, it) => ({
        type: 'CreateAgentFunding',
        account: io.int(it.account),
        agentAccount: io.int(it.agentAccount),
        transferId: io.text(it.transferId),
        direction: io.oneOf(AGENT_FUNDING_DIRECTIONS, it.direction),
        amountAtoms: io.int(it.amountAtoms),
        expiresAtEpochMs: io.int(it.expiresAtEpochMs),
      }),
    },
  },
  ApproveAgentFunding: {
    plan: planApproval,
    commit: (turn, { type: _, ...approval }) => emitFunding(turn, { type: 'AgentFundingApproved', ...approval }),
    layout: {
      tag: 77,
      fields: (io, it) => ({
        type: 'ApproveAgentFunding',
        account: io.int(it.account),
        transferId: io.text(it.transferId),
        credentialId: io.text(it.credentialId),
        intentDigest: io.text(it.intentDigest),
      }),
    },
  },
  MoveAgentFunding: {
    plan: planMovement,
    commit: commitMovement,
    layout: {
      tag: 78,
      fields: (io, it) => ({ type: 'MoveAgentFunding', account: io.int(it.account), transferId: io.text(it.transferId) }),
    },
  },
};

/** The maximum number of fundings of an owner that are approved, or can still be. */
export const MAX_PENDING_AGENT_FUNDINGS = 100;
export const MAX_AGENT_FUNDING_LIFETIME_MS = 86_400_000;

const TRANSFER_ID = /^[A-Za-z0-9_-]{16,64}$/;
const SHA256_HEX = /^[0-9a-f]{64}$/;

export function planCreation(turn: Turn, command: CreateAgentFunding): Refusal | undefined {
  const { account, transferId, amountAtoms, expiresAtEpochMs } = command;
  const { agentFundings } = turn.state;
  const refusal = checkRoute(turn, command);
  if (refusal !== undefined) return refusal;
  if (amountAtoms < 1) return { code: 'amount_out_of_bounds', bound: 1 };
  const lifetimeMs = expiresAtEpochMs - turn.now;
  const isValid = TRANSFER_ID.test(transferId) && lifetimeMs > 0 && lifetimeMs <= MAX_AGENT_FUNDING_LIFETIME_MS;
  if (!isValid) return { code: 'agent_funding_invalid' };
  if (agentFundings.isUsed(transferId)) return { code: 'agent_funding_exists' };
  const isFull = agentFundings.pending(account, turn.now).length >= MAX_PENDING_AGENT_FUNDINGS;
  return isFull ? { code: 'too_many_agent_fundings', bound: MAX_PENDING_AGENT_FUNDINGS } : undefined;
}

/** What cannot move now is not approved either, so that an approved funding is one that could move. */
export function planApproval(turn: Turn, command: ApproveAgentFunding): Refusal | undefined {
  const { account, credentialId, intentDigest } = command;
  const found = openFunding(turn, command);
  if ('code' in found) return found;
  if (found.isApproved) return { code: 'agent_funding_state_conflict' };
  if (isExpired(found, turn.now)) return { code: 'agent_funding_expired' };
  const passkey = turn.state.owners.of(account)?.passkeys.get(credentialId);
  if (passkey?.kind !== 'passkey') return { code: 'passkey_not_found' };
  return SHA256_HEX.test(intentDigest) ? checkMovable(turn, found) : { code: 'agent_funding_invalid' };
}

export function planMovement(turn: Turn, command: MoveAgentFunding): Refusal | undefined {
  const found = openFunding(turn, command);
  if ('code' in found) return found;
  return found.isApproved ? checkMovable(turn, found) : { code: 'agent_funding_state_conflict' };
}

export function commitMovement(turn: Turn, { account, transferId }: MoveAgentFunding): void {
  const funding = turn.state.agentFundings.find(transferId)!;
  const { agentAccount, amountAtoms } = funding;
  emitFunding(turn, { type: 'AgentFundingMoved', transferId, account, agentAccount });
  transferCash(turn, { ...routeOf(funding), amountAtoms, reference: transferId });
}

/** Ends the fundings that can never move because `retired` was retired: at most {@link MAX_PENDING_AGENT_FUNDINGS}. */
export function refuseUnmovable(turn: Turn, retired: AccountOrdinal): void {
  const { agentAccounts, agentFundings } = turn.state;
  for (const funding of agentFundings.pending(agentAccounts.ownerOf(retired) ?? retired, turn.now)) {
    if (!isUnmovable(turn, funding)) continue;
    const { transferId, account, agentAccount } = funding;
    emitFunding(turn, { type: 'AgentFundingRefused', transferId, account, agentAccount });
  }
}

/** The open funding of the owner, or the refusal if it has no such funding. Another owner's is refused as an unknown one. */
function openFunding(
  { state }: Turn,
  { account, transferId }: Pick<ApproveAgentFunding, 'account' | 'transferId'>,
): AgentFunding | Refusal {
  if (state.account(account) === undefined) return { code: 'account_not_found' };
  const funding = state.agentFundings.find(transferId);
  if (funding?.account === account) return funding;
  const isEnded = funding === undefined && state.agentFundings.isUsed(transferId);
  return { code: isEnded ? 'agent_funding_state_conflict' : 'agent_funding_not_found' };
}

function emitFunding(turn: Turn, event: AgentFundingEvent): void {
  turn.state.agentFundings.take(event, turn.now);
  turn.events.emit(event);
}
