/** Times in force, amendments and timers that cancel orders, over HTTP on the real venue. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UNLIMITED } from '#http/testing/stage.ts';
import type { Bot, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { MarketStatus } from '#venue/market/specification.ts';

type Fields = Readonly<Record<string, unknown>>;

let venue: VenueUnderTest;
let bot: Bot;
let other: Bot;
let attempt = 0;

beforeEach(async () => {
  venue = await startVenue(UNLIMITED);
  [bot, other] = [await venue.bot(), await venue.bot()];
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

const bid = { side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
const inMarket = (by: Bot) => ({ accountId: by.accountId, marketId: 'BTC-USD-PERP' });
const bodyOf = (by: Bot, fields: Fields) => ({ ...inMarket(by), clientOrderId: `order-${++attempt}`, ...bid, ...fields });
const key = () => `key-${++attempt}`;

async function place(by: Bot, fields: Fields = {}) {
  const { status, body } = await venue.call('placeOrder', { bot: by, idempotencyKey: key(), body: bodyOf(by, fields) });
  expect(status, JSON.stringify(body)).toBe(202);
  return body;
}

const read = async (by: Bot, orderId: string) => (await venue.call('getOrder', { bot: by, params: { orderId } })).body;
const amend = (by: Bot, orderId: string, fields: Fields, idempotencyKey = key()) =>
  venue.call('amendOrder', { bot: by, idempotencyKey, body: { ...inMarket(by), orderId, ...fields } });
const setStatus = (status: MarketStatus) =>
  venue.operate({ type: 'SetMarketStatus', market: 1 as MarketOrdinal, status }, 'MarketStatusChanged');
const endDue = () => venue.operate({ type: 'EndDueOrders' }, 'OrderCancelled');

describe('the time in force', () => {
  test.each([
    [{}, 'GTC'],
    [{ timeInForce: 'GTC' }, 'GTC'],
    [{ postOnly: true }, 'PO'],
    [{ timeInForce: 'PO' }, 'PO'],
    [{ orderType: 'market', price: undefined, timeInForce: 'IOC' }, 'IOC'],
    [{ timeInForce: 'IOC' }, 'IOC'],
    [{ timeInForce: 'FOK' }, 'FOK'],
  ])('of %o is %s', async (fields, timeInForce) => {
    const order = await place(bot, fields);
    expect(order).toMatchObject({ timeInForce, expiresAtEpochMs: null, postOnly: timeInForce === 'PO' });
    expect(await read(bot, order.orderId)).toEqual(order);
  });

  test('ends orders with its own reasons, as the preview says', async () => {
    for (const [timeInForce, cancelReason] of [
      ['IOC', 'immediate_or_cancel'],
      ['FOK', 'fill_or_kill'],
    ]) {
      const previewed = await venue.call('previewOrder', { bot, body: bodyOf(bot, { timeInForce }) });
      expect(previewed.body).toMatchObject({ accepted: true, status: 'cancelled', cancelReason });
      expect(await place(bot, { timeInForce })).toMatchObject({ status: 'cancelled', cancelReason });
    }
  });

  test('GTD shows the expiry, and ends the order then', async () => {
    const expiresAtEpochMs = venue.pass(0) + 60_000;
    const order = await place(bot, { timeInForce: 'GTD', expiresAtEpochMs });
    expect(order).toMatchObject({ status: 'open', timeInForce: 'GTD', expiresAtEpochMs });
    venue.pass(60_000);
    await endDue();
    expect(await read(bot, order.orderId)).toMatchObject({ status: 'cancelled', cancelReason: 'expired' });
  });

  test('of an expiry out of bounds is refused, also in a preview', async () => {
    const body = bodyOf(bot, { timeInForce: 'GTD', expiresAtEpochMs: 1_000 });
    const refused = await venue.call('placeOrder', { bot, idempotencyKey: key(), body });
    expect(refused.body).toMatchObject({ code: 'expiry_out_of_bounds', safeMessage: expect.stringContaining('is 1000') });
    expect((await venue.call('previewOrder', { bot, body })).body).toMatchObject({ code: 'expiry_out_of_bounds' });
  });

  test.each(['GTC', 'IOC', 'FOK', 'PO', 'GTD'])('%s is shown by /v2', async (timeInForce) => {
    const expiresAtEpochMs = venue.pass(0) + 60_000;
    const { orderId } = await place(bot, { timeInForce, ...(timeInForce === 'GTD' && { expiresAtEpochMs }) });
    const { body } = await venue.call('getUnifiedOrder', { bot, params: { orderId } });
    expect(body).toMatchObject({ id: orderId, timeInForce });
  });

  test('is in the outcomes of a batch', async () => {
    const orders = [{ timeInForce: 'IOC' }, { timeInForce: 'GTD', expiresAtEpochMs: 1 }, { timeInForce: 'PO' }];
    const body = { orders: orders.map((fields) => bodyOf(bot, fields)) };
    const { outcomes } = (await venue.call('placeOrders', { bot, idempotencyKey: key(), body })).body;
    expect(outcomes).toMatchObject([
      { accepted: true, timeInForce: 'IOC', status: 'cancelled' },
      { accepted: false, code: 'expiry_out_of_bounds' },
      { accepted: true, timeInForce: 'PO', status: 'open' },
    ]);
  });
});

describe('an amendment', () => {
  test('changes the quantity and keeps priority, and a retry gets the same response', async () => {
    const { orderId } = await place(bot);
    const first = await amend(bot, orderId, { quantity: '0.005' }, 'once');
    expect([first.status, first.body]).toMatchObject([
      200,
      { orderId, status: 'open', price: '60000', quantity: '0.005', remainingQuantity: '0.005', keepsPriority: true },
    ]);
    expect(await read(bot, orderId)).toMatchObject({ quantity: '0.005', remainingQuantity: '0.005', status: 'open' });
    const again = await amend(bot, orderId, { quantity: '0.005' }, 'once');
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect((await amend(bot, orderId, { quantity: '0.004' }, 'once')).body.code).toBe('idempotency_conflict');
  });

  test('that crosses fills at once, and the book shows the rest', async () => {
    await place(other, { side: 'sell', price: '65000', quantity: '0.004' });
    const { orderId } = await place(bot);
    const { body } = await amend(bot, orderId, { price: '65000' });
    expect(body).toMatchObject({ status: 'open', filledQuantity: '0.004', remainingQuantity: '0.006', keepsPriority: false });
    expect(await read(bot, orderId)).toMatchObject({ price: '65000', filledQuantity: '0.004', quantity: '0.01' });
    const { bids } = (await venue.call('getBook', { params: { marketId: 'BTC-USD-PERP' } })).body;
    expect(bids).toEqual([['65000', '0.006']]);
    expect((await amend(bot, orderId, { quantity: '0.004' })).body.code).toBe('quantity_already_filled');
  });

  test('that fills whole ends the order', async () => {
    await place(other, { side: 'sell', price: '65000' });
    const { orderId, clientOrderId } = await place(bot);
    const { body } = await venue.call('amendOrder', {
      bot,
      idempotencyKey: key(),
      body: { ...inMarket(bot), clientOrderId, price: '65000' },
    });
    expect(body).toMatchObject({ orderId, status: 'filled', remainingQuantity: '0' });
    expect((await amend(bot, orderId, { price: '64000' })).body.code).toBe('order_not_open');
  });

  test('of an exit beyond the position ends it', async () => {
    await place(other, { side: 'buy', price: '65000', quantity: '0.02' });
    await place(other, { side: 'sell', price: '65001', quantity: '0.01' });
    await place(bot, { price: '65001' });
    const { orderId } = await place(bot, { side: 'sell', price: '66000', quantity: '0.005', reduceOnly: true });
    const { body } = await amend(bot, orderId, { price: '65000', quantity: '0.02' });
    expect(body).toMatchObject({ status: 'cancelled', quantity: '0.02', filledQuantity: '0.01', remainingQuantity: '0.01' });
    expect(await read(bot, orderId)).toMatchObject({ status: 'cancelled', cancelReason: 'reduce_only' });
  });

  test('is refused with what it would break, and the order stays', async () => {
    await place(other, { side: 'sell', price: '65000' });
    const order = await place(bot, { postOnly: true });
    const codeOf = async (fields: Fields, orderId = order.orderId) => (await amend(bot, orderId, fields)).body.code;
    expect(await codeOf({ price: '65000' })).toBe('post_only_would_cross');
    expect(await codeOf({ price: '60000.01' })).toBe('price_off_tick');
    expect(await codeOf({ price: '0' })).toBe('price_out_of_bounds');
    expect(await codeOf({ quantity: '0.00011' })).toBe('quantity_off_lot');
    expect(await codeOf({ quantity: '501' })).toBe('quantity_out_of_bounds');
    expect(await codeOf({ quantity: '450' })).toBe('insufficient_margin');
    expect(await codeOf({})).toBe('invalid_request');
    expect(await codeOf({ quantity: '1' }, 'nothing')).toBe('order_not_found');
    expect(await codeOf({ marketId: 'DOGE-USD-PERP', quantity: '1' })).toBe('unknown_market');
    expect((await amend(other, order.orderId, { quantity: '0.005' })).body.code).toBe('order_not_found');
    expect(await read(bot, order.orderId)).toEqual(order);
  });

  test('of several orders has one outcome each', async () => {
    const [one, two] = [await place(bot), await place(bot, { price: '59000' })];
    const amendments = [
      { ...inMarket(bot), orderId: one.orderId, quantity: '0.005' },
      { ...inMarket(bot), clientOrderId: two.clientOrderId, price: '59500' },
      { ...inMarket(bot), clientOrderId: 'unknown', price: '59500' },
      { ...inMarket(bot), orderId: two.orderId, price: '59500.01' },
      { ...inMarket(bot), orderId: two.orderId, marketId: 'DOGE-USD-PERP', price: '1' },
    ];
    const send = () => venue.call('amendOrders', { bot, idempotencyKey: 'several', body: { amendments } });
    const { status, body } = await send();
    expect(status).toBe(200);
    expect(body.outcomes).toMatchObject([
      { index: 0, accepted: true, orderId: one.orderId, quantity: '0.005', keepsPriority: true },
      { index: 1, accepted: true, orderId: two.orderId, price: '59500', keepsPriority: false },
      { index: 2, accepted: false, code: 'order_not_found', clientOrderId: 'unknown' },
      { index: 3, accepted: false, code: 'price_off_tick', orderId: two.orderId },
      { index: 4, accepted: false, code: 'unknown_market' },
    ]);
    expect((await send()).body).toEqual(body);
  });

  test('of several orders shows how each of them ends', async () => {
    await place(other, { side: 'sell', price: '65001', quantity: '0.03' });
    await place(bot, { price: '65001' });
    const [filled, cut] = [
      await place(bot),
      await place(bot, { side: 'sell', price: '66000', quantity: '0.005', reduceOnly: true }),
    ];
    await place(other, { side: 'buy', price: '65000', quantity: '0.05' });
    const amendments = [
      { ...inMarket(bot), orderId: cut.orderId, price: '65000', quantity: '0.02' },
      { ...inMarket(bot), orderId: filled.orderId, price: '65001' },
    ];
    const { body } = await venue.call('amendOrders', { bot, idempotencyKey: key(), body: { amendments } });
    expect(body.outcomes).toMatchObject([{ status: 'cancelled' }, { status: 'filled' }]);
  });
});

/** Brings the venue into the state of each refusal, and returns the changes that it then refuses. */
const IN_STATES: Readonly<Record<string, () => Promise<Fields>>> = {
  venue_halted: async () => {
    await venue.operate({ type: 'SetVenueStatus', status: 'halted' }, 'VenueStatusChanged');
    return { price: '60001' };
  },
  intake_paused: async () => {
    await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
    return { price: '60001' };
  },
  capability_unavailable: async () => {
    await venue.operate({ type: 'SetCapability', capability: 'trading', isOn: false }, 'CapabilitySet');
    return { price: '60001' };
  },
  market_not_open: async () => {
    await setStatus('cancel_only');
    return { price: '60001' };
  },
  market_reduce_only: async () => {
    await setStatus('reduce_only');
    return { price: '60001' };
  },
  index_not_current: async () => {
    await venue.publishIndex(130_000);
    return { price: '60001' };
  },
  price_out_of_band: async () => ({ price: '80000' }),
  position_limit: async () => {
    for (let count = 0; count < 8; count += 1) await place(bot, { quantity: '499' });
    return { quantity: '500' };
  },
  exposure_limit: async () => {
    for (const price of [95_000, 140_000, 200_000]) await venue.publishIndex(price);
    for (let count = 0; count < 5; count += 1) await place(bot, { quantity: '500', price: '200000' });
    return { quantity: '500', price: '200000' };
  },
};

