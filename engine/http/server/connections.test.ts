/** Limits of connections, over real sockets: too many of one network, and clients that do not read. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createConnection, Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PlantedException } from '#app/testing/planted-exceptions.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { limitConnections } from './connections.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from './ports.ts';
import { TrustedProxies } from './trusted-proxies.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** More than the buffers of a connection hold. */
const LARGE = 'x'.repeat(32 << 20);

const unexpected = (error: unknown) => {
  throw error;
};

async function serves(limits: Partial<HttpLimits>, trusted: readonly string[] = []): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/later') setTimeout(() => response.end('late'), 500);
    else response.end(request.url === '/large' ? LARGE : 'small');
  });
  limitConnections(server, { ...DEFAULT_HTTP_LIMITS, ...limits }, new TrustedProxies(trusted), systemTime, unexpected);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return server;
}

function connectTo(port: number): Socket {
  const socket = createConnection({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  undo.push(() => socket.destroy());
  return socket;
}

function send(server: Server, path: string): Socket {
  const socket = connectTo((server.address() as AddressInfo).port);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return socket;
}

/** What was received, and whether the connection is open. */
function received(socket: Socket): { bytes: number; text: string; isOpen: boolean } {
  const received = { bytes: 0, text: '', isOpen: true };
  socket.on('data', (chunk) => {
    received.bytes += chunk.length;
    if (received.bytes < 1_000) received.text += String(chunk);
  });
  socket.on('close', () => {
    received.isOpen = false;
  });
  return received;
}

const openConnections = (server: Server) =>
  new Promise<number>((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));

test('closes a connection whose check throws, and still closes silent ones', async () => {
  const time = new ManualTime();
  const errors: unknown[] = [];
  const server = createServer();
  const proxies = new TrustedProxies([]);
  limitConnections(server, DEFAULT_HTTP_LIMITS, proxies, time, (error) => errors.push(error));
  const [broken, silent, closing] = [new Socket(), new Socket(), new Socket()];
  const taken = vi.spyOn(broken, 'bytesWritten', 'get').mockImplementation(() => {
    throw new PlantedException('bytesWritten');
  });
  for (const socket of [silent, closing]) vi.spyOn(socket, 'bytesWritten', 'get').mockReturnValue(1_000);
  for (const socket of [broken, silent, closing]) {
    vi.spyOn(socket, 'writableLength', 'get').mockReturnValue(10);
    server.emit('connection', socket);
  }
  server.emit('listening');
  await time.advance(DEFAULT_HTTP_LIMITS.answerTimeoutMs / 4);
  expect([broken.destroyed, silent.destroyed, taken.mock.calls.length]).toEqual([true, false, 1]);
  await time.advance(DEFAULT_HTTP_LIMITS.answerTimeoutMs);
  expect([silent.destroyed, taken.mock.calls.length]).toEqual([true, 1]);
  expect(errors).toEqual([expect.any(PlantedException)]);
  server.emit('close');
});

test('reports an exception of the clock in a check, and checks again', async () => {
  const time = new ManualTime();
  const errors: unknown[] = [];
  const server = createServer();
  const steadyClock = { elapsedMs: vi.fn(() => time.elapsedMs()) };
  steadyClock.elapsedMs.mockImplementationOnce(() => {
    throw new PlantedException('elapsedMs');
  });
  limitConnections(server, DEFAULT_HTTP_LIMITS, new TrustedProxies([]), { ...time, timers: time, steadyClock }, (error) =>
    errors.push(error),
  );
  server.emit('listening');
  await time.advance(DEFAULT_HTTP_LIMITS.answerTimeoutMs);
  expect([steadyClock.elapsedMs.mock.calls.length > 1, errors]).toEqual([true, [expect.any(PlantedException)]]);
  server.emit('close');
});

describe('a network', () => {
  test('has a maximum number of connections, and can open another when one closes', async () => {
    const server = await serves({ maxConnectionsPerNetwork: 2 });
    const sockets = [send(server, '/'), send(server, '/')];
    const all = sockets.map(received);
    await eventually(() => expect(all.every(({ text }) => text.endsWith('small'))).toBe(true));
    const beyond = received(send(server, '/'));
    await eventually(() => expect(beyond).toEqual({ bytes: 0, text: '', isOpen: false }));
    expect(all.every(({ isOpen }) => isOpen)).toBe(true);
    sockets[0]!.destroy();
    await eventually(async () => expect(await openConnections(server)).toBe(1));
    const next = received(send(server, '/'));
    await eventually(() => expect(next.text).toMatch(/small$/));
  });

  test('that is a trusted proxy has no maximum of its own', async () => {
    const server = await serves({ maxConnectionsPerNetwork: 1 }, ['127.0.0.1']);
    const all = [1, 2, 3].map(() => received(send(server, '/')));
    await eventually(() => expect(all.every(({ text }) => text.endsWith('small'))).toBe(true));
  });

  test('of one host leaves capacity for others by default', () => {
    const { maxConnections, maxConnectionsPerNetwork } = DEFAULT_HTTP_LIMITS;
    expect(maxConnectionsPerNetwork).toBe(maxConnections / 2);
  });
});

describe('a slow reader', () => {
  test('is disconnected if it reads nothing, and no other client is', async () => {
    const server = await serves({ answerTimeoutMs: 300 });
    const silent = send(server, '/large');
    silent.pause();
    // These wait for the server, not the server for them.
    const [idle, late] = [received(send(server, '/')), received(send(server, '/later'))];
    await eventually(async () => expect(await openConnections(server)).toBe(3));
    await eventually(async () => expect(await openConnections(server)).toBe(2));
    await eventually(() => expect(late.text).toMatch(/late$/));
    expect([idle.isOpen, late.isOpen]).toEqual([true, true]);
  });

  test('is disconnected by a venue if it reads nothing', async () => {
    const venue = await startVenue({ answerTimeoutMs: 200, rates: { public: { burst: 100_000, perSecond: 1 } } });
    undo.push(() => venue.close());
    const silent = connectTo(venue.port);
    silent.pause();
    const closed = once(silent, 'close');
    // Enough documents to fill the buffers in between.
    silent.write('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(64));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    silent.resume();
    let bytes = 0;
    silent.on('data', (chunk) => {
      bytes += chunk.length;
    });
    await closed;
    expect(bytes).toBeLessThan(64 * 400_000);
  });
});
