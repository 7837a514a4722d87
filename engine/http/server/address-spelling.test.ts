/** Different spellings of a URL are routed and refused alike. */
import { describe, expect, test } from 'vitest';
import { unifiedError } from '#contract/unified-errors.ts';
import { expectRefusal, request, useServer } from '#http/testing/unreached-venue.ts';

const server = useServer();

describe('a refusal under /v2', () => {
  test.each([
    ['invalid_request', '/v2/markets?x=1'],
    ['invalid_request', '/%76%32/markets?x=1'],
    ['invalid_request', '/v%32/markets?x=1'],
    ['invalid_request', '/%762/markets/%00/stats'],
    ['invalid_request', 'http://localhost/v2/markets?x=1'],
    ['invalid_request', 'HTTPS://localhost/v%32/markets?x=1'],
    ['malformed_request', '/v2/orders/%zz'],
    ['malformed_request', '/v2/markets/%ff/stats'],
    ['malformed_request', '/%76%32/markets/%e0%a4%a/book'],
    ['malformed_request', 'http://localhost/v2/orders/%'],
    ['path_not_found', '/%76%32/nothing'],
    ['path_not_found', 'http://localhost/v2/nothing'],
  ])('has the shape of /v2: %s at %s', async (code, address) => {
    const { body } = await server.only(request(`GET ${address}`));
    expect(unifiedError.parse(JSON.parse(body)).code).toBe(code);
  });

  test.each(['/v2%2fmarkets?x=1', '/%2576%2532/markets?x=1', '/v1?/v2/', '/v1/nothing?at=http://localhost/v2/'])(
    'is not given to a URL that only looks like it: %s',
    async (address) => {
      expectRefusal(await server.only(request(`GET ${address}`)), 'path_not_found');
    },
  );
});

describe.each(['/v1/orders', '/v1/%6frders', '/%76%31/orders?x=%zz', '/v1/orders#x', 'http://localhost/v1/orders'])(
  '%s',
  (address) => {
    test.each(['DELETE', 'PROPFIND'])('returns the allowed methods to %s', async (method) => {
      const response = await server.only(request(`${method} ${address}`));
      expectRefusal(response, 'method_not_allowed');
      expect(response.headers.allow).toBe('POST, OPTIONS');
    });
  },
);

test('a preflight gets the allowed methods, however the URL is spelled', async () => {
  for (const address of ['/v1/orders', '/v1/%6frders', 'http://localhost/v1/orders']) {
    const { status, headers } = await server.only(request(`OPTIONS ${address}`));
    expect([status, headers.allow]).toEqual([204, 'POST, OPTIONS']);
  }
  expect((await server.only(request('DELETE http://localhost'))).headers.allow).toBe('GET, HEAD, OPTIONS');
});

test('an encoded slash or percent sign does not match a path', async () => {
  expectRefusal(await server.only(request('DELETE /v1%2forders')), 'path_not_found');
  expectRefusal(await server.only(request('DELETE /v1/%256frders')), 'path_not_found');
  expectRefusal(await server.only(request('PROPFIND /v1/%zz')), 'malformed_request');
  expect(server.internalErrors).toEqual([]);
});
