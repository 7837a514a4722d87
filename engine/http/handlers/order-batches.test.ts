/** Batches over HTTP, on the real venue: every entry decided on its own, nothing done where the form is wrong. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrderOutcome } from '#contract/order-batches.ts';
import { BITCOIN } from '#http/testing/markets.ts';
import type { Answer, Bot, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import { quoteAtoms } from '#units/money.ts';

let venue: VenueUnderTest;
let bot: Bot;
let attempt = 0;

beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue.close());
beforeEach(async () => {
  bot = await venue.bot();
});

type Fields = Readonly<Record<string, unknown>>;

function entry(fields: Fields = {}): Fields {
  attempt += 1;
  const terms = { side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
  return { accountId: bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${attempt}`, ...terms, ...fields };
}

function place(orders: readonly Fields[], idempotencyKey = `batch-${++attempt}`, by = bot): Promise<Answer> {
  return venue.call('placeOrders', { bot: by, idempotencyKey, body: { orders } });
}

async function ordersOf(by: Bot): Promise<readonly { orderId: string; clientOrderId: string; status: string }[]> {
  const { body } = await venue.call('listOrders', { bot: by, params: { accountId: by.accountId }, query: { since: '0' } });
  return body.orders;
}

const told = ({ body }: Answer): unknown[] =>
  body.outcomes.map((it: OrderOutcome) => (it.accepted ? [it.orderId, it.status] : it.code));

describe('a batch', () => {
  test('places what can be placed, and says of the rest why not, in request order', async () => {
    const [earlier] = (await place([entry({ clientOrderId: 'earlier' })])).body.outcomes;
    const orders = [
      entry(),
      entry({ price: '60000.15' }),
      entry({ marketId: 'DOGE-USD-PERP' }),
      entry({ quantity: '0.00105' }),
      entry({ price: '71500.1' }),
      entry({ quantity: '450', price: '65000' }),
      entry({ clientOrderId: 'earlier' }),
      entry({ price: '99999999999999999999' }),
      entry({ reduceOnly: true, side: 'sell', price: '66000' }),
      entry({ leverageX: 51 }),
      entry({ postOnly: true, leverageX: 5 }),
    ];
    const { status, body } = await place(orders, 'mixed');
    expect(status).toBe(202);
    const first = Number(earlier.orderId) + 1;
    expect(body.outcomes.map((it: OrderOutcome) => (it.accepted ? it.orderId : it.code))).toEqual([
      String(first),
      'price_off_tick',
      'unknown_market',
      'quantity_off_lot',
      'price_out_of_band',
      'insufficient_margin',
      'duplicate_client_order_id',
      'price_out_of_bounds',
      'reduce_only_would_increase',
      'leverage_too_high',
      String(first + 1),
    ]);
    expect(body.outcomes.map((it: OrderOutcome) => it.index)).toEqual(orders.map((_, index) => index));
    expect(new Set(body.outcomes.map((it: OrderOutcome) => it.lastSequence))).toEqual(new Set([venue.sequence()]));
    expect(body.outcomes[0]).toMatchObject({ accountId: bot.accountId, status: 'open', idempotencyKey: 'mixed', price: '60000' });
    expect(body.outcomes[6]).toEqual({
      index: 6,
      accepted: false,
      orderId: null,
      accountId: bot.accountId,
      marketId: 'BTC-USD-PERP',
      status: 'rejected',
      lastSequence: venue.sequence(),
      idempotencyKey: 'mixed',
      clientOrderId: 'earlier',
      code: 'duplicate_client_order_id',
      safeMessage: expect.stringContaining(`order ${earlier.orderId}.`),
    });
    expect(body.outcomes[1].safeMessage).toMatch(/multiple of 0\.1 on BTC-USD-PERP/);
    expect(body.outcomes[5].safeMessage).toMatch(/needs [0-9.]+ USD\.E more/);
    expect(await ordersOf(bot)).toHaveLength(3);
  });

  test('shows an order as the whole turn left it, and as it reads', async () => {
    const other = await venue.bot();
    const maker = { ...entry({ side: 'sell', price: '65010' }), accountId: other.accountId };
    await place([maker], 'maker', other);
    const answer = await place([
      entry({ side: 'sell', price: '65020' }),
      // Meets the order above, of its own account, which leaves, after what the other one offers.
      entry({ price: '65020', quantity: '0.02' }),
    ]);
    expect(answer.body.outcomes).toMatchObject([
      { status: 'cancelled', cancelReason: 'self_trade' },
      { status: 'open', filledQuantity: '0.01', remainingQuantity: '0.01', averagePrice: '65010' },
    ]);
    for (const { index, accepted, ...order } of answer.body.outcomes) {
      const { body } = await venue.call('getOrder', { bot, params: { orderId: order.orderId } });
      expect({ version: 'external-order/v1', ...order }).toEqual(body);
    }
    await venue.call('cancelAllOrders', { bot, body: {} });
  });

  test('of which nothing can be placed is answered all the same, and its key is kept', async () => {
    const orders = [entry({ price: '0.01' }), entry({ marketId: 'X-USD' })];
    const before = await ordersOf(bot);
    const first = await place(orders, 'hopeless');
    expect([first.status, told(first)]).toEqual([202, ['price_off_tick', 'unknown_market']]);
    const again = await place(orders, 'hopeless');
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect((await place([entry()], 'hopeless')).body.code).toBe('idempotency_conflict');
    expect(await ordersOf(bot)).toEqual(before);
  });

  test('of which every entry may pass later is not stored: the same key runs again', async () => {
    const poor = await venue.bot(1);
    const { accountId } = poor;
    const orders = [entry({ accountId }), entry({ accountId, quantity: '0.02' })];
    const before = venue.sequence();
    for (let count = 0; count < 2; count += 1) {
      const refused = await place(orders, 'poor', poor);
      expect([refused.status, told(refused)]).toEqual([202, ['insufficient_margin', 'insufficient_margin']]);
      expect(refused.headers.get('idempotency-replayed')).toBeNull();
      expect(refused.body.outcomes).toMatchObject([
        { index: 0, lastSequence: before, idempotencyKey: 'poor' },
        { index: 1, lastSequence: before },
      ]);
    }
    expect(venue.sequence()).toBe(before);
    // Enough for the first.
    const more = { type: 'CreditCash', account: poor.account, amountAtoms: quoteAtoms(19_000_000), reference: 'more' } as const;
    await venue.operate(more, 'CashPosted');
    const placed = await place(orders, 'poor', poor);
    expect(told(placed)).toMatchObject([[expect.any(String), 'open'], 'insufficient_margin']);
    await venue.operate({ ...more, amountAtoms: quoteAtoms(100_000_000_000) }, 'CashPosted');
    const again = await place(orders, 'poor', poor);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([placed.body, 'true']);
  });

  test('with an entry that is refused for good is stored', async () => {
    const poor = await venue.bot(1);
    const { accountId } = poor;
    const orders = [entry({ accountId }), entry({ accountId, price: '71500.1' })];
    const refused = await place(orders, 'final', poor);
    expect(told(refused)).toEqual(['insufficient_margin', 'price_out_of_band']);
    expect(refused.body.outcomes[0].lastSequence).toBe(venue.sequence());
    const again = await place(orders, 'final', poor);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([refused.body, 'true']);
  });

  test('is answered again as it was, whatever became of its orders and whichever markets were listed since', async () => {
    const orders = [
      entry({ marketId: 'LATE-USD-PERP' }),
      entry(),
      entry({ marketId: 'LATE-USD-PERP', price: '0.01' }),
      entry({ marketId: 'LATE-USD-PERP' }),
      entry({ price: '71500.1' }),
      entry(),
    ];
    const first = await place(orders, 'again');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(told(first)).toMatchObject([
      'unknown_market',
      [expect.any(String), 'open'],
      'unknown_market',
      'unknown_market',
      'price_out_of_band',
      [expect.any(String), 'open'],
    ]);
    const specification = { ...BITCOIN, marketId: 'LATE-USD-PERP', underlyingSymbol: 'LATE' };
    await venue.operate({ type: 'ListMarket', specification, status: 'open' }, 'MarketListed');
    await venue.call('cancelAllOrders', { bot, body: {} });
    const { body, headers, status } = await place(orders, 'again');
    expect([status, body, headers.get('idempotency-replayed')]).toEqual([202, first.body, 'true']);
  });

  test('whose entries are refused for want of a binding says so of each', async () => {
    const unbound = await venue.bot(1_000, ['read', 'trade'], '');
    const { accountId } = unbound;
    expect(told(await place([entry({ accountId }), entry({ accountId, price: '1.23' })], 'unbound', unbound))).toEqual([
      'account_not_enabled',
      'price_off_tick',
    ]);
  });

  test('many times at once under one key makes one batch', async () => {
    const orders = Array.from({ length: 8 }, () => entry());
    const answers = await Promise.all(Array.from({ length: 64 }, () => place(orders, 'at-once')));
    for (const { status, body } of answers) expect([status, body]).toEqual([202, answers[0]!.body]);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(await ordersOf(bot)).toHaveLength(8);
  });

  test('and a placement may have the same key: each operation has its own', async () => {
    expect((await place([entry()], 'shared')).status).toBe(202);
    expect((await venue.call('placeOrder', { bot, idempotencyKey: 'shared', body: entry() })).status).toBe(202);
    expect((await place([entry()], 'shared')).body.code).toBe('idempotency_conflict');
  });
});

describe('a batch whose form is wrong', () => {
  const faults: readonly [string, () => readonly unknown[], string][] = [
    ['a price without digits', () => [entry(), entry(), entry({ price: '.5' })], 'The field orders.2.price must be'],
    [
      'no amount',
      () => [entry(), entry({ price: undefined, quantity: undefined })],
      'The field orders.1.quantity is not right: a limit order',
    ],
    [
      'nothing to be post-only at',
      () => [entry({ price: undefined, postOnly: true })],
      'The field orders.0.postOnly is not right: a limit order',
    ],
    ['a market order', () => [entry({ orderType: 'market' })], 'The field orders.0.orderType must be one of limit.'],
    [
      'a notional and a price',
      () => [entry({ notional: '5' })],
      'The field orders.0.notional is not right: a limit order with a price',
    ],
    ['an unknown field', () => [entry(), entry({ timeInForce: 'GTC' })], 'Unknown field "orders.1.timeInForce": remove it.'],
    ['an entry that is none', () => [entry(), 7], 'The field orders.1 must be of type object.'],
    ['no entries', () => [], 'The field orders must not be empty.'],
    ['33 entries', () => Array.from({ length: 33 }, () => entry()), 'The field orders must have at most 32 entries.'],
  ];

  test.each(faults)('with %s, is refused and nothing of it is done', async (_, made, message) => {
    const before = venue.sequence();
    const { status, body } = await place(made() as readonly Fields[]);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.safeMessage).toContain(message);
    expect(venue.sequence()).toBe(before);
  });

  test('or has an entry of another account, is refused and nothing of it is done', async () => {
    const other = await venue.bot();
    const before = venue.sequence();
    for (const accountId of [other.accountId, 'acct-999999', 'x']) {
      const { body } = await place([entry(), entry({ accountId })]);
      expect(body).toMatchObject({ code: 'account_forbidden', safeMessage: expect.stringContaining(bot.accountId) });
    }
    expect(venue.sequence()).toBe(before);
  });

  test('may be as long as 32 entries', async () => {
    const { body } = await place(Array.from({ length: 32 }, () => entry()));
    expect(body.outcomes.filter((it: OrderOutcome) => it.accepted)).toHaveLength(32);
  });
});

test('a batch counts as many placements as it has entries; one that is refused counts as the request that it is', async () => {
  const rate = { burst: 10, perSecond: 0.001 };
  const slow = await startVenue({ rates: { orders: rate, cancels: rate } });
  try {
    const limited = await slow.bot();
    const batch = (count: number, key: string) => {
      const orders = Array.from({ length: count }, () => entry({ accountId: limited.accountId }));
      return slow.call('placeOrders', { bot: limited, idempotencyKey: key, body: { orders } });
    };
    expect((await batch(6, 'a')).status).toBe(202);
    const { status, headers } = await batch(5, 'b');
    expect([status, headers.get('retry-after')]).toEqual([429, '2000']);
    expect((await batch(3, 'c')).status).toBe(202);
    expect((await batch(1, 'd')).status).toBe(429);
    const { body } = await slow.call('listOrders', { bot: limited, params: { accountId: limited.accountId } });
    expect(body.orders).toHaveLength(9);
    // Cancels are counted apart.
    const orderIds = body.orders.map((it: { orderId: string }) => it.orderId);
    expect((await slow.call('cancelOrders', { bot: limited, body: { orderIds: orderIds.slice(0, 8) } })).status).toBe(200);
    expect((await slow.call('cancelOrders', { bot: limited, body: { orderIds: orderIds.slice(6) } })).status).toBe(429);
    expect((await slow.call('cancelAllOrders', { bot: limited, body: {} })).body.cancelled).toHaveLength(1);
    // What comes again when it was told to is taken.
    slow.pass(100_000_000);
    expect((await batch(6, 'e')).status).toBe(202);
    slow.pass(1_000 * Number((await batch(5, 'f')).headers.get('retry-after')));
    expect((await batch(5, 'f')).status).toBe(202);
  } finally {
    await slow.close();
  }
});

test('nothing of this was a defect', () => {
  expect(venue.defects).toEqual([]);
});
