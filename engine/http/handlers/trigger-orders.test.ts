/** Orders that wait for a price, over HTTP: placed, listed, read, previewed, cancelled, triggered, and as legs of an entry order. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bot, VenueResponse, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';

let venue: VenueUnderTest;
let maker: Bot;
let attempt = 0;

beforeAll(async () => {
  venue = await startVenue();
  maker = await venue.bot(10_000_000);
  await place(maker, { side: 'buy', orderType: 'limit', price: '64000', quantity: '100' });
  await place(maker, { side: 'sell', orderType: 'limit', price: '65000', quantity: '100' });
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

type Fields = Readonly<Record<string, unknown>>;

function bodyOf(bot: Bot, fields: Fields) {
  return { accountId: bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${++attempt}`, ...fields };
}

function place(bot: Bot, fields: Fields): Promise<VenueResponse> {
  return venue.call('placeOrder', { bot, idempotencyKey: `key-${++attempt}`, body: bodyOf(bot, fields) });
}

async function read(bot: Bot, orderId: string): Promise<VenueResponse['body']> {
  return (await venue.call('getOrder', { bot, params: { orderId } })).body;
}

/** A trader with a long of 1 BTC. The mark is back at 64,500 then, between the quotes. */
async function trader(): Promise<Bot> {
  await venue.publishIndex(64_500);
  const bot = await venue.bot();
  expect((await place(bot, { side: 'buy', orderType: 'market', quantity: '1', leverageX: 5 })).body.status).toBe('filled');
  return bot;
}

const stop = { side: 'sell', orderType: 'market', quantity: '0.4', trigger: { type: 'stop_loss', price: '64200' } };

