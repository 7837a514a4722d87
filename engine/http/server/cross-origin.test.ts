/** What a page of another origin may send and read, over a real socket. */
import { describe, expect, test } from 'vitest';
import { expectRefusal, request, useServer } from '#http/testing/unreached-venue.ts';

const server = useServer();

describe('a page of another origin', () => {
  const origin = ['Origin: https://app.example', 'Access-Control-Request-Method: POST'];

  test('may send a bearer and the venue’s headers, without cookies', async () => {
    const { status, headers, body } = await server.only(request('OPTIONS /v1/orders', origin));
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

  test('can read every response and its headers', async () => {
    for (const bytes of [request('GET /health', origin), request('GET /v1/api-keys/current', origin), 'hello\r\n\r\n']) {
      expect((await server.only(bytes)).headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('x-request-id'),
      });
    }
  });

  test('gets path_not_found for an unknown path', async () => {
    expectRefusal(await server.only(request('OPTIONS /v1/nothing', origin)), 'path_not_found');
  });
});
