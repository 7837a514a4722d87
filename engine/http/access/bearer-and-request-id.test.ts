/** Authentication by bearer, and the request id. */
import { describe, expect, test } from 'vitest';
import { apiKey, expectRefusal, request, useServer } from '#http/testing/unreached-venue.ts';
import { createApiKey } from '#identity/api-key.ts';
import type { Identification } from '#identity/directory.ts';

const server = useServer();

describe('the bearer', () => {
  const reading = (authorization: string) => request('GET /v1/api-keys/current', [`Authorization: ${authorization}`]);

  test.each<[Extract<Identification, { rejection: string }>['rejection'], string]>([
    ['missing', ''],
    ['malformed', 'Bearer opk_x'],
    ['malformed', `Basic ${apiKey.key}`],
    ['unknown', `Bearer ${createApiKey().key}`],
  ])('that is %s is refused without echoing it', async (rejection, authorization) => {
    const response = await server.only(reading(authorization));
    expect(expectRefusal(response, 'unauthorized').apiKeyRejection).toBe(rejection);
    expect(response.headers['www-authenticate']).toContain('Bearer');
    expect(response.body).not.toContain('opk_');
  });
});

describe('the request id', () => {
  const idOf = async (bytes: string) => (await server.only(bytes)).headers['x-request-id'];

  test.each([
    ['a response', request('GET /health', ['X-Request-Id: order-7.retry_2'])],
    ['a refusal', request('GET /nothing', ['X-Request-Id: order-7.retry_2'])],
    ['a refused tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: order-7.retry_2\r\n\r\n'],
    ['a refused expectation', request('GET /health', ['Expect: 200-maybe', 'X-Request-Id: order-7.retry_2'])],
  ])('of %s is the caller’s own', async (_, bytes) => {
    expect(await idOf(bytes)).toBe('order-7.retry_2');
  });

  test.each([
    ['cannot be logged safely', 'a b"c'],
    ['is longer than 64 characters', 'a'.repeat(65)],
    ['is an API key', apiKey.key],
    ['looks like a ticket', 'A'.repeat(43)],
  ])('is a new one if the given one %s', async (_, given) => {
    expect(await idOf(request('GET /nothing', [`X-Request-Id: ${given}`]))).toMatch(/^[0-9a-f-]{36}$/);
  });
});
