import { expect, test } from 'vitest';
import { VenueClient } from './client.ts';
import { VenueError } from './venue-error.ts';

function clientOf(...responses: readonly (Response | Error)[]) {
  const sent: { path: string; init: RequestInit }[] = [];
  const left = [...responses];
  const client = new VenueClient(async (path, init) => {
    sent.push({ path, init });
    const response = left.shift()!;
    if (response instanceof Error) throw response;
    return response;
  });
  return { client, sent };
}

const REFUSED = { code: 'unauthorized', safeMessage: 'The session has expired.', retryable: false, requestId: 'request-1' };

test('sends the bearer only to the venue, only in the header, and only after sign-in', async () => {
  const { client, sent } = clientOf(Response.json({}), Response.json({}), Response.json({}));
  await client.send({ method: 'GET', path: '/v1/a' });
  client.signIn('secret');
  await client.send({ method: 'POST', path: '/v1/b', body: { amount: '1.5' }, idempotencyKey: 'key-1' });
  client.forget();
  await client.send({ method: 'GET', path: '/v1/a' });
  expect(sent.map(({ init }) => init.headers)).toEqual([
    {},
    { authorization: 'Bearer secret', 'content-type': 'application/json', 'idempotency-key': 'key-1' },
    {},
  ]);
  expect(sent[1]!.init).toMatchObject({ body: '{"amount":"1.5"}', credentials: 'omit', redirect: 'error' });
  expect(JSON.stringify(sent.map(({ path }) => path))).not.toContain('secret');
});

test('an empty response is no error', async () => {
  const { client } = clientOf(new Response(null, { status: 204 }));
  expect(await client.send({ method: 'DELETE', path: '/v1/a' })).toBeUndefined();
});

test('throws the refusal of the venue, with how long to wait', async () => {
  const { client } = clientOf(
    Response.json({ ...REFUSED, code: 'rate_limited', retryable: true }, { status: 429, headers: { 'retry-after': '3' } }),
  );
  const error = await client.send({ method: 'GET', path: '/v1/a' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    status: 429,
    code: 'rate_limited',
    isRetryable: true,
    retryAfterMs: 3_000,
    requestId: 'request-1',
  });
});

test.each([
  ['no response', new TypeError('Failed to fetch')],
  ['a response that is cut off', new Response('{"a":', { status: 200 })],
])('%s may pass', async (_, response) => {
  const { client } = clientOf(response);
  await expect(client.send({ method: 'GET', path: '/v1/a' })).rejects.toEqual(VenueError.unreachable());
});

test('a proxy’s page is not shown as the venue’s text', async () => {
  const { client } = clientOf(new Response('<h1>Bad gateway</h1>', { status: 502 }));
  await expect(client.send({ method: 'GET', path: '/v1/a' })).rejects.toMatchObject({
    status: 502,
    isRetryable: true,
    message: 'The venue answered with status 502.',
  });
});

test('reports the end of the session, unless the owner has signed in again', async () => {
  const { client } = clientOf(...Array.from({ length: 3 }, () => Response.json(REFUSED, { status: 401 })));
  let ended = 0;
  client.onSessionEnded = () => {
    ended += 1;
  };
  await client.send({ method: 'GET', path: '/v1/a' }).catch(() => {});
  expect(ended).toBe(0);
  client.signIn('first');
  await client.send({ method: 'GET', path: '/v1/a' }).catch(() => {});
  expect(ended).toBe(1);
  const late = client.send({ method: 'GET', path: '/v1/a' }).catch(() => {});
  client.signIn('second');
  await late;
  expect(ended).toBe(1);
});
