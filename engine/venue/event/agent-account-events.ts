/** Events of agent accounts. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EventLayouts } from '#venue/record/layout.ts';

/** An account that was opened in the same turn belongs to an owner's agents. Its party is the owner's. */
export interface AgentAccountOpened {
  readonly type: 'AgentAccountOpened';
  readonly agentAccount: AccountOrdinal;
  /** The account of the owner. */
  readonly account: AccountOrdinal;
  readonly label: string;
}

export type AgentAccountEvent = AgentAccountOpened;

export const AGENT_ACCOUNT_EVENTS: EventLayouts<AgentAccountEvent> = {
  AgentAccountOpened: {
    tag: 81,
    fields: (io, it) => ({
      type: 'AgentAccountOpened',
      agentAccount: io.u32(it.agentAccount),
      account: io.u32(it.account),
      label: io.text(it.label),
    }),
  },
};
