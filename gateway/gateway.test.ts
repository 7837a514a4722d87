/** /v2 as its clients meet it, in the venue and in front of one: structures, orders, refusals, numbers, repetition. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { UNIFIED_ERROR_NAMES } from '#contract/unified-errors.ts';
import { unifiedNotImplementedOperations } from '#contract/unified-not-implemented.ts';
import { BITCOIN } from '#http/testing/markets.ts';
import type { Bot, Request } from '#http/testing/venue-under-test.ts';
import { GATEWAYS, type GatewayUnderTest } from './testing/gateways.ts';

const symbol = 'BTC/USD.E:USD.E';
const ETHER = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' };
const params = { symbol };

describe.each(GATEWAYS)('%s', (_where, start) => {
  let gateway: GatewayUnderTest;
  let bot: Bot;
  let other: Bot;
  let attempt = 0;

  beforeAll(async () => {
    gateway = await start();
    const { venue } = gateway;
    const { market } = await venue.operate({ type: 'ListMarket', specification: ETHER, status: 'open' }, 'MarketListed');
    await venue.publishIndex(3_000, market);
    [bot, other] = [await venue.bot(), await venue.bot()];
  });
  afterEach(async () => {
    for (const by of [bot, other]) await gateway.venue.call('cancelAllOrders', { bot: by, body: {} });
  });
  afterAll(() => gateway.close());

  const own = (query?: Request['query'], by = bot) => ({ bot: by, params: { accountId: by.accountId }, ...(query && { query }) });
  const limit = (side: 'buy' | 'sell', price: number, amount = 0.01, more: object = {}) => ({
    symbol,
    type: 'limit',
    side,
    amount,
    price,
    ...more,
  });
  const place = (body: object, by = bot, idempotencyKey = `key-${++attempt}`) =>
    gateway.ask('createUnifiedOrder', { bot: by, body, idempotencyKey });
  const placeAll = (body: unknown, idempotencyKey = `key-${++attempt}`) =>
    gateway.ask('createUnifiedOrders', { bot, body, idempotencyKey });
  const cancel = (orderId: string, body?: object, by = bot) =>
    gateway.ask('cancelUnifiedOrder', {
      bot: by,
      params: { orderId },
      idempotencyKey: `key-${++attempt}`,
      ...(body && { body }),
    });
  const cancelAll = (body: unknown, by = bot) =>
    gateway.ask('cancelUnifiedOrders', { bot: by, body, idempotencyKey: `key-${++attempt}` });
  const ordersOf = async (by = bot) => (await gateway.venue.call('listOrders', { ...own({ limit: '500' }, by) })).body.orders;

  /** Nothing came of it: the journal is as long as before. */
  async function untouched(act: () => Promise<{ status: number; body: unknown }>) {
    const before = gateway.venue.sequence();
    const answer = await act();
    expect(gateway.venue.sequence()).toBe(before);
    return answer;
  }

  describe('a market', () => {
    test('has the facts of /v1, by its symbol', async () => {
      const { markets } = (await gateway.venue.call('listMarkets')).body;
      const { body } = await gateway.ask('listUnifiedMarkets');
      expect(body.map((it: { symbol: string }) => it.symbol)).toEqual([symbol, 'ETH/USD.E:USD.E']);
      expect(body[0]).toMatchObject({
        id: 'BTC-USD-PERP',
        base: 'BTC',
        quote: 'USD.E',
        settle: 'USD.E',
        active: true,
        taker: 0.0005,
        maker: -0.0001,
        contractSize: 1,
        precision: { amount: 0.0001, price: 0.1, cost: 0.000001, base: null, quote: 0.000001 },
        limits: {
          leverage: { min: 1, max: 50 },
          amount: { min: 0.001, max: 500 },
          price: { min: 1, max: 1_000_000 },
          cost: { min: 0, max: null },
        },
        subType: null,
        info: markets[0],
      });
    });

    test('that is not there is told so, in an address and in a body', async () => {
      const nowhere = { params: { symbol: 'DOGE/USD.E:USD.E' } };
      for (const id of ['getUnifiedStats', 'getUnifiedCandles', 'getUnifiedBook'] as const) {
        expect(await gateway.ask(id, nowhere)).toMatchObject({
          status: 404,
          body: { name: 'BadSymbol', code: 'market_not_found' },
        });
      }
      const filtered = await gateway.ask('listUnifiedOrders', own({ symbol: 'BTC-USD-PERP' }));
      expect(filtered).toMatchObject({ status: 404, body: { name: 'BadSymbol' } });
      for (const unknown of ['DOGE/USD.E:USD.E', 'BTC-USD-PERP', 'BTC/USDT']) {
        expect(await untouched(() => place({ ...limit('buy', 60_000), symbol: unknown }))).toMatchObject({
          status: 400,
          body: { name: 'BadSymbol', code: 'unknown_market', message: expect.stringContaining(JSON.stringify(unknown)) },
        });
      }
    });

    test('that is listed later is found', async () => {
      const late = { ...BITCOIN, marketId: 'SOL-USD-PERP', underlyingSymbol: 'SOL', priceScale: 2 };
      const stats = () => gateway.ask('getUnifiedStats', { params: { symbol: 'SOL/USD.E:USD.E' } });
      expect((await stats()).status).toBe(404);
      await gateway.venue.operate({ type: 'ListMarket', specification: late, status: 'draft' }, 'MarketListed');
      expect((await stats()).body).toMatchObject({
        symbol: 'SOL/USD.E:USD.E',
        last: null,
        open: null,
        vwap: null,
        baseVolume: 0,
        markPrice: null,
      });
      const { body } = await gateway.ask('listUnifiedMarkets');
      expect(body.at(-1)).toMatchObject({ id: 'SOL-USD-PERP', active: false });
    });

    test('has its ticker and its funding in one object', async () => {
      for (const [price, amount] of [
        [65_000, 0.03],
        [65_001, 0.01],
      ] as const) {
        await place(limit('sell', price, amount), other);
        await place(limit('buy', price, amount));
      }
      await place(limit('sell', 65_010.5, 0.02), other);
      await place(limit('buy', 64_990.5, 0.01));
      const { body } = await gateway.ask('getUnifiedStats', { params });
      expect(body).toMatchObject({
        symbol,
        open: 65_000,
        high: 65_001,
        low: 65_000,
        close: 65_001,
        last: 65_001,
        change: 1,
        percentage: 0.0015384615384615,
        // Down to the tick.
        average: 65_000.5,
        vwap: 65_000.25,
        baseVolume: 0.04,
        quoteVolume: 2_600.01,
        bid: 64_990.5,
        bidVolume: 0.01,
        ask: 65_010.5,
        askVolume: 0.02,
        markPrice: 65_000,
        indexPrice: 65_000,
        interestRate: 0.0000125,
        interval: '1h',
        previousClose: null,
        nextFundingRate: null,
        previousFundingRate: null,
      });
      expect(body.info).toMatchObject({ version: 'external-market-stats/v1', marketId: 'BTC-USD-PERP' });
      expect(body.timestamp).toBe(body.info.asOfEpochMs);
      expect(body.datetime).toBe(new Date(body.timestamp).toISOString());
      expect(body.fundingTimestamp).toBe(body.info.nextFundingAtEpochMs);
      expect(body.fundingDatetime).toBe(new Date(body.fundingTimestamp).toISOString());
      expect(body.fundingRate).toBe(Number(body.info.estimatedFundingRate));
    });

    test('has candles of its trades and of its index, and says which it has not', async () => {
      const minute = Math.floor((await gateway.ask('getUnifiedStats', { params })).body.timestamp / 60_000) * 60_000;
      const trades = await gateway.ask('getUnifiedCandles', { params, query: { timeframe: '1m', limit: '5' } });
      expect(trades.body.at(-1)).toEqual([minute, 65_000, 65_001, 65_000, 65_001, 0.04]);
      const index = await gateway.ask('getUnifiedCandles', { params, query: { timeframe: '1h', price: 'index', since: '1' } });
      expect(index.body[0]).toEqual([Math.floor(minute / 3_600_000) * 3_600_000, 65_000, 65_000, 65_000, 65_000, 0]);
      for (const query of [{ timeframe: '3m' }, { price: 'mark' }]) {
        expect(await gateway.ask('getUnifiedCandles', { params, query })).toMatchObject({
          status: 501,
          body: { name: 'NotSupported' },
        });
      }
    });

    test('has a book, as deep as it is asked for', async () => {
      for (const price of [64_980, 64_990, 64_970.5]) await place(limit('buy', price));
      await place(limit('sell', 65_020, 0.5), other);
      const { body } = await gateway.ask('getUnifiedBook', { params, query: { limit: '2' } });
      expect(body).toMatchObject({
        symbol,
        bids: [
          [64_990, 0.01],
          [64_980, 0.01],
        ],
        asks: [[65_020, 0.5]],
      });
      expect(body.nonce).toBe(gateway.venue.sequence());
    });
  });

  describe('an account', () => {
    test('has free and total, and no used', async () => {
      const { body: account } = await gateway.venue.call('getAccount', own());
      const { body } = await gateway.ask('getUnifiedBalance', own());
      const [free, total] = [Number(account.availableForOrders), Number(account.equity) - unrealized(account)];
      expect(body).toMatchObject({ free: { 'USD.E': free }, 'USD.E': { free } });
      expect(body.total['USD.E']).toBeCloseTo(total, 6);
      expect(JSON.stringify({ ...body, info: null })).not.toContain('used');
    });

    test('has positions, long and short, with what follows from them', async () => {
      await place(limit('sell', 65_000, 0.04), other);
      await place({ ...limit('buy', 65_000, 0.04), params: { leverage: 10 } });
      for (const by of [bot, other]) {
        const { positions } = (await gateway.venue.call('listPositions', own({}, by))).body;
        const { body } = await gateway.ask('listUnifiedPositions', own({ symbol }, by));
        expect(body).toHaveLength(1);
        const [position, info] = [body[0], positions[0]];
        const [contracts, entry, margin, pnl] = [info.currentQuantity, info.entryNotional, info.margin, info.unrealizedPnl].map(
          Number,
        ) as [number, number, number, number];
        const [mark, maintenance] = [Number(info.markPrice), Number(info.maintenanceRequirement)];
        expect(position).toMatchObject({
          id: info.positionId,
          symbol,
          side: by === bot ? 'long' : 'short',
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
      }
      expect((await gateway.ask('listUnifiedPositions', own({ symbol: 'ETH/USD.E:USD.E' }))).body).toEqual([]);
    });

    test('has orders and trades, oldest first', async () => {
      const orders = (await gateway.ask('listUnifiedOrders', own())).body;
      expect(orders.length).toBeGreaterThan(4);
      const times = orders.map((it: { timestamp: number }) => it.timestamp);
      expect(times).toEqual([...times].sort((one, two) => one - two));
      const newest = (await gateway.ask('listUnifiedOrders', own({ limit: '2', symbol }))).body;
      expect(newest).toEqual(orders.slice(-2));
      const first = (await gateway.ask('listUnifiedOrders', own({ limit: '2', since: String(times[1]) }))).body;
      expect(first).toEqual(orders.slice(1, 3));
      const { clientOrderId } = orders[0];
      expect((await gateway.ask('listUnifiedOrders', own({ clientOrderId }))).body).toEqual([orders[0]]);
      const trades = (await gateway.ask('listUnifiedTrades', own())).body;
      const { fills } = (await gateway.venue.call('listFills', own())).body;
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
      const made = (await gateway.ask('listUnifiedTrades', own({ limit: '1' }, other))).body;
      expect(made).toMatchObject([{ side: 'sell', takerOrMaker: 'maker', fee: { cost: -0.26, currency: 'USD.E' } }]);
      const ofOne = await gateway.ask('listUnifiedTrades', own({ orderId: fills[0].orderId, limit: '1' }));
      expect(ofOne.body).toEqual([trades.at(-1)]);
      const lost = await gateway.ask('listUnifiedTrades', own({ orderId: '999999' }));
      expect(lost).toMatchObject({ status: 404, body: { name: 'OrderNotFound' } });
    });

    test('of somebody else is nobody’s to read', async () => {
      for (const id of [
        'getUnifiedBalance',
        'listUnifiedPositions',
        'listUnifiedOrders',
        'listUnifiedOpenOrders',
        'listUnifiedTrades',
      ] as const) {
        const { status, body } = await gateway.ask(id, { bot, params: { accountId: other.accountId } });
        expect({ status, body }).toMatchObject({ status: 403, body: { name: 'PermissionDenied', code: 'account_forbidden' } });
      }
    });
  });

  describe('an order', () => {
    test('rests, is read, and is cancelled', async () => {
      const clientOrderId = `mine-${attempt}`;
      const placed = await place({ ...limit('buy', 60_000.5), params: { clientOrderId, postOnly: true, leverage: 7 } });
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
      const read = await gateway.ask('getUnifiedOrder', { bot, params: { orderId: order.id } });
      expect(read.body).toEqual(placed.body);
      expect((await gateway.ask('listUnifiedOpenOrders', own({ symbol }))).body).toEqual([placed.body]);
      const ended = await cancel(order.id, { symbol });
      expect(ended.body).toMatchObject({
        id: order.id,
        status: 'canceled',
        filled: 0,
        remaining: 0.01,
        info: { status: 'cancelled' },
      });
      expect((await cancel(order.id)).body, 'again').toEqual(ended.body);
    });

    test('that trades says what its turn made of it', async () => {
      await place(limit('sell', 65_000, 0.01), other);
      const taken = await place({ ...limit('buy', 65_005, 0.01) });
      expect(taken.body).toMatchObject({
        status: 'closed',
        price: 65_005,
        average: 65_000,
        filled: 0.01,
        remaining: 0,
        cost: 650,
        fee: { cost: 0.325, currency: 'USD.E' },
      });
      await place(limit('buy', 64_990, 0.02), other);
      // A price that comes with a market order is dropped.
      const market = await place({ symbol, type: 'market', side: 'sell', amount: 0.015, price: 1, params: { reduceOnly: true } });
      expect(market.body).toMatchObject({
        status: 'closed',
        type: 'market',
        timeInForce: 'IOC',
        price: 64_990,
        average: 64_990,
        amount: 0.015,
        filled: 0.015,
        remaining: 0,
        reduceOnly: true,
      });
      expect(market.body.info).not.toHaveProperty('price');
      expect(market.body.lastTradeTimestamp).toBe(market.body.timestamp);
      await gateway.venue.call('cancelAllOrders', { bot: other, body: {} });
      const short = await place({ symbol, type: 'market', side: 'sell', amount: 0.01 });
      expect(short.body).toMatchObject({
        status: 'canceled',
        filled: 0,
        remaining: 0.01,
        price: null,
        info: { cancelReason: 'no_liquidity' },
      });
      expect(await cancel(taken.body.id)).toMatchObject({ status: 409, body: { name: 'OrderNotFound', code: 'order_not_open' } });
    });

    test('of another symbol is not cancelled', async () => {
      const { id } = (await place(limit('buy', 60_000))).body;
      const ether = (await place({ ...limit('buy', 2_900), symbol: 'ETH/USD.E:USD.E' })).body;
      expect(await cancel(id, { symbol: 'ETH/USD.E:USD.E' })).toMatchObject({ status: 404, body: { name: 'OrderNotFound' } });
      const { body } = await cancelAll({ ids: [id, ether.id, '999999', id], symbol: 'ETH/USD.E:USD.E' });
      expect(body.map((it: Record<string, unknown>) => [it.index, it.accepted, it.id, it.status])).toEqual([
        [0, false, id, null],
        [1, true, ether.id, 'canceled'],
        [2, false, '999999', null],
        [3, false, id, null],
      ]);
      expect(body[0].info).toMatchObject({ accepted: false, code: 'order_not_found', index: 0 });
      expect(body[1].info).toMatchObject({ accepted: true, orderId: ether.id, index: 1 });
      expect((await gateway.ask('getUnifiedOrder', { bot, params: { orderId: id } })).body.status).toBe('open');
      const ended = await cancelAll({ ids: [id, ether.id], symbol });
      expect(ended.body.map((it: { accepted: boolean }) => it.accepted)).toEqual([true, false]);
    });

    test('that ended otherwise is shown as it is among cancels', async () => {
      await place(limit('sell', 65_000), other);
      const { id } = (await place(limit('buy', 65_000))).body;
      const { body } = await cancelAll({ ids: [id], symbol });
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
      const answer = await untouched(() => cancelAll(body));
      expect(answer).toMatchObject({ status: 400, body: { name: 'BadRequest', message: expect.stringContaining(field) } });
    });

    test('of somebody else is nobody’s', async () => {
      const { id } = (await place(limit('buy', 60_000))).body;
      for (const answer of [
        await cancel(id, undefined, other),
        await gateway.ask('getUnifiedOrder', { bot: other, params: { orderId: id } }),
      ])
        expect(answer).toMatchObject({ status: 404, body: { name: 'OrderNotFound' } });
      expect((await cancelAll({ ids: [id], symbol }, other)).body).toMatchObject([{ accepted: false }]);
    });
  });

  describe('a batch', () => {
    test('places each entry on its own, and takes none back', async () => {
      const entries = [
        limit('buy', 60_000, 0.01, { params: { clientOrderId: `batch-${attempt}` } }),
        limit('buy', 60_000.01),
        { ...limit('buy', 60_000), symbol: 'DOGE/USD.E:USD.E' },
        limit('buy', 60_000, 600),
        { ...limit('buy', 2_900), symbol: 'ETH/USD.E:USD.E', params: { postOnly: true } },
      ];
      const { status, body } = await placeAll(entries);
      expect(status).toBe(200);
      expect(body.map((it: Record<string, unknown>) => [it.index, it.accepted, it.status, it.symbol])).toEqual([
        [0, true, 'open', symbol],
        [1, false, 'rejected', symbol],
        [2, false, 'rejected', 'DOGE/USD.E:USD.E'],
        [3, false, 'rejected', symbol],
        [4, true, 'open', 'ETH/USD.E:USD.E'],
      ]);
      expect(body.map((it: { info: { code?: string; index: number; accepted: boolean } }) => it.info.code)).toEqual([
        undefined,
        'price_off_tick',
        'unknown_market',
        'quantity_out_of_bounds',
        undefined,
      ]);
      expect(body[1]).toMatchObject({ id: null, amount: null, fee: { cost: null, currency: 'USD.E' } });
      const open = (await gateway.ask('listUnifiedOpenOrders', own())).body;
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
      expect(await untouched(() => placeAll(body))).toMatchObject({
        status: 400,
        body: { name: expect.stringMatching(/^Bad(Request|Symbol)$/) },
      });
    });

    test('takes 32', async () => {
      const { body } = await placeAll(Array.from({ length: 32 }, (_, index) => limit('buy', 50_000 + index, 0.001)));
      expect(body.map((it: { index: number }) => it.index)).toEqual(Array.from({ length: 32 }, (_, index) => index));
      expect(new Set(body.map((it: { clientOrderId: string }) => it.clientOrderId)).size).toBe(32);
    });
  });

  describe('what cannot be represented', () => {
    const unsupported: [string, object, said: string][] = [
      ['timeInForce', { timeInForce: 'GTC' }, 'timeInForce cannot be chosen'],
      ['timeInForce of null', { timeInForce: null }, 'timeInForce cannot be chosen'],
      ['timeInForce in params', { params: { timeInForce: 'IOC' } }, 'timeInForce cannot be chosen'],
      ['an unknown key in params', { params: { clientOrderId: 'a', stopLossPrice: 1 } }, 'params has "stopLossPrice": '],
      ['a cost', { params: { cost: 100 } }, 'params has "cost": '],
      ['a key of every object', { params: JSON.parse('{"__proto__": 1}') }, 'params has "__proto__": '],
      ['another type', { type: 'stop' }, 'The type is "stop": '],
    ];

    test.each(unsupported)('(%s) is 501 NotSupported, and nothing is placed', async (_, more, said) => {
      const entry = { ...limit('buy', 60_000), ...more };
      for (const refused of [
        await untouched(() => place(entry)),
        await untouched(() => placeAll([limit('buy', 60_000), entry, limit('buy', 60_000)])),
      ]) {
        expect(refused).toMatchObject({
          status: 501,
          body: {
            name: 'NotSupported',
            code: 'not_supported',
            message: expect.stringContaining(said),
            retryable: false,
            info: { version: 'external-rest-error/v1' },
          },
        });
      }
    });

    test('is told before what is malformed', async () => {
      const malformed = { amount: 'x', timeInForce: 'GTC' };
      for (const refused of [await untouched(() => place(malformed)), await untouched(() => placeAll([{}, malformed]))])
        expect(refused).toMatchObject({ status: 501, body: { name: 'NotSupported' } });
      const keyless = await gateway.ask('createUnifiedOrder', { bot, body: { timeInForce: 'IOC' } });
      expect(keyless.status).toBe(501);
    });

    test('is no market order either, in a batch', async () => {
      const market = { symbol, type: 'market', side: 'buy', amount: 0.01 };
      expect(await untouched(() => placeAll([limit('buy', 60_000), market]))).toMatchObject({
        status: 501,
        body: { name: 'NotSupported' },
      });
    });

    test('uses up no idempotency key', async () => {
      const key = `unsupported-${++attempt}`;
      expect((await place({ ...limit('buy', 60_000), timeInForce: 'GTC' }, bot, key)).status).toBe(501);
      expect(await place(limit('buy', 60_000), bot, key)).toMatchObject({ status: 200, body: { status: 'open' } });
    });

    test.each(Object.keys(unifiedNotImplementedOperations))('%s is not there', async (id) => {
      const anything = { body: id.includes('Fetch') ? undefined : { symbol, leverage: 5 }, query: { symbol, since: '1' } };
      const { status, body } = await gateway.ask(id as keyof typeof unifiedNotImplementedOperations, anything);
      expect({ status, body }).toMatchObject({ status: 501, body: { name: 'NotSupported', code: 'not_supported' } });
      expect(body.datetime).toBe(new Date(body.timestamp).toISOString());
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
      const { status, body } = await place({ ...limit('buy', 60_000), ...more });
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
      expect(await untouched(() => place({ ...limit('buy', 60_000), amount }))).toMatchObject({
        status: 400,
        body: { name: 'BadRequest' },
      });
    });

    test('of as many digits as the market has is exact', async () => {
      const { body } = await place(limit('buy', 59_999.9, 0.1234));
      expect(body).toMatchObject({ price: 59_999.9, amount: 0.1234, info: { price: '59999.9', quantity: '0.1234' } });
    });
  });

  describe('a request that comes again', () => {
    test('gets the same answer, and there is one order', async () => {
      const key = `again-${++attempt}`;
      await place(limit('sell', 65_000, 0.005), other);
      const entry = limit('buy', 65_000, 0.01);
      const before = (await ordersOf()).length;
      const answers = await Promise.all(Array.from({ length: 8 }, () => place(entry, bot, key)));
      for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 200, body: answers[0]!.body });
      expect(answers[0]!.body).toMatchObject({
        status: 'open',
        filled: 0.005,
        clientOrderId: expect.stringMatching(/^v2-[\w-]{43}$/),
      });
      expect(await ordersOf()).toHaveLength(before + 1);
      await cancel(answers[0]!.body.id);
      const late = await place(entry, bot, key);
      expect(late.body).toEqual(answers[0]!.body);
      expect(late.headers.get('idempotency-replayed')).toBe('true');
    });

    test('does so in a batch, whatever became of its entries', async () => {
      const key = `batch-${++attempt}`;
      const entries = [limit('buy', 60_000), limit('buy', 60_000.01), limit('buy', 60_001)];
      const first = await placeAll(entries, key);
      const again = await placeAll(entries, key);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    });

    test('gets the same refusal of the venue', async () => {
      const key = `refused-${++attempt}`;
      const first = await place(limit('buy', 80_000), bot, key);
      const again = await place(limit('buy', 80_000), bot, key);
      expect(first).toMatchObject({ status: 409, body: { name: 'InvalidOrder', code: 'price_out_of_band' } });
      const { requestId: _, ...said } = first.body.info;
      expect(again.body).toMatchObject({ timestamp: first.body.timestamp, info: said });
    });

    test('with another body is refused, at /v1/orders too: it is the same operation there', async () => {
      const key = `shared-${++attempt}`;
      const clientOrderId = `shared-${attempt}`;
      const placed = await place({ ...limit('buy', 60_000), params: { clientOrderId } }, bot, key);
      const terms = {
        marketId: 'BTC-USD-PERP',
        clientOrderId,
        side: 'buy',
        orderType: 'limit',
        price: '60000',
        quantity: '0.01',
      };
      const native = { bot, idempotencyKey: key, body: { accountId: bot.accountId, ...terms } };
      const same = await gateway.venue.call('placeOrder', native);
      expect(same.body).toEqual(placed.body.info);
      expect(same.headers.get('idempotency-replayed')).toBe('true');
      const conflict = await place({ ...limit('buy', 60_001), params: { clientOrderId } }, bot, key);
      expect(conflict).toMatchObject({ status: 409, body: { name: 'DuplicateOrderId', code: 'idempotency_conflict' } });
    });

    test('needs its key', async () => {
      const body = limit('buy', 60_000);
      const calls = [
        gateway.ask('createUnifiedOrder', { bot, body }),
        gateway.ask('createUnifiedOrders', { bot, body: [body] }),
        gateway.ask('cancelUnifiedOrder', { bot, params: { orderId: '1' } }),
        gateway.ask('cancelUnifiedOrders', { bot, body: { ids: ['1'], symbol } }),
      ];
      for (const answer of await Promise.all(calls))
        expect(answer).toMatchObject({ status: 400, body: { name: 'BadRequest', code: 'idempotency_key_required' } });
    });
  });

  describe('a refusal', () => {
    test('has the library’s name, and the envelope as info', async () => {
      const headers = { 'x-request-id': 'my-request' };
      const {
        status,
        body,
        headers: answered,
      } = await gateway.ask('createUnifiedOrder', {
        bot,
        body: limit('buy', 60_000, 400),
        idempotencyKey: `key-${++attempt}`,
        headers,
      });
      expect({ status, body }).toMatchObject({
        status: 409,
        body: {
          name: 'InsufficientFunds',
          code: 'insufficient_margin',
          retryable: false,
          info: { requestId: 'my-request', code: 'insufficient_margin', recoveryActions: ['read_account'] },
        },
      });
      expect(body.message).toBe(body.info.safeMessage);
      expect(body.timestamp).toBe(body.info.occurredAtEpochMs);
      expect(answered.get('x-request-id')).toBe('my-request');
    });

    test('tells who may not ask', async () => {
      const { venue } = gateway;
      const nobody = await gateway.ask('getUnifiedBalance', { params: { accountId: bot.accountId } });
      expect(nobody).toMatchObject({ status: 401, body: { name: 'AuthenticationError', info: { apiKeyRejection: 'missing' } } });
      expect(nobody.headers.get('www-authenticate')).toContain('Bearer');
      const reader = await venue.keyOf(bot, ['read']);
      expect(await place(limit('buy', 60_000), reader)).toMatchObject({ status: 403, body: { name: 'PermissionDenied' } });
      const unbound = await venue.bot(1_000, ['read', 'trade'], '');
      expect(await place(limit('buy', 60_000), unbound)).toMatchObject({ status: 403, body: { name: 'AccountNotEnabled' } });
      const gone = await venue.keyOf(bot, ['read', 'trade']);
      expect((await place(limit('buy', 60_000), gone)).status).toBe(200);
      await venue.revoke(gone);
      expect(await place(limit('buy', 60_000), gone)).toMatchObject({
        status: 401,
        body: { info: { apiKeyRejection: 'revoked' } },
      });
    });

    test.each<[keyof typeof UNIFIED_ERROR_NAMES, object]>([
      ['post_only_would_cross', { price: 65_100, params: { postOnly: true } }],
      ['duplicate_client_order_id', { params: { clientOrderId: 'taken' } }],
      ['reduce_only_would_increase', { symbol: 'ETH/USD.E:USD.E', price: 2_900, params: { reduceOnly: true } }],
      ['leverage_too_high', { params: { leverage: 51 } }],
      ['price_out_of_band', { price: 80_000 }],
      ['invalid_request', { params: { leverage: 1.5 } }],
      ['invalid_request', { params: { clientOrderId: 'a b' } }],
      ['invalid_request', { type: 'market', price: undefined, params: { postOnly: true } }],
      ['invalid_request', { side: 'long' }],
    ])('%s', async (code, more) => {
      await place(limit('sell', 65_050), other);
      await place({ ...limit('buy', 60_000), params: { clientOrderId: 'taken' } });
      const { body } = await place({ ...limit('buy', 60_000), ...more });
      expect(body).toMatchObject({ name: UNIFIED_ERROR_NAMES[code], code });
    });
  });
});

function unrealized({ positions }: { positions: { unrealizedPnlAtoms?: string }[] }): number {
  return positions.reduce((sum, { unrealizedPnlAtoms = '0' }) => sum + Number(unrealizedPnlAtoms) / 1e6, 0);
}
