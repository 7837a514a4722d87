/** Cancelling several orders, all of them, or one by its clientOrderId, over HTTP on the real venue. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrderCancelOutcomes } from '#contract/order-cancels.ts';
import { WriterBusy } from '#writer/submit.ts';
import type { Answer, Bot, DrivenVenue } from './testing/driven-venue.ts';
import { BITCOIN } from './testing/markets.ts';
import type { VenueUnderTest } from './testing/venue-under-test.ts';
import { startVenue } from './testing/venue-under-test.ts';
import { VENUES } from './testing/venues.ts';

let venue: DrivenVenue;
let bot: Bot;
let attempt = 0;

beforeEach(async () => {
  bot = await venue.bot();
});

type Fields = Readonly<Record<string, unknown>>;

async function place(fields: Fields = {}, by = bot): Promise<Answer['body']> {
  attempt += 1;
  const terms = { side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
  const body = { accountId: by.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${attempt}`, ...terms, ...fields };
  return (await venue.call('placeOrder', { bot: by, idempotencyKey: `key-${attempt}`, body })).body;
}

async function placeMany(count: number, fields: Fields = {}, by = bot): Promise<Answer['body'][]> {
  return Promise.all(Array.from({ length: count }, () => place({ quantity: '0.001', ...fields }, by)));
}

/** An order that filled: nobody asked for that end. */
async function filled(): Promise<Answer['body']> {
  const other = await venue.bot();
  await place({ side: 'sell', price: '64000' }, other);
  const order = await place({ price: '64000' });
  expect(order.status).toBe('filled');
  return order;
}

const SECOND = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' };
const cancel = (body: Fields, by = bot) => venue.call('cancelOrders', { bot: by, body });
const cancelAll = (body: Fields = {}, by = bot) => venue.call('cancelAllOrders', { bot: by, body });
const byClientOrderId = (clientOrderId: string, by = bot) =>
  venue.call('getOrderByClientOrderId', { bot: by, params: { clientOrderId } });
const cancelByClientOrderId = (clientOrderId: string, by = bot) =>
  venue.call('cancelOrderByClientOrderId', { bot: by, params: { clientOrderId } });
const statusOf = async (orderId: string) => (await venue.call('getOrder', { bot, params: { orderId } })).body.status;
const openOrders = async (by = bot) =>
  (await venue.call('listOpenOrders', { bot: by, params: { accountId: by.accountId }, query: { limit: '500' } })).body.orders;
const told = ({ body }: Answer): unknown[] =>
  body.outcomes.map((it: OrderCancelOutcomes['outcomes'][number]) => (it.accepted ? [it.orderId, it.status] : it.code));

