/** A server that pauses networks as a venue does, with a manual clock, and raw connections to it. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { limitNetworks } from '#http/server/network-limits.ts';
import { TrustedProxies } from '#http/server/trusted-proxies.ts';
import { eventually } from '#time/testing/eventually.ts';
import { ManualTime } from '#time/testing/manual-time.ts';

const readToItsEnd: RequestListener = (request, response) => request.resume().on('end', () => response.end('x'));

/** `trusted`: addresses of proxies. It closes at the end of the test, which fails if a handler threw. */
export async function pausingServer(trusted: readonly string[] = [], response = readToItsEnd) {
  const time = new ManualTime();
  const proxies = new TrustedProxies(trusted);
  const errors: unknown[] = [];
  const onInternalError = (error: unknown) => errors.push(error);
  const http = createServer({ requireHostHeader: false }, response);
  http.on('checkExpectation', response);
  limitNetworks(http, { ...time, maxConnections: 100, proxies, onInternalError });
  const accepted: Socket[] = [];
  http.on('connection', (socket: Socket) => accepted.push(socket));
  http.listen(0, '0.0.0.0');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
    expect(errors).toEqual([]);
  });
  const { port } = http.address() as AddressInfo;
  const open = async (localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    return {
      send: (sent: string) => socket.write(sent),
      responded: (times = 1) => eventually(() => expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(times)),
      isAnswered: () => text.startsWith('HTTP/1.1 200 '),
    };
  };
  return {
    time,
    open,
    arePaused: () => accepted.map((socket) => socket.isPaused()),
    received: () => accepted.map((socket) => socket.bytesRead),
  };
}
