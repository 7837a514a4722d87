import { describe, expect, test } from 'vitest';
import { BTC, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms } from '#units/money.ts';
import type { Turn } from '#venue/turn.ts';
import {
  MAX_CHANGE_REASON_LENGTH,
  MAX_HISTORY_BARS,
  MAX_PARAMETERS_LENGTH,
  MAX_TIMEFRAME_MS,
  planCreation,
  RETIRED_REASON,
} from './deploying.ts';
import { MAX_ALL_DEPLOYMENTS, MAX_OPEN_DEPLOYMENTS } from './deployment.ts';
import {
  agentOwner,
  change,
  deployment,
  deploymentIn,
  draft,
  REVIEW_DIGEST,
  reviewed,
  running,
  TEXT_DIGEST,
} from './testing/agents.ts';

const refused = (code: string) => [{ type: 'CommandRefused', code }];

/** An owner with an agent account and a reviewed draft. */
function withDraft() {
  const scenario = Scenario.withAccounts(0);
  const owner = agentOwner(scenario);
  reviewed(scenario, owner.account);
  return { scenario, owner };
}

describe('a deployment', () => {
  test('is created as pending, with the digests of its draft and an empty ledger', () => {
    const { scenario, owner } = withDraft();
    const { type: _, ...terms } = deployment(owner);
    const created = { deployment: 1, textDigest: TEXT_DIGEST, reviewDigest: REVIEW_DIGEST, ...terms };
    expect(scenario.run(deployment(owner))).toEqual([{ type: 'AgentDeploymentCreated', ...created }]);
    expect(deploymentIn(scenario.venue.state.agents)).toEqual({
      ...created,
      state: 'pending',
      stateVersion: 1,
      lastBarEpochMs: 0,
      lastIndex: -1,
      ledger: { positionBaseAtoms: 0, cashQuoteAtoms: 0, feesQuoteAtoms: 0, fillCount: 0 },
      createdAtEpochMs: scenario.now,
      updatedAtEpochMs: scenario.now,
    });
  });

  test('needs a draft of the owner whose review is confirmed', () => {
    const { scenario, owner } = withDraft();
    const other = agentOwner(scenario, 2);
    expect(scenario.run(deployment(other))).toMatchObject(refused('agent_draft_not_found'));
    scenario.run(draft(owner.account));
    expect(scenario.run(deployment(owner, { draft: 2 as AgentDraftOrdinal }))).toMatchObject(refused('agent_draft_not_reviewed'));
  });

  test('needs an identity-ready agent account of the owner', () => {
    const { scenario, owner } = withDraft();
    const { agentAccount: foreign } = agentOwner(scenario, 2);
    expect(scenario.run(deployment({ ...owner, agentAccount: foreign }))).toMatchObject(refused('agent_account_not_found'));
    expect(scenario.run(deployment({ ...owner, agentAccount: owner.account }))).toMatchObject(refused('agent_account_not_found'));
    const revoked = { type: 'RecordPartyConsent', consent: 'revoked', reason: 'by the owner' } as const;
    scenario.run({ ...revoked, account: owner.account, consentId: `consent-${owner.account}` });
    expect(scenario.run(deployment(owner))).toMatchObject(refused('agent_account_not_ready'));
    const { scenario: again, owner: retiring } = withDraft();
    again.run({ type: 'RetireAccount', account: retiring.agentAccount });
    expect(again.run(deployment(retiring))).toMatchObject(refused('account_retired'));
  });

  test.each([
    ['no timeframe', { timeframeMs: 0 }],
    ['a timeframe that is too long', { timeframeMs: MAX_TIMEFRAME_MS + 1 }],
    ['no history', { historyBars: 0 }],
    ['a history that is too long', { historyBars: MAX_HISTORY_BARS + 1 }],
    ['no parameters', { parameters: '' }],
    ['parameters that are too long', { parameters: 'x'.repeat(MAX_PARAMETERS_LENGTH + 1) }],
    ['no source', { strategySource: '' }],
    ['no version', { strategyVersion: '' }],
    ['a model that is too long', { modelId: 'x'.repeat(129) }],
  ])('is refused with %s', (_, changes) => {
    const { scenario, owner } = withDraft();
    expect(scenario.run(deployment(owner, changes))).toMatchObject(refused('agent_deployment_invalid'));
  });

  test('is refused with a market or an order size that does not exist, while intake is paused, and while agents are off', () => {
    const { scenario, owner } = withDraft();
    expect(scenario.run(deployment(owner, { market: (BTC + 1) as MarketOrdinal }))).toMatchObject(refused('market_not_found'));
    expect(scenario.run(deployment(owner, { orderSizeAtoms: 0 as BaseAtoms }))).toMatchObject(refused('quantity_out_of_bounds'));
    scenario.run({ type: 'SetVenueStatus', status: 'intake_paused' });
    expect(scenario.run(deployment(owner))).toMatchObject(refused('intake_paused'));
    scenario.run({ type: 'SetVenueStatus', status: 'open' });
    scenario.run({ type: 'SetCapability', capability: 'agents', isOn: false });
    expect(scenario.run(deployment(owner))).toMatchObject(refused('capability_unavailable'));
  });

  test('is refused beyond the bound of open ones; ended ones do not count', () => {
    const { scenario, owner } = withDraft();
    for (let count = 0; count < MAX_OPEN_DEPLOYMENTS; count += 1) scenario.run(deployment(owner));
    const full = [{ code: 'too_many_agent_deployments', bound: MAX_OPEN_DEPLOYMENTS }];
    expect(scenario.run(deployment(owner))).toMatchObject(full);
    scenario.run(change(3, 'stopped', 1));
    expect(scenario.run(deployment(owner))).toMatchObject([{ deployment: MAX_OPEN_DEPLOYMENTS + 1 }]);
    expect(scenario.run(deployment(owner))).toMatchObject(full);
  });
});