describe('an order with a trigger', () => {
  test('is open while it waits, and is in the lists', async () => {
    const bot = await trader();
    const placed = await place(bot, stop);
    expect(placed.status).toBe(202);
    expect(placed.body).toMatchObject({
      status: 'open',
      orderType: 'market',
      price: null,
      quantity: '0.4',
      remainingQuantity: '0.4',
      reduceOnly: true,
      attachedOrderIds: [],
      trigger: {
        type: 'stop_loss',
        source: 'mark',
        direction: 'below',
        price: '64200',
        status: 'waiting',
        triggeredAtEpochMs: null,
        closePosition: false,
        trailingAmount: null,
        trailingBps: null,
        entryOrderId: null,
        linkedOrderId: null,
      },
    });
    const { orderId, clientOrderId } = placed.body;
    expect(await read(bot, orderId)).toEqual(placed.body);
    const params = { accountId: bot.accountId };
    expect((await venue.call('listOpenOrders', { bot, params })).body.orders).toEqual([placed.body]);
    const named = await venue.call('getOrderByClientOrderId', { bot, params: { clientOrderId } });
    expect(named.body).toEqual(placed.body);
    const retried = { bot, idempotencyKey: placed.body.idempotencyKey, body: { ...bodyOf(bot, stop), clientOrderId } };
    expect((await venue.call('placeOrder', retried)).body).toEqual(placed.body);
  });

  test('triggers with the mark, is cut to the position, and fills like any order', async () => {
    const bot = await trader();
    const { orderId } = (await place(bot, { ...stop, quantity: '2' })).body;
    await venue.publishIndex(63_800);
    const order = await read(bot, orderId);
    expect(order).toMatchObject({ status: 'filled', quantity: '1', filledQuantity: '1', averagePrice: '64000' });
    expect(order.trigger).toMatchObject({ status: 'triggered', triggeredAtEpochMs: expect.any(Number) });
  });

  test.each([
    ['take_profit', 'above', '64800', 64_900],
    ['trigger', 'below', '64300', 64_100],
  ] as const)('rests as a limit order when a %s triggers', async (type, direction, price, index) => {
    const bot = await trader();
    const side = type === 'trigger' ? 'buy' : 'sell';
    const limit = type === 'trigger' ? '63900' : '64950';
    const fields = { side, orderType: 'limit', price: limit, quantity: '0.1', trigger: { type, price, source: 'index' } };
    const { body } = await place(bot, fields);
    expect(body).toMatchObject({ reduceOnly: type !== 'trigger', trigger: { direction, source: 'index' } });
    await venue.publishIndex(index);
    expect(await read(bot, body.orderId)).toMatchObject({
      status: 'open',
      price: limit,
      remainingQuantity: '0.1',
      trigger: { status: 'triggered' },
    });
  });

  test('closes the position, and ends with it', async () => {
    const bot = await trader();
    const all = {
      side: 'sell',
      orderType: 'market',
      trigger: { type: 'stop_loss', price: '64200', closePosition: true, source: 'last' },
    };
    const placed = await place(bot, all);
    expect(placed.body).toMatchObject({ quantity: null, remainingQuantity: '0', reduceOnly: true });
    const other = (await place(bot, stop)).body.orderId;
    await place(bot, { side: 'sell', orderType: 'market', quantity: '1', reduceOnly: true });
    for (const orderId of [placed.body.orderId, other])
      expect(await read(bot, orderId)).toMatchObject({
        status: 'cancelled',
        cancelReason: 'position_ended',
        trigger: { status: 'ended' },
      });
  });

  test('trails the mark by an amount or a share', async () => {
    const bot = await trader();
    const byAmount = await place(bot, { ...stop, trigger: { type: 'trailing_stop', trailingAmount: '400', source: 'index' } });
    expect(byAmount.body.trigger).toMatchObject({
      type: 'trailing_stop',
      price: '64100',
      trailingAmount: '400',
      trailingBps: null,
    });
    const byShare = await place(bot, {
      ...stop,
      quantity: '0.3',
      trigger: { type: 'trailing_stop', trailingBps: 100, source: 'index' },
    });
    expect(byShare.body.trigger).toMatchObject({ price: '63855', trailingAmount: null, trailingBps: 100 });
    await venue.publishIndex(64_800);
    await venue.publishIndex(64_400);
    expect(await read(bot, byAmount.body.orderId)).toMatchObject({ status: 'filled', trigger: { price: '64400' } });
    expect((await read(bot, byShare.body.orderId)).status).toBe('open');
  });

  test('cancels the order that it is linked with', async () => {
    const bot = await trader();
    const first = (await place(bot, stop)).body;
    const trigger = { type: 'take_profit', price: '64900', linkedClientOrderId: first.clientOrderId };
    const second = await place(bot, { ...stop, trigger });
    expect(second.body.trigger.linkedOrderId).toBe(first.orderId);
    expect((await read(bot, first.orderId)).trigger.linkedOrderId).toBe(second.body.orderId);
    expect((await place(bot, { ...stop, trigger })).body).toMatchObject({
      code: 'linked_order_not_waiting',
      safeMessage: expect.stringContaining(first.clientOrderId),
    });
    await venue.publishIndex(63_800);
    expect((await read(bot, first.orderId)).status).toBe('filled');
    expect(await read(bot, second.body.orderId)).toMatchObject({ status: 'cancelled', cancelReason: 'linked_order' });
  });

  test('ends with the reason of a refusal when it triggers', async () => {
    const bot = await trader();
    const trigger = { type: 'trigger', price: '64200' };
    const far = (await place(bot, { side: 'sell', orderType: 'limit', price: '10000', quantity: '0.1', trigger })).body;
    const big = (await place(bot, { side: 'buy', orderType: 'limit', price: '63000', quantity: '400', trigger })).body;
    const leveraged = { side: 'buy', orderType: 'limit', price: '63000', quantity: '200', leverageX: 50, trigger };
    const bounded = (await place(bot, leveraged)).body;
    await venue.operate({ type: 'SetMarketStatus', market: 1 as never, status: 'reduce_only' }, 'MarketStatusChanged');
    const paused = await read(bot, bounded.orderId);
    expect(paused.status).toBe('open');
    await venue.operate({ type: 'SetMarketStatus', market: 1 as never, status: 'open' }, 'MarketStatusChanged');
    await venue.publishIndex(63_800);
    expect((await read(bot, far.orderId)).cancelReason).toBe('price_band');
    expect((await read(bot, big.orderId)).cancelReason).toBe('margin_unbacked');
    const refused = await place(bot, {
      ...stop,
      side: 'buy',
      quantity: '0.1',
      trigger: { type: 'trigger', price: '64400', direction: 'above' },
    });
    await venue.operate({ type: 'SetMarketStatus', market: 1 as never, status: 'reduce_only' }, 'MarketStatusChanged');
    await venue.publishIndex(64_600);
    await venue.operate({ type: 'SetMarketStatus', market: 1 as never, status: 'open' }, 'MarketStatusChanged');
    expect(await read(bot, refused.body.orderId)).toMatchObject({ status: 'cancelled', cancelReason: 'trigger_refused' });
  });

  test('is cancelled like any open order', async () => {
    const bot = await trader();
    const [one, two, three] = [await place(bot, stop), await place(bot, stop), await place(bot, stop)];
    const cancelled = await venue.call('cancelOrder', { bot, params: { orderId: one.body.orderId } });
    expect(cancelled.body).toMatchObject({ status: 'cancelled', trigger: { status: 'ended' } });
    expect(cancelled.body).not.toHaveProperty('cancelReason');
    const params = { clientOrderId: two.body.clientOrderId };
    expect((await venue.call('cancelOrderByClientOrderId', { bot, params })).body.status).toBe('cancelled');
    const all = await venue.call('cancelAllOrders', { bot, body: { accountId: bot.accountId } });
    expect(all.body.cancelled.map(({ orderId }: { orderId: string }) => orderId)).toEqual([three.body.orderId]);
  });

  test('is previewed without a change', async () => {
    const bot = await trader();
    const preview = await venue.call('previewOrder', { bot, body: bodyOf(bot, stop) });
    expect(preview.body).toMatchObject({
      accepted: true,
      status: 'open',
      filledQuantity: '0',
      reservedMargin: '0',
      position: { side: 'long', quantity: '1' },
    });
    const { body } = await venue.call('previewOrder', {
      bot,
      body: bodyOf(bot, { ...stop, trigger: { type: 'stop_loss', price: '66000' } }),
    });
    const unlinked = { type: 'stop_loss', price: '64200', linkedClientOrderId: 'unknown' };
    const refused = await venue.call('previewOrder', { bot, body: bodyOf(bot, { ...stop, trigger: unlinked }) });
    expect(refused.body).toMatchObject({ accepted: false, code: 'linked_order_not_waiting' });
    const placed = await place(bot, { ...stop, trigger: { type: 'stop_loss', price: '66000' } });
    expect([placed.status, placed.body.code]).toEqual([409, 'trigger_reached']);
    expect(body).toMatchObject({ accepted: false, code: 'trigger_reached', safeMessage: expect.stringContaining('64500') });
  });

  test('is an entry of a batch', async () => {
    const bot = await trader();
    const first = bodyOf(bot, stop);
    const second = bodyOf(bot, {
      ...stop,
      trigger: { type: 'take_profit', price: '64900', linkedClientOrderId: first.clientOrderId },
    });
    const third = bodyOf(bot, { ...stop, trigger: { type: 'stop_loss', price: '66000' } });
    const unlinked = { type: 'stop_loss', price: '64200', linkedClientOrderId: 'unknown' };
    const fourth = bodyOf(bot, { ...stop, trigger: unlinked });
    const { body } = await venue.call('placeOrders', {
      bot,
      idempotencyKey: `key-${++attempt}`,
      body: { orders: [first, second, third, fourth] },
    });
    expect(body.outcomes).toMatchObject([
      { accepted: true, trigger: { linkedOrderId: body.outcomes[1].orderId } },
      { accepted: true, trigger: { linkedOrderId: body.outcomes[0].orderId } },
      { accepted: false, code: 'trigger_reached' },
      { accepted: false, code: 'linked_order_not_waiting' },
    ]);
    const unconditional = { orders: [bodyOf(bot, { side: 'buy', orderType: 'market', quantity: '1' })] };
    const refused = await venue.call('placeOrders', { bot, idempotencyKey: `key-${++attempt}`, body: unconditional });
    expect(refused.body).toMatchObject({ code: 'invalid_request', safeMessage: expect.stringContaining('orders.0.orderType') });
  });
});