describe.each(VENUES)('%s', (_where, start) => {
  beforeAll(async () => {
    venue = await start();
    const { market } = await venue.operate({ type: 'ListMarket', specification: SECOND, status: 'open' }, 'MarketListed');
    await venue.publishIndex(65_000, market);
  });
  afterAll(async () => {
    expect(venue.defects).toEqual([]);
    await venue.close();
  });

  describe('a batch of cancels', () => {
    test('ends what is open, each on its own, in request order and in one turn', async () => {
      const [first, second, third] = [await place(), await place(), await place()];
      const gone = await filled();
      const foreign = await place({}, await venue.bot());
      const before = venue.sequence();
      const orderIds = [third.orderId, gone.orderId, '999999', first.orderId, foreign.orderId, 'abc', third.orderId, '0'];
      const answer = await cancel({ orderIds });
      expect([answer.status, told(answer)]).toEqual([
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
      const { outcomes } = answer.body;
      const { body: read } = await venue.call('getOrder', { bot, params: { orderId: third.orderId } });
      const { index, accepted, ...shown } = outcomes[0];
      expect([index, accepted, { version: 'external-order/v1', ...shown }]).toEqual([0, true, read]);
      const { body: ended } = await venue.call('getOrder', { bot, params: { orderId: gone.orderId } });
      const { orderId, accountId, marketId, status, lastSequence, idempotencyKey, clientOrderId } = ended;
      const shared = { orderId, accountId, marketId, status, lastSequence, idempotencyKey, clientOrderId };
      expect([status, idempotencyKey]).toEqual(['filled', expect.any(String)]);
      expect(outcomes[1]).toMatchObject({ index: 1, code: 'order_not_open', ...shared, order: ended });
      expect(outcomes[4]).toEqual({
        index: 4,
        accepted: false,
        orderId: foreign.orderId,
        accountId: bot.accountId,
        marketId: null,
        status: null,
        lastSequence: null,
        idempotencyKey: null,
        clientOrderId: null,
        code: 'order_not_found',
        safeMessage: 'The account has no such order. Check the orderId.',
        order: null,
      });
      expect(await statusOf(second.orderId)).toBe('open');
    });

    test('may come again: it says the same, and nothing more is recorded', async () => {
      const orders = await placeMany(3);
      const orderIds = orders.map(({ orderId }) => orderId);
      const first = await cancel({ orderIds });
      const before = venue.sequence();
      const again = await cancel({ orderIds });
      expect([again.body, venue.sequence()]).toEqual([first.body, before]);
    });

    test('many times at once ends each once, and every answer says so', async () => {
      const orderIds = (await placeMany(5)).map(({ orderId }) => orderId);
      const answers = await Promise.all(Array.from({ length: 16 }, () => cancel({ orderIds })));
      for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]!.body]);
      expect(told(answers[0]!)).toEqual(orderIds.map((orderId) => [orderId, 'cancelled']));
    });

    test('names orders by their clientOrderId as well', async () => {
      const [first, second] = [await place({ clientOrderId: 'a/b+c=' }), await place()];
      const clientOrderIds = ['a/b+c=', 'nobody', second.clientOrderId];
      const answer = await cancel({ accountId: bot.accountId, clientOrderIds });
      expect(told(answer)).toEqual([[first.orderId, 'cancelled'], 'order_not_found', [second.orderId, 'cancelled']]);
      expect(answer.body.outcomes[1]).toEqual({
        index: 1,
        accepted: false,
        orderId: null,
        accountId: bot.accountId,
        marketId: null,
        status: null,
        lastSequence: null,
        idempotencyKey: null,
        clientOrderId: 'nobody',
        code: 'order_not_found',
        safeMessage: expect.stringContaining('order'),
        order: null,
      });
    });

    test.each([
      [{}, 'by orderIds or by clientOrderIds'],
      [{ orderIds: ['1'], clientOrderIds: ['a'] }, 'by orderIds or by clientOrderIds'],
      [{ orderIds: [] }, 'The field orderIds must not be empty.'],
      [{ orderIds: Array.from({ length: 25 }, String) }, 'The field orderIds must have at most 24 entries.'],
      [{ orderIds: ['1', 2] }, 'The field orderIds.1 must be a string: put the number in quotes.'],
      [{ orderIds: ['1'], symbol: 'BTC' }, 'Unknown field "symbol"'],
    ])('of the form %o is refused', async (body, message) => {
      const before = venue.sequence();
      expect((await cancel(body)).body).toMatchObject({ code: 'invalid_request', safeMessage: expect.stringContaining(message) });
      expect(venue.sequence()).toBe(before);
    });

    test('for another account is refused', async () => {
      const other = await venue.bot();
      const { orderId } = await place();
      for (const body of [
        { accountId: bot.accountId, orderIds: [orderId] },
        { accountId: 'acct-999999', orderIds: [orderId] },
      ]) {
        expect((await cancel(body, other)).body.code).toBe('account_forbidden');
      }
      expect((await cancelAll({ accountId: bot.accountId }, other)).body.code).toBe('account_forbidden');
      expect(told(await cancel({ orderIds: [orderId] }, other))).toEqual(['order_not_found']);
      expect(await statusOf(orderId)).toBe('open');
    });
  });

  describe('a cancel within a market', () => {
    const one = (orderId: string, marketId: string) =>
      venue.call('cancelOrder', { bot, params: { orderId }, body: { marketId } });

    test('leaves an order of another alone, as if there were none', async () => {
      const here = await place();
      const there = await place({ marketId: 'ETH-USD-PERP' });
      const before = venue.sequence();
      expect((await one(here.orderId, 'ETH-USD-PERP')).body.code).toBe('order_not_found');
      expect(told(await cancel({ orderIds: [here.orderId], marketId: 'ETH-USD-PERP' }))).toEqual(['order_not_found']);
      expect(venue.sequence()).toBe(before);
      const clientOrderIds = [here.clientOrderId, there.clientOrderId, 'nobody-s'];
      expect(told(await cancel({ clientOrderIds, marketId: 'ETH-USD-PERP' }))).toEqual([
        'order_not_found',
        [there.orderId, 'cancelled'],
        'order_not_found',
      ]);
      expect(await statusOf(here.orderId)).toBe('open');
      expect((await one(here.orderId, 'BTC-USD-PERP')).body).toMatchObject({ orderId: here.orderId, status: 'cancelled' });
      // Again: what has ended is told of its own market alone.
      expect((await one(here.orderId, 'BTC-USD-PERP')).status).toBe(200);
      expect((await one(here.orderId, 'ETH-USD-PERP')).body.code).toBe('order_not_found');
    });

    test('names its order by the clientOrderId as well', async () => {
      const { orderId, clientOrderId } = await place();
      const within = (marketId: string) =>
        venue.call('cancelOrderByClientOrderId', { bot, params: { clientOrderId }, body: { marketId } });
      expect((await within('ETH-USD-PERP')).body.code).toBe('order_not_found');
      expect((await within('X-USD')).body.code).toBe('unknown_market');
      expect(await statusOf(orderId)).toBe('open');
      expect((await within('BTC-USD-PERP')).body).toMatchObject({ orderId, status: 'cancelled' });
    });
  });

  describe('cancelling all orders', () => {
    test('ends every open one of the account and nobody else’s, and says which', async () => {
      const other = await venue.bot();
      await placeMany(3, {}, other);
      const orders = [...(await placeMany(40)), ...(await placeMany(30, { marketId: 'ETH-USD-PERP' }))];
      await filled();
      const names = orders.map(({ orderId, clientOrderId, marketId }) => ({ orderId, clientOrderId, marketId }));
      const before = venue.sequence();
      const { status, body } = await cancelAll();
      expect([status, body]).toEqual([
        200,
        {
          version: 'external-order-cancel-all/v1',
          accountId: bot.accountId,
          cancelled: names.sort((left, right) => Number(left.orderId) - Number(right.orderId)),
          lastSequence: before + 3,
        },
      ]);
      expect(await openOrders()).toEqual([]);
      expect(await openOrders(other)).toHaveLength(3);
      expect((await cancelAll()).body).toMatchObject({ cancelled: [], lastSequence: before + 3 });
    });

    test('ends those of one market alone', async () => {
      const [here, there] = [await place(), await place({ marketId: 'ETH-USD-PERP' })];
      const { body } = await cancelAll({ marketId: 'ETH-USD-PERP' });
      expect(body.cancelled.map((it: { orderId: string }) => it.orderId)).toEqual([there.orderId]);
      expect((await openOrders()).map((it: { orderId: string }) => it.orderId)).toEqual([here.orderId]);
      expect((await cancelAll({ marketId: 'X-USD' })).body.code).toBe('unknown_market');
    });

    test('while others cancel and trade names each order in one answer alone, and leaves none open', async () => {
      const orders = await placeMany(100);
      const single = orders.filter((_, index) => index % 10 === 0).map(({ orderId }) => orderId);
      const [singles, ...all] = await Promise.all([
        cancel({ orderIds: single }),
        ...Array.from({ length: 4 }, () => cancelAll()),
        cancelAll({ marketId: 'BTC-USD-PERP' }),
      ]);
      const named = all.flatMap(({ body }) => body.cancelled.map((it: { orderId: string }) => it.orderId));
      expect(new Set(named).size).toBe(named.length);
      const gone = new Set([...named, ...single]);
      expect(gone).toEqual(new Set(orders.map(({ orderId }) => orderId)));
      expect(singles!.body.outcomes.every((it: { accepted: boolean }) => it.accepted)).toBe(true);
      expect(await openOrders()).toEqual([]);
    });
  });

  describe('an order by its clientOrderId', () => {
    test.each(['plain', 'a/b', 'a+b=', 'x:1.2_3-4', '/', '+', '=', ':', 'cancel', 'a'.repeat(64)])(
      'is read and cancelled, also as %s',
      async (clientOrderId) => {
        const placed = await place({ clientOrderId });
        expect((await byClientOrderId(clientOrderId)).body).toEqual(placed);
        const cancelled = await cancelByClientOrderId(clientOrderId);
        expect(cancelled.body).toMatchObject({ orderId: placed.orderId, clientOrderId, status: 'cancelled' });
        const before = venue.sequence();
        expect((await cancelByClientOrderId(clientOrderId)).body).toEqual(cancelled.body);
        expect(venue.sequence(), 'repeating it is a no-op').toBe(before);
      },
    );

    test('is the account’s own: another’s does not exist', async () => {
      const other = await venue.bot();
      const mine = await place({ clientOrderId: 'same' });
      for (const act of [byClientOrderId, cancelByClientOrderId]) {
        expect((await act('same', other)).body.code).toBe('order_not_found');
        expect((await act('nobody')).body.code).toBe('order_not_found');
      }
      const theirs = await place({ clientOrderId: 'same' }, other);
      expect((await byClientOrderId('same')).body.orderId).toBe(mine.orderId);
      expect((await byClientOrderId('same', other)).body.orderId).toBe(theirs.orderId);
    });

    test('that ended by itself is not cancelled', async () => {
      const { clientOrderId } = await filled();
      expect((await cancelByClientOrderId(clientOrderId)).body.code).toBe('order_not_open');
    });
  });
});

