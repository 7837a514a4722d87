/** The channel account.agents: the actions of all deployments of an owner, as the action log shows them. */
import { expect, test } from 'vitest';
import { History } from '#simulation/history.ts';
import { type AgentDeploymentOrdinal, renderAccountId } from '#units/ids.ts';
import { change, deployment, running, trade } from '#venue/agent/testing/agents.ts';
import { updatesAfterPublishing } from './testing/alice.ts';
import { RecordedService } from './testing/recorded-service.ts';

const CHANNEL = 'account.agents';

test('publishes every action of the owner as its log has it, and nothing of other owners, live and as a replay', async () => {
  const history = History.begin(2);
  history.limit(1, 'sell', 10_000, 1_000);
  history.limit(1, 'buy', 9_990, 1_000);
  const owner = running(history);
  running(history, 2);
  const service = await RecordedService.start(history);
  service.publish();
  const before = history.sequence;
  const accountId = renderAccountId(owner.account);
  const client = await service.connectAs(owner.account);
  await client.subscribed(CHANNEL, { accountId });
  trade(history, 'buy', 500);
  history.run(deployment(owner));
  history.run(change(3, 'running', 1));
  history.run(change(2, 'stopped', 2));
  trade(history, 'sell', 200, { kind: 'exit', reduceOnly: true });
  history.run({ ...change(3, 'failed', 2), reason: 'too much work' });
  const updates = await updatesAfterPublishing(service, client, CHANNEL);

  const numbers = [1, 3].map((number) => number as AgentDeploymentOrdinal);
  const logged = numbers.flatMap((number) => {
    const query = { deployment: number, direction: 'oldest_first', limit: 10 } as const;
    return service.projection.reads.agentActions(owner.account, query)!.actions;
  });
  const expected = logged
    .filter(({ sequence }) => sequence > before)
    .sort((left, right) => left.sequence - right.sequence)
    .map(({ model: _, ...action }) => [action.sequence, { actions: [action] }]);
  expect(expected).toHaveLength(4);
  expect(updates.map(({ sequence, data }) => [sequence, data])).toEqual(expected);

  const late = await service.connectAs(owner.account);
  await late.subscribed(CHANNEL, { accountId }, before);
  await late.drained();
  expect(late.updates(CHANNEL)).toEqual(updates);
});
