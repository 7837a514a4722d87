/** Invalid requests over a real socket: each gets the envelope, and does not reach the venue. */
import { createConnection } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '#contract/errors.ts';
import { sendRaw } from '#http/testing/raw-http.ts';
import { apiKey, bearer, expectRefusal, json, placement, request, useServer, validBody } from '#http/testing/unreached-venue.ts';

const server = useServer();

describe('an invalid request', () => {
  const cases: readonly [ErrorCode, string, string][] = [
    ['malformed_request', 'is not HTTP', 'hello\r\n\r\n'],
    ['malformed_request', 'is TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['malformed_request', 'has a length that is not a number', request('POST /v1/orders', ['Content-Length: x'])],
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
    ['method_not_allowed', 'uses another method at the root', request('DELETE /')],
    ['path_not_found', 'has no path', request('OPTIONS *')],
    ['method_not_allowed', 'has another method', request('DELETE /v1/orders')],
    ['method_not_allowed', 'has a method of another protocol', request('PROPFIND /v1/markets?x=1')],
    ['method_not_allowed', 'sends TRACE', request('TRACE /health')],
    [
      'method_not_allowed',
      'has another method and a body of another type',
      request('PUT /v1/orders', ['Content-Type: text/xml', 'Content-Length: 2'], '<>'),
    ],
    ['method_not_allowed', 'requests a tunnel', 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test\r\n\r\n'],
    ['unauthorized', 'has no key, whatever its body', placement('not json', [json])],
    ['unauthorized', 'has its key in the URL', request(`GET /v1/accounts/acct-1?access_token=${apiKey.key}`)],
    ['malformed_json', 'is not JSON', placement('{"accountId":')],
    ['malformed_json', 'is two JSON texts', placement('{}{}')],
    ['malformed_json', 'is compressed without saying so', placement('\x1f\x8b\b')],
    ['invalid_request', 'has no body', placement('')],
    ['invalid_request', 'is an array', placement('[]')],
    ['invalid_request', 'is null', placement('null')],
    ['invalid_request', 'is deeply nested', placement('['.repeat(2_000) + ']'.repeat(2_000))],
    [
      'invalid_request',
      'has a length that is deeply nested',
      placement(`{"marketId":{"length":${'['.repeat(2_000)}${']'.repeat(2_000)}}}`),
    ],
    ['invalid_request', 'has an unknown field', placement(validBody.replace('{', '{"leverage":3,'))],
    ['invalid_request', 'names the prototype', placement(validBody.replace('{', '{"__proto__":{"postOnly":true},'))],
    ['invalid_request', 'names the constructor', placement(validBody.replace('{', '{"constructor":{},'))],
    [
      'unsupported_media_type',
      'is a form',
      placement('a=b', [bearer, 'Content-Type: application/x-www-form-urlencoded', 'Idempotency-Key: k']),
    ],
    ['unsupported_media_type', 'is plain text', placement(validBody, [bearer, 'Content-Type: text/plain', 'Idempotency-Key: k'])],
    ['unsupported_media_type', 'has no content type', placement(validBody, [bearer, 'Idempotency-Key: k'])],
    [
      'unsupported_media_type',
      'has a malformed content type',
      placement(validBody, [bearer, 'Content-Type: /', 'Idempotency-Key: k']),
    ],
    ['payload_too_large', 'has a body above 4 KiB', placement(`"${'a'.repeat(4_095)}"`)],
    ['invalid_request', 'has a body of 4 KiB', placement(`"${'a'.repeat(4_094)}"`)],
    ['payload_too_large', 'has a body above 64 KiB', placement(`"${'a'.repeat(65_536)}"`)],
    ['idempotency_key_required', 'has no idempotency key', placement(validBody, [bearer, json])],
    ['idempotency_key_required', 'has an empty idempotency key', placement(validBody, [bearer, json, 'Idempotency-Key: '])],
    [
      'idempotency_key_invalid',
      'has a space in its idempotency key',
      placement(validBody, [bearer, json, 'Idempotency-Key: a b']),
    ],
    [
      'idempotency_key_invalid',
      'has two idempotency keys',
      placement(validBody, [bearer, json, 'Idempotency-Key: a', 'Idempotency-Key: b']),
    ],
    [
      'idempotency_key_invalid',
      'has a long idempotency key',
      placement(validBody, [bearer, json, `Idempotency-Key: ${'k'.repeat(129)}`]),
    ],
    ['invalid_request', 'has an unknown query parameter', request('GET /v1/markets/BTC-USD-PERP/book?levels=5')],
    ['invalid_request', 'has a query parameter twice', request('GET /v1/markets/BTC-USD-PERP/book?depth=5&depth=6')],
    ['invalid_request', 'has a query parameter out of range', request('GET /v1/markets/BTC-USD-PERP/book?depth=501')],
    ['invalid_request', 'has a query parameter that is not a number', request('GET /v1/markets/BTC-USD-PERP/book?depth=1e1')],
    ['invalid_request', 'has an unknown timeframe', request('GET /v1/markets/BTC-USD-PERP/candles?timeframe=2m')],
    ['invalid_cursor', 'has an invented cursor', request('GET /v1/markets/BTC-USD-PERP/trades?cursor=abc')],
  ];

  test.each(cases)('returns %s if it %s', async (code, _, bytes) => {
    expectRefusal(await server.only(Buffer.from(bytes, 'latin1')), code);
    expect(server.internalErrors).toEqual([]);
  });

  test('is refused with what to correct', async () => {
    const messageFor = async (bytes: string) => JSON.parse((await server.only(bytes)).body).safeMessage;
    expect(await messageFor(placement(validBody.replace('{', '{"leverage":3,"tif":"GTC",')))).toBe(
      'Unknown field "leverage", "tif": remove it.',
    );
    expect(await messageFor(placement(validBody.replace('"quantity":"1"', '"quantity":1')))).toBe(
      'The field quantity must be a string: put the number in quotes.',
    );
    expect(await messageFor(placement(validBody.replace(',"quantity":"1"', '')))).toBe(
      'The field quantity is invalid: a market order needs quantity or notional.',
    );
    expect(await messageFor(placement(validBody.replace('"side":"buy",', '')))).toBe('The field side is required.');
    expect(await messageFor(placement(validBody.replace('"buy"', '"long"')))).toBe('The field side must be one of buy, sell.');
    expect(await messageFor(placement(''))).toBe('The body is missing.');
    expect(await messageFor(request('GET /v1/markets/BTC-USD-PERP/book?depth=0'))).toBe(
      'The query parameter depth must be at least 1.',
    );
    expect((await server.only(request('PATCH /v1/orders/7'))).headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test('is refused in time if it does not arrive', async () => {
    const unfinished = request('POST /v1/orders', [bearer, json, 'Idempotency-Key: k', 'Content-Length: 100'], '{"a"');
    expectRefusal(await server.only(unfinished), 'request_timeout');
  });

  test('reports no internal error if the client disconnects in the middle', async () => {
    await sendRaw(
      server.port,
      request('POST /v1/orders', [bearer, json, 'Idempotency-Key: k', 'Content-Length: 100'], '{"a"'),
      50,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.internalErrors).toEqual([]);
  });
});

describe('text with control characters', () => {
  test.each(['\\ud800', '\\u0000', 'a\\nb', '\\u2028'])('(%s) is refused with the reason', async (text) => {
    const body = validBody.replace('"BTC-USD-PERP"', `"${text}"`);
    expect(expectRefusal(await server.only(placement(body)), 'invalid_request').safeMessage).toBe(
      'The field marketId must be well-formed Unicode without control characters and line breaks.',
    );
  });

  test('in a path is refused too', async () => {
    expectRefusal(await server.only(request('GET /v1/markets/%00')), 'invalid_request');
  });
});

test('a tunnel request whose client disconnects at once reports no internal error', async () => {
  for (let count = 0; count < 50; count += 1) {
    await new Promise<void>((resolve) => {
      const socket = createConnection({ port: server.port, host: '127.0.0.1' }, () => {
        socket.write('CONNECT example.test:443 HTTP/1.1\r\nHost: example.test\r\n\r\nand more');
        setTimeout(() => socket.resetAndDestroy(), count % 5);
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve());
    });
  }
  expect((await server.only(request('GET /health'))).status).toBe(200);
  expect(server.internalErrors).toEqual([]);
});
