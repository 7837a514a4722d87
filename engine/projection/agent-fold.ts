/** Folds the events of agents into their rows. */
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { EMPTY_LEDGER } from '#venue/agent/paper-ledger.ts';
import type {
  AgentDeploymentChanged,
  AgentDeploymentCreated,
  AgentDraftRemoved,
  AgentEvent,
  AgentScriptDrafted,
  AgentScriptReviewed,
  PaperOrderPlaced,
  VenueEvent,
} from '#venue/event.ts';
import { AGENT_EVENTS } from '#venue/event.ts';
import type { AgentActionKind, AgentActionRow, AgentDeploymentRow, AgentDraftRow, AgentDraftStateRow } from './agent-rows.ts';
import type { Moment } from './rows.ts';
import type { Rows } from './table.ts';

export interface AgentTables {
  readonly agentDrafts: Rows<AgentDraftRow>;
  readonly agentDraftStates: Rows<AgentDraftStateRow>;
  readonly agentDeployments: Rows<AgentDeploymentRow>;
  readonly agentActions: Rows<AgentActionRow>;
}

export function isOfAgents(event: VenueEvent): event is AgentEvent {
  return event.type in AGENT_EVENTS;
}

export function foldAgentEvent(model: AgentTables, event: AgentEvent, at: Moment): void {
  switch (event.type) {
    case 'AgentScriptDrafted':
      model.agentDrafts.put(draftedScript(event, at));
      model.agentDraftStates.put(draftState(event, at));
      return;
    case 'AgentScriptReviewed':
    case 'AgentDraftRemoved':
      model.agentDraftStates.put(draftState(event, at));
      return;
    case 'AgentDeploymentCreated':
      model.agentDeployments.put(createdDeployment(event, at));
      return;
    case 'AgentDeploymentChanged': {
      const row = deploymentOf(model, event.deployment);
      model.agentDeployments.put(changedDeployment(row, event, at));
      model.agentActions.put(actionOfChange(row, event, at));
      return;
    }
    case 'PaperOrderPlaced':
      model.agentDeployments.put(tradedDeployment(deploymentOf(model, event.deployment), event, at));
      model.agentActions.put(actionOfOrder(event, at));
      return;
    default:
      event satisfies never;
  }
}

/** An ended deployment has no further events, so such a row is damaged. */
function deploymentOf(model: AgentTables, deployment: AgentDeploymentOrdinal): AgentDeploymentRow {
  const row = model.agentDeployments.find(deployment);
  if (row?.state === 'pending' || row?.state === 'running') return row;
  throw new Error(`an event names deployment ${deployment}, which is ${row?.state ?? 'unknown'}`);
}

function draftedScript({ type: _, ...drafted }: AgentScriptDrafted, at: Moment): AgentDraftRow {
  return { ...drafted, createdAtEpochMs: at.epochMs };
}

function draftState(event: AgentScriptDrafted | AgentScriptReviewed | AgentDraftRemoved, at: Moment): AgentDraftStateRow {
  const { draft, account, type } = event;
  const isReviewed = type === 'AgentScriptReviewed';
  return {
    draft,
    account,
    reviewDigest: isReviewed ? event.reviewDigest : '',
    reviewedAtEpochMs: isReviewed ? at.epochMs : null,
    isRemoved: type === 'AgentDraftRemoved' ? 1 : 0,
  };
}

function createdDeployment({ type: _, ...created }: AgentDeploymentCreated, at: Moment): AgentDeploymentRow {
  return {
    ...created,
    ...EMPTY_LEDGER,
    state: 'pending',
    stateVersion: 1,
    reason: '',
    lastBarEpochMs: 0 as EpochMs,
    lastIndex: -1,
    createdAtEpochMs: at.epochMs,
    updatedAtEpochMs: at.epochMs,
    lastSequence: at.sequence,
  };
}

function changedDeployment(
  row: AgentDeploymentRow,
  { state, stateVersion, reason }: AgentDeploymentChanged,
  { epochMs: updatedAtEpochMs, sequence: lastSequence }: Moment,
): AgentDeploymentRow {
  return { ...row, state, stateVersion, reason, updatedAtEpochMs, lastSequence };
}

function tradedDeployment(
  row: AgentDeploymentRow,
  { barEpochMs: lastBarEpochMs, index: lastIndex, ledger }: PaperOrderPlaced,
  { epochMs: updatedAtEpochMs, sequence: lastSequence }: Moment,
): AgentDeploymentRow {
  return { ...row, ...ledger, lastBarEpochMs, lastIndex, updatedAtEpochMs, lastSequence };
}

const KIND_OF_CHANGE: Readonly<Record<AgentDeploymentChanged['state'], AgentActionKind>> = {
  running: 'deployment_started',
  stopped: 'deployment_stopped',
  failed: 'deployment_failed',
};

const NO_ORDER = {
  barEpochMs: null,
  barIndex: null,
  signal: null,
  side: null,
  quantityAtoms: null,
  reduceOnly: null,
  filledBaseAtoms: null,
  filledNotionalAtoms: null,
  feeAtoms: null,
  fills: null,
  worstPriceAtoms: null,
  markPriceAtoms: null,
};

/** `row` is the deployment, before or after the change. */
function actionOfChange(row: AgentDeploymentRow, event: AgentDeploymentChanged, at: Moment): AgentActionRow {
  const { positionBaseAtoms, cashQuoteAtoms, feesQuoteAtoms, fillCount, market } = row;
  const { action, deployment, account, state, stateVersion, reason } = event;
  return {
    action,
    deployment,
    account,
    market,
    kind: KIND_OF_CHANGE[state],
    outcome: 'applied',
    reason,
    stateVersion,
    ...NO_ORDER,
    positionBaseAtoms,
    cashQuoteAtoms,
    feesQuoteAtoms,
    fillCount,
    recordedAtEpochMs: at.epochMs,
    sequence: at.sequence,
  };
}

function actionOfOrder(event: PaperOrderPlaced, at: Moment): AgentActionRow {
  const { type: _, index: barIndex, reduceOnly, ledger, ...order } = event;
  return {
    ...order,
    ...ledger,
    stateVersion: null,
    barIndex,
    reduceOnly: reduceOnly ? 1 : 0,
    recordedAtEpochMs: at.epochMs,
    sequence: at.sequence,
  };
}
