/** Realtime tickets of agent accounts over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_TICKET_FAMILIES } from '#contract/realtime-limits.ts';
import { AgentDeployer } from '#http/testing/agent-deployer.ts';
import { deploymentOf, openAgentAccount } from '#http/testing/deployment-requests.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { parseAccountId } from '#units/ids.ts';

let venue: VenueUnderTest;
let agent: AgentDeployer;

beforeAll(async () => {
  venue = await startVenue(UNLIMITED);
  agent = await AgentDeployer.start(venue);
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

describe('a realtime ticket of an agent account', () => {
  const mint = (deploymentId: string, bot = agent.session) => venue.call('mintAgentTicket', agent.own(deploymentId, bot));

  test('is of that account, and is rotated and revoked as any ticket', async () => {
    const deploymentId = await agent.deployed();
    await agent.stop(deploymentId);
    const { status, body } = await mint(deploymentId);
    expect([status, body.accountId]).toEqual([200, agent.agentAccountId]);
    const channels = ['account.orders', 'account.fills', 'account.margin', 'account.pnl'];
    expect(await venue.tickets.authenticate(body.ticket)).toMatchObject({
      access: { account: parseAccountId(body.accountId), channels },
    });
    const rotated = await venue.call('rotateRealtimeTicket', { body: { ticket: body.ticket } });
    expect([rotated.status, rotated.body.accountId]).toEqual([200, agent.agentAccountId]);
    expect((await venue.call('revokeRealtimeTicket', { body: { ticket: body.ticket } })).status).toBe(204);
    const late = await venue.call('rotateRealtimeTicket', { body: { ticket: rotated.body.ticket } });
    expect(late.body.realtimeTicketFailure).toBe('revoked');
  });

  test('ends with the session that minted it', async () => {
    const passing = await venue.signIn(agent.owner);
    const deploymentId = await agent.deployed();
    await agent.stop(deploymentId);
    const { ticket } = (await mint(deploymentId, passing)).body;
    await venue.call('endSession', { bot: passing });
    const late = await venue.call('rotateRealtimeTicket', { body: { ticket } });
    expect(late.body.realtimeTicketFailure).toBe('revoked');
  });

  test('is one of the families of the agent account, not of its owner', async () => {
    const deploymentId = await agent.deployed();
    await agent.stop(deploymentId);
    const statuses: number[] = [];
    for (let count = 0; count <= MAX_TICKET_FAMILIES; count += 1) statuses.push((await mint(deploymentId)).status);
    expect(statuses.at(-1)).toBe(409);
    expect((await venue.call('mintRealtimeTicket', { bot: agent.session })).status).toBe(200);
  });

  test('is refused to a foreign owner, and without an identity-ready agent account', async () => {
    const bot = await venue.bot();
    const own = await venue.signIn(bot);
    const params = await deploymentOf(venue, bot);
    const foreign = await venue.call('mintAgentTicket', { bot: agent.session, params });
    expect(foreign.body.code).toBe('account_forbidden');
    expect((await mint(params.deploymentId)).body.code).toBe('agent_deployment_not_found');
    expect((await mint('x')).body.code).toBe('agent_deployment_not_found');
    const revoked = { account: bot.account, consent: 'revoked', consentId: `consent-${bot.account}`, reason: '' } as const;
    await venue.operate({ type: 'RecordPartyConsent', ...revoked }, 'PartyConsentChanged');
    const without = await venue.call('mintAgentTicket', { bot: own, params });
    expect([without.status, without.body.code]).toEqual([409, 'agent_account_not_ready']);
  });

  test.each(['agent account', 'owner'] as const)('is refused for a retired %s', async (which) => {
    const bot = await venue.bot();
    const params = await deploymentOf(venue, bot);
    const account = which === 'owner' ? bot.account : parseAccountId(await openAgentAccount(venue, bot))!;
    await venue.operate({ type: 'RetireAccount', account }, 'AccountRetired');
    const { body } = await venue.call('mintAgentTicket', { bot: await venue.signIn(bot), params });
    expect(body.code).toBe('agent_account_not_ready');
  });
});
