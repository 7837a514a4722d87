/** Orders through /v2, one and several: placed, read, cancelled, in the venue and in front of one. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ETHER, type GatewayStage, limit, setGatewayStage, SYMBOL as symbol } from './testing/gateway-stage.ts';
import { GATEWAYS } from './testing/gateways.ts';

describe.each(GATEWAYS)('%s', (_where, start) => {
  let stage: GatewayStage;
  beforeAll(async () => {
    stage = await setGatewayStage(start);
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.close());

  describe('an order', () => {
    test('rests, is read, and is cancelled', async () => {
      const clientOrderId = stage.fresh('mine');
      const placed = await stage.place({ ...limit('buy', 60_000.5), params: { clientOrderId, postOnly: true, leverage: 7 } });
      expect(placed).toMatchObject({
        status: 200,
        body: {
          symbol,
          status: 'open',
          clientOrderId,
          type: 'limit',
          side: 'buy',
          timeInForce: 'PO',
          postOnly: true,
          reduceOnly: false,
          price: 60_000.5,
          amount: 0.01,
          filled: 0,
          remaining: 0.01,
          cost: 0,
          average: null,
          lastTradeTimestamp: null,
          triggerPrice: null,
          trades: [],
        },
      });
      const { info, ...order } = placed.body;
      expect(info).toMatchObject({
        version: 'external-order/v1',
        orderId: order.id,
        price: '60000.5',
        quantity: '0.01',
        leverageX: 7,
      });
      const read = await stage.ask('getUnifiedOrder', { bot: stage.bot, params: { orderId: order.id } });
      expect(read.body).toEqual(placed.body);
      expect((await stage.ask('listUnifiedOpenOrders', stage.own({ symbol }))).body).toEqual([placed.body]);
      const ended = await stage.cancel(order.id, { symbol });
      expect(ended.body).toMatchObject({
        id: order.id,
        status: 'canceled',
        filled: 0,
        remaining: 0.01,
        info: { status: 'cancelled' },
      });
      expect((await stage.cancel(order.id)).body, 'again').toEqual(ended.body);
    });

    test('that trades says what its turn made of it', async () => {
      await stage.place(limit('sell', 65_000, 0.01), stage.other);
      const taken = await stage.place({ ...limit('buy', 65_005, 0.01) });
      expect(taken.body).toMatchObject({
        status: 'closed',
        price: 65_005,
        average: 65_000,
        filled: 0.01,
        remaining: 0,
        cost: 650,
        fee: { cost: 0.325, currency: 'USD.E' },
      });
      await stage.place(limit('buy', 64_990, 0.02), stage.other);
      // A price that comes with a market order is dropped.
      const market = await stage.place({
        symbol,
        type: 'market',
        side: 'sell',
        amount: 0.01,
        price: 1,
        params: { reduceOnly: true },
      });
      expect(market.body).toMatchObject({
        status: 'closed',
        type: 'market',
        timeInForce: 'IOC',
        price: 64_990,
        average: 64_990,
        amount: 0.01,
        filled: 0.01,
        remaining: 0,
        reduceOnly: true,
      });
      expect(market.body.info).not.toHaveProperty('price');
      expect(market.body.lastTradeTimestamp).toBe(market.body.timestamp);
      await stage.venue.call('cancelAllOrders', { bot: stage.other, body: {} });
      const short = await stage.place({ symbol, type: 'market', side: 'sell', amount: 0.01 });
      expect(short.body).toMatchObject({
        status: 'canceled',
        filled: 0,
        remaining: 0.01,
        price: null,
        info: { cancelReason: 'no_liquidity' },
      });
      expect(await stage.cancel(taken.body.id)).toMatchObject({
        status: 409,
        body: { name: 'OrderNotFound', code: 'order_not_open' },
      });
    });

    test('of another symbol is not cancelled', async () => {
      const { id } = (await stage.place(limit('buy', 60_000))).body;
      const ether = (await stage.place({ ...limit('buy', 2_900), symbol: ETHER })).body;
      expect(await stage.cancel(id, { symbol: ETHER })).toMatchObject({ status: 404, body: { name: 'OrderNotFound' } });
      const { body } = await stage.cancelAll({ ids: [id, ether.id, '999999', id], symbol: ETHER });
      expect(body.map((it: Record<string, unknown>) => [it.index, it.accepted, it.id, it.status])).toEqual([
        [0, false, id, null],
        [1, true, ether.id, 'canceled'],
        [2, false, '999999', null],
        [3, false, id, null],
      ]);
      expect(body[0].info).toMatchObject({ accepted: false, code: 'order_not_found', index: 0 });
      expect(body[1].info).toMatchObject({ accepted: true, orderId: ether.id, index: 1 });
      expect((await stage.ask('getUnifiedOrder', { bot: stage.bot, params: { orderId: id } })).body.status).toBe('open');
      const ended = await stage.cancelAll({ ids: [id, ether.id], symbol });
      expect(ended.body.map((it: { accepted: boolean }) => it.accepted)).toEqual([true, false]);
    });

    test('that ended otherwise is shown as it is among cancels', async () => {
      await stage.place(limit('sell', 65_000), stage.other);
      const { id } = (await stage.place(limit('buy', 65_000))).body;
      const { body } = await stage.cancelAll({ ids: [id], symbol });
      expect(body).toMatchObject([
        { index: 0, accepted: false, id, status: 'closed', filled: 0.01, info: { code: 'order_not_open' } },
      ]);
    });

    test.each([
      ['no symbol', { ids: ['1'] }, 'symbol'],
      ['several symbols', { ids: ['1'], symbol: [symbol, symbol] }, 'symbol'],
      ['no ids', { ids: [], symbol }, 'ids'],
      ['more than 24 ids', { ids: Array(25).fill('1'), symbol }, 'ids'],
      ['another field', { ids: ['1'], symbol, all: true }, 'all'],
    ])('is not cancelled with %s', async (_, body, field) => {
      const answer = await stage.untouched(() => stage.cancelAll(body));
      expect(answer).toMatchObject({ status: 400, body: { name: 'BadRequest', message: expect.stringContaining(field) } });
    });

    test('of somebody else is nobody’s', async () => {
      const { id } = (await stage.place(limit('buy', 60_000))).body;
      for (const answer of [
        await stage.cancel(id, undefined, stage.other),
        await stage.ask('getUnifiedOrder', { bot: stage.other, params: { orderId: id } }),
      ])
        expect(answer).toMatchObject({ status: 404, body: { name: 'OrderNotFound' } });
      expect((await stage.cancelAll({ ids: [id], symbol }, stage.other)).body).toMatchObject([{ accepted: false }]);
    });
  });

  describe('a batch', () => {
    test('places each entry on its own, and takes none back', async () => {
      const entries = [
        limit('buy', 60_000, 0.01, { params: { clientOrderId: stage.fresh('batch') } }),
        limit('buy', 60_000.01),
        { ...limit('buy', 60_000), symbol: 'DOGE/USD.E:USD.E' },
        limit('buy', 60_000, 600),
        { ...limit('buy', 2_900), symbol: ETHER, params: { postOnly: true } },
      ];
      const { status, body } = await stage.placeAll(entries);
      expect(status).toBe(200);
      expect(body.map((it: Record<string, unknown>) => [it.index, it.accepted, it.status, it.symbol])).toEqual([
        [0, true, 'open', symbol],
        [1, false, 'rejected', symbol],
        [2, false, 'rejected', 'DOGE/USD.E:USD.E'],
        [3, false, 'rejected', symbol],
        [4, true, 'open', ETHER],
      ]);
      expect(body.map((it: { info: { code?: string; index: number; accepted: boolean } }) => it.info.code)).toEqual([
        undefined,
        'price_off_tick',
        'unknown_market',
        'quantity_out_of_bounds',
        undefined,
      ]);
      expect(body[1]).toMatchObject({ id: null, amount: null, fee: { cost: null, currency: 'USD.E' } });
      const open = (await stage.ask('listUnifiedOpenOrders', stage.own())).body;
      expect(open.map((it: { id: string }) => it.id).sort()).toEqual([body[0].id, body[4].id].sort());
    });

    test.each([
      ['none', []],
      ['33', Array(33).fill(limit('buy', 60_000))],
      ['an object', limit('buy', 60_000)],
      ['one without a price', [limit('buy', 60_000), { symbol, type: 'limit', side: 'buy', amount: 1 }]],
      ['one with a field too many', [limit('buy', 60_000), limit('buy', 60_000, 0.01, { size: 1 })]],
      ['one with an amount as text', [limit('buy', 60_000), { ...limit('buy', 60_000), amount: '1' }]],
      ['one whose symbol is none', [limit('buy', 60_000), { ...limit('buy', 60_000), symbol: 'BTC-USD-PERP' }]],
    ])('of %s is refused as a whole', async (_, body) => {
      expect(await stage.untouched(() => stage.placeAll(body))).toMatchObject({
        status: 400,
        body: { name: expect.stringMatching(/^Bad(Request|Symbol)$/) },
      });
    });

    test('takes 32', async () => {
      const { body } = await stage.placeAll(Array.from({ length: 32 }, (_, index) => limit('buy', 50_000 + index, 0.001)));
      expect(body.map((it: { index: number }) => it.index)).toEqual(Array.from({ length: 32 }, (_, index) => index));
      expect(new Set(body.map((it: { clientOrderId: string }) => it.clientOrderId)).size).toBe(32);
    });
  });

  describe('a number', () => {
    test.each([
      ['0.1 + 0.2', { amount: 0.1 + 0.2 }, 'quantity_off_lot', '0.30000000000000004'],
      ['1e-7', { amount: 1e-7 }, 'quantity_off_lot', '0.0000001'],
      ['a quotient', { amount: 1 / 64_321.77 }, 'quantity_off_lot', '0.0000155'],
      ['a price between ticks', { price: 60_000.05 }, 'price_off_tick', '60000.05'],
      ['-0', { amount: -0 }, 'quantity_out_of_bounds', 'The quantity is 0;'],
      ['1e19', { amount: 1e19 }, 'quantity_out_of_bounds', '10000000000000000000'],
      ['1e19 as a price', { price: 1e19 }, 'price_out_of_bounds', '10000000000000000000'],
    ])('(%s) is taken for what it is, and refused rather than rounded', async (_, more, code, said) => {
      const { status, body } = await stage.place({ ...limit('buy', 60_000), ...more });
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { name: 'InvalidOrder', code, message: expect.stringContaining(said) },
      });
    });

    test.each([
      ['1e21', 1e21],
      ['-1', -1],
      ['text', '1'],
      ['null', null],
    ])('(%s) is none that an order has', async (_, amount) => {
      expect(await stage.untouched(() => stage.place({ ...limit('buy', 60_000), amount }))).toMatchObject({
        status: 400,
        body: { name: 'BadRequest' },
      });
    });

    test('of as many digits as the market has is exact', async () => {
      const { body } = await stage.place(limit('buy', 59_999.9, 0.1234));
      expect(body).toMatchObject({ price: 59_999.9, amount: 0.1234, info: { price: '59999.9', quantity: '0.1234' } });
    });
  });
});
