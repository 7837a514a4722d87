/** The private channels over a real core: what each publishes about its account, and nothing about other accounts. */
import { describe, expect, test } from 'vitest';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNEL_NAMES, CHANNELS, isServed } from '#contract/realtime-channels.ts';
import { History } from '#simulation/history.ts';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { ALICE, aliceOn, updatesAfterPublishing } from './testing/alice.ts';
import { RecordedService } from './testing/recorded-service.ts';
import type { Frame, SocketClient } from './testing/socket-client.ts';

describe('account.orders and account.fills', () => {
  test('publish each state of an order and the fills of its owner only', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await aliceOn(service, 'account.orders', 'account.fills');
    history.limit(1, 'buy', 9_990, 100);
    history.market(2, 'sell', 30);
    history.cancel(1, 1);
    // All of other accounts.
    history.limit(3, 'sell', 10_000, 5);
    history.market(2, 'buy', 5);
    const orders = await updatesAfterPublishing(service, client, 'account.orders');
    const shown = orders.map(({ data }) =>
      data.orders.map((it: Frame) => [it.orderId, it.status, it.filledQuantity, it.clientOrderId]),
    );
    expect(shown).toEqual([
      [['1', 'open', '0', 'client-1']],
      [['1', 'open', '0.03', 'client-1']],
      [['1', 'cancelled', '0.03', 'client-1']],
    ]);
    const fills = client.updates('account.fills');
    expect(fills.flatMap(({ data }) => data.fills)).toEqual([
      expect.objectContaining({
        accountId: 'acct-1',
        orderId: '1',
        side: 'buy',
        liquidity: 'maker',
        price: '999',
        quantity: '0.03',
      }),
    ]);
    // Both channels use the same sequence.
    expect(fills[0]!.sequence).toBe(orders[1]!.sequence);
  });
});

describe('account.orders of an order that waits', () => {
  test('publishes its acceptance, its trigger with its fills, and the end of the order that it is linked with', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await aliceOn(service, 'account.orders');
    history.limit(3, 'buy', 9_700, 5_000);
    const attached = { stopLoss: legAt(9_900), takeProfit: legAt(10_200) };
    history.limit(1, 'buy', 9_990, 100, { attached });
    history.market(2, 'sell', 100);
    history.price(9_800);
    const orders = await updatesAfterPublishing(service, client, 'account.orders');
    const shown = orders.map(({ data }) =>
      data.orders.map((it: Frame) => [it.orderId, it.status, it.quantity, it.trigger?.status ?? null, it.cancelReason ?? null]),
    );
    expect(shown).toEqual([
      [
        ['2', 'open', '0.1', null, null],
        ['3', 'open', '0', 'entry', null],
        ['4', 'open', '0', 'entry', null],
      ],
      [
        ['2', 'filled', '0.1', null, null],
        ['3', 'open', '0.1', 'waiting', null],
        ['4', 'open', '0.1', 'waiting', null],
      ],
      [
        ['3', 'filled', '0.1', 'triggered', null],
        ['4', 'cancelled', '0.1', 'ended', 'linked_order'],
      ],
    ]);
  });
});

function legAt(price: number) {
  return { source: 'mark', triggerPriceAtoms: price as PriceAtoms, priceAtoms: 0 as PriceAtoms } as const;
}

