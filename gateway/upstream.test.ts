/** What the gateway asks of a venue over HTTP, and what it makes of answers that are none. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { EXAMPLES } from '#contract/examples.ts';
import { Refused } from '#contract/refused.ts';
import { sendRaw } from '#http/testing/raw-http.ts';
import { type RunningGateway, startGateway } from '#src/gateway-start.ts';
import { systemTime } from '#time/system-time.ts';
import { Upstream } from './upstream.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const KEY = `Bearer opk_${'a'.repeat(16)}_${'A'.repeat(43)}`;
const OTHER_KEY = KEY.replace('aa', 'bb');
const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const recorded = (id: string) => json(EXAMPLES[id]!.response.status, EXAMPLES[id]!.response.body);

let server: Server;
let gateway: RunningGateway;
let heard: Heard[];
let answers: Record<string, Answer>;
let defects: unknown[];

beforeEach(async () => {
  heard = [];
  defects = [];
  answers = {
    '/v1/markets': recorded('listMarkets'),
    '/v1/api-keys/current': recorded('getCurrentApiKey'),
    '/v1/orders': recorded('placeOrder'),
  };
  server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    heard.push({ method, url, headers, body: Buffer.concat(await request.toArray()).toString() });
    (answers[url.split('?')[0]!] ?? json(404, {}))(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { upstream: address, host: 'localhost', port: 0, trustedProxies: [] };
  gateway = await startGateway(config, (defect) => defects.push(defect), new Upstream(address, systemTime, 300));
  heard = [];
});
afterEach(async () => {
  await gateway.stop();
  server.closeAllConnections();
  server.close();
  expect(defects).toEqual([]);
});

const entry = {
  symbol: 'BTC/USD.E:USD.E',
  type: 'limit',
  side: 'buy',
  amount: 0.01,
  price: 60_000,
  params: { clientOrderId: 'a' },
};

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
  safeMessage: 'There is none.',
};

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${gateway.url}${path}`, { ...init, headers: { authorization: KEY, ...init.headers } });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** How many reads there may be of what is read anew after a second. */
function readsSince(beganAtMs: number): number {
  return 1 + Math.floor((performance.now() - beganAtMs) / 1_000);
}

function place(headers: Record<string, string> = {}) {
  return ask('/v2/order', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'my-key', ...headers },
    body: JSON.stringify(entry),
  });
}