test('a venue has a maximum number of open deployments', () => {
  const { scenario, owner } = withDraft();
  const other = agentOwner(scenario, 2);
  scenario.run(deployment(other, { draft: reviewed(scenario, other.account) }));
  const { deployments } = scenario.venue.state.agents;
  const [open] = deployments.values();
  const fill = (size: number) => {
    while (deployments.size < size) deployments.set((deployments.size + 1_000) as AgentDeploymentOrdinal, open!);
  };
  const plan = () => planCreation({ state: scenario.venue.state } as Turn, deployment(owner));
  fill(MAX_ALL_DEPLOYMENTS - 1);
  expect(plan()).toBeUndefined();
  fill(MAX_ALL_DEPLOYMENTS);
  expect(plan()).toEqual({ code: 'capability_unavailable', bound: MAX_ALL_DEPLOYMENTS });
});

describe('a change', () => {
  const PERMITTED = ['pending>running', 'pending>stopped', 'pending>failed', 'running>stopped', 'running>failed'];
  const states = ['running', 'stopped', 'failed'] as const;

  test.each(['pending', ...states].flatMap((from) => states.map((to) => [from, to] as const)))('from %s to %s', (from, to) => {
    const { scenario, owner } = withDraft();
    scenario.run(deployment(owner));
    if (from !== 'pending') scenario.run(change(1, from as 'running', 1));
    const version = from === 'pending' ? 1 : 2;
    const action = version;
    const [event] = scenario.run(change(1, to, version));
    const hasEnded = from === 'stopped' || from === 'failed';
    if (hasEnded) expect(event).toMatchObject({ code: 'agent_deployment_ended' });
    else if (!PERMITTED.includes(`${from}>${to}`)) expect(event).toMatchObject({ code: 'agent_state_conflict', bound: version });
    else {
      const changed = { deployment: 1, account: owner.account, state: to, stateVersion: version + 1, reason: '' };
      expect(event).toEqual({ type: 'AgentDeploymentChanged', action, ...changed });
    }
    const isOpen = PERMITTED.includes(`${from}>${to}`) ? to === 'running' : !hasEnded;
    expect(deploymentIn(scenario.venue.state.agents) !== undefined).toBe(isOpen);
  });

  test('is made once: a repeated one expects an earlier state version', () => {
    const { scenario, owner } = withDraft();
    scenario.run(deployment(owner));
    scenario.run(change(1, 'running', 1));
    const late = { deployment: 1 as AgentDeploymentOrdinal, state: 'stopped', reason: '', expectedStateVersion: 1 } as const;
    expect(scenario.run({ type: 'ChangeAgentDeployment', ...late })).toMatchObject([{ code: 'agent_state_conflict', bound: 2 }]);
  });

  test('names a deployment that was created, with a reason that is not too long', () => {
    const { scenario, owner } = withDraft();
    expect(scenario.run(change(1, 'running', 1))).toMatchObject(refused('agent_deployment_not_found'));
    scenario.run(deployment(owner));
    for (const unknown of [0, -1, 2])
      expect(scenario.run(change(unknown, 'stopped', 1))).toMatchObject(refused('agent_deployment_not_found'));
    const reason = 'x'.repeat(MAX_CHANGE_REASON_LENGTH + 1);
    expect(scenario.run({ ...change(1, 'failed', 1), reason })).toMatchObject(refused('agent_deployment_invalid'));
    expect(scenario.run({ ...change(1, 'failed', 1), reason: reason.slice(1) })).toMatchObject([{ state: 'failed' }]);
  });

  test('starts only an identity-ready one while agents are on, and ends any', () => {
    const { scenario, owner } = withDraft();
    scenario.run(deployment(owner));
    scenario.run(deployment(owner));
    scenario.run({ type: 'SetCapability', capability: 'agents', isOn: false });
    expect(scenario.run(change(1, 'running', 1))).toMatchObject(refused('capability_unavailable'));
    expect(scenario.run(change(1, 'stopped', 1))).toMatchObject([{ state: 'stopped' }]);
    scenario.run({ type: 'SetCapability', capability: 'agents', isOn: true });
    const revoked = { type: 'RecordPartyConsent', consent: 'revoked', reason: 'by the owner' } as const;
    scenario.run({ ...revoked, account: owner.account, consentId: `consent-${owner.account}` });
    expect(scenario.run(change(2, 'running', 1))).toMatchObject(refused('agent_account_not_ready'));
    scenario.run({ type: 'SetVenueStatus', status: 'halted' });
    expect(scenario.run(change(2, 'failed', 1))).toMatchObject([{ state: 'failed' }]);
  });
});

