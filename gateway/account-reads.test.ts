/** Balances, positions, orders and trades of /v2, in the venue and in a standalone gateway. */
import { describe, expect, test } from 'vitest';
import { ETHER, limit, onEachGateway, SYMBOL as symbol } from './testing/gateway-stage.ts';

onEachGateway((stage) => {
  describe('an account', () => {
    test('has free and total balances, but not used', async () => {
      const { body: account } = await stage.venue.call('getAccount', stage.own());
      const { body } = await stage.call('getUnifiedBalance', stage.own());
      const [free, total] = [Number(account.availableForOrders), Number(account.equity) - unrealized(account)];
      expect(body).toMatchObject({ free: { 'USD.E': free }, 'USD.E': { free } });
      expect(body.total['USD.E']).toBeCloseTo(total, 6);
      expect(JSON.stringify({ ...body, info: null })).not.toContain('used');
    });

    test('has long and short positions with derived fields', async () => {
      await stage.place(limit('sell', 65_000, 0.04), stage.other);
      await stage.place({ ...limit('buy', 65_000, 0.04), params: { leverage: 10 } });
      for (const by of [stage.bot, stage.other]) {
        const { positions } = (await stage.venue.call('listPositions', stage.own({}, by))).body;
        const { body } = await stage.call('listUnifiedPositions', stage.own({ symbol }, by));
        expect(body).toHaveLength(1);
        const [position, info] = [body[0], positions[0]];
        const [contracts, entry, margin, pnl] = [info.currentQuantity, info.entryNotional, info.margin, info.unrealizedPnl].map(
          Number,
        ) as [number, number, number, number];
        const [mark, maintenance] = [Number(info.markPrice), Number(info.maintenanceRequirement)];
        expect(position).toMatchObject({
          id: info.positionId,
          symbol,
          side: by === stage.bot ? 'long' : 'short',
          contracts,
          contractSize: 1,
          marginMode: 'isolated',
          hedged: false,
          markPrice: mark,
          initialMargin: margin,
          unrealizedPnl: pnl,
          liquidationPrice: Number(info.liquidationPrice),
          timestamp: info.updatedAtEpochMs,
        });
        expect(position.entryPrice).toBeCloseTo(entry / contracts, 9);
        expect(position.notional).toBeCloseTo(contracts * mark, 9);
        expect(position.leverage).toBeCloseTo(entry / margin, 9);
        expect(position.collateral).toBeCloseTo(margin + pnl, 9);
        expect(position.maintenanceMarginPercentage).toBeCloseTo(maintenance / (contracts * mark), 9);
        expect(position.marginRatio).toBeCloseTo(maintenance / (margin + pnl), 9);
        expect(position.initialMarginPercentage).toBeCloseTo(margin / entry, 9);
        expect(position.percentage).toBeCloseTo((pnl / margin) * 100, 9);
      }
      expect((await stage.call('listUnifiedPositions', stage.own({ symbol: ETHER }))).body).toEqual([]);
    });

    test('lists orders and trades, oldest first', async () => {
      for (const price of [60_000, 60_001, 60_002, 60_003]) await stage.place(limit('buy', price));
      const orders = (await stage.call('listUnifiedOrders', stage.own())).body;
      expect(orders.length).toBeGreaterThan(4);
      const times = orders.map((it: { timestamp: number }) => it.timestamp);
      expect(times).toEqual([...times].sort((one, two) => one - two));
      const newest = (await stage.call('listUnifiedOrders', stage.own({ limit: '2', symbol }))).body;
      expect(newest).toEqual(orders.slice(-2));
      const first = (await stage.call('listUnifiedOrders', stage.own({ limit: '2', since: String(times[1]) }))).body;
      expect(first).toEqual(orders.slice(1, 3));
      const { clientOrderId } = orders[0];
      expect((await stage.call('listUnifiedOrders', stage.own({ clientOrderId }))).body).toEqual([orders[0]]);
      const trades = (await stage.call('listUnifiedTrades', stage.own())).body;
      const { fills } = (await stage.venue.call('listFills', stage.own())).body;
      expect(trades).toHaveLength(fills.length);
      expect(trades.at(-1)).toMatchObject({
        id: fills[0].tradeId,
        order: fills[0].orderId,
        symbol,
        type: 'limit',
        side: 'buy',
        takerOrMaker: 'taker',
        price: 65_000,
        amount: 0.04,
        cost: 2_600,
        fee: { cost: 1.3, currency: 'USD.E' },
        fees: [{ cost: 1.3, currency: 'USD.E' }],
        info: fills[0],
      });
      const page = (await stage.call('listUnifiedTrades', stage.own({ limit: '1' }, stage.other))).body;
      expect(page).toMatchObject([{ side: 'sell', takerOrMaker: 'maker', fee: { cost: -0.26, currency: 'USD.E' } }]);
      const ofOne = await stage.call('listUnifiedTrades', stage.own({ orderId: fills[0].orderId, limit: '1' }));
      expect(ofOne.body).toEqual([trades.at(-1)]);
      const lost = await stage.call('listUnifiedTrades', stage.own({ orderId: '999999' }));
      expect(lost).toMatchObject({ status: 404, body: { name: 'OrderNotFound' } });
    });

    test('lists trades of the same millisecond in the order of execution', async () => {
      const prices = Array.from({ length: 12 }, (_, index) => 65_000 + index);
      for (const price of prices) await stage.place(limit('sell', price), stage.other);
      const { body: order } = await stage.place(limit('buy', 66_000, 0.12));
      const { body: trades } = await stage.call('listUnifiedTrades', stage.own({ orderId: order.id }));
      expect(new Set(trades.map((it: { timestamp: number }) => it.timestamp)).size).toBe(1);
      expect(trades.map((it: { price: number }) => it.price)).toEqual(prices);
      const since = String(trades[0].timestamp);
      expect((await stage.call('listUnifiedTrades', stage.own({ orderId: order.id, since }))).body).toEqual(trades);
    });

    test('refuses to show another account', async () => {
      for (const id of [
        'getUnifiedBalance',
        'listUnifiedPositions',
        'listUnifiedOrders',
        'listUnifiedOpenOrders',
        'listUnifiedTrades',
      ] as const) {
        const { status, body } = await stage.call(id, { bot: stage.bot, params: { accountId: stage.other.accountId } });
        expect({ status, body }).toMatchObject({ status: 403, body: { name: 'PermissionDenied', code: 'account_forbidden' } });
      }
    });
  });
});

function unrealized({ positions }: { positions: { unrealizedPnlAtoms?: string }[] }): number {
  return positions.reduce((sum, { unrealizedPnlAtoms = '0' }) => sum + Number(unrealizedPnlAtoms) / 1e6, 0);
}
