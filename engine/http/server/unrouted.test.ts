/** Requests without an operation count by network like other unauthenticated requests, wherever the counters are. */
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { OPERATIONS } from '#contract/operations.ts';
import { Refused } from '#contract/refused.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { replyToUnrouted, routesOf } from './unrouted.ts';

let venue: VenueUnderTest | undefined;
afterEach(async () => {
  await venue?.close();
  venue = undefined;
});

const PLACES = [
  ['GET', '/v1/nothing', 404],
  ['PATCH', '/v1/orders', 405],
  ['POST', '/docs', 405],
  ['OPTIONS', '/v1/orders', 204],
  ['OPTIONS', '/docs', 204],
  ['OPTIONS', '/v1/nothing', 404],
  ['GET', '/v1/markets/%zz', 400],
] as const;

describe('an unauthenticated request', () => {
  test.each(PLACES)('%s %s returns %i, until its network has no tokens left', async (method, path, status) => {
    venue = await startVenue({ rates: { public: { burst: 2, perSecond: 0.001 } } });
    const send = (how: string, where: string) => fetch(`http://127.0.0.1:${venue!.port}${where}`, { method: how });
    const response = await send(method, path);
    expect(response.status).toBe(status);
    expect(response.headers.get('ratelimit')).toMatch(/^"public-per-network";r=1;t=[0-9]+, "public-per-site";r=[0-9]+;t=[0-9]+$/);
    // The same bucket as that of existing paths.
    expect((await send('GET', '/v1/markets')).status).toBe(200);
    const refused = await send(method, path);
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'rate_limited' }]);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect((await send('GET', '/health')).status).toBe(200);
  });
});

describe('counters in another process', () => {
  test('are awaited', async () => {
    const server = fastify();
    let left = 2;
    const counted: string[] = [];
    const count = async ({ url }: FastifyRequest, _reply: FastifyReply) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      counted.push(url);
      left -= 1;
      if (left < 0) throw new Refused('rate_limited');
    };
    const unrouted = replyToUnrouted(count, routesOf(Object.values(OPERATIONS)));
    server.addHook('onRequest', (request, reply, done) => unrouted(request, reply, done));
    server.setErrorHandler((error, _request, reply) => reply.code(500).send((error as Refused).code));
    const send = async (method: 'OPTIONS' | 'GET') => (await server.inject({ method, url: '/v1/orders' })).body;
    expect([await send('OPTIONS'), await send('GET'), await send('OPTIONS'), await send('GET')]).toEqual([
      '',
      'method_not_allowed',
      'rate_limited',
      'rate_limited',
    ]);
    expect(counted).toHaveLength(4);
  });
});
