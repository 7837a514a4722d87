/**
 * Limits pipelined requests: those that a client sends before it has the responses to earlier ones. A read of 64 KiB holds two thousand, Node hands them
 * all to the server before it reads from anybody else, and each takes some 30 µs even if it is refused. Clients seldom pipeline more than a few.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { guarded, type OnInternalError } from './guarded-events.ts';
import type { NetworkPauses } from './network-pauses.ts';
import { remoteNetwork } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Requests of one read that cost nothing more. */
export const FREE_OF_A_READ = 4;
/** Each further one takes as long as so many chunks of a body. */
export const CHUNKS_OF_A_REQUEST = 64;

interface LastRead {
  /** What the connection had received at the end of the read. */
  bytes: number;
  requests: number;
}

/** The server has to answer `checkExpectation` itself, and requests without a `Host`: what Node answers alone is not counted. */
export function limitPipelinedRequests(
  server: Server,
  pauses: NetworkPauses,
  proxies: TrustedProxies,
  onInternalError: OnInternalError,
): void {
  const reads = new WeakMap<Socket, LastRead>();
  const count = ({ socket }: IncomingMessage) => {
    const address = socket.remoteAddress;
    // A proxy sends the requests of many clients on one connection.
    if (address === undefined || proxies.has(address)) return;
    const read = reads.get(socket);
    if (read?.bytes !== socket.bytesRead) {
      reads.set(socket, { bytes: socket.bytesRead, requests: 1 });
      return;
    }
    read.requests += 1;
    if (read.requests > FREE_OF_A_READ) pauses.charge(remoteNetwork(address), CHUNKS_OF_A_REQUEST);
  };
  // The second is in place of the first where the server is to decide on an `Expect` header.
  for (const event of ['request', 'checkExpectation'] as const) server.on(event, guarded(onInternalError, count));
}
