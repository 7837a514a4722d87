import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { pongFrame, textFrame } from './frame-bytes.ts';

/** A client of `ws`, and the socket that its server end writes to. */
async function connected(): Promise<{ client: WebSocket; tcpSocket: Duplex; server: WebSocket }> {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const { promise, resolve } = Promise.withResolvers<{ tcpSocket: Duplex; server: WebSocket }>();
  http.on('upgrade', (request, tcpSocket, head) =>
    sockets.handleUpgrade(request, tcpSocket, head, (server) => resolve({ tcpSocket, server })),
  );
  http.listen(0, 'localhost');
  await once(http, 'listening');
  const client = new WebSocket(`ws://localhost:${(http.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.terminate();
    http.close();
  });
  return { client, ...(await promise) };
}

test('writes frames of every length that arrive between the frames of ws', async () => {
  const { client, tcpSocket, server } = await connected();
  // The first and last payload of each header length; characters of up to four bytes.
  const texts = [0, 1, 125, 126, 65_535, 65_536, 200_000].map((length) => 'a'.repeat(length));
  texts.push('ä€😀', 'é'.repeat(63));
  const received: string[] = [];
  client.on('message', (bytes, isBinary) => received.push(isBinary ? 'binary' : String(bytes)));
  const pings = once(client, 'ping');
  tcpSocket.write(Buffer.concat(texts.map(textFrame)));
  server.ping('between');
  tcpSocket.write(textFrame('after the ping'));
  server.send('by ws');
  tcpSocket.write(textFrame('the last'));
  server.close(4_000, 'done');
  const [code] = await once(client, 'close');
  expect(code).toBe(4_000);
  expect(String((await pings)[0])).toBe('between');
  expect(received).toEqual([...texts, 'after the ping', 'by ws', 'the last']);
});

test('echoes the data of a ping in the pong', async () => {
  const { client, tcpSocket } = await connected();
  for (const length of [0, 1, 125]) {
    const data = Buffer.alloc(length, 'p');
    const received = once(client, 'pong');
    tcpSocket.write(pongFrame(data));
    expect((await received)[0]).toEqual(data);
  }
});
