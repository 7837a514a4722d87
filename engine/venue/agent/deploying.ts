/** The commands of deployments: create one from a reviewed draft, and change its state by the table in `deployment.ts`. */
import type { AccountOrdinal, AgentDeploymentOrdinal } from '#units/ids.ts';
import { checkIdentityReady } from '#venue/agent-account/agent-account-turn.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import { checkQuantity } from '#venue/order/order-rules.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Turn } from '#venue/turn.ts';
import { checkDraft, emitOfAgents, nextAction } from './agent-turn.ts';
import {
  CHANGED_DEPLOYMENT_STATES,
  type ChangedDeploymentState,
  type DeploymentTerms,
  MAX_ALL_DEPLOYMENTS,
  MAX_OPEN_DEPLOYMENTS,
  mayFollow,
} from './deployment.ts';

export interface CreateAgentDeployment extends DeploymentTerms {
  readonly type: 'CreateAgentDeployment';
}

/** `expectedStateVersion` is the state version that the sender saw, so that a change is made once. */
export interface ChangeAgentDeployment {
  readonly type: 'ChangeAgentDeployment';
  readonly deployment: AgentDeploymentOrdinal;
  readonly state: ChangedDeploymentState;
  readonly reason: string;
  readonly expectedStateVersion: number;
}

export type DeployingCommand = CreateAgentDeployment | ChangeAgentDeployment;

export const DEPLOYING_COMMANDS: CommandRules<DeployingCommand> = {
  CreateAgentDeployment: {
    plan: planCreation,
    commit: commitCreation,
    layout: {
      tag: 73,
      fields: (io, it) => ({
        type: 'CreateAgentDeployment',
        account: io.int(it.account),
        agentAccount: io.int(it.agentAccount),
        draft: io.int(it.draft),
        market: io.int(it.market),
        timeframeMs: io.int(it.timeframeMs),
        historyBars: io.int(it.historyBars),
        orderSizeAtoms: io.int(it.orderSizeAtoms),
        parameters: io.text(it.parameters),
        strategySource: io.text(it.strategySource),
        strategyVersion: io.text(it.strategyVersion),
        modelId: io.text(it.modelId),
      }),
    },
  },
  ChangeAgentDeployment: {
    plan: planChange,
    commit: commitChange,
    layout: {
      tag: 74,
      fields: (io, it) => ({
        type: 'ChangeAgentDeployment',
        deployment: io.int(it.deployment),
        state: io.oneOf(CHANGED_DEPLOYMENT_STATES, it.state),
        reason: io.text(it.reason),
        expectedStateVersion: io.int(it.expectedStateVersion),
      }),
    },
  },
};

/** A week. */
export const MAX_TIMEFRAME_MS = 604_800_000;
export const MAX_HISTORY_BARS = 5_000;
/** In UTF-16 units: of the parameters, and of the names of the strategy and its interpreter. */
export const MAX_PARAMETERS_LENGTH = 4_096;
const MAX_STRATEGY_NAME_LENGTH = 128;
export const MAX_CHANGE_REASON_LENGTH = 255;
/** Why a retirement ends a deployment. */
export const RETIRED_REASON = 'the agent account or its owner was retired';

export function planCreation(turn: Turn, command: CreateAgentDeployment): Refusal | undefined {
  const { agents, switches } = turn.state;
  const { account, agentAccount, draft, orderSizeAtoms } = command;
  const market = turn.state.market(command.market);
  const refusal =
    checkIdentityReady(turn, account, agentAccount) ??
    checkIntake(switches, 'register', 'agents') ??
    checkDraft(turn, account, draft);
  if (refusal !== undefined) return refusal;
  if (agents.drafts.get(draft)!.reviewDigest === '') return { code: 'agent_draft_not_reviewed' };
  if (market === undefined) return { code: 'market_not_found' };
  if (!isValid(command)) return { code: 'agent_deployment_invalid' };
  const outOfBounds = checkQuantity(market, orderSizeAtoms);
  if (outOfBounds !== undefined) return outOfBounds;
  if (agents.deploymentsOf(account).length >= MAX_OPEN_DEPLOYMENTS)
    return { code: 'too_many_agent_deployments', bound: MAX_OPEN_DEPLOYMENTS };
  const isFull = agents.deployments.size >= MAX_ALL_DEPLOYMENTS;
  return isFull ? { code: 'capability_unavailable', bound: MAX_ALL_DEPLOYMENTS } : undefined;
}

