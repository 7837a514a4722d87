/** Events of fundings between owners and their agent accounts. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { AGENT_FUNDING_DIRECTIONS, type AgentFundingDirection } from '#venue/agent-account/agent-funding.ts';
import type { EventLayouts } from '#venue/record/layout.ts';

/** Nothing moves until the owner has approved it. Also ends the owner's expired ones. */
export interface AgentFundingCreated {
  readonly type: 'AgentFundingCreated';
  readonly transferId: string;
  /** The account of the owner. */
  readonly account: AccountOrdinal;
  readonly agentAccount: AccountOrdinal;
  readonly direction: AgentFundingDirection;
  readonly amountAtoms: QuoteAtoms;
  readonly expiresAtEpochMs: EpochMs;
}

/** The owner signed exactly this funding. From now on it does not expire. */
export interface AgentFundingApproved {
  readonly type: 'AgentFundingApproved';
  readonly transferId: string;
  readonly account: AccountOrdinal;
  /** The passkey that signed. */
  readonly credentialId: string;
  /** SHA-256 of the intent that was signed, in hex. */
  readonly intentDigest: string;
}

/** The money has moved: a transfer of cash follows in the same turn. The funding has ended. */
export interface AgentFundingMoved {
  readonly type: 'AgentFundingMoved';
  readonly transferId: string;
  readonly account: AccountOrdinal;
  readonly agentAccount: AccountOrdinal;
}

/** One of its accounts was retired in the same turn, so that the money can never move. The funding has ended, and nothing has moved. */
export interface AgentFundingRefused {
  readonly type: 'AgentFundingRefused';
  readonly transferId: string;
  readonly account: AccountOrdinal;
  readonly agentAccount: AccountOrdinal;
}

export type AgentFundingEvent = AgentFundingCreated | AgentFundingApproved | AgentFundingMoved | AgentFundingRefused;

export const AGENT_FUNDING_EVENTS: EventLayouts<AgentFundingEvent> = {
  AgentFundingCreated: {
    tag: 82,
    fields: (io, it) => ({
      type: 'AgentFundingCreated',
      transferId: io.text(it.transferId),
      account: io.u32(it.account),
      agentAccount: io.u32(it.agentAccount),
      direction: io.oneOf(AGENT_FUNDING_DIRECTIONS, it.direction),
      amountAtoms: io.int(it.amountAtoms),
      expiresAtEpochMs: io.int(it.expiresAtEpochMs),
    }),
  },
  AgentFundingApproved: {
    tag: 83,
    fields: (io, it) => ({
      type: 'AgentFundingApproved',
      transferId: io.text(it.transferId),
      account: io.u32(it.account),
      credentialId: io.text(it.credentialId),
      intentDigest: io.text(it.intentDigest),
    }),
  },
  AgentFundingMoved: {
    tag: 84,
    fields: (io, it) => ({
      type: 'AgentFundingMoved',
      transferId: io.text(it.transferId),
      account: io.u32(it.account),
      agentAccount: io.u32(it.agentAccount),
    }),
  },
  AgentFundingRefused: {
    tag: 85,
    fields: (io, it) => ({
      type: 'AgentFundingRefused',
      transferId: io.text(it.transferId),
      account: io.u32(it.account),
      agentAccount: io.u32(it.agentAccount),
    }),
  },
};
