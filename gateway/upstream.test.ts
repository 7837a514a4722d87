/** The gateway's requests to a venue over HTTP, and how it reads the responses. */
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from '#contract/examples.ts';
import { Refused } from '#contract/refused.ts';
import { sendRaw } from '#http/testing/raw-http.ts';
import { systemTime } from '#time/system-time.ts';
import {
  ENTRY,
  json,
  KEY,
  type ReceivedRequest,
  recorded,
  type ScriptedResponse,
  useScriptedVenue,
} from './testing/scripted-venue.ts';
import { Upstream } from './upstream.ts';

const OTHER_KEY = KEY.replace('aa', 'bb');
const SESSION = KEY.replace('opk_', 'ops_');

const venue = useScriptedVenue();

const REFUSED_ENTRY = {
  accepted: false,
  orderId: null,
  accountId: 'acct-1',
  marketId: 'X',
  status: 'rejected',
  lastSequence: 1,
  idempotencyKey: 'k',
  clientOrderId: 'a',
  code: 'unknown_market',
  safeMessage: 'There is no such market.',
};

/** The maximum number of reads of data that is cached for a second. */
function readsSince(startedAtMs: number): number {
  return 1 + Math.floor((performance.now() - startedAtMs) / 1_000);
}

describe('a request', () => {
  test('makes one request to the venue, with bearer, key, id and address of its caller', async () => {
    await venue.place();
    venue.received = [];
    expect((await venue.place({ 'x-request-id': 'mine', 'x-forwarded-for': '203.0.113.1' })).status).toBe(200);
    expect(venue.received).toHaveLength(1);
    const [{ method, url, headers, body }] = venue.received as [ReceivedRequest];
    expect([method, url]).toEqual(['POST', '/v1/orders']);
    expect(headers).toMatchObject({ authorization: KEY, 'idempotency-key': 'my-key', 'x-request-id': 'mine' });
    // An untrusted client's X-Forwarded-For is ignored.
    expect(headers['x-forwarded-for']).toMatch(/^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/);
    expect(JSON.parse(body)).toEqual({
      accountId: (EXAMPLES.getCurrentApiKey!.response.body as { accountId: string }).accountId,
      marketId: 'BTC-USD-PERP',
      clientOrderId: 'a',
      side: 'buy',
      orderType: 'limit',
      price: '60000',
      quantity: '0.01',
    });
  });

  test('reads the account of a key once, and markets once', async () => {
    await venue.place();
    await venue.place();
    expect(venue.received.map(({ url }) => url)).toEqual(['/v1/markets', '/v1/api-keys/current', '/v1/orders', '/v1/orders']);
    venue.received = [];
    await venue.place({ authorization: OTHER_KEY });
    expect(venue.received.map(({ url }) => url)).toEqual(['/v1/api-keys/current', '/v1/orders']);
  });

  test('reads the account of a session likewise', async () => {
    await venue.place({ authorization: SESSION });
    await venue.place({ authorization: SESSION });
    expect(venue.received.map(({ url }) => url)).toEqual(['/v1/markets', '/v1/auth/session', '/v1/orders', '/v1/orders']);
  });

  test('for public data forwards its bearer, and checks it with the venue once', async () => {
    const requests = () => venue.received.map(({ url, headers }) => [url, headers.authorization]);
    for (let count = 0; count < 2; count += 1) expect((await venue.send('/v2/markets')).status).toBe(200);
    expect(requests()).toEqual([
      ['/v1/api-keys/current', KEY],
      ['/v1/markets', KEY],
      ['/v1/markets', KEY],
    ]);
    venue.received = [];
    expect((await venue.send('/v2/markets', { headers: { authorization: '' } })).status).toBe(200);
    expect(requests()).toEqual([['/v1/markets', undefined]]);
  });

  test('for public data with a rejected bearer is refused, for an unknown symbol too', async () => {
    venue.responses['/v1/api-keys/current'] = json(401, {
      version: 'external-rest-error/v1',
      requestId: 'r',
      code: 'unauthorized',
      safeMessage: 'This API key was revoked. Use another one.',
      retryable: false,
      recoveryActions: ['replace_api_key'],
      occurredAtEpochMs: 1,
      apiKeyRejection: 'revoked',
    });
    for (const path of ['/v2/markets', '/v2/markets/BTC%2FUSD.E:USD.E/book', '/v2/markets/unknown/stats'])
      expect(await venue.send(path)).toMatchObject({
        status: 401,
        body: { name: 'AuthenticationError', info: { apiKeyRejection: 'revoked' } },
      });
    expect(await venue.send('/v2/not-implemented/fetch-trades')).toMatchObject({ status: 501 });
  });

  test('forwards the venue’s headers about limits and repetition', async () => {
    const sentHeaders = {
      'ratelimit-policy': '"orders-per-key";q=1;w=1',
      ratelimit: '"orders-per-key";r=0;t=1',
      'idempotency-replayed': 'true',
      'x-secret': 'kept',
    };
    venue.responses['/v1/orders'] = json(202, EXAMPLES.placeOrder!.response.body, sentHeaders);
    const { headers } = await venue.place();
    expect(Object.fromEntries(headers)).toMatchObject({
      ratelimit: sentHeaders.ratelimit,
      'ratelimit-policy': sentHeaders['ratelimit-policy'],
      'idempotency-replayed': 'true',
    });
    expect(headers.has('x-secret')).toBe(false);
  });

  test('with two bearers is refused without a request to the venue', async () => {
    const lines = [
      'GET /v2/orders/1 HTTP/1.1',
      'Host: x',
      'Connection: close',
      `Authorization: ${KEY}`,
      `Authorization: ${OTHER_KEY}`,
      '',
      '',
    ];
    const [response] = await sendRaw(Number(new URL(venue.gatewayUrl).port), lines.join('\r\n'));
    expect([response!.status, JSON.parse(response!.body).name, venue.received]).toEqual([401, 'AuthenticationError', []]);
  });

  test('without a bearer, or with a malformed one, is refused without a request to the venue', async () => {
    expect(await venue.place({ authorization: '' })).toMatchObject({ status: 401, body: { name: 'AuthenticationError' } });
    const malformed = { headers: { authorization: 'Basic x' } };
    expect(await venue.send('/v2/markets', malformed)).toMatchObject({
      status: 401,
      body: { info: { apiKeyRejection: 'malformed' } },
    });
    expect(venue.received).toEqual([]);
    expect(await venue.send('/v2/not-implemented/fetch-trades', malformed)).toMatchObject({ status: 501 });
  });

  test('for unknown symbols makes the gateway read markets at most once a second', async () => {
    const startedAtMs = performance.now();
    const outcomes = Array.from({ length: 32 }, (_, index) => ({ ...REFUSED_ENTRY, index }));
    venue.responses['/v1/orders/batch'] = json(202, { version: 'external-limit-order-batch/v1', outcomes });
    const madeUp = (request: number) =>
      Array.from({ length: 32 }, (_, index) => ({ ...ENTRY, symbol: `X${request}N${index}/USD.E:USD.E` }));
    const body = (request: number) => JSON.stringify(madeUp(request));
    const headers = (request: number) => ({ 'content-type': 'application/json', 'idempotency-key': `k-${request}` });
    const placeAll = (_: unknown, request: number) =>
      venue.send('/v2/orders', { method: 'POST', headers: headers(request), body: body(request) });
    for (const { status } of await Promise.all(Array.from({ length: 20 }, placeAll))) expect(status).toBe(200);
    expect(venue.received.filter(({ url }) => url === '/v1/markets').length).toBeLessThanOrEqual(readsSince(startedAtMs));
  });

  test('that is larger than the venue’s limit is refused without a request to the venue', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
    const body = JSON.stringify({ ...ENTRY, symbol: 'a'.repeat(66_000) });
    expect(await venue.send('/v2/order', { method: 'POST', headers, body })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
    expect(venue.received).toEqual([]);
  });

  test.each(['.', '..', '%2e', '%2e%2e', '.%2e'])('for an order %s reaches no other path', async (id) => {
    const lines = [`GET /v2/orders/${id} HTTP/1.1`, 'Host: x', 'Connection: close', `Authorization: ${KEY}`, '', ''];
    const [response] = await sendRaw(Number(new URL(venue.gatewayUrl).port), lines.join('\r\n'));
    expect([response!.status, venue.received]).toEqual([400, []]);
  });

  test('outside of /v2 gets 404', async () => {
    expect(await venue.send('/v1/markets')).toMatchObject({ status: 404, body: { code: 'path_not_found' } });
    expect(await venue.send('/v2/nothing')).toMatchObject({
      status: 404,
      body: { name: 'NotSupported', info: { code: 'path_not_found' } },
    });
    expect(await venue.send('/v2/order')).toMatchObject({
      status: 405,
      body: { name: 'NotSupported', code: 'method_not_allowed' },
    });
    expect(venue.received).toEqual([]);
  });
});

