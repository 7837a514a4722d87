/** Cancelling several orders, all of them, or one by its clientOrderId, over HTTP on the real venue. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DrivenVenue, VenueResponse } from '#http/testing/driven-venue.ts';
import { BITCOIN } from '#http/testing/markets.ts';
import { cancelOutcomes, OrderClient } from '#http/testing/order-client.ts';
import { VENUES } from '#http/testing/venues.ts';

let venue: DrivenVenue;
let own: OrderClient;

beforeEach(async () => {
  own = await OrderClient.of(venue);
});

/** An order that filled, so its owner did not cancel it. */
async function filled(): Promise<VenueResponse['body']> {
  const other = await OrderClient.of(venue);
  await other.place({ side: 'sell', price: '64000', leverageX: 10 });
  const order = await own.place({ price: '64000' });
  expect(order.status).toBe('filled');
  return order;
}

const SECOND = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' };

describe.each(VENUES)('%s', (_where, start) => {
  beforeAll(async () => {
    venue = await start();
    const { market } = await venue.operate({ type: 'ListMarket', specification: SECOND, status: 'open' }, 'MarketListed');
    await venue.publishIndex(65_000, market);
  });
  afterAll(async () => {
    expect(venue.internalErrors).toEqual([]);
    await venue.close();
  });

  describe('a batch of cancels', () => {
    test('cancels the open ones, in request order and in one turn, and returns why for the others', async () => {
      const [first, second, third] = [await own.place(), await own.place(), await own.place()];
      const gone = await filled();
      const foreign = await (await OrderClient.of(venue)).place();
      const before = venue.sequence();
      const orderIds = [third.orderId, gone.orderId, '999999', first.orderId, foreign.orderId, 'abc', third.orderId, '0'];
      const response = await own.cancel({ orderIds });
      expect([response.status, cancelOutcomes(response)]).toEqual([
        200,
        [
          [third.orderId, 'cancelled'],
          'order_not_open',
          'order_not_found',
          [first.orderId, 'cancelled'],
          'order_not_found',
          'order_not_found',
          [third.orderId, 'cancelled'],
          'order_not_found',
        ],
      ]);
      expect(venue.sequence()).toBe(before + 1);
      const { outcomes } = response.body;
      const { body: read } = await venue.call('getOrder', { bot: own.bot, params: { orderId: third.orderId } });
      const { index, accepted, ...shown } = outcomes[0];
      expect([index, accepted, { version: 'external-order/v1', ...shown }]).toEqual([0, true, read]);
      const { body: ended } = await venue.call('getOrder', { bot: own.bot, params: { orderId: gone.orderId } });
      const { orderId, accountId, marketId, status, lastSequence, idempotencyKey, clientOrderId } = ended;
      const shared = { orderId, accountId, marketId, status, lastSequence, idempotencyKey, clientOrderId };
      expect([status, idempotencyKey]).toEqual(['filled', expect.any(String)]);
      expect(outcomes[1]).toMatchObject({ index: 1, code: 'order_not_open', ...shared, order: ended });
      expect(outcomes[4]).toEqual({
        index: 4,
        accepted: false,
        orderId: foreign.orderId,
        accountId: own.bot.accountId,
        marketId: null,
        status: null,
        lastSequence: null,
        idempotencyKey: null,
        clientOrderId: null,
        code: 'order_not_found',
        safeMessage: 'The account has no such order. Check the orderId.',
        order: null,
      });
      expect(await own.statusOf(second.orderId)).toBe('open');
    });

    test('can be repeated with the same response and no new record', async () => {
      const orders = await own.placeMany(3);
      const orderIds = orders.map(({ orderId }) => orderId);
      const first = await own.cancel({ orderIds });
      const before = venue.sequence();
      const again = await own.cancel({ orderIds });
      expect([again.body, venue.sequence()]).toEqual([first.body, before]);
    });

    test('many times at once cancels each once, and every response says so', async () => {
      const orderIds = (await own.placeMany(5)).map(({ orderId }) => orderId);
      const responses = await Promise.all(Array.from({ length: 16 }, () => own.cancel({ orderIds })));
      for (const { status, body } of responses) expect([status, body]).toEqual([200, responses[0]!.body]);
      expect(cancelOutcomes(responses[0]!)).toEqual(orderIds.map((orderId) => [orderId, 'cancelled']));
    });

    test('also names orders by their clientOrderId', async () => {
      const [first, second] = [await own.place({ clientOrderId: 'a/b+c=' }), await own.place()];
      const clientOrderIds = ['a/b+c=', 'unknown', second.clientOrderId];
      const response = await own.cancel({ accountId: own.bot.accountId, clientOrderIds });
      expect(cancelOutcomes(response)).toEqual([[first.orderId, 'cancelled'], 'order_not_found', [second.orderId, 'cancelled']]);
      expect(response.body.outcomes[1]).toEqual({
        index: 1,
        accepted: false,
        orderId: null,
        accountId: own.bot.accountId,
        marketId: null,
        status: null,
        lastSequence: null,
        idempotencyKey: null,
        clientOrderId: 'unknown',
        code: 'order_not_found',
        safeMessage: expect.stringContaining('order'),
        order: null,
      });
    });

    test.each([
      [{}, 'give either orderIds or clientOrderIds'],
      [{ orderIds: ['1'], clientOrderIds: ['a'] }, 'give either orderIds or clientOrderIds'],
      [{ orderIds: [] }, 'The field orderIds must not be empty.'],
      [{ orderIds: Array.from({ length: 25 }, String) }, 'The field orderIds must have at most 24 entries.'],
      [{ orderIds: ['1', 2] }, 'The field orderIds.1 must be a string: put the number in quotes.'],
      [{ orderIds: ['1'], symbol: 'BTC' }, 'Unknown field "symbol"'],
    ])('of the form %o is refused', async (body, message) => {
      const before = venue.sequence();
      expect((await own.cancel(body)).body).toMatchObject({
        code: 'invalid_request',
        safeMessage: expect.stringContaining(message),
      });
      expect(venue.sequence()).toBe(before);
    });

    test('for another account is refused', async () => {
      const other = await OrderClient.of(venue);
      const { orderId } = await own.place();
      for (const body of [
        { accountId: own.bot.accountId, orderIds: [orderId] },
        { accountId: 'acct-999999', orderIds: [orderId] },
      ]) {
        expect((await other.cancel(body)).body.code).toBe('account_forbidden');
      }
      expect((await other.cancelAll({ accountId: own.bot.accountId })).body.code).toBe('account_forbidden');
      expect(cancelOutcomes(await other.cancel({ orderIds: [orderId] }))).toEqual(['order_not_found']);
      expect(await own.statusOf(orderId)).toBe('open');
    });
  });

  describe('a cancel within a market', () => {
    test('does not find an order of another market', async () => {
      const here = await own.place();
      const there = await own.place({ marketId: 'ETH-USD-PERP' });
      const before = venue.sequence();
      expect((await own.cancelOne(here.orderId, 'ETH-USD-PERP')).body.code).toBe('order_not_found');
      expect(cancelOutcomes(await own.cancel({ orderIds: [here.orderId], marketId: 'ETH-USD-PERP' }))).toEqual([
        'order_not_found',
      ]);
      expect(venue.sequence()).toBe(before);
      const clientOrderIds = [here.clientOrderId, there.clientOrderId, 'unknown-too'];
      expect(cancelOutcomes(await own.cancel({ clientOrderIds, marketId: 'ETH-USD-PERP' }))).toEqual([
        'order_not_found',
        [there.orderId, 'cancelled'],
        'order_not_found',
      ]);
      expect(await own.statusOf(here.orderId)).toBe('open');
      expect((await own.cancelOne(here.orderId, 'BTC-USD-PERP')).body).toMatchObject({
        orderId: here.orderId,
        status: 'cancelled',
      });
      // Repeated: a closed order is found only in its own market.
      expect((await own.cancelOne(here.orderId, 'BTC-USD-PERP')).status).toBe(200);
      expect((await own.cancelOne(here.orderId, 'ETH-USD-PERP')).body.code).toBe('order_not_found');
    });

    test('also names its order by the clientOrderId', async () => {
      const { orderId, clientOrderId } = await own.place();
      const within = (marketId: string) => own.cancelByClientOrderId(clientOrderId, marketId);
      expect((await within('ETH-USD-PERP')).body.code).toBe('order_not_found');
      expect((await within('X-USD')).body.code).toBe('unknown_market');
      expect(await own.statusOf(orderId)).toBe('open');
      expect((await within('BTC-USD-PERP')).body).toMatchObject({ orderId, status: 'cancelled' });
    });
  });

  describe('cancelling all orders', () => {
    test('cancels every open order of this account only, and lists them', async () => {
      const other = await OrderClient.of(venue);
      await other.placeMany(3);
      const orders = [...(await own.placeMany(40)), ...(await own.placeMany(30, { marketId: 'ETH-USD-PERP' }))];
      await filled();
      const names = orders.map(({ orderId, clientOrderId, marketId }) => ({ orderId, clientOrderId, marketId }));
      const before = venue.sequence();
      const { status, body } = await own.cancelAll();
      expect([status, body]).toEqual([
        200,
        {
          version: 'external-order-cancel-all/v1',
          accountId: own.bot.accountId,
          cancelled: names.sort((left, right) => Number(left.orderId) - Number(right.orderId)),
          lastSequence: before + 3,
        },
      ]);
      expect(await own.open()).toEqual([]);
      expect(await other.open()).toHaveLength(3);
      expect((await own.cancelAll()).body).toMatchObject({ cancelled: [], lastSequence: before + 3 });
    });

    test('cancels only those of one market', async () => {
      const [here, there] = [await own.place(), await own.place({ marketId: 'ETH-USD-PERP' })];
      const { body } = await own.cancelAll({ marketId: 'ETH-USD-PERP' });
      expect(body.cancelled.map((it: { orderId: string }) => it.orderId)).toEqual([there.orderId]);
      expect((await own.open()).map((it: { orderId: string }) => it.orderId)).toEqual([here.orderId]);
      expect((await own.cancelAll({ marketId: 'X-USD' })).body.code).toBe('unknown_market');
    });

    test('names each order in one response only, while others cancel and trade, and leaves no order open', async () => {
      const orders = await own.placeMany(100);
      const single = orders.filter((_, index) => index % 10 === 0).map(({ orderId }) => orderId);
      const [singles, ...all] = await Promise.all([
        own.cancel({ orderIds: single }),
        ...Array.from({ length: 4 }, () => own.cancelAll()),
        own.cancelAll({ marketId: 'BTC-USD-PERP' }),
      ]);
      const named = all.flatMap(({ body }) => body.cancelled.map((it: { orderId: string }) => it.orderId));
      expect(new Set(named).size).toBe(named.length);
      const gone = new Set([...named, ...single]);
      expect(gone).toEqual(new Set(orders.map(({ orderId }) => orderId)));
      expect(singles!.body.outcomes.every((it: { accepted: boolean }) => it.accepted)).toBe(true);
      expect(await own.open()).toEqual([]);
    });
  });

  describe('an order by its clientOrderId', () => {
    test.each(['plain', 'a/b', 'a+b=', 'x:1.2_3-4', '/', '+', '=', ':', 'cancel', 'a'.repeat(64)])(
      'is read and cancelled, also as %s',
      async (clientOrderId) => {
        const placed = await own.place({ clientOrderId });
        expect((await own.byClientOrderId(clientOrderId)).body).toEqual(placed);
        const cancelled = await own.cancelByClientOrderId(clientOrderId);
        expect(cancelled.body).toMatchObject({ orderId: placed.orderId, clientOrderId, status: 'cancelled' });
        const before = venue.sequence();
        expect((await own.cancelByClientOrderId(clientOrderId)).body).toEqual(cancelled.body);
        expect(venue.sequence(), 'repeating it is a no-op').toBe(before);
      },
    );

    test('is the account’s own: another’s does not exist', async () => {
      const other = await OrderClient.of(venue);
      const mine = await own.place({ clientOrderId: 'same' });
      for (const act of ['byClientOrderId', 'cancelByClientOrderId'] as const) {
        expect((await other[act]('same')).body.code).toBe('order_not_found');
        expect((await own[act]('unknown')).body.code).toBe('order_not_found');
      }
      const theirs = await other.place({ clientOrderId: 'same' });
      expect((await own.byClientOrderId('same')).body.orderId).toBe(mine.orderId);
      expect((await other.byClientOrderId('same')).body.orderId).toBe(theirs.orderId);
    });

    test('is not cancelled if it has ended otherwise', async () => {
      const { clientOrderId } = await filled();
      expect((await own.cancelByClientOrderId(clientOrderId)).body.code).toBe('order_not_open');
    });
  });
});
