/** What the page reads of the venue's responses about agents. `contract-shapes.test.ts` shows that the contract has all of it. */
import type { Challenge } from './resources.ts';

/** Of the catalogue: reference data of third parties, never instructions. */
export interface Strategy {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly sourceVenue: string;
  readonly sourceUrl: string;
  readonly termsUrl: string;
  readonly termsSummary: string;
  readonly usageAllowed: string;
  readonly description: string;
  readonly rulesText: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly default: number;
    readonly min: number;
    readonly max: number;
  }[];
  readonly timeframe: Timeframe;
  readonly marketsHint: string;
  readonly pineSubsetFitReason: string;
  readonly publicStats: readonly {
    readonly metric: 'apr' | 'max_drawdown';
    readonly value: string;
    readonly asOf: string;
    readonly sourceUrl: string;
  }[];
  readonly script: string | null;
}

export const TIMEFRAMES = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
export type Timeframe = (typeof TIMEFRAMES)[number];

/** Why a script is refused, at a place of its text. */
export interface ScriptRefusal {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  readonly remedy: string;
}

interface Parameter<Kind extends string, Value> {
  readonly name: string;
  readonly title: string;
  readonly kind: Kind;
  readonly default: Value;
}
/** With the values that it can have; `null` for any. */
interface ChosenParameter<Kind extends string, Value> extends Parameter<Kind, Value> {
  readonly options: readonly Value[] | null;
}
interface BoundedParameter<Kind extends string> extends ChosenParameter<Kind, number> {
  readonly min: number | null;
  readonly max: number | null;
}
export type ScriptParameter =
  | BoundedParameter<'int'>
  | BoundedParameter<'float'>
  | Parameter<'bool', boolean>
  | ChosenParameter<'text', string>
  | ChosenParameter<'source', string>;

export interface ScriptReview {
  readonly title: string;
  readonly languageVersion: number;
  readonly parameters: readonly ScriptParameter[];
  readonly sentences: readonly string[];
  readonly ignored: readonly { readonly name: string; readonly reason: string }[];
  readonly warnings: readonly string[];
  readonly warmUpBars: number;
}

export interface ListedDraft {
  readonly draftId: string;
  readonly name: string;
  /** `null` until the owner has confirmed a review. */
  readonly confirmedReviewDigest: string | null;
  readonly createdAtEpochMs: number;
}

export interface Draft extends ListedDraft {
  readonly text: string;
  /** `null` if this release of the venue refuses the script. */
  readonly review: ScriptReview | null;
  readonly reviewDigest: string | null;
  readonly scriptRefusals: readonly ScriptRefusal[];
}

export interface Market {
  readonly marketId: string;
  readonly baseAsset: string;
  readonly status: string;
  readonly priceScale: number;
  readonly quantityScale: number;
  readonly minQuantity: string;
  readonly maxQuantity: string;
}

export interface Deployment {
  readonly deploymentId: string;
  readonly ownerAccountId: string;
  readonly agentAccountId: string;
  readonly draftId: string;
  readonly strategyVersion: string;
  readonly marketId: string;
  readonly state: 'pending' | 'running' | 'stopped' | 'failed';
  readonly stateVersion: number;
  readonly stateReason: string;
  readonly parameters: {
    readonly orderSizeAtoms: string;
    readonly timeframe: Timeframe;
    readonly historyBars: number;
    readonly inputs: readonly ScriptInput[];
  };
  readonly createdAtEpochMs: number;
  readonly modelId: string;
}

export interface ScriptInput {
  readonly name: string;
  readonly value: number | boolean | string;
}

export interface DeploymentPage {
  readonly deployments: readonly Deployment[];
  readonly nextAfterDeploymentId: string | null;
}

/** Simulated, from zero. Quote amounts are atoms of USD.E. */
export interface PaperLedger {
  readonly positionBaseAtoms: string;
  readonly cashQuoteAtoms: string;
  readonly feesQuoteAtoms: string;
  readonly fillCount: number;
}

export interface ChangePayload {
  readonly stateVersion: number;
  readonly reason: string;
  readonly ledger: PaperLedger;
}

export interface OrderPayload {
  readonly signal: string;
  readonly side: 'buy' | 'sell';
  readonly quantityAtoms: string;
  readonly filledBaseAtoms: string;
  readonly filledNotionalAtoms: string;
  readonly feeAtoms: string;
  readonly markPriceAtoms: string | null;
  readonly reason: string;
  readonly ledger: PaperLedger;
}

export interface AgentAction {
  readonly actionId: string;
  readonly deploymentId: string;
  readonly kind: 'deployment_started' | 'deployment_stopped' | 'deployment_failed' | 'entry' | 'exit' | 'close';
  readonly outcome: 'applied' | 'partially_applied' | 'refused';
  readonly payload: ChangePayload | OrderPayload;
  readonly recordedAtEpochMs: number;
}

export interface ActionPage {
  readonly deployment: Deployment;
  readonly actions: readonly AgentAction[];
  readonly paperPnl: PaperLedger & { readonly markPriceAtoms: string | null };
  readonly nextAfterActionId: string | null;
  readonly freshness: { readonly journalSequence: number; readonly asOfEpochMs: number };
}

/** The data of an update of `account.agents`. */
export interface ActionsUpdate {
  readonly actions: readonly AgentAction[];
}

/** The data of an update of `market.price`. */
export interface PriceUpdate {
  readonly markPrice: string;
}

export interface RealtimeTicket {
  readonly ticket: string;
}

export interface AgentAccount {
  readonly agentAccountId: string;
  readonly label: string;
  readonly status: 'identity_ready' | 'consent_missing' | 'retired';
  readonly cashBalanceAtoms: string;
}

export type FundingDirection = 'owner_to_agent' | 'agent_to_owner';

export interface AgentFunding {
  readonly transferId: string;
  readonly direction: FundingDirection;
  readonly amountAtoms: string;
  readonly status: 'prepared' | 'submitted' | 'credited' | 'refused';
  readonly expiresAtEpochMs: number;
  readonly createdAtEpochMs: number;
}

export interface AgentFundingPage {
  readonly fundings: readonly AgentFunding[];
  readonly nextCursor: string | null;
  readonly freshness: { readonly asOfEpochMs: number };
}

export interface AgentFundingSigning {
  readonly status: 'approval_required' | 'owner_signature_required' | 'submitted' | 'credited' | 'refused' | 'expired';
  readonly challenge: Challenge | null;
}
