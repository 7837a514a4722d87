/**
 * Limits pipelined requests: those that a client sends before it has the responses to earlier ones. A read of 64 KiB holds two
 * thousand, Node passes them all to the server before it reads another connection, and each takes some 30 µs even if it is
 * refused. Clients seldom pipeline more than a few.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { guarded, type OnInternalError } from './guarded-events.ts';
import type { NetworkPauses } from './network-pauses.ts';
import { remoteNetwork } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Free requests per read. */
export const FREE_REQUESTS_PER_READ = 4;
/** The cost of each further request, in chunks of a body. */
export const MAX_CHUNKS_PER_REQUEST = 64;

interface LastRead {
  /** Total bytes received at the end of the read. */
  bytes: number;
  requests: number;
}

/**
 * The server must handle `checkExpectation` and requests without a `Host` itself: requests that Node refuses alone are not
 * counted.
 */
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
    if (read.requests > FREE_REQUESTS_PER_READ) pauses.charge(remoteNetwork(address), MAX_CHUNKS_PER_REQUEST);
  };
  // Node emits the second instead of the first for a request with an unsupported `Expect` header.
  for (const event of ['request', 'checkExpectation'] as const) server.on(event, guarded(onInternalError, count));
}
