/** Tests the class of `realtime-in-sync.md` with connections that the page's own program does not have. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { eventually } from '#time/testing/eventually.ts';
import { readPage } from './testing/page.ts';

interface Stream {
  follow(named: object, parts: { read: () => Promise<number>; apply: (data: unknown) => void }): void;
  connect(): Promise<void>;
  close(): void;
}

/** The class as a reader saves it, with a client that only returns tickets. */
async function streamTo(url: string): Promise<Stream> {
  const folder = mkdtempSync(join(tmpdir(), 'openperp-stream-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'bot'));
  symlinkSync(join(import.meta.dirname, '..', 'node_modules'), join(folder, 'node_modules'));
  const page = readPage('realtime-in-sync.md', readFileSync(join(import.meta.dirname, 'realtime-in-sync.md'), 'utf8'));
  const program = join(folder, 'bot', 'stream.mjs');
  writeFileSync(program, page.files.get('stream.mjs')!);
  const ticket = "{ ticket: 'ticket', expiresAt: Date.now() + 3_600_000 }";
  writeFileSync(join(folder, 'bot', 'venue.mjs'), `export const call = async () => (${ticket});`);
  vi.stubEnv('OPENPERP_REALTIME_URL', url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { Stream } = await import(/* @vite-ignore */ pathToFileURL(program).href);
  return new Stream();
}

test('repeats a subscription without room for its replay on the same socket only', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(() => server.close());
  /** The number of subscriptions per socket. */
  const subscribed: number[] = [];
  server.on('connection', (socket: WebSocket) => {
    const place = subscribed.push(0) - 1;
    const send = (frame: object) => socket.send(JSON.stringify(frame));
    send({ type: 'hello' });
    socket.on('message', (bytes) => {
      const { op, channel } = JSON.parse(String(bytes));
      if (op === 'auth') send({ type: 'auth_ok' });
      if (op !== 'subscribe') return;
      subscribed[place]! += 1;
      // The first socket has no room, and its connection breaks.
      if (place === 0) send({ type: 'error', code: 'no_room_for_replay', channel });
      if (place === 0) setTimeout(() => socket.terminate(), 100);
      // The next one has no room at first either.
      else if (subscribed[place] === 1) send({ type: 'error', code: 'no_room_for_replay', channel });
    });
  });
  const stream = await streamTo(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  stream.follow({ channel: 'account.orders', accountId: 'acct-1' }, { read: async () => 5, apply: () => {} });
  await stream.connect();
  await eventually(() => expect(subscribed[1]).toBe(2));
  // By now the first socket has subscribed again too.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  stream.close();
  expect(subscribed).toEqual([1, 2]);
});
