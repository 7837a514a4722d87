/** Deployments of agents over HTTP: their creation, their end, and the positions of the agent account. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentDeployer, DEPLOYED_SCRIPT } from '#http/testing/agent-deployer.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { type AgentDraftOrdinal, parseAccountId } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';

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

describe('a deployment', () => {
  test('is created as pending with the values of all inputs, read, listed and stopped once', async () => {
    const { body } = await agent.deploy({ inputs: [{ name: 'length', value: 5 }] });
    const { deployment } = body;
    expect(deployment).toEqual({
      deploymentId: expect.stringMatching(/^[1-9]/),
      ownerAccountId: agent.owner.accountId,
      agentAccountId: agent.agentAccountId,
      draftId: agent.draftId,
      strategySource: 'strategy_lab',
      strategyVersion: hash('sha256', DEPLOYED_SCRIPT),
      reviewDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      marketId: 'BTC-USD-PERP',
      mode: 'paper',
      state: 'pending',
      stateVersion: 1,
      stateReason: '',
      parameters: {
        orderSizeAtoms: '10',
        timeframe: '1m',
        historyBars: 300,
        inputs: [
          { name: 'both', value: true },
          { name: 'length', value: 5 },
        ],
      },
      createdAtEpochMs: expect.any(Number),
      updatedAtEpochMs: deployment.createdAtEpochMs,
      modelId: 'script-1',
      fallbackModelId: null,
    });
    expect(await agent.read(deployment.deploymentId)).toEqual(deployment);
    expect((await venue.call('listAgentDeployments', agent.own())).body.deployments[0]).toEqual(deployment);
    const stopped = await agent.stop(deployment.deploymentId);
    expect(stopped.body.deployment).toMatchObject({ state: 'stopped', stateVersion: 2, stateReason: 'stopped by its owner' });
    const before = venue.sequence();
    expect((await agent.stop(deployment.deploymentId)).body).toEqual(stopped.body);
    expect(venue.sequence()).toBe(before);
  });

  test.each(['1m', '5m', '15m', '1h', '4h', '1d'])('runs on candles of %s', async (timeframe) => {
    const deploymentId = await agent.deployed({ timeframe });
    expect((await agent.read(deploymentId)).parameters.timeframe).toBe(timeframe);
    await agent.stop(deploymentId);
  });

  test('is created once under a key, and the response to a repetition is the same, also after its draft was removed', async () => {
    const params = { accountId: agent.owner.accountId, draftId: await agent.reviewed() };
    const request = { ...agent.own(), idempotencyKey: 'once', body: { ...agent.terms, draftId: params.draftId } };
    const first = await venue.call('createAgentDeployment', request);
    await agent.stop(first.body.deployment.deploymentId);
    await venue.call('removeAgentDraft', { bot: agent.session, params });
    const again = await venue.call('createAgentDeployment', request);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([200, first.body, 'true']);
  });

  test.each([
    ['an unknown input', [{ name: 'nothing', value: 1 }], 'no such parameter'],
    ['a value beyond its bound', [{ name: 'length', value: 101 }], 'at most 100'],
    ['a value of another kind', [{ name: 'both', value: 1 }], 'true or false'],
    [
      'an input that is named twice',
      [
        { name: 'length', value: 5 },
        { name: 'length', value: 6 },
      ],
      'twice',
    ],
    ['a name of the language', [{ name: '__proto__', value: 5 }], 'no such parameter'],
  ])('is refused with %s', async (_, inputs, reason) => {
    const before = venue.sequence();
    const { status, body } = await agent.deploy({ inputs });
    expect([status, body.code]).toEqual([400, 'agent_deployment_invalid']);
    expect(body.safeMessage).toContain(reason);
    expect(venue.sequence()).toBe(before);
  });

  test('is refused with inputs that need too much memory', async () => {
    const averages = Array.from({ length: 95 }, (_, place) => `a${place} = ta.sma(close, length)`);
    const histories = Array.from({ length: 26 }, (_, place) => `h${place} = a${place}[500]`);
    const head = '//@version=6\nstrategy("x")\nlength = input.int(2, "Length", minval = 1, maxval = 500)';
    const text = `${[head, ...averages, ...histories].join('\n')}\nif h0 > 0\n    strategy.entry("Long", strategy.long)\n`;
    const { body } = await agent.deploy({ draftId: await agent.reviewed(text), inputs: [{ name: 'length', value: 500 }] });
    expect(body.code, JSON.stringify(body)).toBe('agent_deployment_invalid');
  });

  test.each([
    ['an unknown draft', { draftId: '999' }, 'agent_draft_not_found'],
    ['a malformed draft', { draftId: 'x' }, 'agent_draft_not_found'],
    ['an unknown agent account', { agentAccountId: 'acct-999' }, 'agent_account_not_found'],
    ['a malformed agent account', { agentAccountId: 'x' }, 'agent_account_not_found'],
    ['an unknown market', { marketId: 'DOGE-USD-PERP' }, 'unknown_market'],
    ['a size beyond the maximum of an order', { orderSizeAtoms: '999999999999999' }, 'quantity_out_of_bounds'],
    ['a size of zero', { orderSizeAtoms: '0' }, 'invalid_request'],
    ['no history', { historyBars: 0 }, 'invalid_request'],
  ])('is refused with %s', async (_, changes, code) => {
    expect((await agent.deploy(changes)).body.code).toBe(code);
  });

  test('needs the confirmed review of this release', async () => {
    const { draftId } = await agent.draft();
    expect((await agent.deploy({ draftId })).body.code).toBe('agent_draft_not_reviewed');
    // A review of another release was confirmed.
    const review = { account: agent.owner.account, draft: Number(draftId) as AgentDraftOrdinal, reviewDigest: 'a'.repeat(64) };
    await venue.operate({ type: 'ReviewAgentScript', ...review }, 'AgentScriptReviewed');
    expect((await agent.deploy({ draftId })).body.code).toBe('agent_draft_not_reviewed');
  });

  test('needs an agent account whose owner has a consent', async () => {
    const poor = await venue.bot();
    const opening = { type: 'OpenAgentAccount', account: poor.account, label: 'agent', digestSeed: 7 } as const;
    const { agentAccount } = await venue.operate(opening, 'AgentAccountOpened');
    const bot = await venue.signIn(poor);
    const changes = { draftId: await agent.reviewed(DEPLOYED_SCRIPT, bot), agentAccountId: `acct-${agentAccount}` };
    expect((await agent.deploy(changes, bot)).body.code).toBe('agent_account_not_ready');
  });

  test('is refused while agents are off, and can be stopped then', async () => {
    const deploymentId = await agent.deployed();
    await venue.operate({ type: 'SetCapability', capability: 'agents', isOn: false }, 'CapabilitySet');
    const off = await agent.deploy();
    const stopped = await agent.stop(deploymentId);
    await venue.operate({ type: 'SetCapability', capability: 'agents', isOn: true }, 'CapabilitySet');
    expect([off.status, off.body.code, stopped.status]).toEqual([503, 'capability_unavailable', 200]);
    await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
    const paused = await agent.deploy();
    await venue.operate({ type: 'SetVenueStatus', status: 'open' }, 'VenueStatusChanged');
    expect([paused.status, paused.body.code]).toEqual([503, 'intake_paused']);
  });

  test('is one of at most 20 open ones of an owner', async () => {
    const open: string[] = [];
    for (let count = 0; count < 20; count += 1) open.push(await agent.deployed());
    expect((await agent.deploy()).body.code).toBe('too_many_agent_deployments');
    for (const deploymentId of open) await agent.stop(deploymentId);
    const pages: string[] = [];
    let after: Record<string, string> = {};
    for (;;) {
      const { body } = await venue.call('listAgentDeployments', { ...agent.own(), query: { limit: '7', ...after } });
      pages.push(...body.deployments.map(({ deploymentId }: { deploymentId: string }) => deploymentId));
      if (body.nextAfterDeploymentId === null) break;
      after = { afterDeploymentId: body.nextAfterDeploymentId };
    }
    expect(pages.slice(0, 20)).toEqual(open.reverse());
    expect(new Set(pages).size).toBe(pages.length);
  });

  test('of another owner is unknown', async () => {
    const deploymentId = await agent.deployed();
    const stranger = await venue.signIn(await venue.bot());
    for (const id of ['getAgentDeployment', 'stopAgentDeployment', 'listAgentActions', 'listAgentPositions'] as const) {
      expect((await venue.call(id, agent.own(deploymentId, stranger))).body.code, id).toBe('agent_deployment_not_found');
      expect((await venue.call(id, agent.own('x'))).body.code, id).toBe('agent_deployment_not_found');
    }
    await agent.stop(deploymentId);
  });

  test('that starts or fails while it is stopped has one end', async () => {
    const [starting, failing] = [await agent.deployed(), await agent.deployed()];
    const meets = (deploymentId: string, state: 'running' | 'failed') => {
      let isMet = false;
      const beforeSubmit = async ({ type }: { readonly type: string }) => {
        if (isMet || type !== 'ChangeAgentDeployment') return;
        isMet = true;
        await agent.change(deploymentId, state, 1, 'met');
      };
      return whilePlanted(venue.planted, { beforeSubmit }, () => agent.stop(deploymentId));
    };
    expect((await meets(starting, 'running')).body.deployment).toMatchObject({ state: 'stopped', stateVersion: 3 });
    expect((await meets(failing, 'failed')).body.deployment).toMatchObject({
      state: 'failed',
      stateVersion: 2,
      stateReason: 'met',
    });
  });
});

describe('the positions of an agent account', () => {
  test('are the real ones of the account that the deployment is bound to', async () => {
    const deploymentId = await agent.deployed();
    const agentAccount = parseAccountId(agent.agentAccountId)!;
    const amountAtoms = quoteAtoms(10_000_000_000);
    await venue.operate({ type: 'CreditCash', account: agentAccount, amountAtoms, reference: 'test' }, 'CashPosted');
    const trader = await venue.keyOf({ ...agent.owner, account: agentAccount }, ['read', 'trade']);
    const order = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'market', quantity: '0.01', clientOrderId: 'real' };
    await venue.call('placeOrder', { bot: trader, idempotencyKey: 'real', body: { accountId: agent.agentAccountId, ...order } });
    const { status, body } = await venue.call('listAgentPositions', agent.own(deploymentId));
    expect([status, body.accountId, body.positions.length]).toEqual([200, agent.agentAccountId, 1]);
    const direct = await venue.call('listPositions', { bot: trader, params: { accountId: agent.agentAccountId } });
    expect(body.positions).toEqual(direct.body.positions);
    await agent.stop(deploymentId);
    expect((await venue.call('listAgentPositions', agent.own(deploymentId))).body.positions).toHaveLength(1);
  });

  test.each(['local', 'mainnet'] as const)('are refused in %s, which admits no agents', async (environment) => {
    const other = await startVenue({ ...UNLIMITED, environment });
    const bot = await other.bot(0, ['agents']);
    const { status, body } = await other.call('listAgentPositions', {
      bot,
      params: { accountId: bot.accountId, deploymentId: '1' },
    });
    expect([status, body.code, body.agentRefusal]).toEqual([409, 'agents_not_admitted', 'agents_not_admitted_in_environment']);
    await other.close();
  });
});