describe('account.durability', () => {
  test('names the group and the chain that cover cash, funding and trades, and claims no ledger', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await aliceOn(service, 'account.durability');
    history.run({ type: 'CreditCash', account: 1 as AccountOrdinal, amountAtoms: 7 as QuoteAtoms, reference: 'more' });
    history.limit(1, 'buy', 9_990, 100);
    history.market(2, 'sell', 30);
    const [credit, trade, ...rest] = await updatesAfterPublishing(service, client, 'account.durability');
    const { group, storageChain, ...data } = credit!.data;
    expect(data).toEqual({
      sequenceSource: 'journal',
      coverage: 'off_chain',
      cashChanges: [{ kind: 'deposit', amountAtoms: '7', cashAtoms: '10000000007' }],
      fundingSettlements: [],
      trades: [],
    });
    const { chainDigest } = history.group(0, credit!.sequence);
    const previous = history.group(0, credit!.sequence - 1).chainDigest;
    expect(storageChain).toEqual({ previousDigest: `sha256:${previous}`, digest: `sha256:${chainDigest}` });
    expect(group).toEqual({
      number: credit!.sequence,
      firstSequence: credit!.sequence,
      lastSequence: credit!.sequence,
      digest: `sha256:${chainDigest}`,
    });
    expect(trade!.data.trades).toEqual([{ tradeId: '1', orderId: '1', marketId: 'BTC-USD-PERP' }]);
    expect(trade!.data.cashChanges.map(({ kind }: Frame) => kind)).toContain('margin_lock');
    // A resting order moves no cash.
    expect(rest).toEqual([]);
  });

  test('publishes what a position paid for a funding period', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    history.limit(2, 'sell', 10_000, 1_000);
    history.market(1, 'buy', 1_000);
    const client = await aliceOn(service, 'account.durability', 'account.positions', 'account.pnl');
    for (let seconds = 0; seconds < 3_700; seconds += 10) {
      history.wait(10_000);
      history.price(10_000);
    }
    const settlements = (await updatesAfterPublishing(service, client, 'account.durability')).flatMap(
      ({ data }) => data.fundingSettlements,
    );
    expect(settlements).toEqual([
      { positionId: '2', marketId: 'BTC-USD-PERP', period: expect.any(Number), paidAtoms: expect.stringMatching(/^[1-9]/) },
    ]);
    const [position] = client.updates('account.positions').flatMap(({ data }) => data.positions);
    expect(position).toMatchObject({ positionId: '2', fundingPaidAtoms: settlements[0].paidAtoms });
  });
});

