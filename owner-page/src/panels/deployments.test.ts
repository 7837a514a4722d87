/** The lists of agents: deployments by pages with the names of their drafts, and the catalogue, which is read once. */
import { expect, test } from 'vitest';
import { AgentOperations } from '#owner-page/src/venue/agent-operations.ts';
import { DEPLOYMENT, DRAFT } from '#owner-page/testing/agent-resources.ts';
import { RecordedPage, ScriptedVenue } from '#owner-page/testing/scripted-venue.ts';
import { DeploymentsPanel } from './deployments.ts';
import { StrategiesPanel } from './strategies.ts';

const ACCOUNT = '/v1/accounts/acct-7';
const LIST = `GET ${ACCOUNT}/agents`;

test('deployments are listed newest first, older ones on demand, with the names of drafts that exist', async () => {
  const venue = new ScriptedVenue();
  const older = { ...DEPLOYMENT, deploymentId: '6', draftId: '2' };
  venue.on(
    LIST,
    { deployments: [DEPLOYMENT], nextAfterDeploymentId: '7' },
    { deployments: [older], nextAfterDeploymentId: null },
  );
  venue.on(`GET ${ACCOUNT}/agent-drafts`, { drafts: [DRAFT] });
  const panel = new DeploymentsPanel(new RecordedPage(), new AgentOperations(venue.client, 'acct-7'));
  await panel.load();
  expect([panel.deployments, panel.hasMore]).toEqual([[DEPLOYMENT], true]);
  await panel.showMore();
  expect([panel.deployments, panel.hasMore]).toEqual([[DEPLOYMENT, older], false]);
  expect(panel.deployments?.map((it) => panel.nameOf(it))).toEqual(['first', 'Draft 2']);
  const queries = venue.sent.filter(({ route }) => route === LIST).map(({ query }) => query);
  expect(queries).toEqual(['limit=50', 'limit=50&afterDeploymentId=7']);
});

test('the catalogue is read again only if it was not read', async () => {
  const venue = new ScriptedVenue();
  venue.on('GET /v1/agents/strategies', { status: 503, code: 'venue_busy', isRetryable: true }, { strategies: [] });
  const panel = new StrategiesPanel(new RecordedPage(), new AgentOperations(venue.client, 'acct-7'));
  await panel.load();
  expect([panel.strategies, panel.failure]).toEqual([undefined, 'refused: venue_busy']);
  await panel.load();
  await panel.load();
  expect([panel.strategies, panel.failure, venue.sent.length]).toEqual([[], undefined, 2]);
});
