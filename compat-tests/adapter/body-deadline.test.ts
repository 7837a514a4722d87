/** A response that stops within its body: the caller gets a timeout, and nothing is left that keeps the program from ending. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import ccxt from 'ccxt';
import { expect, onTestFinished, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { eventually } from '#time/testing/eventually.ts';

test('ends its connection at the timeout, and not before', async () => {
  let isWhole = false;
  const open = new Set<object>();
  const server = createServer((_, response) => {
    const body = JSON.stringify({ version: 'external-account/v1', serverTimeEpochMs: 1 });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.write(body.slice(0, 5));
    if (isWhole) setTimeout(() => response.end(body.slice(5)), 100);
  });
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const rest = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const exchange = new OpenPerp({ urls: { api: { rest } }, timeout: 400, enableRateLimit: false });
  for (let attempt = 0; attempt < 3; attempt += 1) await expect(exchange.fetchTime()).rejects.toBeInstanceOf(ccxt.RequestTimeout);
  await eventually(() => expect(open.size).toBe(0));
  isWhole = true;
  expect(await exchange.fetchTime()).toBe(1);
  expect(open.size).toBe(1);
});
