/** Batches over HTTP, on the real venue: each entry has its own outcome, and an invalid form changes nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrderOutcome } from '#contract/order-batches.ts';
import { BITCOIN } from '#http/testing/markets.ts';
import type { Bot, VenueResponse, VenueUnderTest } from '#http/testing/venue-under-test.ts';
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

function place(orders: readonly Fields[], idempotencyKey = `batch-${++attempt}`, by = bot): Promise<VenueResponse> {
  return venue.call('placeOrders', { bot: by, idempotencyKey, body: { orders } });
}

async function ordersOf(by: Bot): Promise<readonly { orderId: string; clientOrderId: string; status: string }[]> {
  const { body } = await venue.call('listOrders', { bot: by, params: { accountId: by.accountId }, query: { since: '0' } });
  return body.orders;
}

const outcomesOf = ({ body }: VenueResponse): unknown[] =>
  body.outcomes.map((it: OrderOutcome) => (it.accepted ? [it.orderId, it.status] : it.code));

describe('a batch', () => {
  test('places each valid entry, and returns the reason for each other one, in request order', async () => {
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

  test('returns an order as it is after the whole turn, equal to a read', async () => {
    const other = await venue.bot();
    const maker = { ...entry({ side: 'sell', price: '65010' }), accountId: other.accountId };
    await place([maker], 'maker', other);
    const response = await place([
      entry({ side: 'sell', price: '65020' }),
      // Fills against the other account's offer, then cancels the order above of its own account.
      entry({ price: '65020', quantity: '0.02' }),
    ]);
    expect(response.body.outcomes).toMatchObject([
      { status: 'cancelled', cancelReason: 'self_trade' },
      { status: 'open', filledQuantity: '0.01', remainingQuantity: '0.01', averagePrice: '65010' },
    ]);
    for (const { index, accepted, ...order } of response.body.outcomes) {
      const { body } = await venue.call('getOrder', { bot, params: { orderId: order.orderId } });
      expect({ version: 'external-order/v1', ...order }).toEqual(body);
    }
    await venue.call('cancelAllOrders', { bot, body: {} });
  });

  test('stores its key even if no entry can be placed', async () => {
    const orders = [entry({ price: '0.01' }), entry({ marketId: 'X-USD' })];
    const before = await ordersOf(bot);
    const first = await place(orders, 'hopeless');
    expect([first.status, outcomesOf(first)]).toEqual([202, ['price_off_tick', 'unknown_market']]);
    const again = await place(orders, 'hopeless');
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect((await place([entry()], 'hopeless')).body.code).toBe('idempotency_conflict');
    expect(await ordersOf(bot)).toEqual(before);
  });

  test('is not stored if every entry may pass later: the same key runs again', async () => {
    const poor = await venue.bot(1);
    const { accountId } = poor;
    const orders = [entry({ accountId, leverageX: 50 }), entry({ accountId, quantity: '0.02', leverageX: 50 })];
    const before = venue.sequence();
    for (let count = 0; count < 2; count += 1) {
      const refused = await place(orders, 'poor', poor);
      expect([refused.status, outcomesOf(refused)]).toEqual([202, ['insufficient_margin', 'insufficient_margin']]);
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
    expect(outcomesOf(placed)).toMatchObject([[expect.any(String), 'open'], 'insufficient_margin']);
    await venue.operate({ ...more, amountAtoms: quoteAtoms(100_000_000_000) }, 'CashPosted');
    const again = await place(orders, 'poor', poor);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([placed.body, 'true']);
  });

  test('is stored if an entry has a final refusal', async () => {
    const poor = await venue.bot(1);
    const { accountId } = poor;
    const orders = [entry({ accountId }), entry({ accountId, price: '71500.1' })];
    const refused = await place(orders, 'final', poor);
    expect(outcomesOf(refused)).toEqual(['insufficient_margin', 'price_out_of_band']);
    expect(refused.body.outcomes[0].lastSequence).toBe(venue.sequence());
    const again = await place(orders, 'final', poor);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([refused.body, 'true']);
  });

  test('replays the first response, whatever happened to its orders and whichever markets were listed since', async () => {
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
    expect(outcomesOf(first)).toMatchObject([
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

  test('returns the missing binding for each entry', async () => {
    const unbound = await venue.bot(1_000, ['read', 'trade'], '');
    const { accountId } = unbound;
    expect(outcomesOf(await place([entry({ accountId }), entry({ accountId, price: '1.23' })], 'unbound', unbound))).toEqual([
      'account_not_enabled',
      'price_off_tick',
    ]);
  });

  test('creates one batch for many concurrent requests with one key', async () => {
    const orders = Array.from({ length: 8 }, () => entry());
    const responses = await Promise.all(Array.from({ length: 64 }, () => place(orders, 'at-once')));
    for (const { status, body } of responses) expect([status, body]).toEqual([202, responses[0]!.body]);
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(await ordersOf(bot)).toHaveLength(8);
  });

  test('may share a key with a placement: each operation has its own keys', async () => {
    expect((await place([entry()], 'shared')).status).toBe(202);
    expect((await venue.call('placeOrder', { bot, idempotencyKey: 'shared', body: entry() })).status).toBe(202);
    expect((await place([entry()], 'shared')).body.code).toBe('idempotency_conflict');
  });
});

describe('a batch with an invalid form', () => {
  const faults: readonly [string, () => readonly unknown[], string][] = [
    ['a price without digits', () => [entry(), entry(), entry({ price: '.5' })], 'The field orders.2.price must be'],
    [
      'no amount',
      () => [entry(), entry({ price: undefined, quantity: undefined })],
      'The field orders.1.quantity is invalid: a limit order',
    ],
    [
      'post-only without a price',
      () => [entry({ price: undefined, postOnly: true })],
      'The field orders.0.postOnly is invalid: a limit order',
    ],
    [
      'a market order without a trigger',
      () => [entry({ orderType: 'market' })],
      'The field orders.0.orderType is invalid: a batch takes limit orders, and market orders with a trigger.',
    ],
    [
      'a notional and a price',
      () => [entry({ notional: '5' })],
      'The field orders.0.notional is invalid: a limit order with a price',
    ],
    ['an unknown field', () => [entry(), entry({ timeinforce: 'GTC' })], 'Unknown field "orders.1.timeinforce": remove it.'],
    ['an entry that is not an object', () => [entry(), 7], 'The field orders.1 must be of type object.'],
    ['no entries', () => [], 'The field orders must not be empty.'],
    ['33 entries', () => Array.from({ length: 33 }, () => entry()), 'The field orders must have at most 32 entries.'],
  ];

  test.each(faults)('is refused whole, with %s', async (_, entriesOf, message) => {
    const before = venue.sequence();
    const { status, body } = await place(entriesOf() as readonly Fields[]);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.safeMessage).toContain(message);
    expect(venue.sequence()).toBe(before);
  });

  test('is refused whole, with an entry of another account', async () => {
    const other = await venue.bot();
    const before = venue.sequence();
    for (const accountId of [other.accountId, 'acct-999999', 'x']) {
      const { body } = await place([entry(), entry({ accountId })]);
      expect(body).toMatchObject({ code: 'account_forbidden', safeMessage: expect.stringContaining(bot.accountId) });
    }
    expect(venue.sequence()).toBe(before);
  });

  test('may have up to 32 entries', async () => {
    const { body } = await place(Array.from({ length: 32 }, () => entry()));
    expect(body.outcomes.filter((it: OrderOutcome) => it.accepted)).toHaveLength(32);
  });
});

test('a batch counts as many placements as it has entries, and as one request if it is refused', async () => {
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
    // Cancels have a limit of their own.
    const orderIds = body.orders.map((it: { orderId: string }) => it.orderId);
    expect((await slow.call('cancelOrders', { bot: limited, body: { orderIds: orderIds.slice(0, 8) } })).status).toBe(200);
    expect((await slow.call('cancelOrders', { bot: limited, body: { orderIds: orderIds.slice(6) } })).status).toBe(429);
    expect((await slow.call('cancelAllOrders', { bot: limited, body: {} })).body.cancelled).toHaveLength(1);
    // A batch is accepted when repeated after its Retry-After.
    slow.pass(100_000_000);
    expect((await batch(6, 'e')).status).toBe(202);
    slow.pass(1_000 * Number((await batch(5, 'f')).headers.get('retry-after')));
    expect((await batch(5, 'f')).status).toBe(202);
  } finally {
    await slow.close();
  }
});

test('reports no internal error in any of these tests', () => {
  expect(venue.internalErrors).toEqual([]);
});
