/** What the projection stores of agents: drafts, deployments, and the action log in both directions. */
import { expect, test } from 'vitest';
import { History } from '#simulation/history.ts';
import type { AgentActionOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import { change, draft, REVIEW_DIGEST, running, TEXT_DIGEST, trade } from '#venue/agent/testing/agents.ts';
import { agentActionPage, agentDeployment, agentDeploymentsOf, agentDraftsOf, agentLog } from './agent-pages.ts';
import { foldEvent } from './fold.ts';
import { openStore } from './store.ts';

const deployment = 1 as AgentDeploymentOrdinal;

/** A deployment that started, bought, sold, and stopped; and a running one. */
function traded() {
  const history = History.begin(1);
  history.limit(1, 'sell', 10_000, 1_000);
  history.limit(1, 'buy', 9_990, 1_000);
  const { account } = running(history);
  running(history, 2);
  trade(history, 'buy', 500);
  trade(history, 'sell', 200, { kind: 'exit', signal: 'out', reduceOnly: true });
  trade(history, 'buy', 0);
  history.run({ ...change(1, 'stopped', 2), reason: 'by the owner' });
  const store = openStore(':memory:');
  store.fold(() => {
    for (const record of history.records) for (const event of record.events) foldEvent(store, event, record);
    return store.checkpoint;
  });
  return { history, store, account };
}

test('pages the action log of a deployment by number, in both directions', () => {
  const { store } = traded();
  const page = (direction: 'oldest_first' | 'newest_first', after?: number) =>
    agentActionPage(store, { deployment, direction, limit: 2, ...(after && { after: after as AgentActionOrdinal }) }).map(
      ({ action }) => action,
    );
  // Action 2 is of the other deployment.
  expect(page('oldest_first')).toEqual([1, 3]);
  expect(page('oldest_first', 3)).toEqual([4, 5]);
  expect(page('oldest_first', 5)).toEqual([6]);
  expect(page('newest_first')).toEqual([6, 5]);
  expect(page('newest_first', 4)).toEqual([3, 1]);
  expect(page('newest_first', 1)).toEqual([]);
  store.close();
});

test('reads the action log of a deployment for its run', () => {
  const { store } = traded();
  const log = agentLog(store, { deployment, after: 0 as AgentActionOrdinal, limit: 2 });
  expect(log).toMatchObject([
    { action: 1, kind: 'deployment_started', barEpochMs: null, barIndex: null, positionBaseAtoms: 0 },
    { action: 3, kind: 'entry', barIndex: 0, filledBaseAtoms: 500, filledNotionalAtoms: 500_000_000, positionBaseAtoms: 500 },
  ]);
  expect(agentLog(store, { deployment, after: 3 as AgentActionOrdinal, limit: 9 }).map(({ action }) => action)).toEqual([
    4, 5, 6,
  ]);
  store.close();
});

test('stores each action with the ledger after it', () => {
  const { store, history, account } = traded();
  const actions = agentActionPage(store, { deployment, direction: 'oldest_first', limit: 10 });
  const empty = { positionBaseAtoms: 0, cashQuoteAtoms: 0, feesQuoteAtoms: 0, fillCount: 0 };
  const bought = { positionBaseAtoms: 500, cashQuoteAtoms: -500_000_000, feesQuoteAtoms: 250_000, fillCount: 1 };
  const sold = { positionBaseAtoms: 300, cashQuoteAtoms: -300_200_000, feesQuoteAtoms: 349_900, fillCount: 2 };
  expect(actions).toMatchObject([
    { account, kind: 'deployment_started', outcome: 'applied', reason: '', stateVersion: 2, side: null, fills: null, ...empty },
    { kind: 'entry', outcome: 'applied', reason: 'none', side: 'buy', reduceOnly: 0, feeAtoms: 250_000, ...bought },
    { kind: 'exit', signal: 'out', side: 'sell', reduceOnly: 1, filledNotionalAtoms: 199_800_000, stateVersion: null, ...sold },
    { kind: 'entry', outcome: 'refused', reason: 'quantity_out_of_bounds', fills: 0, worstPriceAtoms: 0, ...sold },
    { kind: 'deployment_stopped', outcome: 'applied', reason: 'by the owner', stateVersion: 3, barEpochMs: null, ...sold },
  ]);
  expect(actions.at(-1)).toMatchObject({ sequence: history.sequence, recordedAtEpochMs: history.now, market: 1 });
  expect(agentDeployment(store, deployment)).toMatchObject({
    state: 'stopped',
    stateVersion: 3,
    reason: 'by the owner',
    ...sold,
  });
  store.close();
});

test('lists the deployments of an owner, newest first, and the drafts that are not removed', () => {
  const { store, history, account } = traded();
  expect(agentDeploymentsOf(store, { account, limit: 10 })).toMatchObject([
    { deployment, textDigest: TEXT_DIGEST, reviewDigest: REVIEW_DIGEST },
  ]);
  const before = history.records.length;
  history.run(draft(account, { name: 'second' }));
  history.run({ type: 'RemoveAgentDraft', account, draft: 1 as AgentDraftOrdinal });
  store.fold(() => {
    for (const record of history.records.slice(before)) for (const event of record.events) foldEvent(store, event, record);
    return store.checkpoint;
  });
  expect(agentDraftsOf(store, account)).toEqual([
    {
      draft: 3,
      account,
      name: 'second',
      text: draft(account).text,
      textDigest: TEXT_DIGEST,
      createdAtEpochMs: history.now - 1,
      reviewDigest: '',
      reviewedAtEpochMs: null,
      isRemoved: 0,
    },
  ]);
  store.close();
});
