/** Opens an agent account for an owner. It has the owner's party, which an owner activates once and never changes. */
import type { AccountOrdinal } from '#units/ids.ts';
import { openAccount } from '#venue/account/administration.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import { checkActiveOwner } from '#venue/owner/owner-turn.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import { checkParty } from '#venue/transfer/settlement-gate.ts';
import type { Turn } from '#venue/turn.ts';

/** Opens an account that belongs to the owner of `account`. */
export interface OpenAgentAccount {
  readonly type: 'OpenAgentAccount';
  readonly account: AccountOrdinal;
  readonly label: string;
  /** As in `OpenAccount`. */
  readonly digestSeed: number;
}

export type AgentAccountOpeningCommand = OpenAgentAccount;

export const AGENT_ACCOUNT_OPENING_COMMANDS: CommandRules<AgentAccountOpeningCommand> = {
  OpenAgentAccount: {
    plan: planOpening,
    commit: commitOpening,
    layout: {
      tag: 75,
      fields: (io, it) => ({
        type: 'OpenAgentAccount',
        account: io.int(it.account),
        label: io.text(it.label),
        digestSeed: io.u32(it.digestSeed),
      }),
    },
  },
};

/** The maximum number of agent accounts of an owner, with the retired ones, which stay in the state for good. */
export const MAX_AGENT_ACCOUNTS = 20;
/** The maximum length of the label of an agent account, in UTF-16 units: the edge permits half as many characters. */
export const MAX_AGENT_LABEL = 128;

export function planOpening(turn: Turn, { account, label }: OpenAgentAccount): Refusal | undefined {
  const { state } = turn;
  const refusal = checkActiveOwner(turn, account) ?? checkIntake(state.switches, 'register', 'agents');
  if (refusal !== undefined) return refusal;
  if (label.length > MAX_AGENT_LABEL) return { code: 'agent_account_invalid', bound: MAX_AGENT_LABEL };
  const isFull = state.agentAccounts.of(account).length >= MAX_AGENT_ACCOUNTS;
  return (
    checkParty(state.account(account)!) ?? (isFull ? { code: 'too_many_agent_accounts', bound: MAX_AGENT_ACCOUNTS } : undefined)
  );
}

export function commitOpening(turn: Turn, { account, label, digestSeed }: OpenAgentAccount): void {
  const { state, events } = turn;
  const { partyId } = state.account(account)!;
  const { ordinal: agentAccount } = openAccount(turn, { label, partyId, digestSeed });
  state.agentAccounts.add({ agentAccount, account });
  events.emit({ type: 'AgentAccountOpened', agentAccount, account, label });
}
