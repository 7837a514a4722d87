/** Events of agents: drafts, deployments and their actions. Every change of a deployment's state and every paper order is an action. */
import type { AccountOrdinal, AgentActionOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { CHANGED_DEPLOYMENT_STATES, type ChangedDeploymentState, type DeploymentTerms } from '#venue/agent/deployment.ts';
import { ledgerLayout, type PaperLedger } from '#venue/agent/paper-ledger.ts';
import {
  PAPER_ORDER_KINDS,
  PAPER_OUTCOMES,
  PAPER_REASONS,
  type PaperOrderKind,
  type PaperOutcome,
  type PaperReason,
} from '#venue/agent/paper-outcome.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { EventLayouts } from '#venue/record/layout.ts';
import { SIDES } from '#venue/record/parts.ts';

export interface AgentScriptDrafted {
  readonly type: 'AgentScriptDrafted';
  readonly draft: AgentDraftOrdinal;
  readonly account: AccountOrdinal;
  readonly name: string;
  readonly text: string;
  readonly textDigest: string;
}

/** The owner confirmed the review with this digest. */
export interface AgentScriptReviewed {
  readonly type: 'AgentScriptReviewed';
  readonly draft: AgentDraftOrdinal;
  readonly account: AccountOrdinal;
  readonly reviewDigest: string;
}

export interface AgentDraftRemoved {
  readonly type: 'AgentDraftRemoved';
  readonly draft: AgentDraftOrdinal;
  readonly account: AccountOrdinal;
}

/** A deployment begins as `pending`, with state version 1 and an empty ledger. */
export interface AgentDeploymentCreated extends DeploymentTerms {
  readonly type: 'AgentDeploymentCreated';
  readonly deployment: AgentDeploymentOrdinal;
  readonly textDigest: string;
  readonly reviewDigest: string;
}

export interface AgentDeploymentChanged {
  readonly type: 'AgentDeploymentChanged';
  readonly action: AgentActionOrdinal;
  readonly deployment: AgentDeploymentOrdinal;
  readonly account: AccountOrdinal;
  readonly state: ChangedDeploymentState;
  readonly stateVersion: number;
  readonly reason: string;
}

/** A paper order with its simulated fills, and the ledger of the deployment after it. */
export interface PaperOrderPlaced {
  readonly type: 'PaperOrderPlaced';
  readonly action: AgentActionOrdinal;
  readonly deployment: AgentDeploymentOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly barEpochMs: EpochMs;
  readonly index: number;
  readonly kind: PaperOrderKind;
  readonly signal: string;
  readonly side: Side;
  readonly quantityAtoms: BaseAtoms;
  readonly reduceOnly: boolean;
  readonly outcome: PaperOutcome;
  readonly reason: PaperReason;
  readonly filledBaseAtoms: BaseAtoms;
  readonly filledNotionalAtoms: QuoteAtoms;
  readonly feeAtoms: QuoteAtoms;
  readonly fills: number;
  /** The price of the last fill; 0 without one. */
  readonly worstPriceAtoms: PriceAtoms;
  /** 0 before the first price. */
  readonly markPriceAtoms: PriceAtoms;
  readonly ledger: PaperLedger;
}

export type AgentEvent =
  | AgentScriptDrafted
  | AgentScriptReviewed
  | AgentDraftRemoved
  | AgentDeploymentCreated
  | AgentDeploymentChanged
  | PaperOrderPlaced;

export const AGENT_EVENTS: EventLayouts<AgentEvent> = {
  AgentScriptDrafted: {
    tag: 75,
    fields: (io, it) => ({
      type: 'AgentScriptDrafted',
      draft: io.int(it.draft),
      account: io.u32(it.account),
      name: io.text(it.name),
      text: io.text(it.text),
      textDigest: io.text(it.textDigest),
    }),
  },
  AgentScriptReviewed: {
    tag: 76,
    fields: (io, it) => ({
      type: 'AgentScriptReviewed',
      draft: io.int(it.draft),
      account: io.u32(it.account),
      reviewDigest: io.text(it.reviewDigest),
    }),
  },
  AgentDraftRemoved: {
    tag: 77,
    fields: (io, it) => ({ type: 'AgentDraftRemoved', draft: io.int(it.draft), account: io.u32(it.account) }),
  },
  AgentDeploymentCreated: {
    tag: 78,
    fields: (io, it) => ({
      type: 'AgentDeploymentCreated',
      deployment: io.int(it.deployment),
      account: io.u32(it.account),
      agentAccount: io.u32(it.agentAccount),
      draft: io.int(it.draft),
      textDigest: io.text(it.textDigest),
      reviewDigest: io.text(it.reviewDigest),
      market: io.u32(it.market),
      timeframeMs: io.int(it.timeframeMs),
      historyBars: io.u32(it.historyBars),
      orderSizeAtoms: io.int(it.orderSizeAtoms),
      parameters: io.text(it.parameters),
      strategySource: io.text(it.strategySource),
      strategyVersion: io.text(it.strategyVersion),
      modelId: io.text(it.modelId),
    }),
  },
  AgentDeploymentChanged: {
    tag: 79,
    fields: (io, it) => ({
      type: 'AgentDeploymentChanged',
      action: io.int(it.action),
      deployment: io.int(it.deployment),
      account: io.u32(it.account),
      state: io.oneOf(CHANGED_DEPLOYMENT_STATES, it.state),
      stateVersion: io.u32(it.stateVersion),
      reason: io.text(it.reason),
    }),
  },
  PaperOrderPlaced: {
    tag: 80,
    fields: (io, it) => ({
      type: 'PaperOrderPlaced',
      action: io.int(it.action),
      deployment: io.int(it.deployment),
      account: io.u32(it.account),
      market: io.u32(it.market),
      barEpochMs: io.int(it.barEpochMs),
      index: io.u32(it.index),
      kind: io.oneOf(PAPER_ORDER_KINDS, it.kind),
      signal: io.text(it.signal),
      side: io.oneOf(SIDES, it.side),
      quantityAtoms: io.int(it.quantityAtoms),
      reduceOnly: io.flag(it.reduceOnly),
      outcome: io.oneOf(PAPER_OUTCOMES, it.outcome),
      reason: io.oneOf(PAPER_REASONS, it.reason),
      filledBaseAtoms: io.int(it.filledBaseAtoms),
      filledNotionalAtoms: io.int(it.filledNotionalAtoms),
      feeAtoms: io.int(it.feeAtoms),
      fills: io.u32(it.fills),
      worstPriceAtoms: io.u32(it.worstPriceAtoms),
      markPriceAtoms: io.u32(it.markPriceAtoms),
      ledger: io.part(it.ledger, ledgerLayout),
    }),
  },
};
