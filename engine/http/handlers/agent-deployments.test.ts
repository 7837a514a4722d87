/** Deployments of agents over HTTP: their creation and end, the action log with its paper PnL, and the positions of the agent account. */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_TICKET_FAMILIES } from '#contract/realtime-limits.ts';
import { deploymentOf, openAgentAccount } from '#http/testing/deployment-requests.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { type Bot, startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import { parseAccountId } from '#units/ids.ts';
import { type BaseAtoms, epochMs, quoteAtoms } from '#units/money.ts';
import type { PlacePaperOrder } from '#venue/command.ts';

const SCRIPT = `//@version=6
strategy("Breakout")
length = input.int(20, "Length", minval = 2, maxval = 100)
both = input.bool(true, "Both sides")
if close > ta.sma(close, length) and both
    strategy.entry("Long", strategy.long)
`;
const BAR_MS = 60_000;

let venue: VenueUnderTest;
let owner: Bot;
let session: Bot;
let agentAccountId: string;
let draftId: string;

beforeAll(async () => {
  venue = await startVenue(UNLIMITED);
  owner = await venue.bot();
  session = await venue.signIn(owner);
  agentAccountId = await openAgentAccount(venue, owner);
  draftId = await reviewed();
  const maker = await venue.bot();
  for (const [side, price, quantity] of [
    ['sell', '65010', '0.5'],
    ['buy', '64990', '0.5'],
  ] as const) {
    const order = { marketId: 'BTC-USD-PERP', side, orderType: 'limit', price, quantity, clientOrderId: side };
    await venue.call('placeOrder', { bot: maker, idempotencyKey: side, body: { accountId: maker.accountId, ...order } });
  }
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

let keys = 0;
const own = (deploymentId?: string, bot = session) => ({
  bot,
  params: { accountId: bot.accountId, ...(deploymentId === undefined ? {} : { deploymentId }) },
});
const terms = () => ({
  agentAccountId,
  draftId,
  marketId: 'BTC-USD-PERP',
  timeframe: '1m',
  historyBars: 300,
  orderSizeAtoms: '10',
});
const deploy = (changes: object = {}, bot = session) => {
  keys += 1;
  return venue.call('createAgentDeployment', {
    ...own(undefined, bot),
    idempotencyKey: `key-${keys}`,
    body: { ...terms(), ...changes },
  });
};
const deployed = async (changes: object = {}): Promise<string> => {
  const { status, body } = await deploy(changes);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.deployment.deploymentId;
};
const read = async (deploymentId: string) => (await venue.call('getAgentDeployment', own(deploymentId))).body.deployment;
const stop = (deploymentId: string, bot = session) => venue.call('stopAgentDeployment', own(deploymentId, bot));
const log = async (deploymentId: string, query = {}) =>
  (await venue.call('listAgentActions', { ...own(deploymentId), query })).body;

async function reviewed(text = SCRIPT): Promise<string> {
  keys += 1;
  const { body } = await venue.call('draftAgentScript', { ...own(), idempotencyKey: `key-${keys}`, body: { name: 'one', text } });
  const params = { accountId: owner.accountId, draftId: body.draftId };
  await venue.call('confirmAgentReview', { bot: session, params, body: { reviewDigest: body.reviewDigest } });
  return body.draftId;
}

const change = (deploymentId: string, state: 'running' | 'stopped' | 'failed', expectedStateVersion: number, reason = '') =>
  venue.operate(
    { type: 'ChangeAgentDeployment', deployment: ordinal(deploymentId), state, reason, expectedStateVersion },
    'AgentDeploymentChanged',
  );
const ordinal = (deploymentId: string) => Number(deploymentId) as AgentDeploymentOrdinal;

const trade = (
  deploymentId: string,
  bar: number,
  side: 'buy' | 'sell',
  quantity: number,
  changes: Partial<PlacePaperOrder> = {},
) =>
  venue.operate(
    {
      type: 'PlacePaperOrder',
      deployment: ordinal(deploymentId),
      barEpochMs: epochMs(bar * BAR_MS),
      index: 0,
      kind: 'entry',
      signal: 'Long',
      side,
      quantityAtoms: quantity as BaseAtoms,
      reduceOnly: false,
      ...changes,
    },
    'PaperOrderPlaced',
  );

describe('a deployment', () => {
  test('is created as pending with the values of all inputs, read, listed and stopped once', async () => {
    const { body } = await deploy({ inputs: [{ name: 'length', value: 5 }] });
    const { deployment } = body;
    expect(deployment).toEqual({
      deploymentId: expect.stringMatching(/^[1-9]/),
      ownerAccountId: owner.accountId,
      agentAccountId,
      draftId,
      strategySource: 'strategy_lab',
      strategyVersion: hash('sha256', SCRIPT),
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
    expect(await read(deployment.deploymentId)).toEqual(deployment);
    expect((await venue.call('listAgentDeployments', own())).body.deployments[0]).toEqual(deployment);
    const stopped = await stop(deployment.deploymentId);
    expect(stopped.body.deployment).toMatchObject({ state: 'stopped', stateVersion: 2, stateReason: 'stopped by its owner' });
    const before = venue.sequence();
    expect((await stop(deployment.deploymentId)).body).toEqual(stopped.body);
    expect(venue.sequence()).toBe(before);
  });

  test.each(['1m', '5m', '15m', '1h', '4h', '1d'])('runs on candles of %s', async (timeframe) => {
    const deploymentId = await deployed({ timeframe });
    expect((await read(deploymentId)).parameters.timeframe).toBe(timeframe);
    await stop(deploymentId);
  });

  test('is created once under a key, and the response to a repetition is the same, also after its draft was removed', async () => {
    const params = { accountId: owner.accountId, draftId: await reviewed() };
    const request = { ...own(), idempotencyKey: 'once', body: { ...terms(), draftId: params.draftId } };
    const first = await venue.call('createAgentDeployment', request);
    await stop(first.body.deployment.deploymentId);
    await venue.call('removeAgentDraft', { bot: session, params });
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
    const { status, body } = await deploy({ inputs });
    expect([status, body.code]).toEqual([400, 'agent_deployment_invalid']);
    expect(body.safeMessage).toContain(reason);
    expect(venue.sequence()).toBe(before);
  });

  test('is refused with inputs that need too much memory', async () => {
    const averages = Array.from({ length: 95 }, (_, place) => `a${place} = ta.sma(close, length)`);
    const histories = Array.from({ length: 26 }, (_, place) => `h${place} = a${place}[500]`);
    const head = '//@version=6\nstrategy("x")\nlength = input.int(2, "Length", minval = 1, maxval = 500)';
    const text = `${[head, ...averages, ...histories].join('\n')}\nif h0 > 0\n    strategy.entry("Long", strategy.long)\n`;
    const { body } = await deploy({ draftId: await reviewed(text), inputs: [{ name: 'length', value: 500 }] });
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
    expect((await deploy(changes)).body.code).toBe(code);
  });

  test('needs the confirmed review of this release', async () => {
    keys += 1;
    const { body } = await venue.call('draftAgentScript', {
      ...own(),
      idempotencyKey: `key-${keys}`,
      body: { name: 'x', text: SCRIPT },
    });
    expect((await deploy({ draftId: body.draftId })).body.code).toBe('agent_draft_not_reviewed');
  });

  test('needs an agent account whose owner has a consent', async () => {
    const poor = await venue.bot();
    const agent = { type: 'OpenAgentAccount', account: poor.account, label: 'agent', digestSeed: 7 } as const;
    const { agentAccount } = await venue.operate(agent, 'AgentAccountOpened');
    const bot = await venue.signIn(poor);
    keys += 1;
    const drafted = await venue.call('draftAgentScript', {
      ...own(undefined, bot),
      idempotencyKey: `key-${keys}`,
      body: { name: 'x', text: SCRIPT },
    });
    const { draftId: poorDraft, reviewDigest } = drafted.body;
    const params = { accountId: bot.accountId, draftId: poorDraft };
    await venue.call('confirmAgentReview', { bot, params, body: { reviewDigest } });
    const changes = { draftId: poorDraft, agentAccountId: `acct-${agentAccount}` };
    expect((await deploy(changes, bot)).body.code).toBe('agent_account_not_ready');
  });

  test('is refused while agents are off, and can be stopped then', async () => {
    const deploymentId = await deployed();
    await venue.operate({ type: 'SetCapability', capability: 'agents', isOn: false }, 'CapabilitySet');
    const off = await deploy();
    const stopped = await stop(deploymentId);
    await venue.operate({ type: 'SetCapability', capability: 'agents', isOn: true }, 'CapabilitySet');
    expect([off.status, off.body.code, stopped.status]).toEqual([503, 'capability_unavailable', 200]);
    await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
    const paused = await deploy();
    await venue.operate({ type: 'SetVenueStatus', status: 'open' }, 'VenueStatusChanged');
    expect([paused.status, paused.body.code]).toEqual([503, 'intake_paused']);
  });

  test('is one of at most 20 open ones of an owner', async () => {
    const open: string[] = [];
    for (let count = 0; count < 20; count += 1) open.push(await deployed());
    expect((await deploy()).body.code).toBe('too_many_agent_deployments');
    for (const deploymentId of open) await stop(deploymentId);
    const pages: string[] = [];
    let after: Record<string, string> = {};
    for (;;) {
      const { body } = await venue.call('listAgentDeployments', { ...own(), query: { limit: '7', ...after } });
      pages.push(...body.deployments.map(({ deploymentId }: { deploymentId: string }) => deploymentId));
      if (body.nextAfterDeploymentId === null) break;
      after = { afterDeploymentId: body.nextAfterDeploymentId };
    }
    expect(pages.slice(0, 20)).toEqual(open.reverse());
    expect(new Set(pages).size).toBe(pages.length);
  });

  test('of another owner is unknown', async () => {
    const deploymentId = await deployed();
    const stranger = await venue.signIn(await venue.bot());
    for (const id of ['getAgentDeployment', 'stopAgentDeployment', 'listAgentActions', 'listAgentPositions'] as const) {
      expect((await venue.call(id, own(deploymentId, stranger))).body.code, id).toBe('agent_deployment_not_found');
      expect((await venue.call(id, own('x'))).body.code, id).toBe('agent_deployment_not_found');
    }
    await stop(deploymentId);
  });

  test('that starts or fails while it is stopped has one end', async () => {
    const [starting, failing] = [await deployed(), await deployed()];
    const meets = (deploymentId: string, state: 'running' | 'failed') => {
      let isMet = false;
      const beforeSubmit = async ({ type }: { readonly type: string }) => {
        if (isMet || type !== 'ChangeAgentDeployment') return;
        isMet = true;
        await change(deploymentId, state, 1, 'met');
      };
      return whilePlanted(venue.planted, { beforeSubmit }, () => stop(deploymentId));
    };
    expect((await meets(starting, 'running')).body.deployment).toMatchObject({ state: 'stopped', stateVersion: 3 });
    expect((await meets(failing, 'failed')).body.deployment).toMatchObject({
      state: 'failed',
      stateVersion: 2,
      stateReason: 'met',
    });
  });
});

describe('the action log', () => {
  test('has every change and paper order in both directions, by pages, with the paper PnL at the mark', async () => {
    const deploymentId = await deployed();
    expect(await log(deploymentId)).toMatchObject({ actions: [], nextAfterActionId: null, paperPnl: { equityQuoteAtoms: '0' } });
    await change(deploymentId, 'running', 1);
    expect(await read(deploymentId)).toMatchObject({ state: 'running', stateVersion: 2 });
    const bought = await trade(deploymentId, 1, 'buy', 1_000);
    await trade(deploymentId, 2, 'sell', 400, { kind: 'exit', signal: 'out', reduceOnly: true });
    const partial = await trade(deploymentId, 3, 'buy', 100_000);
    await trade(deploymentId, 4, 'sell', 100, { kind: 'close' });
    const refused = await trade(deploymentId, 5, 'buy', 0);
    expect([bought.outcome, partial.outcome, refused.outcome]).toEqual(['applied', 'partially_applied', 'refused']);
    await stop(deploymentId);

    const { deployment, actions, paperPnl, nextAfterActionId, freshness } = await log(deploymentId);
    expect(deployment).toEqual(await read(deploymentId));
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
      ownerAccountId: owner.accountId,
      model: { modelId: 'script-1', version: hash('sha256', SCRIPT) },
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
        const page = await log(deploymentId, query);
        paged.push(...page.actions.map(({ actionId }: Action) => actionId));
        if (page.nextAfterActionId === null) break;
        query = { limit: '3', order, afterActionId: page.nextAfterActionId };
      }
      expect(paged, order).toEqual(order === 'oldest_first' ? ids : [...ids].reverse());
    }
    // A full page can be continued, also if it is the last.
    expect((await log(deploymentId, { limit: '7' })).nextAfterActionId).toBe(ids.at(-1));
    expect((await log(deploymentId, { afterActionId: ids.at(-1)! })).actions).toEqual([]);
  });

  test('shows why a deployment failed, and changes neither balance nor position', async () => {
    const before = (await venue.call('getAccount', { ...own() })).body;
    const deploymentId = await deployed();
    await change(deploymentId, 'running', 1);
    await trade(deploymentId, 1, 'buy', 10);
    await change(deploymentId, 'failed', 2, 'too much work on a bar');
    const { deployment, actions } = await log(deploymentId, { order: 'newest_first' });
    expect(deployment).toMatchObject({ state: 'failed', stateReason: 'too much work on a bar' });
    expect(actions[0]).toMatchObject({
      kind: 'deployment_failed',
      payload: { stateVersion: 3, reason: 'too much work on a bar' },
    });
    const after = (await venue.call('getAccount', { ...own() })).body;
    expect([after.cashBalance, after.positions]).toEqual([before.cashBalance, before.positions]);
    const { positions } = (await venue.call('listAgentPositions', own(deploymentId))).body;
    expect(positions).toEqual([]);
  });

  test.each([
    ['limit', '0'],
    ['limit', '201'],
    ['afterActionId', 'x'],
    ['afterActionId', '-1'],
    ['order', 'other'],
  ])('refuses %s=%s', async (name, value) => {
    const deploymentId = await deployed();
    await stop(deploymentId);
    expect((await log(deploymentId, { [name]: value })).code).toBe('invalid_request');
  });
});

describe('the positions of an agent account', () => {
  test('are the real ones of the account that the deployment is bound to', async () => {
    const deploymentId = await deployed();
    const agentAccount = parseAccountId(agentAccountId)!;
    const amountAtoms = quoteAtoms(10_000_000_000);
    await venue.operate({ type: 'CreditCash', account: agentAccount, amountAtoms, reference: 'test' }, 'CashPosted');
    const agent = await venue.keyOf({ ...owner, account: agentAccount }, ['read', 'trade']);
    const order = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'market', quantity: '0.01', clientOrderId: 'real' };
    await venue.call('placeOrder', { bot: agent, idempotencyKey: 'real', body: { accountId: agentAccountId, ...order } });
    const { status, body } = await venue.call('listAgentPositions', own(deploymentId));
    expect([status, body.accountId, body.positions.length]).toEqual([200, agentAccountId, 1]);
    const direct = await venue.call('listPositions', { bot: agent, params: { accountId: agentAccountId } });
    expect(body.positions).toEqual(direct.body.positions);
    await stop(deploymentId);
    expect((await venue.call('listAgentPositions', own(deploymentId))).body.positions).toHaveLength(1);
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

describe('a realtime ticket of an agent account', () => {
  const mint = (deploymentId: string, bot = session) => venue.call('mintAgentTicket', own(deploymentId, bot));

  test('is of that account, and is rotated and revoked as any ticket', async () => {
    const deploymentId = await deployed();
    await stop(deploymentId);
    const { status, body } = await mint(deploymentId);
    expect([status, body.accountId]).toEqual([200, agentAccountId]);
    const rotated = await venue.call('rotateRealtimeTicket', { body: { ticket: body.ticket } });
    expect([rotated.status, rotated.body.accountId]).toEqual([200, agentAccountId]);
    expect((await venue.call('revokeRealtimeTicket', { body: { ticket: body.ticket } })).status).toBe(204);
    const late = await venue.call('rotateRealtimeTicket', { body: { ticket: rotated.body.ticket } });
    expect(late.body.realtimeTicketFailure).toBe('revoked');
  });

  test('ends with the session that minted it', async () => {
    const passing = await venue.signIn(owner);
    const deploymentId = await deployed();
    await stop(deploymentId);
    const { ticket } = (await mint(deploymentId, passing)).body;
    await venue.call('endSession', { bot: passing });
    const late = await venue.call('rotateRealtimeTicket', { body: { ticket } });
    expect(late.body.realtimeTicketFailure).toBe('revoked');
  });

  test('is one of the families of the agent account, not of its owner', async () => {
    const deploymentId = await deployed();
    await stop(deploymentId);
    const statuses: number[] = [];
    for (let count = 0; count <= MAX_TICKET_FAMILIES; count += 1) statuses.push((await mint(deploymentId)).status);
    expect(statuses.at(-1)).toBe(409);
    expect((await venue.call('mintRealtimeTicket', { bot: session })).status).toBe(200);
  });

  test('is refused to a foreign owner, and without an identity-ready agent account', async () => {
    const bot = await venue.bot();
    const own = await venue.signIn(bot);
    const params = await deploymentOf(venue, bot);
    const foreign = await venue.call('mintAgentTicket', { bot: session, params });
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

async function scales(): Promise<{ readonly tickLotAtoms: bigint }> {
  const { body } = await venue.call('getMarket', { params: { marketId: 'BTC-USD-PERP' } });
  const { priceScale, quantityScale, settlementAssetDecimals } = body.market;
  return { tickLotAtoms: 10n ** BigInt(settlementAssetDecimals - priceScale - quantityScale) };
}
