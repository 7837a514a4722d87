/** The door of the realtime service: lines of clients that do as they like, and never hang up by themselves. */
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Sequence } from '#units/ids.ts';
import { systemClock } from '#writer/clock.ts';
import { DEFAULT_REALTIME_LIMITS, type RealtimeLimits, type RealtimeReads } from './ports.ts';
import { type RealtimeService, startRealtime } from './service.ts';

/** A venue without markets: nobody comes as far as to ask for one. */
const reads: RealtimeReads = {
  sequence: () => 0 as Sequence,
  market: () => undefined,
  book: () => expect.fail('a book was read'),
  stats: () => expect.fail('a ticker was read'),
};

let service: RealtimeService | undefined;
const lines: Socket[] = [];
afterEach(async () => {
  for (const socket of lines.splice(0)) socket.destroy();
  await service?.close();
  service = undefined;
});

async function open(limits: Partial<RealtimeLimits> = {}): Promise<void> {
  service = await startRealtime({
    host: 'localhost',
    port: 0,
    reads,
    clock: systemClock,
    limits: { ...DEFAULT_REALTIME_LIMITS, ...limits },
    provider: 'generated',
    log: () => {},
    onDefect: (defect) => expect.fail(String(defect)),
  });
}

async function client(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://localhost:${service!.port}`);
  await once(socket, 'open');
  return socket;
}

async function expectServed(socket: WebSocket): Promise<void> {
  const heard: string[] = [];
  socket.on('message', (bytes) => heard.push(String(bytes)));
  socket.send('{"op":"ping"}');
  await vi.waitFor(() => expect(heard).toContain('{"type":"pong"}'), { timeout: 3_000 });
}

interface Line {
  /** What came in, once it holds the pattern. */
  received(pattern: RegExp): Promise<string>;
  readonly closed: Promise<unknown>;
}

/** A line of a client that does as it likes: it sends the bytes and nothing more, and never hangs up by itself. */
async function line(...sent: (string | Buffer)[]): Promise<Line> {
  const socket = createConnection({ port: service!.port, host: 'localhost', allowHalfOpen: true });
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = Promise.race([once(socket, 'end'), once(socket, 'close')]);
  lines.push(socket);
  await once(socket, 'connect');
  for (const part of sent) socket.write(part);
  // The other end has taken it in.
  await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    closed,
    received: async (pattern) => {
      await vi.waitFor(() => expect(text).toMatch(pattern), { timeout: 3_000 });
      return text;
    },
  };
}

function handshake(...after: Buffer[]): Promise<Line> {
  const headers = ['Host: x', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  return line(['GET / HTTP/1.1', ...headers, key, '', ''].join('\r\n'), ...after);
}

describe('the door of the realtime service', () => {
  test('takes so many connections and no more: the next one is answered 503, and what it sends then harms nobody', async () => {
    await open({ maxConnections: 1 });
    const first = await client();
    const refused = await handshake();
    expect(await refused.received(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 503 /);
    await refused.closed;
    const rash = await handshake(Buffer.from([0xff, 0x00, 0xff, 0xff]));
    await rash.closed;
    await expectServed(first);
  });

  test('cuts off a client whose first frame is broken, and nobody else', async () => {
    await open();
    const first = await client();
    const broken = await handshake(Buffer.from([0xff, 0x00]));
    expect(await broken.received(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 101 /);
    await broken.closed;
    await expectServed(first);
  });

  test('cuts off a line that never asks for a socket, and tells one that asks for something else', async () => {
    await open({ handshakeMs: 200 });
    for (const text of ['', 'GET / HTTP/1.1\r\nHost: x\r\n']) await (await line(text)).closed;
    const page = await line('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await page.received(/WebSocket/)).toMatch(/^HTTP\/1\.1 426 /);
    await page.closed;
  });

  test('ends although mute lines hang on it', async () => {
    await open();
    await line('');
    await line('GET / HTTP/1.1\r\nHost: x\r\n');
    await handshake();
    const began = performance.now();
    await service?.close();
    service = undefined;
    expect(performance.now() - began).toBeLessThan(4_000);
  });
});
