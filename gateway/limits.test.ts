/** /v2 has no limits of its own: a request counts as the /v1 operations that it is translated to. */
import { afterEach, expect, test } from 'vitest';
import { type Request, startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { limit } from './testing/gateway-stage.ts';

let venue: VenueUnderTest;
afterEach(() => venue.close());

test('counts an order once, in /v1 or /v2, and a batch once per entry', async () => {
  venue = await startVenue({ rates: { orders: { burst: 4, perSecond: 0.001 } } });
  const bot = await venue.bot();
  let attempt = 0;
  const keyed = (body: unknown): Request => ({ bot, body, idempotencyKey: `key-${++attempt}` });
  const native = {
    marketId: 'BTC-USD-PERP',
    clientOrderId: 'a',
    side: 'buy',
    orderType: 'limit',
    price: '60000',
    quantity: '0.01',
  };
  const left = ({ headers }: { headers: Headers }) => /orders-per-key";r=([0-9]+)/.exec(headers.get('ratelimit') ?? '')?.[1];
  expect(left(await venue.call('createUnifiedOrder', keyed(limit('buy', 60_000))))).toBe('3');
  expect(left(await venue.call('createUnifiedOrders', keyed([limit('buy', 60_000), limit('buy', 60_001)])))).toBe('1');
  expect(left(await venue.call('placeOrder', keyed({ accountId: bot.accountId, ...native })))).toBe('0');
  const refused = await venue.call('createUnifiedOrder', keyed(limit('buy', 60_000)));
  expect(refused).toMatchObject({ status: 429, body: { name: 'RateLimitExceeded', code: 'rate_limited', retryable: true } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});