describe('a request', () => {
  test('is one to the venue, with bearer, key, id and address of its caller', async () => {
    await place();
    heard = [];
    expect((await place({ 'x-request-id': 'mine', 'x-forwarded-for': '203.0.113.1' })).status).toBe(200);
    expect(heard).toHaveLength(1);
    const [{ method, url, headers, body }] = heard as [Heard];
    expect([method, url]).toEqual(['POST', '/v1/orders']);
    expect(headers).toMatchObject({ authorization: KEY, 'idempotency-key': 'my-key', 'x-request-id': 'mine' });
    // What a stranger says of itself counts for nothing.
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

  test('asks once whose account a key is of, and markets once', async () => {
    await place();
    await place();
    expect(heard.map(({ url }) => url)).toEqual(['/v1/markets', '/v1/api-keys/current', '/v1/orders', '/v1/orders']);
    heard = [];
    await place({ authorization: OTHER_KEY });
    expect(heard.map(({ url }) => url)).toEqual(['/v1/api-keys/current', '/v1/orders']);
  });

  test('for a public read takes its bearer along, and asks once whether the venue accepts it', async () => {
    const asked = () => heard.map(({ url, headers }) => [url, headers.authorization]);
    for (let count = 0; count < 2; count += 1) expect((await ask('/v2/markets')).status).toBe(200);
    expect(asked()).toEqual([
      ['/v1/api-keys/current', KEY],
      ['/v1/markets', KEY],
      ['/v1/markets', KEY],
    ]);
    heard = [];
    expect((await ask('/v2/markets', { headers: { authorization: '' } })).status).toBe(200);
    expect(asked()).toEqual([['/v1/markets', undefined]]);
  });

  test('for a public read with a bearer that the venue does not accept is refused, for a symbol of nobody too', async () => {
    answers['/v1/api-keys/current'] = json(401, {
      version: 'external-rest-error/v1',
      requestId: 'r',
      code: 'unauthorized',
      safeMessage: 'This API key was revoked. Use another one.',
      retryable: false,
      recoveryActions: ['replace_api_key'],
      occurredAtEpochMs: 1,
      apiKeyRejection: 'revoked',
    });
    for (const path of ['/v2/markets', '/v2/markets/BTC%2FUSD.E:USD.E/book', '/v2/markets/nobody/stats'])
      expect(await ask(path)).toMatchObject({
        status: 401,
        body: { name: 'AuthenticationError', info: { apiKeyRejection: 'revoked' } },
      });
    expect(await ask('/v2/not-implemented/fetch-trades')).toMatchObject({ status: 501 });
  });

  test('passes on what the venue says of limits and of repetition', async () => {
    const told = {
      'ratelimit-policy': '"orders-per-key";q=1;w=1',
      ratelimit: '"orders-per-key";r=0;t=1',
      'idempotency-replayed': 'true',
      'x-secret': 'kept',
    };
    answers['/v1/orders'] = json(202, EXAMPLES.placeOrder!.response.body, told);
    const { headers } = await place();
    expect(Object.fromEntries(headers)).toMatchObject({
      ratelimit: told.ratelimit,
      'ratelimit-policy': told['ratelimit-policy'],
      'idempotency-replayed': 'true',
    });
    expect(headers.has('x-secret')).toBe(false);
  });

  test('with two bearers is refused before the venue hears of it', async () => {
    const lines = [
      'GET /v2/orders/1 HTTP/1.1',
      'Host: x',
      'Connection: close',
      `Authorization: ${KEY}`,
      `Authorization: ${OTHER_KEY}`,
      '',
      '',
    ];
    const [answer] = await sendRaw(Number(new URL(gateway.url).port), lines.join('\r\n'));
    expect([answer!.status, JSON.parse(answer!.body).name, heard]).toEqual([401, 'AuthenticationError', []]);
  });

  test('without a bearer, or with a malformed one, is refused before the venue hears of it', async () => {
    expect(await place({ authorization: '' })).toMatchObject({ status: 401, body: { name: 'AuthenticationError' } });
    const malformed = { headers: { authorization: 'Basic x' } };
    expect(await ask('/v2/markets', malformed)).toMatchObject({ status: 401, body: { info: { apiKeyRejection: 'malformed' } } });
    expect(heard).toEqual([]);
    expect(await ask('/v2/not-implemented/fetch-trades', malformed)).toMatchObject({ status: 501 });
  });

  test('for symbols that nobody has makes the gateway read markets no more often than once a second, however many they are', async () => {
    const beganAtMs = performance.now();
    const outcomes = Array.from({ length: 32 }, (_, index) => ({ ...REFUSED_ENTRY, index }));
    answers['/v1/orders/batch'] = json(202, { version: 'external-limit-order-batch/v1', outcomes });
    const madeUp = (request: number) =>
      Array.from({ length: 32 }, (_, index) => ({ ...entry, symbol: `X${request}N${index}/USD.E:USD.E` }));
    const body = (request: number) => JSON.stringify(madeUp(request));
    const headers = (request: number) => ({ 'content-type': 'application/json', 'idempotency-key': `k-${request}` });
    const placeAll = (_: unknown, request: number) =>
      ask('/v2/orders', { method: 'POST', headers: headers(request), body: body(request) });
    for (const { status } of await Promise.all(Array.from({ length: 20 }, placeAll))) expect(status).toBe(200);
    expect(heard.filter(({ url }) => url === '/v1/markets').length).toBeLessThanOrEqual(readsSince(beganAtMs));
  });

  test('that is larger than a venue takes is refused before the venue hears of it', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
    const body = JSON.stringify({ ...entry, symbol: 'a'.repeat(66_000) });
    expect(await ask('/v2/order', { method: 'POST', headers, body })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
    expect(heard).toEqual([]);
  });

  test.each(['.', '..', '%2e', '%2e%2e', '.%2e'])('for an order %s comes to no other address', async (id) => {
    const lines = [`GET /v2/orders/${id} HTTP/1.1`, 'Host: x', 'Connection: close', `Authorization: ${KEY}`, '', ''];
    const [answer] = await sendRaw(Number(new URL(gateway.url).port), lines.join('\r\n'));
    expect([answer!.status, heard]).toEqual([400, []]);
  });

  test('that is none of /v2 is told so', async () => {
    expect(await ask('/v1/markets')).toMatchObject({ status: 404, body: { code: 'path_not_found' } });
    expect(await ask('/v2/nothing')).toMatchObject({
      status: 404,
      body: { name: 'NotSupported', info: { code: 'path_not_found' } },
    });
    expect(await ask('/v2/order')).toMatchObject({ status: 405, body: { name: 'NotSupported', code: 'method_not_allowed' } });
    expect(heard).toEqual([]);
  });
});

describe('a refusal', () => {
  test.each<ErrorCode>(['insufficient_margin', 'rate_limited', 'venue_halted', 'unauthorized', 'price_out_of_band'])(
    '(%s) is told as the venue told it',
    async (code) => {
      const { status, retryable, recoveryActions } = ERRORS[code];
      const envelope = {
        version: 'external-rest-error/v1',
        requestId: 'mine',
        code,
        safeMessage: 'In its own words.',
        retryable,
        recoveryActions,
        occurredAtEpochMs: 1_700_000_000_000,
        ...(code === 'unauthorized' && { apiKeyRejection: 'revoked' }),
      };
      answers['/v1/orders'] = json(status, envelope, { 'retry-after': '7', 'www-authenticate': 'Bearer x' });
      const answer = await place({ 'x-request-id': 'mine' });
      expect(answer).toMatchObject({ status, body: { code, message: 'In its own words.', timestamp: 1_700_000_000_000 } });
      expect(answer.body.info).toEqual(envelope);
      expect(answer.headers.get('retry-after')).toBe(['rate_limited', 'venue_halted'].includes(code) ? '7' : null);
      expect(answer.headers.get('www-authenticate')).toBe(code === 'unauthorized' ? 'Bearer x' : null);
    },
  );

  test.each([409, 423, 503])('with a code of a later version and %i is not passed on: the answer is 503', async (said) => {
    answers['/v1/orders'] = json(said, {
      version: 'external-rest-error/v1',
      requestId: 'r',
      code: 'of_tomorrow',
      safeMessage: 'Not today.',
      retryable: false,
      recoveryActions: ['none'],
      occurredAtEpochMs: 1,
    });
    const { status, body } = await place();
    expect({ status, body }).toMatchObject({ status: 503, body: { name: 'ExchangeNotAvailable', code: 'upstream_unavailable' } });
    expect(body.message).toContain(
      `answers with ${said}, and not as declared: the code of the error is unknown to this gateway.`,
    );
    expect(JSON.stringify(body)).not.toMatch(/of_tomorrow|Not today/);
  });

  test.each(['z', null, {}, -1, 1.5, 1e300, 8.64e15 + 1])(
    'whose time is none (%j) is told all the same, as of now',
    async (occurredAtEpochMs) => {
      const { status, retryable, recoveryActions } = ERRORS.insufficient_margin;
      const said = { version: 'external-rest-error/v1', requestId: 'r', retryable, recoveryActions, occurredAtEpochMs };
      answers['/v1/orders'] = json(status, { ...said, code: 'insufficient_margin', safeMessage: 'In its own words.' });
      const { status: told, body } = await place();
      expect({ told, body }).toMatchObject({ told: status, body: { code: 'insufficient_margin', message: 'In its own words.' } });
      expect(Math.abs(Date.now() - body.timestamp)).toBeLessThan(60_000);
      expect([body.info.occurredAtEpochMs, Date.parse(body.datetime)]).toEqual([body.timestamp, body.timestamp]);
    },
  );
});

describe('a venue that is away', () => {
  const away = {
    status: 503,
    body: {
      name: 'ExchangeNotAvailable',
      code: 'upstream_unavailable',
      retryable: true,
      info: { recoveryActions: ['retry_later'] },
    },
  };

  test.each<[string, Answer]>([
    ['hangs up', (request) => request.socket.destroy()],
    ['does not answer in time', () => undefined],
    [
      'breaks off',
      (request, response) => response.writeHead(202, { 'content-length': '100' }).write('{', () => request.socket.destroy()),
    ],
    [
      'is spoken for by a proxy',
      (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
    ],
    ['answers what is no JSON', (_, response) => response.writeHead(202).end('taken')],
    ['answers {}', json(202, {})],
    ['answers null', json(202, null)],
    ['answers with a word', json(202, 'taken')],
    ['answers as something else does', json(202, { status: 'ok', version: '1.0' })],
    ['leads elsewhere', (_, response) => response.writeHead(302, { location: 'http://example.test/' }).end()],
    ['answers with another status', json(200, EXAMPLES.placeOrder!.response.body)],
    ['refuses in another shape', json(403, { error: 'no' })],
    ['refuses with a code that is no text', json(409, { version: 'external-rest-error/v1', code: 5, safeMessage: 'no' })],
    [
      'refuses with words that are none',
      json(409, { version: 'external-rest-error/v1', code: 'insufficient_margin', safeMessage: { toString: 1 } }),
    ],
  ])('(it %s) is told with 503, and when to come again', async (_, answer) => {
    answers['/v1/orders'] = answer;
    const refused = await place();
    expect(refused).toMatchObject(away);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(refused.body.message).toContain('Whether it took a command shows when it is back.');
    answers['/v1/orders'] = recorded('placeOrder');
    expect((await place()).status).toBe(200);
  });

  test.each([{}, null, { status: 'ok' }, { version: 'external-market-catalog/v1' }])(
    'and whose place %j takes, has no markets and no accounts',
    async (body) => {
      for (const path of ['/v1/markets', '/v1/api-keys/current', '/v1/orders/1']) answers[path] = json(200, body);
      for (const path of ['/v2/markets', '/v2/orders/1']) expect(await ask(path)).toMatchObject(away);
      expect(await place()).toMatchObject(away);
    },
  );

  test('altogether is told likewise, whatever is asked', async () => {
    server.closeAllConnections();
    server.close();
    for (const path of ['/v2/markets', '/v2/markets/BTC%2FUSD.E:USD.E/stats', '/v2/accounts/acct-1', '/v2/orders/1'])
      expect(await ask(path)).toMatchObject(away);
    expect(await ask('/v2/not-implemented/fetch-trades')).toMatchObject({ status: 501 });
  });
});

describe('outcomes of a batch', () => {
  const [first, second] = [0, 1].map((index) => ({ ...REFUSED_ENTRY, index }));
  const { version: _, ...order } = EXAMPLES.placeOrder!.response.body as { version: string; marketId: string };
  const accepted = { ...order, index: 0, accepted: true };

  test.each([
    ['are as many as the entries, and in their order', [accepted, second], 200],
    ['are missing', [first], 503],
    ['are too many', [first, second, { ...REFUSED_ENTRY, index: 2 }], 503],
    ['are in another order', [second, first], 503],
    ['are in another market', [{ ...accepted, marketId: 'ETH-USD-PERP' }, second], 503],
  ])('%s', async (_, outcomes, expected) => {
    answers['/v1/orders/batch'] = json(202, { version: 'external-limit-order-batch/v1', outcomes });
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
    const { status, body } = await ask('/v2/orders', { method: 'POST', headers, body: JSON.stringify([entry, entry]) });
    expect(status).toBe(expected);
    if (expected === 503)
      expect(body).toMatchObject({ code: 'upstream_unavailable', message: expect.stringContaining('contradicts itself') });
  });
});

describe('a probe', () => {
  const readiness = { status: 'ready', reasons: [], degraded: ['index_not_current'], journalSequence: 7 };

  test('of its life is answered without the venue', async () => {
    const { status, body } = await ask('/health');
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(heard).toEqual([]);
  });

  test('of its readiness is answered as the venue answers it, which is asked anew after a second', async () => {
    const beganAtMs = performance.now();
    answers['/ready'] = json(200, { ...readiness, ofTomorrow: 1 });
    for (const { status, body } of await Promise.all(Array.from({ length: 20 }, () => ask('/ready'))))
      expect({ status, body }).toEqual({ status: 200, body: readiness });
    expect(new Set(heard.map(({ url, headers }) => `${url} ${headers.authorization}`))).toEqual(new Set(['/ready undefined']));
    expect(heard.length).toBeLessThanOrEqual(readsSince(beganAtMs));
  });

  test('of the readiness of a venue that takes no orders says why', async () => {
    const halted = { ...readiness, status: 'not_ready', reasons: ['venue_halted: disk'] };
    answers['/ready'] = json(503, halted);
    expect(await ask('/ready')).toMatchObject({ status: 503, body: halted });
  });

  test.each<[string, Answer]>([
    ['hangs up', (request) => request.socket.destroy()],
    ['is spoken for by a proxy', json(503, { error: 'no backend' })],
    ['answers as something else does', json(200, { status: 'up' })],
  ])('of its readiness is refused where the venue %s', async (_, answer) => {
    answers['/ready'] = answer;
    const { status, headers, body } = await ask('/ready');
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { version: 'external-rest-error/v1', code: 'upstream_unavailable' },
    });
    expect(headers.get('retry-after')).toBe('2');
  });
});

test('keys that are no venue’s are not remembered without end', async () => {
  const upstream = new Upstream(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, systemTime, 300);
  answers['/v1/api-keys/current'] = json(401, {
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
  answers['/v1/api-keys/current'] = recorded('getCurrentApiKey');
  expect(await account()).toMatch(/^acct-/);
});
