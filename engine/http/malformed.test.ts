/** What is not a sound request, over a real socket: the envelope each time, and the venue hears nothing of it. */
import { once } from 'node:events';
import { type AddressInfo, createConnection } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ERRORS, errorEnvelope } from '#contract/errors.ts';
import { DEFAULT_RATES } from '#contract/limits.ts';
import { openGateway } from '#gateway/gateway.ts';
import { makeApiKey } from '#identity/api-key.ts';
import type { Identified } from '#identity/directory.ts';
import { StoreAway } from '#identity/store-away.ts';
import { MemoryTicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs } from '#units/money.ts';
import type { Submit } from '#writer/submit.ts';
import { IdempotencyConflict, VenueHalted, WriterBusy } from '#writer/submit.ts';
import { askBy } from './answers.ts';
import { DEFAULT_HTTP_LIMITS, type OpenOrders } from './ports.ts';
import { countersInProcess } from './rate-counters.ts';
import type { Directory } from './reads.ts';
import { createHttpServer } from './server.ts';
import { BITCOIN } from './testing/markets.ts';
import { observeRefusal } from './testing/observed-answers.ts';
import type { RawAnswer } from './testing/raw-http.ts';
import { sendRaw } from './testing/raw-http.ts';

/** More than the requests before the test of the limit. */
const PLACEMENTS = 100;
const clock = { now: () => epochMs(1_700_000_000_000) };
const made = makeApiKey();
const stored = {
  ...made,
  account: 1 as AccountOrdinal,
  scopes: ['read', 'trade'] as const,
  label: '',
  isRevoked: false,
  issuedAtEpochMs: epochMs(0),
};
const defects: unknown[] = [];
let submit: Submit;
let server: FastifyInstance;
let port = 0;

/** Knows one key and one market; any other read is more than a malformed request may reach. */
const directory = new Proxy({} as Directory, {
  get: (_, name) => {
    if (name === 'apiKey') return (keyId: string) => (keyId === made.keyId ? stored : undefined);
    if (name === 'listedMarket') return () => ({ market: 1, specification: BITCOIN });
    throw new Error(`read ${String(name)}`);
  },
});

beforeAll(async () => {
  server = createHttpServer({
    submit: (submission) => submit(submission),
    previewOrder: () => Promise.reject(new Error('previewed')),
    openOrders: {} as OpenOrders,
    directory,
    ask: askBy((name) => Promise.reject(new Error(`read ${name}`))),
    openGateway,
    tickets: new Tickets({ store: new MemoryTicketStore(), findApiKey: (keyId) => directory.apiKey(keyId), clock }),
    clock,
    realtimeUrl: 'ws://localhost:8081',
    pricedUnderlyings: [],
    status: () => ({ isReady: true, reasons: [] }),
    limits: {
      ...DEFAULT_HTTP_LIMITS,
      requestTimeoutMs: 1_200,
      rates: { ...DEFAULT_RATES, orders: { burst: PLACEMENTS, perSecond: 0.5 } },
    },
    rateCounters: countersInProcess(clock),
    observe: () => () => {},
    reportDefect: (defect) => defects.push(defect),
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  port = (server.server.address() as AddressInfo).port;
});
afterAll(() => server.close());

function request(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', body].join('\r\n');
}

const bearer = `Authorization: Bearer ${made.key}`;
const json = 'Content-Type: application/json';

function placement(body: string, headers: readonly string[] = [bearer, json, 'Idempotency-Key: k']): string {
  return request('POST /v1/orders', [...headers, `Content-Length: ${Buffer.byteLength(body, 'latin1')}`], body);
}

const soundBody =
  '{"accountId":"acct-1","marketId":"BTC-USD-PERP","clientOrderId":"a","side":"buy","orderType":"market","quantity":"1"}';

async function only(bytes: string | Buffer): Promise<RawAnswer> {
  const answers = await sendRaw(port, bytes);
  expect(answers).toHaveLength(1);
  return answers[0] as RawAnswer;
}

function expectRefusal(answer: RawAnswer, code: keyof typeof ERRORS) {
  const envelope = errorEnvelope.parse(JSON.parse(answer.body));
  expect(envelope.code).toBe(code);
  observeRefusal(envelope);
  expect(answer.status).toBe(ERRORS[code].status);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'x-request-id': envelope.requestId,
  });
  return envelope;
}