describe('account.positions', () => {
  test('publishes positions with the known risk, names what is missing, and publishes the close', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await aliceOn(service, 'account.positions');
    history.limit(2, 'sell', 10_000, 1_000);
    history.market(1, 'buy', 1_000, { leverageX: 10 });
    history.limit(2, 'buy', 10_000, 1_000);
    history.market(1, 'sell', 1_000);
    const [opened, closed] = (await updatesAfterPublishing(service, client, 'account.positions')).map(
      ({ data }) => data.positions[0],
    );
    expect(opened).toMatchObject({
      positionId: '2',
      status: 'open',
      currentQuantity: '1',
      markPrice: '1000',
      marginStatus: 'healthy',
      liquidationPrice: expect.any(String),
      riskEvidence: { status: 'partial', missing: ['adlIndicator'] },
    });
    expect(opened).not.toHaveProperty('adlIndicator');
    expect(closed).toMatchObject({
      status: 'closed',
      closeReason: 'user_close',
      riskEvidence: { status: 'complete', missing: [] },
    });
    expect(closed).toHaveProperty('markPrice', null);
  });

  test('reports complete evidence if the market does not deleverage', async () => {
    const history = History.begin(3, { ...SCENARIO_MARKET, autoDeleveraging: false });
    const service = await RecordedService.start(history);
    const client = await aliceOn(service, 'account.positions');
    history.limit(2, 'sell', 10_000, 1_000);
    history.market(1, 'buy', 1_000);
    const [opened] = (await updatesAfterPublishing(service, client, 'account.positions')).map(({ data }) => data.positions[0]);
    expect(opened.riskEvidence).toEqual({ status: 'complete', missing: [] });
  });

  test('reports stale evidence once the index is too old, as account.margin does, without a price event', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    history.limit(2, 'sell', 10_000, 1_000);
    history.market(1, 'buy', 1_000);
    const client = await aliceOn(service, 'account.positions', 'account.margin');
    history.limit(2, 'buy', 10_000, 400, { reduceOnly: true });
    history.wait(SCENARIO_MARKET.maxIndexAgeMs + 1);
    history.market(1, 'sell', 400, { reduceOnly: true });
    const [{ data }] = (await updatesAfterPublishing(service, client, 'account.positions')) as [Frame];
    expect(data.positions).toMatchObject([
      { currentQuantity: '0.6', riskEvidence: { status: 'stale', missing: ['adlIndicator'] } },
    ]);
    expect(client.updates('account.margin').at(-1)!.data).toMatchObject({ kind: 'digest', riskEvidence: { status: 'stale' } });
    expect(service.projection.reads.accountSnapshot(1 as AccountOrdinal).riskEvidence.status).toBe('stale');
  });

  test('publishes a change of margin status by price alone as a risk change', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    history.limit(2, 'sell', 10_000, 1_000);
    history.market(1, 'buy', 1_000, { leverageX: 20 });
    const client = await aliceOn(service, 'account.positions', 'account.pnl', 'account.margin');
    // 5 % of margin, 2.5 % required: at risk below 3.75 %.
    for (const price of [9_990, 9_980, 9_860, 9_850, 9_990]) history.price(price);
    const updates = await updatesAfterPublishing(service, client, 'account.positions');
    expect(updates.map(({ data }) => data)).toEqual([
      {
        positions: [],
        riskChanges: [expect.objectContaining({ positionId: '2', marginStatus: 'at_risk', markPriceAtoms: '9860' })],
      },
      {
        positions: [],
        riskChanges: [expect.objectContaining({ positionId: '2', marginStatus: 'healthy', markPriceAtoms: '9990' })],
      },
    ]);
    const pnl = client.updates('account.pnl').map(({ data }) => data.positions[0]);
    expect(pnl.map(({ cause, unrealizedPnl }) => [cause, unrealizedPnl])).toEqual(
      ['-1', '-2', '-14', '-15', '-1'].map((unrealized) => ['mark', unrealized]),
    );
    expect(client.updates('account.margin')).toHaveLength(5);
  });
});

describe('a margin status that changed by time alone', () => {
  /** Alice's position is to be liquidated, and the book has no orders to take it. */
  async function liquidating(): Promise<{ readonly service: RecordedService; readonly client: SocketClient }> {
    const service = await RecordedService.start();
    const { history } = service;
    history.limit(2, 'sell', 10_000, 1_000);
    history.market(1, 'buy', 1_000, { leverageX: 20 });
    const client = await aliceOn(service, 'account.positions', 'account.margin');
    history.price(9_700);
    return { service, client };
  }

  const statuses = (updates: readonly Frame[]) =>
    updates.flatMap(({ data }) => [...data.positions, ...data.riskChanges].map(({ marginStatus }) => marginStatus));

  test('is published with the next price, even if that price changes nothing else', async () => {
    const { service, client } = await liquidating();
    const { history } = service;
    history.wait(SCENARIO_MARKET.maxIndexAgeMs + 1);
    // Too far from the last price to be accepted at once.
    history.price(20_000);
    expect(statuses(await updatesAfterPublishing(service, client, 'account.positions'))).toEqual(['liquidating', 'at_risk']);
  });

  test('is published again when a current price of the same height follows', async () => {
    const { service, client } = await liquidating();
    const { history } = service;
    history.wait(SCENARIO_MARKET.maxIndexAgeMs + 1);
    history.limit(2, 'buy', 9_700, 100, { reduceOnly: true });
    history.market(1, 'sell', 100, { reduceOnly: true });
    history.price(9_700);
    expect(statuses(await updatesAfterPublishing(service, client, 'account.positions'))).toEqual([
      'liquidating',
      'at_risk',
      'liquidating',
    ]);
    expect(client.updates('account.margin').map(({ data }) => data.riskEvidence.status)).toEqual([
      'complete',
      'stale',
      'complete',
    ]);
  });
});

