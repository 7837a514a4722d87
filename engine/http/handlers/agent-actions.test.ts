/** The action log of a deployment over HTTP, with its paper PnL. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentDeployer, BAR_MS, DEPLOYED_SCRIPT } from '#http/testing/agent-deployer.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';

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

describe('the action log', () => {
  test('has every change and paper order in both directions, by pages, with the paper PnL at the mark', async () => {
    const deploymentId = await agent.deployed();
    expect(await agent.log(deploymentId)).toMatchObject({
      actions: [],
      nextAfterActionId: null,
      paperPnl: { equityQuoteAtoms: '0' },
    });
    await agent.change(deploymentId, 'running', 1);
    expect(await agent.read(deploymentId)).toMatchObject({ state: 'running', stateVersion: 2 });
    const bought = await agent.trade(deploymentId, 1, 'buy', 1_000);
    await agent.trade(deploymentId, 2, 'sell', 400, { kind: 'exit', signal: 'out', reduceOnly: true });
    const partial = await agent.trade(deploymentId, 3, 'buy', 100_000);
    await agent.trade(deploymentId, 4, 'sell', 100, { kind: 'close' });
    const refused = await agent.trade(deploymentId, 5, 'buy', 0);
    expect([bought.outcome, partial.outcome, refused.outcome]).toEqual(['applied', 'partially_applied', 'refused']);
    await agent.stop(deploymentId);

    const { deployment, actions, paperPnl, nextAfterActionId, freshness } = await agent.log(deploymentId);
    expect(deployment).toEqual(await agent.read(deploymentId));
    expect([nextAfterActionId, freshness.status]).toEqual([null, 'fresh']);
    type Action = { actionId: string; kind: string; outcome: string; payload: Record<string, unknown>; payloadDigest: string };
    const shown = (actions as Action[]).map(({ kind, outcome, payload: { reason } }) => [kind, outcome, reason]);
    expect(shown).toEqual([
      ['deployment_started', 'applied', ''],
      ['entry', 'applied', 'none'],
      ['exit', 'applied', 'none'],
      ['entry', 'partially_applied', partial.reason],
      ['close', 'applied', 'none'],
      ['entry', 'refused', 'quantity_out_of_bounds'],
      ['deployment_stopped', 'applied', 'stopped by its owner'],
    ]);
    for (const { payload, payloadDigest } of actions as Action[])
      expect(payloadDigest).toBe(hash('sha256', JSON.stringify(payload)));
    expect(actions[1]).toMatchObject({
      deploymentId,
      ownerAccountId: agent.owner.accountId,
      model: { modelId: 'script-1', version: hash('sha256', DEPLOYED_SCRIPT) },
      payload: {
        marketId: 'BTC-USD-PERP',
        barEpochMs: BAR_MS,
        index: 0,
        signal: 'Long',
        side: 'buy',
        reduceOnly: false,
        quantityAtoms: '1000',
        filledBaseAtoms: '1000',
        filledNotionalAtoms: String(bought.filledNotionalAtoms),
        feeAtoms: String(bought.feeAtoms),
        fills: 1,
        worstPriceAtoms: '650100',
        markPriceAtoms: String(bought.markPriceAtoms),
      },
    });
    expect(actions[5].payload).toMatchObject({ fills: 0, worstPriceAtoms: null });
    const { ledger } = actions[6].payload;
    const { markPriceAtoms, equityQuoteAtoms, ...sums } = paperPnl;
    expect(sums).toEqual(ledger);
    const { tickLotAtoms } = await scales();
    const value = BigInt(ledger.positionBaseAtoms) * BigInt(markPriceAtoms) * tickLotAtoms;
    expect(equityQuoteAtoms).toBe(String(BigInt(ledger.cashQuoteAtoms) + value - BigInt(ledger.feesQuoteAtoms)));
    expect(BigInt(ledger.positionBaseAtoms)).toBeGreaterThan(0n);

    const ids = (actions as Action[]).map(({ actionId }) => actionId);
    for (const order of ['oldest_first', 'newest_first'] as const) {
      const paged: string[] = [];
      let query: Record<string, string> = { limit: '3', order };
      for (;;) {
        const page = await agent.log(deploymentId, query);
        paged.push(...page.actions.map(({ actionId }: Action) => actionId));
        if (page.nextAfterActionId === null) break;
        query = { limit: '3', order, afterActionId: page.nextAfterActionId };
      }
      expect(paged, order).toEqual(order === 'oldest_first' ? ids : [...ids].reverse());
    }
    // A full page can be continued, also if it is the last.
    expect((await agent.log(deploymentId, { limit: '7' })).nextAfterActionId).toBe(ids.at(-1));
    expect((await agent.log(deploymentId, { afterActionId: ids.at(-1)! })).actions).toEqual([]);
  });

  test('shows why a deployment failed, and changes neither balance nor position', async () => {
    const before = (await venue.call('getAccount', { ...agent.own() })).body;
    const deploymentId = await agent.deployed();
    await agent.change(deploymentId, 'running', 1);
    await agent.trade(deploymentId, 1, 'buy', 10);
    await agent.change(deploymentId, 'failed', 2, 'too much work on a bar');
    const { deployment, actions } = await agent.log(deploymentId, { order: 'newest_first' });
    expect(deployment).toMatchObject({ state: 'failed', stateReason: 'too much work on a bar' });
    expect(actions[0]).toMatchObject({
      kind: 'deployment_failed',
      payload: { stateVersion: 3, reason: 'too much work on a bar' },
    });
    const after = (await venue.call('getAccount', { ...agent.own() })).body;
    expect([after.cashBalance, after.positions]).toEqual([before.cashBalance, before.positions]);
    const { positions } = (await venue.call('listAgentPositions', agent.own(deploymentId))).body;
    expect(positions).toEqual([]);
  });

  test.each([
    ['limit', '0'],
    ['limit', '201'],
    ['afterActionId', 'x'],
    ['afterActionId', '-1'],
    ['order', 'other'],
  ])('refuses %s=%s', async (name, value) => {
    const deploymentId = await agent.deployed();
    await agent.stop(deploymentId);
    expect((await agent.log(deploymentId, { [name]: value })).code).toBe('invalid_request');
  });
});

async function scales(): Promise<{ readonly tickLotAtoms: bigint }> {
  const { body } = await venue.call('getMarket', { params: { marketId: 'BTC-USD-PERP' } });
  const { priceScale, quantityScale, settlementAssetDecimals } = body.market;
  return { tickLotAtoms: 10n ** BigInt(settlementAssetDecimals - priceScale - quantityScale) };
}
