/** Placing, reading and cancelling over HTTP, on the real venue. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IDEMPOTENCY_RETENTION } from '#contract/orders.ts';
import { BITCOIN } from '#http/testing/markets.ts';
import type { Bot, VenueResponse, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import { quoteAtoms } from '#units/money.ts';
import { IDEMPOTENCY_LIMITS } from '#writer/idempotency/idempotency-index.ts';
import { REFUSAL_LIMITS } from '#writer/idempotency/refusal-budget.ts';

let venue: VenueUnderTest;
let maker: Bot;
let taker: Bot;
let attempt = 0;

beforeAll(async () => {
  venue = await startVenue();
  maker = await venue.bot();
  taker = await venue.bot();
});
afterAll(() => venue.close());

type Fields = Readonly<Record<string, unknown>>;

function place(bot: Bot, fields: Fields, idempotencyKey = `key-${++attempt}`): Promise<VenueResponse> {
  const body = {
    accountId: bot.accountId,
    marketId: 'BTC-USD-PERP',
    clientOrderId: `order-${idempotencyKey}`,
    side: 'buy',
    ...fields,
  };
  return venue.call('placeOrder', { bot, idempotencyKey, body });
}

const limit = (side: 'buy' | 'sell', price: string, quantity: string, more: Fields = {}) => ({
  orderType: 'limit',
  side,
  price,
  quantity,
  ...more,
});
const market = (side: 'buy' | 'sell', amount: Fields) => ({ orderType: 'market', side, ...amount });

describe('placing an order', () => {
  test('rests a limit order and fills it by a market order', async () => {
    const resting = await place(maker, limit('sell', '65010.5', '0.5'), 'rest-1');
    expect(resting.status).toBe(202);
    expect(resting.body).toMatchObject({
      status: 'open',
      accountId: maker.accountId,
      marketId: 'BTC-USD-PERP',
      idempotencyKey: 'rest-1',
      clientOrderId: 'order-rest-1',
      side: 'sell',
      orderType: 'limit',
      price: '65010.5',
      quantity: '0.5',
      filledQuantity: '0',
      remainingQuantity: '0.5',
      postOnly: false,
      reduceOnly: false,
    });
    expect(resting.headers.get('idempotency-replayed')).toBeNull();
    const taking = await place(taker, market('buy', { quantity: '0.2' }));
    expect(taking.body).toMatchObject({
      status: 'filled',
      orderType: 'market',
      quantity: '0.2',
      filledQuantity: '0.2',
      remainingQuantity: '0',
      averagePrice: '65010.5',
      filledNotional: '13002.1',
      feePaid: '6.50105',
    });
    expect(taking.body).toHaveProperty('price', null);
    expect(taking.body).not.toHaveProperty('cancelReason');
    const { body } = await venue.call('getOrder', { bot: maker, params: { orderId: resting.body.orderId } });
    expect(body).toMatchObject({ status: 'open', filledQuantity: '0.2', remainingQuantity: '0.3' });
    await venue.call('cancelOrder', { bot: maker, params: { orderId: resting.body.orderId } });
  });

  test('spends a notional, and returns why a market order ended short', async () => {
    await place(maker, limit('sell', '65000', '0.1'));
    const { body } = await place(taker, market('buy', { notional: '1300' }));
    expect(body).toMatchObject({
      status: 'filled',
      notional: '1300',
      filledQuantity: '0.02',
      filledNotional: '1300',
      remainingQuantity: '0',
    });
    const short = await place(taker, market('buy', { quantity: '5' }));
    expect(short.body).toMatchObject({
      status: 'cancelled',
      cancelReason: 'no_liquidity',
      filledQuantity: '0.08',
      remainingQuantity: '4.92',
    });
  });

  test('responds to a retry with the same status and body', async () => {
    const first = await place(maker, limit('buy', '60000', '0.01'), 'again');
    await venue.call('cancelOrder', { bot: maker, params: { orderId: first.body.orderId } });
    const second = await place(maker, limit('buy', '60000', '0.01'), 'again');
    expect(second.status).toBe(202);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const reordered = {
      side: 'buy',
      clientOrderId: 'order-again',
      quantity: '0.01',
      price: '60000',
      orderType: 'limit',
      marketId: 'BTC-USD-PERP',
    };
    const third = await venue.call('placeOrder', {
      bot: maker,
      idempotencyKey: 'again',
      body: { ...reordered, accountId: maker.accountId },
    });
    expect(third.body).toEqual(first.body);
  });

  test('responds to concurrent retries with one order', async () => {
    const responses = await Promise.all(Array.from({ length: 64 }, () => place(maker, limit('buy', '60001', '0.01'), 'at-once')));
    expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    const query = { clientOrderId: 'order-at-once' };
    const listed = await venue.call('listOrders', { bot: maker, params: { accountId: maker.accountId }, query });
    expect(listed.body.orders).toHaveLength(1);
  });

  test('stores a final refusal under its key', async () => {
    const bot = await venue.bot();
    const close = limit('sell', '65000', '0.01', { reduceOnly: true });
    const refused = await place(bot, close, 'final');
    expect([refused.status, refused.body.code]).toEqual([409, 'reduce_only_would_increase']);
    // By now it would reduce a position.
    await place(maker, limit('sell', '65010', '0.01'));
    expect((await place(bot, limit('buy', '65010', '0.01'))).body.status).toBe('filled');
    const again = await place(bot, close, 'final');
    expect([again.status, again.body]).toEqual([409, { ...refused.body, requestId: again.body.requestId }]);
    expect(again.body.requestId).not.toBe(refused.body.requestId);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test('places the same order under the same key once the account has the margin', async () => {
    const poor = await venue.bot(10);
    const before = venue.sequence();
    for (let count = 0; count < 3; count += 1) {
      const refused = await place(poor, limit('buy', '65000', '1'), 'poor');
      expect([refused.status, refused.headers.get('idempotency-replayed')]).toEqual([409, null]);
      expect(refused.body).toMatchObject({ code: 'insufficient_margin', retryable: false });
    }
    expect(venue.sequence(), 'nothing is recorded').toBe(before);
    const more = {
      type: 'CreditCash',
      account: poor.account,
      amountAtoms: quoteAtoms(7_000_000_000),
      reference: 'more',
    } as const;
    await venue.operate(more, 'CashPosted');
    const placed = await place(poor, limit('buy', '65000', '1'), 'poor');
    expect([placed.status, placed.headers.get('idempotency-replayed')]).toEqual([202, null]);
    const again = await place(poor, limit('buy', '65000', '1'), 'poor');
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([placed.body, 'true']);
  });

  test('does not store a refusal of the form', async () => {
    expect((await place(maker, limit('buy', '6.55', '1'), 'form')).body.code).toBe('price_off_tick');
    expect((await place(maker, limit('buy', '60000.5', '0.01'), 'form')).status).toBe(202);
  });

  test('refuses a key with another body, and accepts it from another account', async () => {
    await place(maker, limit('buy', '60002', '0.01'), 'shared');
    const other = await place(maker, limit('buy', '60003', '0.01'), 'shared');
    expect(other.body).toMatchObject({ code: 'idempotency_conflict', retryable: false, recoveryActions: ['fix_request'] });
    expect((await place(taker, limit('buy', '60002', '0.01'), 'shared')).status).toBe(202);
  });
});

test('keys are retained as long as the contract says', () => {
  const { hours, keysPerAccount, ...refusals } = IDEMPOTENCY_RETENTION;
  expect(IDEMPOTENCY_LIMITS).toMatchObject({ retentionMs: hours * 3_600_000, maxKeysPerAccount: keysPerAccount });
  expect(REFUSAL_LIMITS).toEqual(refusals);
});

describe('an invalid order', () => {
  const refusals: readonly [string, Fields, RegExp][] = [
    ['unknown_market', limit('buy', '1', '1', { marketId: 'DOGE-USD-PERP' }), /no market "DOGE-USD-PERP"\. .+ GET \/v1\/markets/],
    ['price_off_tick', limit('buy', '60000.15', '0.01'), /is 60000\.15; it must be a multiple of 0\.1 on BTC-USD-PERP/],
    ['quantity_off_lot', limit('buy', '60000', '0.00105'), /is 0\.00105; it must be a multiple of 0\.0001 on BTC-USD-PERP/],
    ['notional_too_fine', market('buy', { notional: '1.0000001' }), /6 decimals/],
    ['price_out_of_bounds', limit('sell', '0', '0.01'), /is 0; it must be from 1 to 1000000 on BTC-USD-PERP/],
    ['price_out_of_bounds', limit('sell', '1000000.1', '0.01'), /from 1 to 1000000/],
    ['price_out_of_bounds', limit('sell', '99999999999999999999', '0.01'), /at most 1000000/],
    ['quantity_out_of_bounds', limit('buy', '60000', '0.0001'), /is 0\.0001; it must be from 0\.001 to 500 on BTC-USD-PERP/],
    ['quantity_out_of_bounds', limit('buy', '60000', '0'), /from 0\.001 to 500/],
    ['quantity_out_of_bounds', market('buy', { quantity: '500.1' }), /from 0\.001 to 500/],
    ['quantity_out_of_bounds', market('buy', { notional: '40000000' }), /40000000 USD\.E buys more than 500, .+ BTC-USD-PERP/],
    ['price_out_of_band', limit('buy', '71500.1', '0.01'), /is 71500\.1, too far .+: for a buy the band ends at 71500\./],
    ['price_out_of_band', limit('sell', '58499.9', '0.01'), /for a sell the band ends at 58500\./],
    ['leverage_too_high', limit('buy', '60000', '0.01', { leverageX: 51 }), /is 51; it may be at most 50/],
    ['insufficient_margin', limit('buy', '65000', '450'), /needs [0-9.]+ USD\.E more/],
    [
      'reduce_only_would_increase',
      limit('buy', '60000', '0.01', { reduceOnly: true }),
      /^A reduce-only buy makes a short position smaller, and the account has no such position on BTC-USD-PERP\. .+ without reduceOnly\.$/,
    ],
    ['invalid_request', market('buy', { quantity: '1', postOnly: true }), /post-only/],
  ];

  test.each(refusals)('is refused as %s: %o', async (code, fields, message) => {
    const bot = await venue.bot();
    const { body } = await place(bot, fields);
    expect(body.code).toBe(code);
    expect(body.safeMessage).toMatch(message);
  });

  test('is refused if a notional buys nothing, or a post-only order would trade', async () => {
    const { body: resting } = await place(maker, limit('sell', '65100', '0.1'));
    expect((await place(taker, market('buy', { notional: '10' }))).body).toMatchObject({
      code: 'notional_too_small',
      safeMessage: expect.stringMatching(/is 10 USD\.E; it must be at least 65\.1 USD\.E/),
    });
    expect((await place(taker, limit('buy', '65100', '0.1', { postOnly: true }))).body).toMatchObject({
      code: 'post_only_would_cross',
      safeMessage: expect.stringMatching(/^A post-only buy at 65100 would trade at once: .+ starts at 65100\./),
    });
    await venue.call('cancelOrder', { bot: maker, params: { orderId: resting.orderId } });
  });

  test('is refused beyond a market’s maximum of open orders, naming the market', async () => {
    const many = await venue.bot();
    const placed = await Promise.all(Array.from({ length: 500 }, () => place(many, limit('buy', '60000', '0.001'))));
    expect(new Set(placed.map(({ status }) => status))).toEqual(new Set([202]));
    expect((await place(many, limit('buy', '60000', '0.001'))).body).toMatchObject({
      code: 'too_many_open_orders',
      safeMessage: 'The account has the maximum of 500 such open orders on BTC-USD-PERP. Cancel some of them.',
    });
  });

  test('is refused for a used clientOrderId, naming its order', async () => {
    const first = await place(maker, limit('buy', '60000', '0.01', { clientOrderId: 'mine' }));
    const second = await place(maker, limit('buy', '60001', '0.01', { clientOrderId: 'mine' }));
    expect(second.body).toMatchObject({
      code: 'duplicate_client_order_id',
      safeMessage: expect.stringContaining(`The clientOrderId mine belongs to order ${first.body.orderId}.`),
    });
  });

  test.each(['.', '..'])('is refused for the clientOrderId %j, which no URL path can contain', async (clientOrderId) => {
    const refused = await place(maker, limit('buy', '60000', '0.01', { clientOrderId }));
    expect(refused.body).toMatchObject({ code: 'invalid_request', safeMessage: expect.stringContaining('must not be . or ..') });
    const dotted = await place(maker, limit('buy', '60000', '0.01', { clientOrderId: `${clientOrderId}.a` }));
    expect(dotted.status).toBe(202);
  });

  test('is refused to an account without a binding, to a key without the scope, and for another account', async () => {
    const unbound = await venue.bot(1_000, ['read', 'trade'], '');
    expect((await place(unbound, limit('buy', '60000', '0.01'))).body.code).toBe('account_not_enabled');
    const reader = await venue.bot(1_000, ['read']);
    expect((await place(reader, limit('buy', '60000', '0.01'))).body.code).toBe('insufficient_scope');
    for (const accountId of [maker.accountId, 'acct-999999', 'nonsense']) {
      const { body } = await place(taker, limit('buy', '60000', '0.01', { accountId }));
      expect(body).toMatchObject({ code: 'account_forbidden', safeMessage: expect.stringContaining(taker.accountId) });
    }
  });

  test('is refused while the market is not open, and before it has a price', async () => {
    const market = 1 as never;
    await venue.operate({ type: 'SetMarketStatus', market, status: 'cancel_only' }, 'MarketStatusChanged');
    expect((await place(maker, limit('buy', '60000', '0.01'), 'early')).body).toMatchObject({
      ...{ code: 'market_not_open', retryable: true, recoveryActions: ['read_market', 'retry_later'] },
    });
    await venue.operate({ type: 'SetMarketStatus', market, status: 'open' }, 'MarketStatusChanged');
    expect((await place(maker, limit('buy', '60000', '0.01'), 'early')).status, 'the same attempt').toBe(202);
    const specification = { ...BITCOIN, marketId: 'NEW-USD-PERP', underlyingSymbol: 'NEW' };
    await venue.operate({ type: 'ListMarket', specification, status: 'open' }, 'MarketListed');
    expect((await place(maker, limit('buy', '60000', '0.01', { marketId: 'NEW-USD-PERP' }))).body.code).toBe(
      'mark_price_unavailable',
    );
  });

  test('is refused to a retired account, whose keys are revoked', async () => {
    const gone = await venue.bot(0);
    await venue.operate({ type: 'RetireAccount', account: gone.account }, 'AccountRetired');
    expect((await place(gone, limit('buy', '60000', '0.01'))).body).toMatchObject({
      code: 'unauthorized',
      apiKeyRejection: 'revoked',
    });
  });
});

describe('cancelling an order', () => {
  test('closes it once', async () => {
    const { body: placed } = await place(maker, limit('buy', '60000', '0.02'));
    const params = { orderId: placed.orderId };
    const cancelled = await venue.call('cancelOrder', { bot: maker, params, body: {} });
    expect(cancelled.body).toMatchObject({ orderId: placed.orderId, status: 'cancelled', remainingQuantity: '0.02' });
    expect(cancelled.body).not.toHaveProperty('cancelReason');
    expect((await venue.call('getOrder', { bot: maker, params })).body).toEqual(cancelled.body);
    const before = venue.sequence();
    const repeated = await venue.call('cancelOrder', { bot: maker, params });
    expect([repeated.status, repeated.body], 'repeating it is a no-op').toEqual([200, cancelled.body]);
    expect(venue.sequence(), 'nothing was submitted or recorded').toBe(before);
  });

  test('many times at once closes it once, and every response says so', async () => {
    const { body: placed } = await place(maker, limit('buy', '60000', '0.02'));
    const params = { orderId: placed.orderId };
    const responses = await Promise.all(Array.from({ length: 8 }, () => venue.call('cancelOrder', { bot: maker, params })));
    for (const { status, body } of responses) expect([status, body]).toEqual([200, responses[0]!.body]);
  });

  test('is refused if it has ended otherwise', async () => {
    const [seller, buyer] = [await venue.bot(), await venue.bot()];
    await place(buyer, limit('buy', '65100', '0.01'));
    const { body: filled } = await place(seller, limit('sell', '64500', '0.01'));
    expect(filled.status).toBe('filled');
    const before = venue.sequence();
    const { body } = await venue.call('cancelOrder', { bot: seller, params: { orderId: filled.orderId } });
    expect([body.code, venue.sequence()]).toEqual(['order_not_open', before]);
  });

  test('is refused to other accounts, as for an unknown order', async () => {
    const { body: placed } = await place(maker, limit('buy', '60000', '0.02'));
    for (const orderId of [placed.orderId, '999999', '0', 'abc', '-1', '1e3', '%2e']) {
      expect((await venue.call('cancelOrder', { bot: taker, params: { orderId } })).body.code).toBe('order_not_found');
      expect((await venue.call('getOrder', { bot: taker, params: { orderId } })).body.code).toBe('order_not_found');
    }
    expect((await venue.call('getOrder', { bot: maker, params: { orderId: placed.orderId } })).body.status).toBe('open');
  });

  test('refuses a body with fields', async () => {
    expect((await venue.call('cancelOrder', { bot: maker, params: { orderId: '1' }, body: { reason: 'x' } })).body.code).toBe(
      'invalid_request',
    );
  });
});

test('reports no internal error in any of these tests', () => {
  expect(venue.internalErrors).toEqual([]);
});
