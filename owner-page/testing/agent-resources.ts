/** Responses about agents for unit tests of the page. */
import type { ActionPage, AgentAction, Deployment, Draft, Market, PaperLedger } from '#owner-page/src/venue/agent-resources.ts';

export const MARKET: Market = {
  marketId: 'BTC-USD-PERP',
  baseAsset: 'BTC',
  status: 'open',
  priceScale: 1,
  quantityScale: 4,
  minQuantity: '0.001',
  maxQuantity: '10',
};

export const DEPLOYMENT: Deployment = {
  deploymentId: '7',
  ownerAccountId: 'acct-7',
  agentAccountId: 'acct-9',
  draftId: '3',
  strategyVersion: 'ab'.repeat(32),
  marketId: MARKET.marketId,
  state: 'running',
  stateVersion: 2,
  stateReason: '',
  parameters: { orderSizeAtoms: '500', timeframe: '1m', historyBars: 300, inputs: [] },
  createdAtEpochMs: 1_000,
  modelId: 'interpreter-1',
};

export const DRAFT: Draft = {
  draftId: '3',
  name: 'first',
  confirmedReviewDigest: null,
  createdAtEpochMs: 1_000,
  text: 'strategy("First")',
  review: {
    title: 'First',
    languageVersion: 6,
    parameters: [
      { kind: 'int', name: 'length', title: 'Length', default: 20, min: 2, max: 200, options: null },
      { kind: 'float', name: 'factor', title: '', default: 1.5, min: null, max: null, options: null },
      { kind: 'bool', name: 'isOn', title: 'On', default: true },
      { kind: 'source', name: 'source', title: 'Source', default: 'close', options: null },
    ],
    sentences: ['Runs once for each closed bar.'],
    ignored: [],
    warnings: [],
    warmUpBars: 19,
  },
  reviewDigest: 'digest-1',
  scriptRefusals: [],
};

export const ledgerOf = (positionBaseAtoms: number, cashQuoteAtoms: number, feesQuoteAtoms = 0): PaperLedger => ({
  positionBaseAtoms: String(positionBaseAtoms),
  cashQuoteAtoms: String(cashQuoteAtoms),
  feesQuoteAtoms: String(feesQuoteAtoms),
  fillCount: 1,
});

export const FLAT = ledgerOf(0, 0);

export function changeOf(actionId: number, kind: 'deployment_started' | 'deployment_stopped', ledger = FLAT): AgentAction {
  const payload = { stateVersion: actionId + 1, reason: 'a reason', ledger };
  return {
    actionId: String(actionId),
    deploymentId: '7',
    kind,
    outcome: 'applied',
    payload,
    recordedAtEpochMs: actionId * 1_000,
  };
}

export function orderOf(
  actionId: number,
  ledger: PaperLedger,
  markPriceAtoms: string | null,
  changes: Partial<AgentAction> = {},
) {
  const payload = {
    signal: 'Long',
    side: 'buy',
    quantityAtoms: '500',
    filledBaseAtoms: '500',
    filledNotionalAtoms: '1',
    feeAtoms: '1',
    markPriceAtoms,
    reason: 'none',
    ledger,
  } as const;
  const action: AgentAction = {
    actionId: String(actionId),
    deploymentId: '7',
    kind: 'entry',
    outcome: 'applied',
    payload,
    recordedAtEpochMs: actionId * 1_000,
  };
  return { ...action, ...changes };
}

/** A page of the log at a sequence of the journal. */
export function pageOf(actions: readonly AgentAction[], journalSequence: number, changes: Partial<ActionPage> = {}): ActionPage {
  const ledger = actions.at(-1)?.payload.ledger ?? FLAT;
  return {
    deployment: DEPLOYMENT,
    actions,
    paperPnl: { ...ledger, markPriceAtoms: '600000' },
    nextAfterActionId: null,
    freshness: { journalSequence, asOfEpochMs: 50_000 },
    ...changes,
  };
}