test.each(['agentAccount', 'account'] as const)('a retirement of the %s fails its open deployments', (retired) => {
  const { scenario, owner } = withDraft();
  scenario.run({ type: 'OpenAgentAccount', account: owner.account, label: 'other', digestSeed: 7 });
  const other = (owner.agentAccount + 1) as AccountOrdinal;
  for (const agentAccount of [owner.agentAccount, owner.agentAccount, other])
    scenario.run(deployment({ ...owner, agentAccount }));
  scenario.run(change(2, 'running', 1));
  const failed = { type: 'AgentDeploymentChanged', account: owner.account, state: 'failed', reason: RETIRED_REASON };
  const events = scenario.run({ type: 'RetireAccount', account: owner[retired] });
  expect(events).toEqual([
    { type: 'AccountRetired', account: owner[retired] },
    { ...failed, action: 2, deployment: 1, stateVersion: 2 },
    { ...failed, action: 3, deployment: 2, stateVersion: 3 },
    ...(retired === 'account' ? [{ ...failed, action: 4, deployment: 3, stateVersion: 2 }] : []),
  ]);
  expect(scenario.venue.state.agents.deployments.size).toBe(retired === 'account' ? 0 : 1);
  expect(scenario.run(change(2, 'stopped', 3))).toMatchObject(refused('agent_deployment_ended'));
});

test('numbers actions across deployments and owners, without reuse', () => {
  const scenario = Scenario.withAccounts(0);
  running(scenario, 1);
  running(scenario, 2);
  expect(scenario.run(change(1, 'stopped', 2))).toMatchObject([{ action: 3 }]);
  expect(scenario.run(change(2, 'stopped', 2))).toMatchObject([{ action: 4 }]);
  expect(scenario.venue.state.agents.deploymentsOf(1 as AccountOrdinal)).toEqual([]);
});
