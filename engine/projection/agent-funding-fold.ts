/** Fundings of agent accounts by their events. Each event gives the whole state. */
import type { AgentFundingCreated, AgentFundingEvent } from '#venue/event.ts';
import type { AgentFundingRow, AgentFundingStateRow, AgentFundingStatus } from './account-rows.ts';
import type { Moment } from './rows.ts';

export function createdFunding({ type: _, ...intent }: AgentFundingCreated, at: Moment): AgentFundingRow {
  return { ...intent, createdSequence: at.sequence, createdAtEpochMs: at.epochMs };
}

const STATUS_AFTER: Readonly<Record<AgentFundingEvent['type'], AgentFundingStatus>> = {
  AgentFundingCreated: 'prepared',
  AgentFundingApproved: 'submitted',
  AgentFundingMoved: 'credited',
  AgentFundingRefused: 'refused',
};

export function fundingState({ type, transferId }: AgentFundingEvent, { sequence }: Moment): AgentFundingStateRow {
  return { transferId, status: STATUS_AFTER[type], movedSequence: type === 'AgentFundingMoved' ? sequence : null };
}
