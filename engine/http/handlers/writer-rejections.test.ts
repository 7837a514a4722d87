/** Responses if the writer rejects a placement, alone and pipelined on one connection. */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  bearer,
  expectRefusal,
  json,
  PLACEMENTS,
  placement,
  request,
  useServer,
  validBody,
} from '#http/testing/unreached-venue.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { eventually } from '#time/testing/eventually.ts';
import { IdempotencyConflict, VenueHalted, WriterBusy } from '#writer/port/submit.ts';

const server = useServer();

describe('the writer', () => {
  const places = () => server.only(placement(validBody));

  test.each([
    ['idempotency_conflict', new IdempotencyConflict('x'), undefined],
    ['venue_busy', new WriterBusy('x'), '1'],
    ['venue_halted', new VenueHalted('x'), '10'],
    ['dependency_unavailable', new StoreUnavailable('x'), '5'],
  ] as const)('rejection is returned as %s', async (code, rejection, retryAfter) => {
    server.submit = () => Promise.reject(rejection);
    const response = await places();
    expectRefusal(response, code);
    expect(response.headers['retry-after']).toBe(retryAfter);
    expect(server.internalErrors).toEqual([]);
  });

  test('failure is an internal error: reported, and returned without its text', async () => {
    server.submit = () => Promise.reject(new Error('disk /secret/path'));
    const response = await places();
    expectRefusal(response, 'internal_error');
    expect(response.body).not.toMatch(/secret|stack|Error:/);
    expect(server.internalErrors.splice(0)).toEqual([new Error('disk /secret/path')]);
  });
});

describe('bytes that follow valid requests', () => {
  const valid = placement(validBody).replace('Connection: close\r\n', '');
  const taken = 'idempotency_conflict';

  /** Rejects the first `responded` of the pipelined requests, sends the bytes, and rejects the others after the server has read them. */
  async function codesAfter(responded: number, requests: number, bytes: string): Promise<readonly string[]> {
    const rejections: (() => void)[] = [];
    server.submit = () => new Promise((_, reject) => rejections.push(() => reject(new IdempotencyConflict('x'))));
    const socket = createConnection({ port: server.port, host: '127.0.0.1' });
    const ended = once(socket, 'end');
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    const codes = () => [...text.matchAll(/"code":"(\w+)"/g)].map((match) => match[1]!);
    socket.write(valid.repeat(requests));
    await eventually(() => expect(rejections).toHaveLength(requests));
    for (const reject of rejections.slice(0, responded)) reject();
    await eventually(() => expect(codes()).toHaveLength(responded));
    socket.write(bytes);
    await eventually(() => expect(server.bytesRead()).toBe(requests * valid.length + bytes.length));
    for (const reject of rejections.slice(responded)) reject();
    await ended;
    socket.destroy();
    return codes();
  }

  const chunked = [json, 'Transfer-Encoding: chunked'];
  const tunnel = 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test\r\n\r\n';
  const expecting = 'GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: 200-maybe\r\n\r\n';

  test.each([
    ['malformed', 'malformed_request', 'and more\r\n\r\n'],
    ['a request with a malformed body', 'malformed_request', request('POST /v1/orders', [bearer, ...chunked], 'zz\r\n')],
    ['a request that was refused before its malformed body', 'unauthorized', request('POST /v1/orders', chunked, 'zz\r\n')],
    ['a tunnel', 'method_not_allowed', tunnel],
    ['an unmet expectation followed by a tunnel', 'malformed_request', expecting + tunnel],
  ])('get one response if they are %s, %s, after all others', async (_, code, bytes) => {
    for (const responded of [0, 1, 2, 3]) expect(await codesAfter(responded, 3, bytes)).toEqual([taken, taken, taken, code]);
  });
});

describe('the placement limit', () => {
  test('refuses requests beyond it', async () => {
    server.submit = () => Promise.reject(new IdempotencyConflict('x'));
    let response = await server.only(placement(validBody));
    for (let left = PLACEMENTS; left > 0 && response.status !== 429; left -= 1)
      response = await server.only(placement(validBody));
    expectRefusal(response, 'rate_limited');
    expect(response.headers).toMatchObject({
      'retry-after': '2',
      'ratelimit-policy': `"orders-per-key";q=${PLACEMENTS};w=${2 * PLACEMENTS}, "orders-per-account";q=${2 * PLACEMENTS};w=${2 * PLACEMENTS}`,
      ratelimit: `"orders-per-key";r=0;t=${2 * PLACEMENTS}, "orders-per-account";r=${PLACEMENTS};t=${PLACEMENTS}`,
    });
  });
});
