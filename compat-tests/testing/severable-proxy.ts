/** A connection to a socket service that a test can cut, hold back or inspect, to try reconnects. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SeverableProxy {
  readonly url: string;
  /** The number of connections ever opened. */
  readonly opened: number;
  /** Ends every connection without a close frame, like a bad network. */
  cut(): void;
  /** Refuses connections until called with false. */
  refuse(isRefused: boolean): void;
  /** The target of connections from now on. */
  leadTo(url: string): void;
  close(): Promise<void>;
}

export async function startSeverableProxy(target: string): Promise<SeverableProxy> {
  const sockets = new Set<Socket>();
  let url = new URL(target);
  let isRefused = false;
  let opened = 0;
  const server = createServer((incoming) => {
    if (isRefused) {
      incoming.destroy();
      return;
    }
    opened += 1;
    const outgoing = connect({ host: url.hostname, port: Number(url.port) });
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get opened() {
      return opened;
    },
    cut,
    refuse: (it) => {
      isRefused = it;
    },
    leadTo: (it) => {
      url = new URL(it);
    },
    close: async () => {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}
