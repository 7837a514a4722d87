import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { systemTime } from '#time/system-time.ts';
import { Pace } from './pace.ts';
import { reportOnce } from './report.ts';
import { VenueClient } from './venue-client.ts';

const undo: (() => unknown)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

interface ReceivedRequest {
  readonly atMs: number;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A client, and a server that responds to every request with `respond`. */
async function clientOf(respond: (response: ServerResponse, received: readonly ReceivedRequest[]) => void) {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    received.push({ atMs: performance.now(), method: request.method, url: request.url, headers: request.headers, body });
    respond(response, received);
  }).listen(0, 'localhost');
  await once(server, 'listening');
  const stopping = new AbortController();
  undo.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => stopping.abort(),
  );
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const pace = new Pace(1_000, systemTime);
  return {
    client: new VenueClient({
      url,
      accountId: 'acct-1',
      apiKey: 'opk_x',
      pace,
      timers: systemTime.timers,
      signal: stopping.signal,
    }),
    received,
    stopping,
    server,
  };
}

function refuse(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ version: 'external-rest-error/v1', code, safeMessage: `because ${code}` }));
}

describe('the market makers’ client', () => {
  test('places orders as an ordinary client: bearer key, own idempotency key, no secret in the URL', async () => {
    const { client, received } = await clientOf((response) => response.end(JSON.stringify({ orderId: '7' })));
    const placement = {
      marketId: 'BTC-USD-PERP',
      clientOrderId: 'b0.run.1',
      side: 'buy',
      orderType: 'limit',
      price: '1',
      quantity: '2',
    } as const;
    expect(await client.place(placement)).toEqual({ resource: { orderId: '7' } });
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/v1/orders',
      headers: { authorization: 'Bearer opk_x', 'idempotency-key': 'b0.run.1', 'content-type': 'application/json' },
    });
    expect(JSON.parse(received[0]!.body)).toEqual({ accountId: 'acct-1', ...placement });
    await client.openOrders('BTC-USD-PERP');
    expect(received[1]?.url).toBe('/v1/accounts/acct-1/orders/open?limit=500&marketId=BTC-USD-PERP');
  });

  test('returns a refusal and continues at once', async () => {
    const { client, received } = await clientOf((response) => refuse(response, 409, 'order_not_open'));
    expect(await client.cancel('3')).toEqual({
      refusal: { status: 409, code: 'order_not_open', message: 'because order_not_open' },
    });
    await client.cancel('4');
    expect(received[1]!.atMs - received[0]!.atMs).toBeLessThan(480);
  });

  test.each([429, 503])('backs off after %i, longer each time, and starts over after a success', async (status) => {
    const { client, received } = await clientOf((response, all) =>
      all.length < 3 ? refuse(response, status, 'venue_busy') : response.end('{}'),
    );
    for (let count = 0; count < 5; count++) await client.account();
    const waits = received.slice(1).map(({ atMs }, index) => atMs - received[index]!.atMs);
    expect(waits[0]).toBeGreaterThan(480);
    expect(waits[1]).toBeGreaterThan(960);
    expect(waits[3]).toBeLessThan(480);
  });

  test('backs off once for concurrent requests that are refused', async () => {
    const { client, received } = await clientOf((response, all) =>
      all.length <= 5 ? refuse(response, 503, 'venue_busy') : response.end('{}'),
    );
    await Promise.all(Array.from({ length: 5 }, () => client.account()));
    await client.account();
    expect(received[5]!.atMs - received[0]!.atMs).toBeLessThan(1_500);
  });

  test('waits for the Retry-After', async () => {
    const { client, received } = await clientOf((response, all) =>
      all.length === 1 ? refuse(response, 429, 'rate_limited', { 'retry-after': '1' }) : response.end('{}'),
    );
    await client.account();
    await client.account();
    expect(received[1]!.atMs - received[0]!.atMs).toBeGreaterThan(950);
  });

  test('reports a closed or invalid venue as unreachable', async () => {
    const { client, server } = await clientOf((response) => response.end('<html>'));
    expect(await client.account()).toMatchObject({ refusal: { status: 0, code: 'unreachable' } });
    server.close();
    server.closeAllConnections();
    expect(await client.account()).toMatchObject({ refusal: { status: 0, code: 'unreachable' } });
  });

  test('stops during a backoff', async () => {
    const { client, stopping } = await clientOf((response) => refuse(response, 503, 'venue_halted', { 'retry-after': '60' }));
    await client.account();
    const waiting = client.account();
    stopping.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
  });
});

describe('reports', () => {
  test('log each kind of refusal once', () => {
    const lines: string[] = [];
    const report = reportOnce('maker BTC-USD-PERP', (line) => lines.push(line));
    for (const code of ['venue_busy', 'venue_busy', 'unreachable', 'venue_busy'] as const)
      report({ status: 0, code, message: 'so it is' });
    expect(lines).toEqual([
      'market makers: maker BTC-USD-PERP: venue_busy: so it is (logged once)',
      'market makers: maker BTC-USD-PERP: unreachable: so it is (logged once)',
    ]);
  });
});