describe('a request that is not sound', () => {
  const cases: readonly [keyof typeof ERRORS, string, string][] = [
    ['malformed_request', 'is not HTTP', 'hello\r\n\r\n'],
    ['malformed_request', 'is TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['malformed_request', 'has a length that is no number', request('POST /v1/orders', ['Content-Length: x'])],
    ['malformed_request', 'has two lengths', request('POST /v1/orders', ['Content-Length: 1', 'Content-Length: 2'], '{}')],
    [
      'malformed_request',
      'is smuggled',
      request('POST /v1/orders', ['Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    ],
    ['malformed_request', 'has a bad escape in its path', request('GET /v1/markets/%zz')],
    ['malformed_request', 'has a broken UTF-8 escape in its path', request('GET /v1/markets/%ff')],
    ['malformed_request', 'expects the impossible', request('GET /health', ['Expect: 200-maybe'])],
    ['headers_too_large', 'has a header of 20 KiB', request('GET /health', [`X-Long: ${'a'.repeat(20_000)}`])],
    ['headers_too_large', 'has an address of 20 KiB', request(`GET /v1/markets/${'a'.repeat(20_000)}`)],
    ['invalid_request', 'has an id of 10 KiB', request(`GET /v1/markets/${'a'.repeat(10_000)}/book`)],
    ['path_not_found', 'has an unknown path', request('GET /v1/nothing')],
    ['invalid_request', 'has an empty id', request('GET /v1/markets/')],
    ['path_not_found', 'has no Host header', 'GET /v1/nothing HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['method_not_allowed', 'asks the root for more than to be read', request('DELETE /')],
    ['path_not_found', 'has no path', request('OPTIONS *')],
    ['method_not_allowed', 'has another method', request('DELETE /v1/orders')],
    ['method_not_allowed', 'has a method of another protocol', request('PROPFIND /v1/markets?x=1')],
    ['method_not_allowed', 'tries to trace', request('TRACE /health')],
    [
      'method_not_allowed',
      'has another method and a body of another type',
      request('PUT /v1/orders', ['Content-Type: text/xml', 'Content-Length: 2'], '<>'),
    ],
    ['method_not_allowed', 'asks for a tunnel', 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test\r\n\r\n'],
    ['unauthorized', 'has no key, whatever its body', placement('not json', [json])],
    ['unauthorized', 'has its key in the address', request(`GET /v1/accounts/acct-1?access_token=${made.key}`)],
    ['malformed_json', 'is not JSON', placement('{"accountId":')],
    ['malformed_json', 'is two JSON texts', placement('{}{}')],
    ['malformed_json', 'is compressed without saying so', placement('\x1f\x8b\b')],
    ['invalid_request', 'has no body', placement('')],
    ['invalid_request', 'is an array', placement('[]')],
    ['invalid_request', 'is null', placement('null')],
    ['invalid_request', 'is deeply nested', placement('['.repeat(30_000) + ']'.repeat(30_000))],
    ['invalid_request', 'has an unknown field', placement(soundBody.replace('{', '{"leverage":3,'))],
    ['invalid_request', 'reaches for the prototype', placement(soundBody.replace('{', '{"__proto__":{"postOnly":true},'))],
    ['invalid_request', 'reaches for the constructor', placement(soundBody.replace('{', '{"constructor":{},'))],
    [
      'unsupported_media_type',
      'is a form',
      placement('a=b', [bearer, 'Content-Type: application/x-www-form-urlencoded', 'Idempotency-Key: k']),
    ],
    ['unsupported_media_type', 'is plain text', placement(soundBody, [bearer, 'Content-Type: text/plain', 'Idempotency-Key: k'])],
    ['unsupported_media_type', 'does not say what it is', placement(soundBody, [bearer, 'Idempotency-Key: k'])],
    [
      'unsupported_media_type',
      'has a broken content type',
      placement(soundBody, [bearer, 'Content-Type: /', 'Idempotency-Key: k']),
    ],
    ['payload_too_large', 'has a body above 64 KiB', placement(`"${'a'.repeat(65_536)}"`)],
    ['idempotency_key_required', 'has no idempotency key', placement(soundBody, [bearer, json])],
    ['idempotency_key_required', 'has an empty idempotency key', placement(soundBody, [bearer, json, 'Idempotency-Key: '])],
    [
      'idempotency_key_invalid',
      'has a space in its idempotency key',
      placement(soundBody, [bearer, json, 'Idempotency-Key: a b']),
    ],
    [
      'idempotency_key_invalid',
      'has two idempotency keys',
      placement(soundBody, [bearer, json, 'Idempotency-Key: a', 'Idempotency-Key: b']),
    ],
    [
      'idempotency_key_invalid',
      'has a long idempotency key',
      placement(soundBody, [bearer, json, `Idempotency-Key: ${'k'.repeat(129)}`]),
    ],
    ['invalid_request', 'has an unknown query parameter', request('GET /v1/markets/BTC-USD-PERP/book?levels=5')],
    ['invalid_request', 'has a query parameter twice', request('GET /v1/markets/BTC-USD-PERP/book?depth=5&depth=6')],
    ['invalid_request', 'has a query parameter out of range', request('GET /v1/markets/BTC-USD-PERP/book?depth=501')],
    ['invalid_request', 'has a query parameter that is no number', request('GET /v1/markets/BTC-USD-PERP/book?depth=1e1')],
    ['invalid_request', 'has an unknown timeframe', request('GET /v1/markets/BTC-USD-PERP/candles?timeframe=2m')],
    ['invalid_cursor', 'has a cursor of its own making', request('GET /v1/markets/BTC-USD-PERP/trades?cursor=abc')],
  ];

  test.each(cases)('is answered %s when it %s', async (code, _, bytes) => {
    expectRefusal(await only(Buffer.from(bytes, 'latin1')), code);
    expect(defects).toEqual([]);
  });

  test('is named so that its sender can correct it', async () => {
    const said = async (bytes: string) => JSON.parse((await only(bytes)).body).safeMessage;
    expect(await said(placement(soundBody.replace('{', '{"leverage":3,"tif":"GTC",')))).toBe(
      'Unknown field "leverage", "tif": remove it.',
    );
    expect(await said(placement(soundBody.replace('"quantity":"1"', '"quantity":1')))).toBe(
      'The field quantity must be a string: put the number in quotes.',
    );
    expect(await said(placement(soundBody.replace(',"quantity":"1"', '')))).toBe(
      'The field quantity is not right: a market order needs quantity or notional.',
    );
    expect(await said(placement(soundBody.replace('"side":"buy",', '')))).toBe('The field side is required.');
    expect(await said(placement(soundBody.replace('"buy"', '"long"')))).toBe('The field side must be one of buy, sell.');
    expect(await said(placement(''))).toBe('The body is missing.');
    expect(await said(request('GET /v1/markets/BTC-USD-PERP/book?depth=0'))).toBe(
      'The query parameter depth must be at least 1.',
    );
    expect((await only(request('PATCH /v1/orders/7'))).headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test('is refused in time when it does not arrive', async () => {
    const unfinished = request('POST /v1/orders', [bearer, json, 'Idempotency-Key: k', 'Content-Length: 100'], '{"a"');
    expectRefusal(await only(unfinished), 'request_timeout');
  });

  test('is nobody’s fault when its sender leaves in the middle of it', async () => {
    await sendRaw(port, request('POST /v1/orders', [bearer, json, 'Idempotency-Key: k', 'Content-Length: 100'], '{"a"'), 50);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(defects).toEqual([]);
  });
});

test('a tunnel whose asker is gone at once is nobody’s affair', async () => {
  for (let count = 0; count < 50; count += 1) {
    await new Promise<void>((resolve) => {
      const socket = createConnection({ port, host: '127.0.0.1' }, () => {
        socket.write('CONNECT example.test:443 HTTP/1.1\r\nHost: example.test\r\n\r\nand more');
        setTimeout(() => socket.resetAndDestroy(), count % 5);
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve());
    });
  }
  expect((await only(request('GET /health'))).status).toBe(200);
  expect(defects).toEqual([]);
});

describe('a page of another origin', () => {
  const origin = ['Origin: https://app.example', 'Access-Control-Request-Method: POST'];

  test('may ask with a bearer and our headers, without cookies', async () => {
    const { status, headers, body } = await only(request('OPTIONS /v1/orders', origin));
    expect({ status, body }).toEqual({ status: 204, body: '' });
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'authorization, content-type, idempotency-key, x-request-id',
      allow: 'POST, OPTIONS',
      'x-content-type-options': 'nosniff',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('can read every answer, and its headers', async () => {
    for (const bytes of [request('GET /health', origin), request('GET /v1/api-keys/current', origin), 'hello\r\n\r\n']) {
      expect((await only(bytes)).headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('x-request-id'),
      });
    }
  });

  test('is told that there is no such path', async () => {
    expectRefusal(await only(request('OPTIONS /v1/nothing', origin)), 'path_not_found');
  });
});

describe('text that is not plain', () => {
  test.each(['\\ud800', '\\u0000', 'a\\nb', '\\u2028'])('(%s) is refused in so many words', async (text) => {
    const body = soundBody.replace('"BTC-USD-PERP"', `"${text}"`);
    expect(expectRefusal(await only(placement(body)), 'invalid_request').safeMessage).toBe(
      'The field marketId must be well-formed Unicode without control characters and line breaks.',
    );
  });

  test('in a path is refused too', async () => {
    expectRefusal(await only(request('GET /v1/markets/%00')), 'invalid_request');
  });
});

describe('the bearer', () => {
  const reading = (authorization: string) => request('GET /v1/api-keys/current', [`Authorization: ${authorization}`]);

  test.each<[Extract<Identified, { rejection: string }>['rejection'], string]>([
    ['missing', ''],
    ['malformed', 'Bearer opk_x'],
    ['malformed', `Basic ${made.key}`],
    ['unknown', `Bearer ${makeApiKey().key}`],
  ])('that is %s is refused without its text', async (rejection, authorization) => {
    const answer = await only(reading(authorization));
    expect(expectRefusal(answer, 'unauthorized').apiKeyRejection).toBe(rejection);
    expect(answer.headers['www-authenticate']).toContain('Bearer');
    expect(answer.body).not.toContain('opk_');
  });
});

describe('the writer', () => {
  const places = () => only(placement(soundBody));

  test.each([
    ['idempotency_conflict', new IdempotencyConflict('x'), undefined],
    ['venue_busy', new WriterBusy('x'), '1'],
    ['venue_halted', new VenueHalted('x'), '10'],
    ['dependency_unavailable', new StoreAway('x'), '5'],
  ] as const)('rejecting is answered %s', async (code, rejection, retryAfter) => {
    submit = () => Promise.reject(rejection);
    const answer = await places();
    expectRefusal(answer, code);
    expect(answer.headers['retry-after']).toBe(retryAfter);
    expect(defects).toEqual([]);
  });

  test('failing otherwise is a defect: reported, and answered without a word of it', async () => {
    submit = () => Promise.reject(new Error('disk /secret/path'));
    const answer = await places();
    expectRefusal(answer, 'internal_error');
    expect(answer.body).not.toMatch(/secret|stack|Error:/);
    expect(defects.splice(0)).toEqual([new Error('disk /secret/path')]);
  });
});

describe('bytes that follow sound requests', () => {
  const sound = placement(soundBody).replace('Connection: close\r\n', '');
  const taken = 'idempotency_conflict';

  /** Sends the bytes once so many sound requests on the line are answered, of as many as are to come. */
  async function codesAfter(answered: number, requests: number, bytes: string): Promise<readonly string[]> {
    const socket = createConnection({ port, host: '127.0.0.1' });
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    const codes = () => [...text.matchAll(/"code":"(\w+)"/g)].map((match) => match[1]!);
    socket.write(sound.repeat(requests));
    await vi.waitFor(() => expect(codes()).toHaveLength(answered), { interval: 5 });
    socket.write(bytes);
    await once(socket, 'end');
    socket.destroy();
    return codes();
  }

  const chunked = [json, 'Transfer-Encoding: chunked'];

  test.each([
    ['no request', 'malformed_request', 'and more\r\n\r\n'],
    ['a request whose body breaks off', 'malformed_request', request('POST /v1/orders', [bearer, ...chunked], 'zz\r\n')],
    ['one that was refused before its body broke off', 'unauthorized', request('POST /v1/orders', chunked, 'zz\r\n')],
  ])('and are %s are answered once, %s, after them all', async (_, code, bytes) => {
    for (const answered of [0, 1, 2, 3]) {
      const waits = [450, 300, 150];
      submit = () => new Promise((__, reject) => setTimeout(reject, waits.pop(), new IdempotencyConflict('x')));
      expect(await codesAfter(answered, 3, bytes)).toEqual([taken, taken, taken, code]);
    }
  });
});

describe('the placement limit', () => {
  test('refuses what is beyond it', async () => {
    submit = () => Promise.reject(new IdempotencyConflict('x'));
    let answer = await only(placement(soundBody));
    for (let left = PLACEMENTS; left > 0 && answer.status !== 429; left -= 1) answer = await only(placement(soundBody));
    expectRefusal(answer, 'rate_limited');
    expect(answer.headers).toMatchObject({
      'retry-after': '2',
      'ratelimit-policy': `"orders-per-key";q=${PLACEMENTS};w=${2 * PLACEMENTS}, "orders-per-account";q=${2 * PLACEMENTS};w=${2 * PLACEMENTS}`,
      ratelimit: `"orders-per-key";r=0;t=${2 * PLACEMENTS}, "orders-per-account";r=${PLACEMENTS};t=${PLACEMENTS}`,
    });
  });
});

describe('the request id', () => {
  const idOf = async (bytes: string) => (await only(bytes)).headers['x-request-id'];

  test.each([
    ['an answer', request('GET /health', ['X-Request-Id: order-7.retry_2'])],
    ['a refusal', request('GET /nothing', ['X-Request-Id: order-7.retry_2'])],
    ['a refused tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: order-7.retry_2\r\n\r\n'],
    ['a refused expectation', request('GET /health', ['Expect: 200-maybe', 'X-Request-Id: order-7.retry_2'])],
  ])('of %s is the caller’s own', async (_, bytes) => {
    expect(await idOf(bytes)).toBe('order-7.retry_2');
  });

  test.each([
    ['is not fit for a log', 'a b"c'],
    ['is longer than 64 characters', 'a'.repeat(65)],
    ['is an API key', made.key],
    ['may be a ticket', 'A'.repeat(43)],
  ])('is a new one where that %s', async (_, given) => {
    expect(await idOf(request('GET /nothing', [`X-Request-Id: ${given}`]))).toMatch(/^[0-9a-f-]{36}$/);
  });
});
