/** Drafts, deployments and actions as clients see them, and the paper ledger at the mark. */
import { createHash } from 'node:crypto';
import type { AgentActionResource, PaperPnl } from '#contract/agent-actions.ts';
import type { AgentDeploymentResource, ScriptInput } from '#contract/agent-deployments.ts';
import type { ListedAgentDraft } from '#contract/agent-drafts.ts';
import { type DeploymentTimeframe, TIMEFRAME_MS } from '#contract/markets.ts';
import type { AgentDraftView, DeploymentReads } from '#reads/deployment-reads.ts';
import { renderAccountId, renderOrdinal } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';
import {
  agentActionPage,
  agentDeployment,
  agentDeploymentsOf,
  agentDraftOf,
  agentDraftsOf,
  type StoredDraft,
} from './agent-pages.ts';
import type { AgentActionRow, AgentDeploymentRow } from './agent-rows.ts';
import type { ListedMarkets } from './listed-markets.ts';
import type { MarketScales } from './market-scales.ts';
import type { ProjectionStore } from './store.ts';

export function deploymentReads(store: ProjectionStore, markets: ListedMarkets): DeploymentReads {
  const resourceOf = (row: AgentDeploymentRow) => deploymentResource(row, markets.get(row.market));
  return {
    agentDrafts: (account) => agentDraftsOf(store, account).map(listedDraft),
    agentDraft(account, draft) {
      const found = agentDraftOf(store, draft);
      return found?.account === account ? draftView(found) : undefined;
    },
    agentDeployments: (query) => agentDeploymentsOf(store, query).map(resourceOf),
    agentDeployment(account, deployment) {
      const row = agentDeployment(store, deployment);
      return row?.account === account ? resourceOf(row) : undefined;
    },
    agentActions(account, query) {
      const row = agentDeployment(store, query.deployment);
      if (row?.account !== account) return undefined;
      const market = markets.get(row.market);
      const model = { modelId: row.modelId, version: row.strategyVersion };
      const { markPriceAtoms } = store.marketActivity.find(row.market)!;
      return {
        deployment: resourceOf(row),
        actions: agentActionPage(store, query).map((action) => ({ ...loggedAction(action, market), model })),
        paperPnl: paperPnlAt(row, markPriceAtoms, market),
      };
    },
  };
}

function listedDraft(row: StoredDraft): ListedAgentDraft {
  return {
    draftId: renderOrdinal(row.draft),
    ownerAccountId: renderAccountId(row.account),
    name: row.name,
    textDigest: row.textDigest,
    confirmedReviewDigest: row.reviewDigest === '' ? null : row.reviewDigest,
    createdAtEpochMs: row.createdAtEpochMs,
  };
}

function draftView(row: StoredDraft): AgentDraftView {
  return { ...listedDraft(row), text: row.text };
}

/** `market` is that of the deployment. */
export function deploymentResource(row: AgentDeploymentRow, { marketId }: MarketScales): AgentDeploymentResource {
  return {
    deploymentId: renderOrdinal(row.deployment),
    ownerAccountId: renderAccountId(row.account),
    agentAccountId: renderAccountId(row.agentAccount),
    draftId: renderOrdinal(row.draft),
    strategySource: row.strategySource,
    strategyVersion: row.strategyVersion,
    reviewDigest: row.reviewDigest,
    marketId,
    mode: 'paper',
    state: row.state,
    stateVersion: row.stateVersion,
    stateReason: row.reason,
    parameters: {
      orderSizeAtoms: String(row.orderSizeAtoms),
      timeframe: timeframeOf(row.timeframeMs),
      historyBars: row.historyBars,
      inputs: inputsOf(row.parameters),
    },
    createdAtEpochMs: row.createdAtEpochMs,
    updatedAtEpochMs: row.updatedAtEpochMs,
    modelId: row.modelId,
    fallbackModelId: null,
  };
}

/** The handler that creates a deployment only accepts these lengths. */
function timeframeOf(timeframeMs: number): DeploymentTimeframe {
  const [found] = Object.entries(TIMEFRAME_MS).find(([, lengthMs]) => lengthMs === timeframeMs) ?? [];
  if (found === undefined) throw new Error(`a deployment has candles of ${timeframeMs} ms`);
  return found as DeploymentTimeframe;
}

function inputsOf(parameters: string): ScriptInput[] {
  return Object.entries(JSON.parse(parameters) as Record<string, ScriptInput['value']>).map(([name, value]) => ({ name, value }));
}

/** An action without the model, which is that of its deployment. `market` is that of the action. */
export function loggedAction(row: AgentActionRow, market: MarketScales): Omit<AgentActionResource, 'model'> {
  const payload = row.stateVersion === null ? orderPayload(row, market) : changePayload(row, row.stateVersion);
  return {
    actionId: renderOrdinal(row.action),
    deploymentId: renderOrdinal(row.deployment),
    ownerAccountId: renderAccountId(row.account),
    kind: row.kind,
    outcome: row.outcome,
    payload,
    payloadDigest: createHash('sha256').update(JSON.stringify(payload)).digest('hex'),
    recordedAtEpochMs: row.recordedAtEpochMs,
    sequence: row.sequence,
  };
}

function changePayload(row: AgentActionRow, stateVersion: number) {
  return { stateVersion, reason: row.reason, ledger: ledgerAfter(row) };
}

/** The columns of an order have values in the row of an order. */
function orderPayload(row: AgentActionRow, { marketId }: MarketScales) {
  return {
    marketId,
    barEpochMs: row.barEpochMs!,
    index: row.barIndex!,
    signal: row.signal!,
    side: row.side!,
    reduceOnly: row.reduceOnly === 1,
    quantityAtoms: String(row.quantityAtoms!),
    filledBaseAtoms: String(row.filledBaseAtoms!),
    filledNotionalAtoms: String(row.filledNotionalAtoms!),
    feeAtoms: String(row.feeAtoms!),
    fills: row.fills!,
    worstPriceAtoms: renderPrice(row.worstPriceAtoms),
    markPriceAtoms: renderPrice(row.markPriceAtoms),
    reason: row.reason,
    ledger: ledgerAfter(row),
  };
}

function renderPrice(atoms: PriceAtoms | null): string | null {
  return atoms === null || atoms === 0 ? null : String(atoms);
}

function ledgerAfter({ positionBaseAtoms, cashQuoteAtoms, feesQuoteAtoms, fillCount }: AgentActionRow) {
  return {
    positionBaseAtoms: String(positionBaseAtoms),
    cashQuoteAtoms: String(cashQuoteAtoms),
    feesQuoteAtoms: String(feesQuoteAtoms),
    fillCount,
  };
}

/** Exact: the ledger has safe integers, and the value of a position at any mark may exceed them. */
function paperPnlAt(row: AgentDeploymentRow, markPriceAtoms: PriceAtoms | null, { tickLotAtoms }: MarketScales): PaperPnl {
  const { positionBaseAtoms, cashQuoteAtoms, feesQuoteAtoms, fillCount } = row;
  // A position needs fills, and so a mark.
  const valueAtoms = BigInt(positionBaseAtoms) * BigInt(markPriceAtoms ?? 0) * BigInt(tickLotAtoms);
  return {
    positionBaseAtoms: String(positionBaseAtoms),
    cashQuoteAtoms: String(cashQuoteAtoms),
    feesQuoteAtoms: String(feesQuoteAtoms),
    markPriceAtoms: renderPrice(markPriceAtoms),
    equityQuoteAtoms: String(BigInt(cashQuoteAtoms) + valueAtoms - BigInt(feesQuoteAtoms)),
    fillCount,
  };
}
