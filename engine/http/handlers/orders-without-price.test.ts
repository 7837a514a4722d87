/** Shapes A and B of the interface over HTTP: limit orders without a price, whose limit is the end of the price band. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bot, VenueResponse, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';

let venue: VenueUnderTest;
let maker: Bot;
let taker: Bot;
let attempt = 0;

beforeEach(async () => {
  venue = await startVenue();
  [maker, taker] = [await venue.bot(), await venue.bot()];
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

type Fields = Readonly<Record<string, unknown>>;

function body(bot: Bot, fields: Fields): Fields {
  attempt += 1;
  const target = { accountId: bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${attempt}` };
  return { ...target, side: 'buy', orderType: 'limit', ...fields };
}

function place(bot: Bot, fields: Fields, idempotencyKey = `key-${++attempt}`): Promise<VenueResponse> {
  return venue.call('placeOrder', { bot, idempotencyKey, body: body(bot, fields) });
}

// The index is 65,000, the band 10 %.
const BAND = { buy: '71500', sell: '58500' } as const;

describe.each(['buy', 'sell'] as const)('a %s', (side) => {
  const against = side === 'buy' ? 'sell' : 'buy';

  test('by quantity fills against the book, and rests at the end of the band', async () => {
    await place(maker, { side: against, price: '65000', quantity: '0.01' });
    const { status, body: placed } = await place(taker, { side, quantity: '0.03' });
    expect(status).toBe(202);
    expect(placed).toMatchObject({
      ...{ status: 'open', orderType: 'limit', price: BAND[side], quantity: '0.03', notional: null, postOnly: false },
      ...{ filledQuantity: '0.01', remainingQuantity: '0.02', averagePrice: '65000' },
    });
    expect((await venue.call('getOrder', { bot: taker, params: { orderId: placed.orderId } })).body).toEqual(placed);
    const { body: book } = await venue.call('getBook', { params: { marketId: 'BTC-USD-PERP' } });
    expect(book[side === 'buy' ? 'bids' : 'asks'][0]).toEqual([BAND[side], '0.02']);
    const params = { orderId: placed.orderId };
    const unified = (await venue.call('getUnifiedOrder', { bot: taker, params })).body;
    expect(unified).toMatchObject({ type: 'limit', timeInForce: 'GTC', price: Number(BAND[side]), amount: 0.03, filled: 0.01 });
    expect((await venue.call('cancelOrder', { bot: taker, params })).body.status).toBe('cancelled');
  });

  test('by notional spends on fills first, and the rest at the end of the band', async () => {
    await place(maker, { side: against, price: '65000', quantity: '0.01' });
    // 650 at once, and 0.002 more at the end of the band.
    const notional = String(650 + 0.002 * Number(BAND[side]) + 1);
    const { body: placed } = await place(taker, { side, notional });
    expect(placed).toMatchObject({
      ...{ status: 'open', orderType: 'limit', price: BAND[side], quantity: '0.012', notional },
      ...{ filledQuantity: '0.01', remainingQuantity: '0.002', filledNotional: '650' },
    });
    const { body: fills } = await venue.call('listFills', { bot: taker, params: { accountId: taker.accountId } });
    expect(fills.fills).toMatchObject([{ orderType: 'limit', quantity: '0.01' }]);
  });

  test('is previewed with its limit, and placed as previewed', async () => {
    await place(maker, { side: against, price: '65000', quantity: '0.01' });
    for (const amount of [{ quantity: '0.03' }, { notional: '2000' }]) {
      const previewed = await venue.call('previewOrder', { bot: taker, body: body(taker, { side, ...amount }) });
      const { body: placed } = await place(taker, { side, ...amount });
      expect(previewed.body).toMatchObject({
        ...{ accepted: true, status: placed.status, price: placed.price, filledQuantity: placed.filledQuantity },
        restingQuantity: placed.remainingQuantity,
      });
      expect(placed.price).toBe(BAND[side]);
    }
  });
});

test('a repeated key returns the same order, although the band has moved', async () => {
  const sent = { quantity: '0.01' };
  const order = body(taker, sent);
  const first = await venue.call('placeOrder', { bot: taker, idempotencyKey: 'same', body: order });
  for (let count = 0; count < 3; count += 1) await venue.publishIndex(66_000);
  const again = await venue.call('placeOrder', { bot: taker, idempotencyKey: 'same', body: order });
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
  expect((await place(taker, sent)).body.price).toBe('72600');
});

test('a batch accepts all three shapes, and previews and placements refuse others', async () => {
  const orders = [
    body(taker, { price: '60000', quantity: '0.01', postOnly: true }),
    body(taker, { quantity: '0.01' }),
    body(taker, { notional: '715', postOnly: false }),
    body(taker, { notional: '0.5' }),
    body(taker, { notional: '0.0000001' }),
    body(taker, { quantity: '0.00011' }),
  ];
  const { body: batch } = await venue.call('placeOrders', { bot: taker, idempotencyKey: 'shapes', body: { orders } });
  expect(batch.outcomes).toMatchObject([
    { accepted: true, price: '60000', quantity: '0.01', notional: null },
    { accepted: true, price: '71500', quantity: '0.01', notional: null },
    { accepted: true, price: '71500', quantity: '0.01', notional: '715' },
    { accepted: false, code: 'notional_too_small', safeMessage: expect.stringContaining('at least 71.5 USD.E') },
    { accepted: false, code: 'notional_too_fine' },
    { accepted: false, code: 'quantity_off_lot' },
  ]);
  const again = await venue.call('placeOrders', { bot: taker, idempotencyKey: 'shapes', body: { orders } });
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([batch, 'true']);
  const wrong: readonly [Fields, RegExp][] = [
    [{ quantity: '0.01', postOnly: true }, /field postOnly is invalid: .*without price cannot be post-only: give a price/],
    [{ quantity: '0.01', notional: '5' }, /field notional is invalid: .*quantity or notional, not both/],
    [{ price: '60000', notional: '5' }, /field notional is invalid: .*with a price takes quantity, not notional/],
    [{}, /field quantity is invalid: .*needs quantity or notional/],
  ];
  for (const [fields, message] of wrong) {
    const refused = [
      await place(taker, fields),
      await venue.call('previewOrder', { bot: taker, body: body(taker, fields) }),
      await venue.call('placeOrders', {
        bot: taker,
        idempotencyKey: `wrong-${++attempt}`,
        body: { orders: [body(taker, fields)] },
      }),
    ];
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.safeMessage.replace('orders.0.', '')).toMatch(message);
    }
  }
});
