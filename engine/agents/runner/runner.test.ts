/** The runner over the real core: when it places which order, and what ends a deployment. */
import { expect, test } from 'vitest';
import { agentOwner } from '#venue/agent/testing/agents.ts';
import type { Command } from '#venue/command.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { FIRST_MINUTE, LONG_ABOVE, MINUTE_MS, orders, RunnerVenue } from './testing/runner-venue.ts';

test('starts a pending deployment, and places the order of a bar once it has closed', async () => {
  const venue = new RunnerVenue();
  for (let minute = -5; minute < 2; minute += 1) venue.bar(minute, 10_010);
  const deployed = venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  expect(orders(venue)).toMatchObject([{ kind: 'deployment_started' }]);
  await venue.reach(1);
  const [, order] = orders(venue);
  expect(order).toMatchObject({ kind: 'entry', barEpochMs: FIRST_MINUTE, barIndex: 0, filledBaseAtoms: 10 });
  await venue.reach(2);
  expect(orders(venue)).toHaveLength(2);
  expect(venue.runner.counts()).toMatchObject({ running: 1, pending: 0, behind: 0, barsWorked: 7, ordersPlaced: 1 });
  venue.take({ type: 'ChangeAgentDeployment', deployment: deployed, state: 'stopped', reason: '', expectedStateVersion: 2 });
  venue.bar(2, 9_000);
  await venue.reach(3);
  expect(orders(venue)).toHaveLength(3);
  expect(venue.runner.counts()).toMatchObject({ running: 0, pending: 0 });
  expect(venue.errors).toEqual([]);
});

test('places nothing for bars that closed longer than a bar ago, but knows them', async () => {
  const venue = new RunnerVenue();
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  venue.bar(0, 10_010);
  venue.bar(1, 9_990);
  await venue.reach(3);
  expect(orders(venue)).toHaveLength(1);
  venue.bar(2, 9_990);
  venue.bar(3, 10_010);
  await venue.reach(4);
  expect(orders(venue).slice(1)).toMatchObject([{ kind: 'entry', barEpochMs: FIRST_MINUTE + 3 * MINUTE_MS }]);
});

test('places nothing while agents may not act', async () => {
  const venue = new RunnerVenue();
  venue.mayAct = false;
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  expect(orders(venue)).toEqual([]);
  venue.mayAct = true;
  venue.bar(0, 9_990);
  await venue.reach(1);
  venue.mayAct = false;
  venue.bar(1, 10_010);
  await venue.reach(2);
  expect(orders(venue)).toMatchObject([{ kind: 'deployment_started' }]);
  venue.mayAct = true;
  venue.bar(2, 10_010);
  await venue.reach(3);
  expect(orders(venue).slice(1)).toMatchObject([{ barEpochMs: FIRST_MINUTE + 2 * MINUTE_MS }]);
});

test('repeats what the writer was too busy for, and gives up when the bar is too old', async () => {
  const venue = new RunnerVenue();
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  let refused = 0;
  venue.intercept = async (turn) => {
    refused += 1;
    if (refused < 4) throw new WriterBusy();
    return turn();
  };
  venue.bar(0, 10_010);
  await venue.reach(1);
  expect([refused, orders(venue).length]).toEqual([4, 2]);
  venue.intercept = async () => {
    venue.scenario.wait(MINUTE_MS / 3);
    throw new WriterBusy();
  };
  venue.bar(1, 9_990);
  await venue.reach(2);
  venue.intercept = async (turn) => turn();
  venue.bar(4, 9_990);
  await venue.reach(5);
  expect(orders(venue).slice(2)).toMatchObject([{ kind: 'close', barEpochMs: FIRST_MINUTE + 4 * MINUTE_MS }]);
  expect(venue.errors).toEqual([]);
});

test.each([
  ['a script that is refused', 'strategy("x")\nwhile true', {}, 'line '],
  ['a parameter that the script lacks', LONG_ABOVE, { parameters: '{"length":2}' }, 'length: the script has no such parameter'],
  ['parameters that are no values', LONG_ABOVE, { parameters: '[1]' }, 'the parameters are not'],
  ['another interpreter', LONG_ABOVE, { modelId: 'script-0' }, 'the interpreter is script-1, the deployment needs script-0'],
  ['a timeframe without candles', LONG_ABOVE, { timeframeMs: 61_000 }, 'the venue records no candles of 61000 ms'],
])('fails a deployment with %s', async (_, text, changes, reason) => {
  const venue = new RunnerVenue();
  const changed: Command[] = [];
  venue.intercept = async (turn, _number, command) => {
    changed.push(command);
    return turn();
  };
  venue.deploy(text, changes);
  await venue.runner.settled();
  expect(changed).toMatchObject([{ type: 'ChangeAgentDeployment', state: 'failed', reason: expect.stringContaining(reason) }]);
});

test('fails a deployment whose script is not the one that was reviewed', async () => {
  const venue = new RunnerVenue();
  const deployed = venue.deploy(LONG_ABOVE);
  const { drafts, deployments } = venue.scenario.venue.state.agents;
  const { draft } = deployments.get(deployed)!;
  drafts.set(draft, { ...drafts.get(draft)!, textDigest: 'another' });
  await venue.runner.settled();
  expect(venue.actions).toMatchObject([{ kind: 'deployment_failed' }]);
});

test('fails a deployment whose run ends, and leaves its position', async () => {
  const venue = new RunnerVenue();
  venue.deploy(
    `//@version=6\nstrategy("x")\nif close > 1000\n    strategy.entry("L", strategy.long)\nx = close[int(1000 - close)]`,
  );
  await venue.runner.settled();
  venue.bar(0, 10_000);
  await venue.reach(1);
  venue.bar(1, 10_010);
  await venue.reach(2);
  expect(orders(venue).map(({ kind }) => kind)).toEqual(['deployment_started', 'deployment_failed']);
  expect(venue.states.size).toBe(0);
});

test('stops with a halted venue', async () => {
  const venue = new RunnerVenue();
  venue.deploy(LONG_ABOVE);
  await venue.runner.settled();
  venue.intercept = async () => {
    throw new VenueHalted();
  };
  venue.bar(0, 10_010);
  await venue.reach(1);
  venue.intercept = async (turn) => turn();
  venue.bar(1, 10_010);
  await venue.reach(2);
  expect(orders(venue)).toHaveLength(1);
  expect(venue.errors).toEqual([]);
});

test('an owner with many deployments that warm up does not keep another one waiting', async () => {
  const venue = new RunnerVenue();
  for (let minute = -2_000; minute < 0; minute += 1) venue.bar(minute, 10_000);
  const long = { historyBars: 2_000 };
  const first = Array.from({ length: 12 }, () => venue.deploy(LONG_ABOVE, long));
  const other = venue.deploy(LONG_ABOVE, long, agentOwner(venue.scenario, 2));
  await venue.runner.settled();
  const started = venue.actions.map(({ deployment }) => deployment);
  expect(started).toHaveLength(first.length + 1);
  expect(started.slice(0, 3)).toContain(other);
});
