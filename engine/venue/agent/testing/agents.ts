/** An owner with an agent account, drafts and deployments, for tests. */
import { BTC, type Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs } from '#units/money.ts';
import type { AgentDeployment } from '#venue/agent/deployment.ts';
import type { CreateAgentDeployment, DraftAgentScript, PlacePaperOrder } from '#venue/command.ts';
import type { PaperOrderPlaced } from '#venue/event.ts';
import { owned } from '#venue/owner/testing/owners.ts';

export const TEXT_DIGEST = 'a'.repeat(64);
export const REVIEW_DIGEST = 'b'.repeat(64);
export const BAR = 1_700_000_040_000 as EpochMs;

export interface AgentOwner {
  readonly account: AccountOrdinal;
  readonly agentAccount: AccountOrdinal;
}

/** Registers an owner whose setup is complete, and opens an agent account. */
export function agentOwner(scenario: Scenario, identity = 1): AgentOwner {
  const account = owned(scenario, identity, 'present');
  scenario.run({ type: 'OpenAgentAccount', account, label: 'agent', digestSeed: 7 });
  return { account, agentAccount: (account + 1) as AccountOrdinal };
}

export function draft(account: AccountOrdinal, changes: Partial<DraftAgentScript> = {}): DraftAgentScript {
  return { type: 'DraftAgentScript', account, name: 'breakout', text: 'strategy("x")', textDigest: TEXT_DIGEST, ...changes };
}

export function deployment(owner: AgentOwner, changes: Partial<CreateAgentDeployment> = {}): CreateAgentDeployment {
  return {
    type: 'CreateAgentDeployment',
    ...owner,
    draft: 1 as AgentDraftOrdinal,
    market: BTC,
    timeframeMs: 60_000,
    historyBars: 300,
    orderSizeAtoms: 10 as BaseAtoms,
    parameters: '{"length":20}',
    strategySource: 'strategy_lab',
    strategyVersion: '1',
    modelId: 'script-1',
    ...changes,
  };
}

/** Drafts a script and confirms its review. */
export function reviewed(scenario: Scenario, account: AccountOrdinal): AgentDraftOrdinal {
  scenario.run(draft(account));
  const { lastDraft } = scenario.venue.state.agents;
  scenario.run({ type: 'ReviewAgentScript', account, draft: lastDraft, reviewDigest: REVIEW_DIGEST });
  return lastDraft;
}

export function change(deploymentOrdinal: number, state: 'running' | 'stopped' | 'failed', expectedStateVersion: number) {
  const ordinal = deploymentOrdinal as AgentDeploymentOrdinal;
  return { type: 'ChangeAgentDeployment', deployment: ordinal, state, reason: '', expectedStateVersion } as const;
}

/** A running deployment of a new owner. */
export function running(scenario: Scenario, identity = 1): AgentOwner {
  const owner = agentOwner(scenario, identity);
  scenario.run(deployment(owner, { draft: reviewed(scenario, owner.account) }));
  scenario.run(change(scenario.venue.state.agents.lastDeployment, 'running', 1));
  return owner;
}

/** An order of deployment 1 at the next bar. */
export function paperOrder(
  { agents }: Scenario['venue']['state'],
  side: 'buy' | 'sell',
  quantity: number,
  changes: Partial<PlacePaperOrder> = {},
): PlacePaperOrder {
  const { lastBarEpochMs } = deploymentIn(agents) ?? { lastBarEpochMs: 0 };
  return {
    type: 'PlacePaperOrder',
    deployment: 1 as AgentDeploymentOrdinal,
    barEpochMs: Math.max(BAR, lastBarEpochMs + 60_000) as EpochMs,
    index: 0,
    kind: 'entry',
    signal: 'long',
    side,
    quantityAtoms: quantity as BaseAtoms,
    reduceOnly: false,
    ...changes,
  };
}

/** Places an order of deployment 1 at the next bar, and returns its event. */
export function trade(
  scenario: Scenario,
  side: 'buy' | 'sell',
  quantity: number,
  changes: Partial<PlacePaperOrder> = {},
): PaperOrderPlaced {
  const [event] = scenario.run(paperOrder(scenario.venue.state, side, quantity, changes));
  if (event?.type !== 'PaperOrderPlaced') throw new Error(`the order was not placed: ${JSON.stringify(event)}`);
  return event;
}

export function deploymentIn({ deployments }: Scenario['venue']['state']['agents'], ordinal = 1): AgentDeployment | undefined {
  return deployments.get(ordinal as AgentDeploymentOrdinal);
}
