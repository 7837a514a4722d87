/** The row types of agents: drafts, deployments and actions. Plain values as in `rows.ts`. */
import type {
  AccountOrdinal,
  AgentActionOrdinal,
  AgentDeploymentOrdinal,
  AgentDraftOrdinal,
  MarketOrdinal,
  Sequence,
} from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { DeploymentState, DeploymentTerms } from '#venue/agent/deployment.ts';
import type { PaperLedger } from '#venue/agent/paper-ledger.ts';
import type { PaperOrderKind, PaperOutcome, PaperReason } from '#venue/agent/paper-outcome.ts';
import type { Side } from '#venue/command.ts';
import type { Flag } from './rows.ts';

/** The script of a draft, which never changes. It stays after the draft was removed. */
export interface AgentDraftRow {
  readonly draft: AgentDraftOrdinal;
  readonly account: AccountOrdinal;
  readonly name: string;
  readonly text: string;
  readonly textDigest: string;
  readonly createdAtEpochMs: EpochMs;
}

/** What changes of a draft. */
export interface AgentDraftStateRow {
  readonly draft: AgentDraftOrdinal;
  readonly account: AccountOrdinal;
  /** Of the newest confirmed review; empty before it, and for a removed draft. */
  readonly reviewDigest: string;
  readonly reviewedAtEpochMs: EpochMs | null;
  readonly isRemoved: Flag;
}

/** A deployment, open or ended, with its paper ledger. */
export interface AgentDeploymentRow extends DeploymentTerms, PaperLedger {
  readonly deployment: AgentDeploymentOrdinal;
  readonly textDigest: string;
  readonly reviewDigest: string;
  readonly state: DeploymentState;
  readonly stateVersion: number;
  /** Of the newest change of its state; empty without one. */
  readonly reason: string;
  /** The bar and the index of its last order; 0 and −1 before the first. */
  readonly lastBarEpochMs: EpochMs;
  readonly lastIndex: number;
  readonly createdAtEpochMs: EpochMs;
  readonly updatedAtEpochMs: EpochMs;
  readonly lastSequence: Sequence;
}

export type AgentActionKind = 'deployment_started' | 'deployment_stopped' | 'deployment_failed' | PaperOrderKind;

/** An entry of the action log, with the paper ledger after it. Fields of orders are `null` for a change of the state, and the reverse. */
export interface AgentActionRow extends PaperLedger {
  readonly action: AgentActionOrdinal;
  readonly deployment: AgentDeploymentOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly kind: AgentActionKind;
  readonly outcome: PaperOutcome;
  /** Of an order, why a quantity did not fill; of a change of the state, its text. */
  readonly reason: PaperReason | string;
  readonly stateVersion: number | null;
  readonly barEpochMs: EpochMs | null;
  readonly barIndex: number | null;
  readonly signal: string | null;
  readonly side: Side | null;
  readonly quantityAtoms: BaseAtoms | null;
  readonly reduceOnly: Flag | null;
  readonly filledBaseAtoms: BaseAtoms | null;
  readonly filledNotionalAtoms: QuoteAtoms | null;
  readonly feeAtoms: QuoteAtoms | null;
  readonly fills: number | null;
  readonly worstPriceAtoms: PriceAtoms | null;
  readonly markPriceAtoms: PriceAtoms | null;
  readonly recordedAtEpochMs: EpochMs;
  readonly sequence: Sequence;
}
