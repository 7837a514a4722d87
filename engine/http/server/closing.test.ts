/** The server closes although clients keep their connections open. */
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startVenue } from '#http/testing/venue-under-test.ts';

const lines: Socket[] = [];
afterEach(() => {
  for (const socket of lines.splice(0)) socket.destroy();
});

const PLACEMENT = 'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n';

test.each([
  ['is silent', ''],
  ['sends half a header', 'GET /v1/markets HTTP/1.1\r\nHost: x\r\n'],
  ['sends half a body', `${PLACEMENT}\r\n{"a`],
  ['stays connected after its response', 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['sends another protocol', 'hello\r\n\r\n'],
  ['requests a tunnel', 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test\r\n\r\n'],
  ['expects more', `${PLACEMENT}Expect: 100-continue\r\n\r\n`],
])('a client that %s and never disconnects does not keep the server open', async (_, bytes) => {
  const venue = await startVenue();
  const socket = createConnection({ port: venue.port, host: '127.0.0.1', allowHalfOpen: true });
  lines.push(socket);
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  socket.write(bytes);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const startedAt = performance.now();
  await venue.close();
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});
