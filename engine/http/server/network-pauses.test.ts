/** Paused networks: their connections stay paused until the network may send again, and no others are paused or resumed. */
import { createServer, type RequestListener } from 'node:http';
import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { pausingServer } from '#http/testing/pausing-server.ts';
import { eventually } from '#time/testing/eventually.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { limitConnectionsPerNetwork } from './connections-per-network.ts';
import { NetworkPauses } from './network-pauses.ts';
import { FREE_REQUESTS_PER_READ, MAX_CHUNKS_PER_REQUEST } from './pipelined-requests.ts';
import { TrustedProxies } from './trusted-proxies.ts';

const READ = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const UNENDED = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n';
/** Just more than a network may send at once. */
const TOO_MANY = FREE_REQUESTS_PER_READ + 8_192 / MAX_CHUNKS_PER_REQUEST + 1;

test('pauses a connection whose last request of a read is incomplete', async () => {
  const answersOthers: RequestListener = (request, response) => {
    if (request.socket.remoteAddress === '127.0.0.2') response.end('x');
  };
  const { time, open, received, arePaused } = await pausingServer([], answersOthers);
  const [hostile, other] = [await open(), await open('127.0.0.2')];
  hostile.send(READ.repeat(TOO_MANY) + UNENDED);
  await eventually(() => expect(arePaused()[0]).toBe(true));
  const [before = 0] = received();
  hostile.send(`x${READ}`);
  for (let sent = 1; sent <= 3; sent += 1) {
    other.send(READ);
    await other.responded(sent);
  }
  expect(received()[0]).toBe(before);
  await time.advance(2_000);
  await eventually(() => expect(received()[0]).toBe(before + 1 + READ.length));
});

test('does not resume a body that the handler does not read when its network may send again', async () => {
  const takesNoBody: RequestListener = (request, response) => {
    if (request.method === 'GET') response.end('x');
  };
  const { time, open, received, arePaused } = await pausingServer([], takesNoBody);
  const [waiting, other] = [await open(), await open()];
  waiting.send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16000000\r\n\r\n${'x'.repeat(16_000_000)}`);
  await eventually(() => expect(arePaused()[0]).toBe(true));
  const [before] = received();
  for (const [round, count] of [TOO_MANY - 1, TOO_MANY].entries()) {
    other.send(READ.repeat(count));
    await other.responded(round === 0 ? count : TOO_MANY - 1 + count);
    await time.advance(3_000);
    expect([received()[0], arePaused()]).toEqual([before, [true, false]]);
  }
});

/** Connections from addresses that this machine does not have. */
function connectionsFrom(...addresses: readonly string[]) {
  const time = new ManualTime();
  const server = createServer();
  const proxies = new TrustedProxies([]);
  const onInternalError = (error: unknown) => {
    throw error;
  };
  const connectionsOf = limitConnectionsPerNetwork(server, 100, proxies, onInternalError);
  const pauses = new NetworkPauses(server, { ...time, connectionsOf, proxies, onInternalError });
  const lines = addresses.map((address) => {
    const line = new Socket();
    vi.spyOn(line, 'remoteAddress', 'get').mockReturnValue(address);
    server.emit('connection', line);
    return line;
  });
  return { time, pauses, arePaused: () => lines.map((line) => line.isPaused()) };
}

test('pauses a network for some seconds, whatever it has sent', async () => {
  const { time, pauses, arePaused } = connectionsFrom('192.0.2.7');
  for (let times = 1; times <= 10; times += 1) pauses.charge('192.0.2.7', 150_000);
  await time.advance(7_500);
  expect(arePaused()).toEqual([true]);
  await time.advance(750);
  expect(arePaused()).toEqual([false]);
  await time.advance(1_250);
  expect(time.timerCount).toBe(0);
});

test('pauses a site whose networks send too much together', async () => {
  const { time, pauses, arePaused } = connectionsFrom('2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:2:1::1');
  pauses.charge('2001:db8:1:3', 8_192);
  pauses.charge('2001:db8:1:4', 8_192);
  expect(arePaused()).toEqual([false, false, false]);
  pauses.charge('2001:db8:1:1', 8_192);
  expect(arePaused()).toEqual([true, true, false]);
  await time.advance(2_000);
  expect([arePaused(), time.timerCount]).toEqual([[false, false, false], 0]);
});
