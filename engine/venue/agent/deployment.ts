/** A deployment: a reviewed script that trades on paper in one market, and the table of its states. */
import type { AccountOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { ledgerLayout, type PaperLedger } from './paper-ledger.ts';

export const OPEN_DEPLOYMENT_STATES = ['pending', 'running'] as const;
export type OpenDeploymentState = (typeof OPEN_DEPLOYMENT_STATES)[number];
/** The states that a change leads to. Nothing follows `stopped` and `failed`. */
export const CHANGED_DEPLOYMENT_STATES = ['running', 'stopped', 'failed'] as const;
export type ChangedDeploymentState = (typeof CHANGED_DEPLOYMENT_STATES)[number];
export type DeploymentState = OpenDeploymentState | ChangedDeploymentState;

const NEXT_STATES: Readonly<Record<OpenDeploymentState, readonly ChangedDeploymentState[]>> = {
  pending: ['running', 'stopped', 'failed'],
  running: ['stopped', 'failed'],
};

export function mayFollow(state: OpenDeploymentState, next: ChangedDeploymentState): boolean {
  return NEXT_STATES[state].includes(next);
}

/** What a deployment runs. It never changes. */
export interface DeploymentTerms {
  readonly account: AccountOrdinal;
  /** The agent account that it is bound to. Its paper orders do not meet the orders of that account, as with a real order. */
  readonly agentAccount: AccountOrdinal;
  readonly draft: AgentDraftOrdinal;
  readonly market: MarketOrdinal;
  readonly timeframeMs: number;
  /** The number of candles before the first one that it acts on. */
  readonly historyBars: number;
  readonly orderSizeAtoms: BaseAtoms;
  /** The script's inputs, as canonical JSON. */
  readonly parameters: string;
  readonly strategySource: string;
  readonly strategyVersion: string;
  /** The version of the interpreter. */
  readonly modelId: string;
}

/** A deployment that has not ended. */
export interface AgentDeployment extends DeploymentTerms {
  readonly deployment: AgentDeploymentOrdinal;
  /** The digests of the draft when the deployment was created. */
  readonly textDigest: string;
  readonly reviewDigest: string;
  readonly state: OpenDeploymentState;
  /** 1 when it is created, then one more with each change. */
  readonly stateVersion: number;
  /** The bar and the index of its last order; 0 and −1 before the first. */
  readonly lastBarEpochMs: EpochMs;
  readonly lastIndex: number;
  readonly ledger: PaperLedger;
  readonly createdAtEpochMs: EpochMs;
  readonly updatedAtEpochMs: EpochMs;
}

/** The maximum number of open deployments of an owner. */
export const MAX_OPEN_DEPLOYMENTS = 20;
/** The same of all owners together, whose deployments are in the state and in every snapshot. */
export const MAX_ALL_DEPLOYMENTS = 10_000;

/** The layout in a snapshot. */
export function deploymentLayout(io: Cursor, it: AgentDeployment): AgentDeployment {
  return {
    deployment: io.int(it.deployment),
    account: io.u32(it.account),
    agentAccount: io.u32(it.agentAccount),
    draft: io.int(it.draft),
    market: io.u32(it.market),
    timeframeMs: io.int(it.timeframeMs),
    historyBars: io.u32(it.historyBars),
    orderSizeAtoms: io.int(it.orderSizeAtoms),
    parameters: io.text(it.parameters),
    strategySource: io.text(it.strategySource),
    strategyVersion: io.text(it.strategyVersion),
    modelId: io.text(it.modelId),
    textDigest: io.text(it.textDigest),
    reviewDigest: io.text(it.reviewDigest),
    state: io.oneOf(OPEN_DEPLOYMENT_STATES, it.state),
    stateVersion: io.u32(it.stateVersion),
    lastBarEpochMs: io.int(it.lastBarEpochMs),
    lastIndex: io.int(it.lastIndex),
    ledger: io.part(it.ledger, ledgerLayout),
    createdAtEpochMs: io.int(it.createdAtEpochMs),
    updatedAtEpochMs: io.int(it.updatedAtEpochMs),
  };
}