describe('account.pnl', () => {
  test('publishes realized and unrealized PnL, and no unrealized PnL of a closed position', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    const client = await aliceOn(service, 'account.pnl');
    history.limit(2, 'sell', 10_000, 1_000);
    history.market(1, 'buy', 1_000);
    history.limit(2, 'buy', 10_010, 1_000);
    history.market(1, 'sell', 400);
    history.market(1, 'sell', 600);
    history.price(10_020);
    const entries = (await updatesAfterPublishing(service, client, 'account.pnl')).map(({ data }) => data.positions[0]);
    expect(
      entries.map(({ cause, signedBaseAtoms, realizedPnl, unrealizedPnl }) => [
        cause,
        signedBaseAtoms,
        realizedPnl,
        unrealizedPnl,
      ]),
    ).toEqual([
      ['position', '1000', '0', '0'],
      ['position', '600', '0.4', '0'],
      ['position', '0', '1', null],
    ]);
  });
});

describe('account.margin', () => {
  test('publishes exact values, and only a digest if a mark is not current', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    history.limit(2, 'sell', 10_000, 1_000);
    history.market(1, 'buy', 1_000);
    const client = await aliceOn(service, 'account.margin');
    history.price(10_010);
    history.limit(1, 'buy', 9_000, 10);
    // Too far from the last price to be accepted at once.
    history.price(20_000);
    history.run({ type: 'CreditCash', account: 1 as AccountOrdinal, amountAtoms: 7 as QuoteAtoms, reference: 'more' });
    history.price(10_010);
    const updates = (await updatesAfterPublishing(service, client, 'account.margin')).map(({ data }) => data);
    expect(updates.map(({ kind, riskEvidence }) => [kind, riskEvidence.status])).toEqual([
      ['values', 'complete'],
      ['values', 'complete'],
      ['digest', 'stale'],
      ['digest', 'stale'],
      ['values', 'complete'],
    ]);
    expect(new Set(updates.map(({ riskStateDigest }) => riskStateDigest)).size).toBe(5);
    const { riskEvidence: _, ...snapshot } = service.projection.reads.accountSnapshot(1 as AccountOrdinal);
    const { kind, riskStateDigest, riskEvidence, ...values } = updates.at(-1)!;
    expect(snapshot).toMatchObject(values);
    expect(updates[2]).not.toHaveProperty('equityAtoms');
  });
});

test('channels without a source report source_unavailable', async () => {
  const service = await RecordedService.start();
  const client = await service.connectAs(1);
  const unavailable = CHANNEL_NAMES.filter((name) => !isServed(name));
  expect(unavailable).toEqual(['account.reconciliation', 'account.alerts']);
  for (const channel of unavailable) {
    expect((CHANNELS[channel] as Channel).sourceStatus).toBe('unavailable');
    expect(await client.request({ op: 'subscribe', channel, ...ALICE })).toMatchObject({
      type: 'error',
      code: 'source_unavailable',
      channel,
    });
  }
});

test('publishes for an account that is opened while the service runs', async () => {
  const service = await RecordedService.start();
  const { history } = service;
  history.run({ type: 'OpenAccount', label: 'new', partyId: 'party-new', digestSeed: 7 });
  service.publish();
  const client = await service.connectAs(4);
  await client.subscribed('account.margin', { accountId: 'acct-4' });
  history.run({ type: 'CreditCash', account: 4 as AccountOrdinal, amountAtoms: 7 as QuoteAtoms, reference: 'first' });
  expect((await updatesAfterPublishing(service, client, 'account.margin')).map(({ data }) => data.cashBalanceAtoms)).toEqual([
    '7',
  ]);
  // Subscribes from before the account was opened.
  const late = await service.connectAs(4);
  await late.subscribed('account.margin', { accountId: 'acct-4' }, history.records.length - 2);
  await late.drained();
  expect(late.updates('account.margin').map(({ data }) => data.cashBalanceAtoms)).toEqual(['0', '7']);
});