test.each(Object.keys(IN_STATES))('an amendment is refused with %s, and only a smaller quantity is taken', async (code) => {
  bot = await venue.bot(1_000_000_000);
  const { orderId } = await place(bot);
  const fields = await IN_STATES[code]!();
  expect((await amend(bot, orderId, fields)).body).toMatchObject({ code });
  expect((await amend(bot, orderId, { quantity: '0.005' })).body).toMatchObject({ quantity: '0.005', keepsPriority: true });
});

describe('the timer that cancels orders', () => {
  const set = (fields: Fields) => venue.call('setCancelAllAfter', { bot, body: { accountId: bot.accountId, ...fields } });
  const timers = async () => (await venue.call('getCancelAllAfter', { bot, params: { accountId: bot.accountId } })).body.timers;

  test('is read back, replaced, turned off, and cancels', async () => {
    const { orderId } = await place(bot);
    const first = await set({ timeoutMs: 60_000 });
    expect(first.body).toMatchObject({ marketId: null, cancelsAtEpochMs: first.body.setAtEpochMs + 60_000 });
    const { cancelsAtEpochMs } = (await set({ timeoutMs: 5_000, marketId: 'BTC-USD-PERP' })).body;
    expect(await timers()).toEqual([
      { marketId: null, cancelsAtEpochMs: first.body.cancelsAtEpochMs },
      { marketId: 'BTC-USD-PERP', cancelsAtEpochMs },
    ]);
    expect((await set({ timeoutMs: 0 })).body).toMatchObject({ marketId: null, cancelsAtEpochMs: null });
    venue.pass(5_000);
    await endDue();
    expect(await read(bot, orderId)).toMatchObject({ status: 'cancelled', cancelReason: 'cancel_all_after' });
    expect(await timers()).toEqual([]);
  });

  test('has bounds', async () => {
    expect((await set({ timeoutMs: 999 })).body.code).toBe('timeout_out_of_bounds');
    expect((await set({ timeoutMs: 86_400_001 })).body.code).toBe('timeout_out_of_bounds');
    expect((await set({ timeoutMs: 5_000, marketId: 'DOGE-USD-PERP' })).body.code).toBe('unknown_market');
  });
});