describe('what time or a fault comes between:', () => {
  let faulty: VenueUnderTest;
  beforeAll(async () => {
    faulty = await startVenue();
    venue = faulty;
  });
  afterAll(async () => {
    expect(venue.defects).toEqual([]);
    await venue.close();
  });

  const orderOf = (accountId: string) => ({ accountId, marketId: 'BTC-USD-PERP' });
  test.each<[string, (order: Answer['body']) => Promise<Answer>]>([
    ['a cancel of one', ({ orderId }) => venue.call('cancelOrder', { bot, params: { orderId } })],
    [
      'a cancel by clientOrderId',
      ({ clientOrderId }) => venue.call('cancelOrderByClientOrderId', { bot, params: { clientOrderId } }),
    ],
    ['a cancel of several', ({ orderId }) => cancel({ orderIds: ['999999', orderId, 'abc'] })],
    ['a cancel of several by clientOrderId', ({ clientOrderId }) => cancel({ clientOrderIds: [clientOrderId, clientOrderId] })],
    ['a cancel of all', () => cancelAll()],
    ['a cancel of all in a market', () => cancelAll({ marketId: 'BTC-USD-PERP' })],
  ])('%s waits for no read before the venue hears of it', async (_, cancelled) => {
    const order = await place();
    const steps: string[] = [];
    faulty.planted.beforeSubmit = () => steps.push('submitted');
    faulty.planted.beforeRead = () => steps.push('read');
    const { status } = await cancelled(order);
    faulty.planted.beforeSubmit = undefined;
    faulty.planted.beforeRead = undefined;
    expect([status, steps]).toEqual([200, ['submitted', 'read']]);
    expect(await statusOf(order.orderId)).toBe('cancelled');
  });

  test('a cancel ends an order by a clientOrderId that the venue has forgotten, and in one turn with others', async () => {
    const [old, older] = [await place({ clientOrderId: 'old' }), await place({ clientOrderId: 'older' })];
    venue.pass(86_400_001);
    await venue.publishIndex(65_000);
    const fresh = await place({ clientOrderId: 'fresh' });
    const { body } = await venue.call('cancelOrderByClientOrderId', { bot, params: { clientOrderId: 'old' } });
    expect(body).toMatchObject({ orderId: old.orderId, status: 'cancelled' });
    const before = venue.sequence();
    expect(told(await cancel({ clientOrderIds: ['fresh', 'older', 'old', 'fresh'] }))).toEqual([
      [fresh.orderId, 'cancelled'],
      [older.orderId, 'cancelled'],
      [old.orderId, 'cancelled'],
      [fresh.orderId, 'cancelled'],
    ]);
    expect(venue.sequence()).toBe(before + 1);
  });

  test('a cancel on a venue that has halted says what became of orders before, and ends none', async () => {
    const halted = await startVenue();
    try {
      const [one, idle] = [await halted.bot(), await halted.bot()];
      const placed = async (clientOrderId: string) => {
        const terms = { clientOrderId, side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
        const body = { ...orderOf(one.accountId), ...terms };
        return (await halted.call('placeOrder', { bot: one, idempotencyKey: clientOrderId, body })).body;
      };
      const cancelOne = (orderId: string) => halted.call('cancelOrder', { bot: one, params: { orderId } });
      const all = (by: Bot) => halted.call('cancelAllOrders', { bot: by, body: {} });
      const [gone, open] = [await placed('gone'), await placed('open')];
      const before = await cancelOne(gone.orderId);
      halted.halt();
      expect((await cancelOne(gone.orderId)).body).toEqual(before.body);
      expect((await cancelOne('999999')).body.code).toBe('order_not_found');
      expect((await cancelOne(open.orderId)).body.code).toBe('venue_halted');
      expect((await all(one)).body.code).toBe('venue_halted');
      expect((await all(idle)).body).toMatchObject({ cancelled: [], lastSequence: halted.sequence() });
      expect(halted.defects).toHaveLength(1);
    } finally {
      await halted.close();
    }
  });

  test('cancelling all that is stopped by a busy venue says how far it came, and goes on when it comes again', async () => {
    await placeMany(40);
    let turns = 0;
    faulty.planted.beforeSubmit = () => {
      turns += 1;
      if (turns === 2) throw new WriterBusy('planted');
    };
    const { status, headers, body } = await cancelAll();
    faulty.planted.beforeSubmit = undefined;
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'venue_busy', '1']);
    expect(body.safeMessage).toContain('32 orders were cancelled before');
    expect(await openOrders()).toHaveLength(8);
    expect((await cancelAll()).body.cancelled).toHaveLength(8);
  });

  test('cancels that are taken while what is read is rebuilt are not said to be accepted by nobody, and come again', async () => {
    const cancelOne = (orderId: string) => venue.call('cancelOrder', { bot, params: { orderId } });
    const [one, two, three] = [await place(), await place(), await place()];
    const cancels: [ask: () => Promise<Answer>, ended: string][] = [
      [() => cancelOne(one.orderId), one.orderId],
      [() => cancel({ orderIds: [two.orderId] }), two.orderId],
      [() => cancelAll(), three.orderId],
    ];
    for (const [ask, ended] of cancels) {
      faulty.planted.beforeRead = () => {
        throw new WriterBusy('planted');
      };
      const { status, headers, body } = await ask();
      faulty.planted.beforeRead = undefined;
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'venue_busy', '1']);
      expect(body.safeMessage).toMatch(/has taken this .+ no effect twice/);
      expect(await statusOf(ended)).toBe('cancelled');
      const before = venue.sequence();
      expect((await ask()).status).toBe(200);
      expect(venue.sequence()).toBe(before);
    }
  });

  test('a clientOrderId is that of the newest that has it, once it was free again', async () => {
    const first = await place({ clientOrderId: 'reused' });
    venue.pass(86_400_001);
    await venue.publishIndex(65_000);
    const second = await place({ clientOrderId: 'reused' });
    expect(second.orderId).not.toBe(first.orderId);
    expect((await byClientOrderId('reused')).body.orderId).toBe(second.orderId);
    expect(told(await cancel({ clientOrderIds: ['reused'] }))).toEqual([[second.orderId, 'cancelled']]);
    expect((await cancelByClientOrderId('reused')).body.orderId).toBe(second.orderId);
    expect(await statusOf(first.orderId), 'the older one is named by its orderId').toBe('open');
  });
});