function isValid(command: CreateAgentDeployment): boolean {
  const { timeframeMs, historyBars, parameters, strategySource, strategyVersion, modelId } = command;
  if (timeframeMs < 1 || timeframeMs > MAX_TIMEFRAME_MS || historyBars < 1 || historyBars > MAX_HISTORY_BARS) return false;
  if (parameters.length === 0 || parameters.length > MAX_PARAMETERS_LENGTH) return false;
  const names = [strategySource, strategyVersion, modelId];
  return names.every((name) => name.length > 0 && name.length <= MAX_STRATEGY_NAME_LENGTH);
}

/** Repeats the digests of the draft, so that the deployment names what it runs after the draft was removed or reviewed again. */
export function commitCreation(turn: Turn, { type: _, ...terms }: CreateAgentDeployment): void {
  const { agents } = turn.state;
  const { textDigest, reviewDigest } = agents.drafts.get(terms.draft)!;
  const deployment = (agents.lastDeployment + 1) as AgentDeploymentOrdinal;
  emitOfAgents(turn, { type: 'AgentDeploymentCreated', deployment, textDigest, reviewDigest, ...terms });
}

/** A deployment may end at any time, also if its owner has no consent or agents are off. */
export function planChange(turn: Turn, command: ChangeAgentDeployment): Refusal | undefined {
  const { state, reason, expectedStateVersion } = command;
  const refusal = checkOpen(turn, command.deployment);
  if (refusal !== undefined) return refusal;
  const deployment = turn.state.agents.deployments.get(command.deployment)!;
  if (deployment.stateVersion !== expectedStateVersion || !mayFollow(deployment.state, state))
    return { code: 'agent_state_conflict', bound: deployment.stateVersion };
  if (reason.length > MAX_CHANGE_REASON_LENGTH) return { code: 'agent_deployment_invalid', bound: MAX_CHANGE_REASON_LENGTH };
  if (state !== 'running') return undefined;
  return (
    checkIdentityReady(turn, deployment.account, deployment.agentAccount) ??
    checkIntake(turn.state.switches, 'register', 'agents')
  );
}

export function commitChange(turn: Turn, { deployment, state, reason }: ChangeAgentDeployment): void {
  changeState(turn, deployment, state, reason);
}

/** Ends the deployments that never trade again because `retired` was retired: at most {@link MAX_OPEN_DEPLOYMENTS}. */
export function failRetired(turn: Turn, retired: AccountOrdinal): void {
  const { agentAccounts, agents } = turn.state;
  for (const { account, agentAccount, deployment } of agents.deploymentsOf(agentAccounts.ownerOf(retired) ?? retired))
    if (account === retired || agentAccount === retired) changeState(turn, deployment, 'failed', RETIRED_REASON);
}

function changeState(turn: Turn, deployment: AgentDeploymentOrdinal, state: ChangedDeploymentState, reason: string): void {
  const { account, stateVersion } = turn.state.agents.deployments.get(deployment)!;
  const changed = { deployment, account, state, stateVersion: stateVersion + 1, reason };
  emitOfAgents(turn, { type: 'AgentDeploymentChanged', action: nextAction(turn), ...changed });
}

/** Refuses a deployment that does not exist or has ended; otherwise returns `undefined`. */
export function checkOpen({ state: { agents } }: Turn, deployment: AgentDeploymentOrdinal): Refusal | undefined {
  if (agents.deployments.has(deployment)) return undefined;
  const hasEnded = deployment >= 1 && deployment <= agents.lastDeployment;
  return { code: hasEnded ? 'agent_deployment_ended' : 'agent_deployment_not_found' };
}
