/** Single and batch orders through /v2: placed, read, cancelled, in the venue and in a standalone gateway. */
import { describe, expect, test } from 'vitest';
import { ETHER, limit, onEachGateway, SYMBOL as symbol } from './testing/gateway-stage.ts';

/** A JSON number with exactly these digits. */
const { rawJSON: asWritten } = JSON as unknown as { rawJSON(text: string): unknown };

onEachGateway((stage) => {
  describe('an order', () => {
    test('rests, is read, and is cancelled', async () => {
      const clientOrderId = stage.fresh('mine');
      const placed = await stage.place({ ...limit('buy', 60_000.5), params: { clientOrderId, postOnly: true, leverage: 7.25 } });
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
        leverageX: 7.25,
      });
      const read = await stage.call('getUnifiedOrder', { bot: stage.bot, params: { orderId: order.id } });
      expect(read.body).toEqual(placed.body);
      expect((await stage.call('listUnifiedOpenOrders', stage.own({ symbol }))).body).toEqual([placed.body]);
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

    test('that waits on /v1 shows its trigger price', async () => {
      const { bot, venue } = stage;
      const placedWith = async (trigger: object) => {
        const terms = { side: 'buy', orderType: 'market', quantity: '0.01', reduceOnly: false };
        const target = { accountId: bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: stage.fresh('waiting') };
        const body = { ...target, ...terms, trigger };
        const { orderId } = (await venue.call('placeOrder', { bot, body, idempotencyKey: stage.fresh() })).body;
        return (await stage.call('getUnifiedOrder', { bot, params: { orderId } })).body;
      };
      const both = { status: 'open', triggerPrice: 66_000, stopPrice: 66_000 };
      const prices = (stopLossPrice: number | null, takeProfitPrice: number | null) => ({ stopLossPrice, takeProfitPrice });
      expect(await placedWith({ type: 'trigger', price: '66000' })).toMatchObject({ ...both, ...prices(null, null) });
      expect(await placedWith({ type: 'stop_loss', price: '66000' })).toMatchObject({ ...both, ...prices(66_000, null) });
      const target = { ...both, triggerPrice: 64_000, stopPrice: 64_000, ...prices(null, 64_000) };
      expect(await placedWith({ type: 'take_profit', price: '64000' })).toMatchObject(target);
    });

    test('that trades shows its fills', async () => {
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
      const market = await stage.place({
        symbol,
        type: 'market',
        side: 'sell',
        amount: 0.01,
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
      expect(market.body.info).toHaveProperty('price', null);
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

    test.each([
      ['a price', { price: 60_000 }],
      ['an invalid price', { price: -1 }],
      ['a price that is not a finite number', { price: asWritten('1e999') }],
      ['another thing for a price', { price: ['65000'] }],
      ['null for a price', { price: null }],
    ])('at the market with %s is placed without the price', async (_, more) => {
      const { status, body } = await stage.place({ symbol, type: 'market', side: 'buy', amount: 0.01, ...more });
      expect({ status, body }).toMatchObject({ status: 200, body: { type: 'market', info: { quantity: '0.01' } } });
      expect(body.info).toHaveProperty('price', null);
    });

    test('accepts null for optional fields', async () => {
      const unset = { clientOrderId: null, postOnly: null, reduceOnly: null, leverage: null };
      const expected = { status: 'open', postOnly: false, reduceOnly: false, clientOrderId: expect.stringMatching(/^v2-/) };
      for (const params of [unset, null]) {
        const { status, body } = await stage.place({ ...limit('buy', 60_000), params });
        expect({ status, body }).toMatchObject({ status: 200, body: expected });
        expect(body.info).toHaveProperty('leverageX', 10);
        expect(await stage.cancel(body.id, { symbol: null })).toMatchObject({ status: 200, body: { status: 'canceled' } });
      }
      const { body: placed } = await stage.placeAll([
        { ...limit('buy', 60_000), params: unset },
        { ...limit('buy', 60_000), params: null },
      ]);
      expect(placed).toMatchObject([expected, expected]);
      expect(await stage.untouched(() => stage.place({ ...limit('buy', 60_000), price: null }))).toMatchObject({
        status: 400,
        body: { message: 'The field price must be of type number.' },
      });
    });

    test('of another symbol is not cancelled', async () => {
      const { id } = (await stage.place(limit('buy', 60_000))).body;
      const ether = (await stage.place({ ...limit('buy', 2_900), symbol: ETHER })).body;
      expect(await stage.cancel(id, { symbol: ETHER })).toMatchObject({ status: 404, body: { name: 'OrderNotFound' } });
      const { body } = await stage.cancelAll({ ids: [id, ether.id, '999999', id, ':1'], symbol: ETHER });
      expect(body.map((it: Record<string, unknown>) => [it.index, it.accepted, it.id, it.status])).toEqual([
        [0, false, id, null],
        [1, true, ether.id, 'canceled'],
        [2, false, '999999', null],
        [3, false, id, null],
        [4, false, ':1', null],
      ]);
      expect(body[0].info).toMatchObject({ accepted: false, code: 'order_not_found', index: 0 });
      expect(body[1].info).toMatchObject({ version: 'external-order/v1', accepted: true, orderId: ether.id, index: 1 });
      expect((await stage.call('getUnifiedOrder', { bot: stage.bot, params: { orderId: id } })).body.status).toBe('open');
      const ended = await stage.cancelAll({ ids: [id, ether.id], symbol });
      expect(ended.body.map((it: { accepted: boolean }) => it.accepted)).toEqual([true, false]);
    });

    test('that is already closed has its status in the outcome of a cancel', async () => {
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
      [
        'a number for an id',
        { ids: [asWritten('9007199254740993')], symbol },
        'ids.0 must be a string: put the number in quotes',
      ],
    ])('is not cancelled with %s', async (_, body, field) => {
      const response = await stage.untouched(() => stage.cancelAll(body));
      expect(response).toMatchObject({ status: 400, body: { name: 'BadRequest', message: expect.stringContaining(field) } });
    });

    test('of another account is not found', async () => {
      const { id } = (await stage.place(limit('buy', 60_000))).body;
      for (const response of [
        await stage.cancel(id, undefined, stage.other),
        await stage.call('getUnifiedOrder', { bot: stage.other, params: { orderId: id } }),
      ])
        expect(response).toMatchObject({ status: 404, body: { name: 'OrderNotFound' } });
      expect((await stage.cancelAll({ ids: [id], symbol }, stage.other)).body).toMatchObject([{ accepted: false, id, symbol }]);
    });
  });

  describe('a batch', () => {
    test('places each entry separately, and reverts no entry', async () => {
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
      expect(body[1]).toMatchObject({ id: null, filled: null, timeInForce: null, postOnly: null, fee: null, fees: [] });
      expect(body[1].info).toMatchObject({
        index: 1,
        accepted: false,
        orderId: null,
        accountId: stage.bot.accountId,
        marketId: 'BTC-USD-PERP',
        status: 'rejected',
        lastSequence: stage.venue.sequence(),
        idempotencyKey: expect.any(String),
      });
      for (const index of [1, 2, 3]) {
        const { symbol: of, type, side, amount, price } = entries[index]!;
        expect(body[index]).toMatchObject({ symbol: of, type, side, amount, price });
      }
      const { info: order } = (await stage.call('getUnifiedOrder', { bot: stage.bot, params: { orderId: body[0].id } })).body;
      expect(body[0].info).toEqual({ ...order, index: 0, accepted: true });
      const open = (await stage.call('listUnifiedOpenOrders', stage.own())).body;
      expect(open.map((it: { id: string }) => it.id).sort()).toEqual([body[0].id, body[4].id].sort());
    });

    test.each([
      ['none', []],
      ['33', Array(33).fill(limit('buy', 60_000))],
      ['an object', limit('buy', 60_000)],
      ['one without a price', [limit('buy', 60_000), { symbol, type: 'limit', side: 'buy', amount: 1 }]],
      ['one with an amount as text', [limit('buy', 60_000), { ...limit('buy', 60_000), amount: '1' }]],
      ['one with an unknown symbol', [limit('buy', 60_000), { ...limit('buy', 60_000), symbol: 'BTC-USD-PERP' }]],
    ])('of %s is refused as a whole', async (_, body) => {
      expect(await stage.untouched(() => stage.placeAll(body))).toMatchObject({
        status: 400,
        body: { name: expect.stringMatching(/^Bad(Request|Symbol)$/) },
      });
    });

    test('accepts 32 entries', async () => {
      const { body } = await stage.placeAll(Array.from({ length: 32 }, (_, index) => limit('buy', 50_000 + index, 0.001)));
      expect(body.map((it: { index: number }) => it.index)).toEqual(Array.from({ length: 32 }, (_, index) => index));
      expect(new Set(body.map((it: { clientOrderId: string }) => it.clientOrderId)).size).toBe(32);
    });
  });

  describe('a number', () => {
    /** Alone, and in a batch, where the message names the entry. */
    async function expectFieldRefused(field: string, value: unknown, message: string): Promise<void> {
      const entry = { ...limit('buy', 60_000), [field]: value };
      expect(await stage.untouched(() => stage.place(entry))).toMatchObject({
        status: 400,
        body: { name: 'BadRequest', message },
      });
      expect(await stage.untouched(() => stage.placeAll([limit('buy', 60_000), entry]))).toMatchObject({
        status: 400,
        body: { message: message.replace(field, `1.${field}`) },
      });
    }

    test.each([
      ['0.1 + 0.2', { amount: 0.1 + 0.2 }, 'quantity_off_lot', '0.30000000000000004'],
      ['1e-7', { amount: 1e-7 }, 'quantity_off_lot', '0.0000001'],
      ['a quotient', { amount: 1 / 64_321.77 }, 'quantity_off_lot', '0.0000155'],
      ['a price between ticks', { price: 60_000.05 }, 'price_off_tick', '60000.05'],
      ['-0', { amount: -0 }, 'quantity_out_of_bounds', 'The quantity is 0;'],
      ['1e19', { amount: 1e19 }, 'quantity_out_of_bounds', '10000000000000000000'],
      ['1e19 as a price', { price: 1e19 }, 'price_out_of_bounds', '10000000000000000000'],
    ])('(%s) is refused rather than rounded', async (_, more, code, message) => {
      const { status, body } = await stage.place({ ...limit('buy', 60_000), ...more });
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { name: 'InvalidOrder', code, message: expect.stringContaining(message) },
      });
    });

    test.each([
      ['60000.0000000000000001', 'price'],
      ['9007199254740993', 'amount'],
      ['1234567890.12345678', 'amount'],
      ['0.01000000000000000001', 'amount'],
      ['1e400', 'price'],
      ['1e-400', 'amount'],
    ])('%s, which no double represents, is refused', async (text, field) => {
      const message = `The field ${field} is ${text}, which a double cannot represent: send a number with fewer digits.`;
      await expectFieldRefused(field, asWritten(text), message);
    });

    test.each([
      ['1e-45', 'amount'],
      ['1.5e-40', 'amount'],
      ['1e-300', 'price'],
    ])('%s, which has too many decimals, is refused by the name of its field', async (text, field) => {
      const message = `The field ${field} is invalid: ${text} has more than 40 decimals.`;
      await expectFieldRefused(field, Number(text), message);
    });

    test.each([
      [1e-40, { type: 'limit' }],
      [1.5e-39, { type: 'market', price: 1e-300 }],
    ])('(%d) of 40 decimals is checked against the lot size', async (amount, more) => {
      expect(await stage.place({ ...limit('buy', 60_000), ...more, amount })).toMatchObject({
        status: 400,
        body: { name: 'InvalidOrder', code: 'quantity_off_lot' },
      });
    });

    test.each(['5.0000000000000000001', '5.555'])('%s is refused as leverage', async (text) => {
      const entry = { ...limit('buy', 60_000), params: { leverage: asWritten(text) } };
      expect(await stage.untouched(() => stage.place(entry))).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('params.leverage') },
      });
    });

    test('may be written in any JSON notation', async () => {
      const entry = { ...limit('buy', 0), price: asWritten('6.0000e+4'), amount: asWritten('0.0100') };
      expect((await stage.place(entry)).body).toMatchObject({ price: 60_000, info: { price: '60000', quantity: '0.01' } });
    });

    test('beneath more lists than any request has is refused', async () => {
      for (const inner of ['', '9007199254740993']) {
        const price = '['.repeat(1_900) + inner + ']'.repeat(1_900);
        const body = JSON.stringify({ ...limit('buy', 1), price: '@' }).replace('"@"', price);
        expect(await stage.untouched(() => stage.place(body))).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      }
    });

    test.each([
      ['1e21', 1e21],
      ['-1', -1],
      ['text', '1'],
      ['null', null],
    ])('(%s) is refused if no order can have it', async (_, amount) => {
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