describe('the legs of an entry order', () => {
  const legs = { stopLoss: { triggerPrice: '64200' }, takeProfit: { triggerPrice: '64900', price: '64850', source: 'index' } };

  test('follow what the entry fills', async () => {
    await venue.publishIndex(64_500);
    const bot = await venue.bot();
    const entry = await place(bot, { side: 'buy', orderType: 'market', quantity: '0.5', leverageX: 5, ...legs });
    expect(entry.body).toMatchObject({
      status: 'filled',
      trigger: null,
      attachedOrderIds: [expect.any(String), expect.any(String)],
    });
    const [stopId, profitId] = entry.body.attachedOrderIds;
    expect(await read(bot, stopId)).toMatchObject({
      status: 'open',
      side: 'sell',
      orderType: 'market',
      quantity: '0.5',
      clientOrderId: null,
      reduceOnly: true,
      trigger: { type: 'stop_loss', status: 'waiting', entryOrderId: entry.body.orderId, linkedOrderId: profitId },
    });
    expect(await read(bot, profitId)).toMatchObject({
      orderType: 'limit',
      price: '64850',
      trigger: { type: 'take_profit', source: 'index' },
    });
    await venue.publishIndex(63_800);
    expect((await read(bot, stopId)).status).toBe('filled');
    expect(await read(bot, profitId)).toMatchObject({ status: 'cancelled', cancelReason: 'linked_order' });
  });

  test('wait for the entry, and end with one that is cancelled', async () => {
    await venue.publishIndex(64_500);
    const bot = await venue.bot();
    const limit = { side: 'buy', orderType: 'limit', price: '63000', quantity: '0.5' };
    // A take-profit between the limit and the price waits; a stop there would close what it protects.
    const between = { stopLoss: { triggerPrice: '62500' }, takeProfit: { triggerPrice: '63500' } };
    const refused = await place(bot, { ...limit, ...legs });
    expect([refused.status, refused.body.code]).toEqual([409, 'trigger_reached']);
    expect(refused.body.safeMessage).toContain('63000');
    const entry = (await place(bot, { ...limit, ...between })).body;
    const amendment = { accountId: bot.accountId, marketId: 'BTC-USD-PERP', orderId: entry.orderId, price: '62400' };
    const amended = await venue.call('amendOrder', { bot, idempotencyKey: `key-${++attempt}`, body: amendment });
    expect([amended.status, amended.body.code]).toEqual([409, 'trigger_reached']);
    const [stopId] = entry.attachedOrderIds;
    expect(await read(bot, stopId)).toMatchObject({ status: 'open', quantity: '0', trigger: { status: 'entry' } });
    const listed = await venue.call('listOpenOrders', { bot, params: { accountId: bot.accountId } });
    expect(listed.body.orders).toHaveLength(3);
    await venue.call('cancelOrder', { bot, params: { orderId: entry.orderId } });
    expect(await read(bot, stopId)).toMatchObject({
      status: 'cancelled',
      cancelReason: 'entry_ended',
      trigger: { status: 'ended' },
    });
  });
});

