/** Upgrades of the realtime service, with raw sockets that send any bytes and never close by themselves. */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '#time/testing/eventually.ts';
import { RecordedService } from './testing/recorded-service.ts';
import { isOriginAllowed } from './upgrade.ts';

interface RawConnection {
  /** All received text, once it matches the pattern. */
  received(pattern: RegExp): Promise<string>;
  readonly closed: Promise<unknown>;
  closeConnection(): void;
}

/** A raw client connection: it sends exactly these bytes, and never closes by itself. */
async function rawConnection({ port }: RecordedService, ...sent: (string | Buffer)[]): Promise<RawConnection> {
  const socket = createConnection({ port, host: 'localhost', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = Promise.race([once(socket, 'end'), once(socket, 'close')]);
  await once(socket, 'connect');
  for (const part of sent) socket.write(part);
  // Gives the server time to read them.
  await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    closed,
    closeConnection: () => void socket.destroy(),
    received: async (pattern) => {
      await eventually(() => expect(text).toMatch(pattern));
      return text;
    },
  };
}

function handshake(
  service: RecordedService,
  { path = '/', origin = '', forwardedFor = '' } = {},
  ...after: Buffer[]
): Promise<RawConnection> {
  const headers = ['Host: venue.example:8081', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  if (origin !== '') headers.push(`Origin: ${origin}`);
  if (forwardedFor !== '') headers.push(`X-Forwarded-For: ${forwardedFor}`);
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  return rawConnection(service, [`GET ${path} HTTP/1.1`, ...headers, key, '', ''].join('\r\n'), ...after);
}

describe('upgrades of the realtime service', () => {
  test('negotiates no subprotocol', async () => {
    const service = await RecordedService.start();
    const client = new WebSocket(`ws://localhost:${service.port}`, ['other'], { perMessageDeflate: false });
    client.on('error', () => {});
    const [response] = (await once(client, 'upgrade')) as [{ readonly headers: Readonly<Record<string, string>> }];
    expect(response.headers).not.toHaveProperty('sec-websocket-protocol');
  });

  test.each([
    ['the total limit of connections', { maxConnections: 1 }],
    ['the limit of a network', { maxConnectionsPerNetwork: 1 }],
  ])('responds 503 beyond %s and is not disturbed by what the client sends then', async (_, limits) => {
    const service = await RecordedService.start(undefined, limits);
    const first = await service.connect();
    const refused = await handshake(service);
    expect(await refused.received(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 503 .*Retry-After/s);
    await refused.closed;
    const rash = await handshake(service, {}, Buffer.from([0xff, 0x00, 0xff, 0xff]));
    await rash.closed;
    await first.drained();
    first.socket.close();
    await first.closes();
    await eventually(async () => void (await service.connect()));
  });

  test('refuses handshakes of a network beyond its rate, and accepts those of another network', async () => {
    const service = await RecordedService.start(undefined, { handshakeBurst: 3, handshakesPerSecond: 1 });
    service.steadyStoppedAtMs = 0;
    const first = await service.connect();
    // A refused handshake counts as well.
    await (await handshake(service, { path: '/elsewhere' })).closed;
    await service.connect();
    expect(await (await handshake(service)).received(/\r\n\r\n.+/)).toMatch(/^HTTP\/1\.1 503 .*Retry-After.*faster/s);
    await service.connect('127.0.0.2');
    await first.drained();
    service.steadyAheadMs += 1_000;
    await service.connect();
  });

  test.each([
    ['', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    [' without a host', 'GET / HTTP/1.1\r\n\r\n'],
    [' with an unsupported expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: y\r\n\r\n'],
  ])('pauses reading from a network with too many pipelined requests%s', async (_, request) => {
    const service = await RecordedService.start();
    service.steadyStoppedAtMs = 0;
    const opened = await service.connect();
    await (await rawConnection(service, request.repeat(400))).received(/HTTP/);
    const late = await handshake(service);
    let isAnswered = false;
    const responded = late.received(/^HTTP\/1\.1 101 /).then(() => {
      isAnswered = true;
    });
    for (const client of [opened, await service.connect('127.0.0.2')]) await client.drained();
    expect(isAnswered).toBe(false);
    service.steadyAheadMs += 10_000;
    await responded;
  });

  test.each([
    ['each client of a trusted proxy on its own', ['127.0.0.0/8', '::1'], [101, 101, 503]],
    ['all clients of an untrusted proxy together', [], [101, 503, 503]],
  ])('counts %s', async (_, trusted, statuses) => {
    const service = await RecordedService.start(undefined, { maxConnectionsPerNetwork: 1 }, [], trusted);
    const responded: number[] = [];
    for (const forwardedFor of ['203.0.113.1', '203.0.113.1, 203.0.113.2', '198.51.100.1, 203.0.113.1']) {
      const shaken = await handshake(service, { forwardedFor });
      responded.push(Number((await shaken.received(/\r\n\r\n/)).split(' ')[1]));
    }
    expect(responded).toEqual(statuses);
  });

  test('counts the networks of an IPv6 site together', async () => {
    const service = await RecordedService.start(undefined, { maxConnectionsPerSite: 2 }, [], ['127.0.0.0/8', '::1']);
    const responded: number[] = [];
    for (const forwardedFor of ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2:1::1']) {
      const shaken = await handshake(service, { forwardedFor });
      responded.push(Number((await shaken.received(/\r\n\r\n/)).split(' ')[1]));
    }
    expect(responded).toEqual([101, 101, 503, 101]);
  });

  test('does not count connections of a trusted proxy as its own', async () => {
    const limits = { maxConnectionsPerNetwork: 1, maxHandshakesPerNetwork: 1 };
    const service = await RecordedService.start(undefined, limits, [], ['127.0.0.0/8', '::1']);
    await Promise.all(Array.from({ length: 4 }, () => rawConnection(service, '')));
    const shaken = await handshake(service, { forwardedFor: '203.0.113.1' });
    expect(await shaken.received(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 101 /);
  });

  test('closes only the connection whose first frame is malformed', async () => {
    const service = await RecordedService.start();
    const first = await service.connect();
    const broken = await handshake(service, {}, Buffer.from([0xff, 0x00]));
    expect(await broken.received(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 101 /);
    await broken.closed;
    await first.drained();
  });

  test('refuses an address with a query, so that no ticket is ever in one, and any other path', async () => {
    const service = await RecordedService.start();
    const secret = 'A'.repeat(43);
    for (const path of [`/?ticket=${secret}`, '/?']) {
      const text = await (await handshake(service, { path })).received(/\r\n\r\n.+/);
      expect(text).toMatch(/^HTTP\/1\.1 400 .*never into an address/s);
      expect(text).not.toContain(secret);
    }
    expect(await (await handshake(service, { path: `/${secret}` })).received(/\r\n\r\n.+/)).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('accepts pages of its own host and of configured origins', async () => {
    const service = await RecordedService.start(undefined, {}, ['https://app.example']);
    const statusFor = async (origin: string) =>
      Number((await (await handshake(service, { origin })).received(/\r\n\r\n/)).split(' ')[1]);
    expect(await statusFor('http://venue.example:3000')).toBe(101);
    expect(await statusFor('https://app.example')).toBe(101);
    expect(await statusFor('https://stranger.example')).toBe(403);
    expect(await statusFor('null')).toBe(403);
  });

  test.each([
    [undefined, 'a:1', [], true],
    ['http://a', 'a:1', [], true],
    ['https://a:8', 'a:1', [], true],
    ['http://[::1]:3000', '[::1]:8081', [], true],
    ['http://b.a', 'a:1', [], false],
    ['http://a.evil', 'a:1', [], false],
    ['http://a', undefined, [], false],
    ['garbage', 'a:1', [], false],
    ['http://b', 'a:1', ['*'], true],
    ['http://b', 'a:1', ['http://b'], true],
    ['http://b:1', 'a:1', ['http://b'], false],
  ])('origin %s at host %s with %j: %s', (origin, host, origins, isAllowed) => {
    expect(isOriginAllowed(origin, host, origins)).toBe(isAllowed);
  });

  test('closes a connection that never requests an upgrade, and responds 426 to another request', async () => {
    const service = await RecordedService.start(undefined, { handshakeMs: 200 });
    for (const text of ['', 'GET / HTTP/1.1\r\nHost: x\r\n']) await (await rawConnection(service, text)).closed;
    const page = await rawConnection(service, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await page.received(/WebSocket/)).toMatch(/^HTTP\/1\.1 426 /);
    await page.closed;
  });

  test('closes connections of a network beyond its limit before they send a request', async () => {
    const service = await RecordedService.start(undefined, { maxConnectionsPerNetwork: 2, maxHandshakesPerNetwork: 3 });
    const first = await service.connect();
    const silent = await Promise.all(Array.from({ length: 4 }, () => rawConnection(service, '')));
    let isOneClosed = false;
    for (const { closed } of silent) void closed.then(() => (isOneClosed = true));
    for (let count = 0; count < 3; count += 1) await (await rawConnection(service, '')).closed;
    expect(isOneClosed).toBe(false);
    await first.drained();
    // Another network is unaffected, and a closed connection frees capacity.
    await service.connect('127.0.0.2');
    silent[0]!.closeConnection();
    await eventually(() => service.connect());
  });

  test('closes although silent connections are open', async () => {
    const service = await RecordedService.start();
    await rawConnection(service, '');
    await rawConnection(service, 'GET / HTTP/1.1\r\nHost: x\r\n');
    await handshake(service);
    const silent = new WebSocket(`ws://localhost:${service.port}`);
    await once(silent, 'open');
    const startedAt = performance.now();
    await service.service.close();
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });
});
