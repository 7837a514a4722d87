/**
 * Clients behind a proxy, at both services: each is counted by its own network if the operator trusts the proxy, and only then.
 */
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function started(trustedProxies: readonly string[]): Promise<TestVenue & { readonly seen: readonly string[] }> {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  const seen: string[] = [];
  const logRequests = () => (_status: number, _elapsedMs: number, _refusal: unknown, request: { clientAddress: string }) =>
    void seen.push(request.clientAddress);
  const config = testConfig(path, { host: '127.0.0.1', readsPerSecond: 1, trustedProxies });
  const venue = await startTestVenue(config, { logRequests });
  undo.push(() => venue.stop());
  return { ...venue, seen };
}

/** Burst 2, refill 1 per second: the third request is refused, unless it belongs to another client. */
async function statuses({ url }: TestVenue, ...forwardedFor: string[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const client of forwardedFor) {
    const { status } = await fetch(`${url}/v1/markets`, { headers: { 'x-forwarded-for': client } });
    statuses.push(status);
  }
  return statuses;
}

async function opens({ realtimeUrl }: TestVenue, forwardedFor: string): Promise<boolean> {
  const socket = new WebSocket(realtimeUrl, { headers: { 'x-forwarded-for': forwardedFor } });
  undo.push(() => socket.terminate());
  return Promise.race([once(socket, 'open').then(() => true), once(socket, 'unexpected-response').then(() => false)]);
}

describe('behind a proxy', () => {
  test('that is trusted, counts each client separately and ignores forged addresses', async () => {
    const venue = await started(['127.0.0.0/8']);
    const [one, other] = ['203.0.113.1', '203.0.113.2'];
    expect(await statuses(venue, one, one, one, other)).toEqual([200, 200, 429, 200]);
    expect(await statuses(venue, `198.51.100.1, ${one}`, `198.51.100.2, ${one}`)).toContain(429);
    expect(new Set(venue.seen)).toEqual(new Set([one, other]));
    expect(await opens(venue, one)).toBe(true);
  });

  test('that is not trusted, counts all clients as one', async () => {
    const venue = await started([]);
    expect(await statuses(venue, '203.0.113.1', '203.0.113.2', '203.0.113.3')).toEqual([200, 200, 429]);
    expect(new Set(venue.seen)).toEqual(new Set(['127.0.0.1']));
  });
});