describe('a form that is not possible is refused', () => {
  const common = { side: 'sell', orderType: 'market', quantity: '0.1' };
  const at = { type: 'stop_loss', price: '64000' };
  test.each([
    ['a stop without a price', { ...common, trigger: { type: 'stop_loss' } }],
    ['a direction that the type has', { ...common, trigger: { ...at, direction: 'below' } }],
    ['a distance of a stop', { ...common, trigger: { ...at, trailingBps: 10 } }],
    ['a price of a trailing stop', { ...common, trigger: { ...at, type: 'trailing_stop', trailingBps: 10 } }],
    ['two distances', { ...common, trigger: { type: 'trailing_stop', trailingBps: 10, trailingAmount: '5' } }],
    ['no distance', { ...common, trigger: { type: 'trailing_stop' } }],
    ['a trailing stop of the last price', { ...common, trigger: { type: 'trailing_stop', trailingBps: 10, source: 'last' } }],
    ['a quantity beside closePosition', { ...common, trigger: { ...at, closePosition: true } }],
    [
      'a limit order that closes the position',
      { ...common, orderType: 'limit', price: '64000', trigger: { ...at, closePosition: true } },
    ],
    [
      'closing without reduceOnly',
      { side: 'sell', orderType: 'market', reduceOnly: false, trigger: { ...at, closePosition: true } },
    ],
    ['a notional', { side: 'sell', orderType: 'market', notional: '100', trigger: at }],
    ['post-only', { ...common, orderType: 'limit', price: '64000', postOnly: true, trigger: at }],
    ['a limit order without a price', { ...common, orderType: 'limit', trigger: at }],
    ['legs of a waiting order', { ...common, trigger: at, stopLoss: { triggerPrice: '65000' } }],
    ['legs of a reduce-only order', { ...common, reduceOnly: true, stopLoss: { triggerPrice: '66000' } }],
  ] as const)('%s', async (_, fields) => {
    const { status, body } = await place(maker, fields);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});

test('is not amended while it waits', async () => {
  const bot = await trader();
  const { orderId } = (await place(bot, stop)).body;
  const body = { accountId: bot.accountId, marketId: 'BTC-USD-PERP', orderId, quantity: '0.2' };
  const amended = await venue.call('amendOrder', { bot, idempotencyKey: `key-${++attempt}`, body });
  expect([amended.status, amended.body.code]).toEqual([409, 'order_not_amendable']);
  expect(await read(bot, orderId)).toMatchObject({ status: 'open', quantity: '0.4' });
});

test('a trigger price off the tick is refused', async () => {
  const bot = await trader();
  expect((await place(bot, { ...stop, trigger: { type: 'stop_loss', price: '64200.05' } })).body.code).toBe('price_off_tick');
  expect((await place(bot, { ...stop, trigger: { type: 'stop_loss', price: '0' } })).body.code).toBe('price_out_of_bounds');
});