describe('outcomes of a batch', () => {
  const [first, second] = [0, 1].map((index) => ({ ...REFUSED_ENTRY, index }));
  const { version: _, ...order } = EXAMPLES.placeOrder!.response.body as { version: string; marketId: string };
  const accepted = { ...order, index: 0, accepted: true };

  test.each([
    ['are one per entry, in their order', [accepted, second], 200],
    ['are missing', [first], 503],
    ['are too many', [first, second, { ...REFUSED_ENTRY, index: 2 }], 503],
    ['are in another order', [second, first], 503],
    ['are in another market', [{ ...accepted, marketId: 'ETH-USD-PERP' }, second], 503],
  ])('%s', async (_, outcomes, expected) => {
    venue.responses['/v1/orders/batch'] = json(202, { version: 'external-limit-order-batch/v1', outcomes });
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
    const { status, body } = await venue.send('/v2/orders', { method: 'POST', headers, body: JSON.stringify([ENTRY, ENTRY]) });
    expect(status).toBe(expected);
    if (expected === 503)
      expect(body).toMatchObject({ code: 'upstream_unavailable', message: expect.stringContaining('contradicts itself') });
  });
});

describe('a probe', () => {
  const readiness = {
    status: 'ready',
    reasons: [],
    degraded: ['index_not_current'],
    environment: 'testnet',
    venueStatus: 'open',
    capabilities: { trading: true },
    journalSequence: 7,
  };

  test('of liveness is answered without the venue', async () => {
    const { status, body } = await venue.send('/health');
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(venue.received).toEqual([]);
  });

  test('of readiness gets the venue’s response, which is cached for a second', async () => {
    const startedAtMs = performance.now();
    venue.responses['/ready'] = json(200, { ...readiness, ofTomorrow: 1 });
    for (const { status, body } of await Promise.all(Array.from({ length: 20 }, () => venue.send('/ready'))))
      expect({ status, body }).toEqual({ status: 200, body: readiness });
    expect(new Set(venue.received.map(({ url, headers }) => `${url} ${headers.authorization}`))).toEqual(
      new Set(['/ready undefined']),
    );
    expect(venue.received.length).toBeLessThanOrEqual(readsSince(startedAtMs));
  });

  test('of readiness gives the reasons of a venue that is not ready', async () => {
    const halted = { ...readiness, status: 'not_ready', reasons: ['venue_halted: disk'] };
    venue.responses['/ready'] = json(503, halted);
    expect(await venue.send('/ready')).toMatchObject({ status: 503, body: halted });
  });

  test.each<[string, ScriptedResponse]>([
    ['hangs up', (request) => request.socket.destroy()],
    ['is replaced by a proxy', json(503, { error: 'no backend' })],
    ['responds like another service', json(200, { status: 'up' })],
  ])('of readiness is refused when the venue %s', async (_, response) => {
    venue.responses['/ready'] = response;
    const { status, headers, body } = await venue.send('/ready');
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { version: 'external-rest-error/v1', code: 'upstream_unavailable' },
    });
    expect(headers.get('retry-after')).toBe('2');
  });
});

test('caches a bounded number of rejected keys', async () => {
  const upstream = new Upstream(venue.url, systemTime);
  venue.responses['/v1/api-keys/current'] = json(401, {
    version: 'external-rest-error/v1',
    requestId: 'r',
    code: 'unauthorized',
    safeMessage: 'No.',
    retryable: false,
    recoveryActions: ['replace_api_key'],
    occurredAtEpochMs: 1,
  });
  const account = () => upstream.as({ authorization: KEY }).accountId();
  await expect(account()).rejects.toBeInstanceOf(Refused);
  venue.responses['/v1/api-keys/current'] = recorded('getCurrentApiKey');
  expect(await account()).toMatch(/^acct-/);
});
