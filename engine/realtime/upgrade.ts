/**
 * Upgrades of the realtime service: which HTTP connections become sockets. Limits the number of sockets, of sockets per network,
 * and the time a handshake takes. Refuses an address with a query, so that no ticket and no key is ever in one.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import { guarded } from '#http/server/guarded-events.ts';
import { limitNetworks } from '#http/server/network-limits.ts';
import { remoteNetwork } from '#http/server/remote-network.ts';
import type { TrustedProxies } from '#http/server/trusted-proxies.ts';
import type { Time } from '#time/time.ts';

export interface UpgradedSocket {
  readonly socket: WebSocket;
  readonly tcpSocket: Socket;
  readonly network: string;
}

export interface UpgradePorts extends Pick<Time, 'steadyClock' | 'timers'> {
  readonly limits: RealtimeLimits;
  /** See `RealtimePorts`. */
  readonly origins: readonly string[];
  readonly proxies: TrustedProxies;
  /** The number of open sockets. */
  readonly count: () => number;
  /** Whether the network may open another socket. */
  readonly hasCapacity: (network: string) => boolean;
  /** Takes a token for a handshake of the network. False if its rate is exceeded. */
  readonly takeHandshakeToken: (network: string) => boolean;
  readonly onUpgrade: (arrival: UpgradedSocket) => void;
  readonly onInternalError: (error: unknown) => void;
}

interface Refusal {
  readonly status: 400 | 403 | 404 | 503;
  readonly message: string;
}

/** Creates the HTTP server that upgrades connections within the limits; other requests get 426. It does not listen yet. */
export function handleUpgrades(ports: UpgradePorts): Server {
  const { limits, onUpgrade } = ports;
  const { handshakeMs } = limits;
  const server = createServer({
    headersTimeout: handshakeMs,
    requestTimeout: handshakeMs,
    connectionsCheckingInterval: handshakeMs / 4,
    requireHostHeader: false,
  });
  const refuseRequest = (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(426, { connection: 'close', 'content-type': 'text/plain' }).end('This port speaks WebSocket.\n');
  };
  for (const event of ['request', 'checkExpectation'] as const) server.on(event, guarded(ports.onInternalError, refuseRequest));
  const handshakes = new WebSocketServer({
    noServer: true,
    maxPayload: limits.maxFrameBytes,
    // ws reports no empty continuation frames, and they add no bytes: without a limit one message can block the thread.
    maxFragments: limits.maxFragments,
    perMessageDeflate: false,
    clientTracking: false,
    // The service responds to pings itself, and closes with a reason beyond the rate. ws would just destroy the socket.
    autoPong: false,
    // Negotiates no subprotocol. ws would accept the first that a client names.
    handleProtocols: () => false,
  });
  // Leaves capacity for connections in their handshake, or that are being refused.
  server.maxConnections = limits.maxConnections + limits.maxHandshakes;
  const { proxies, steadyClock, timers, onInternalError } = ports;
  const maxConnections = limits.maxConnectionsPerNetwork + limits.maxHandshakesPerNetwork;
  const pauses = limitNetworks(server, { maxConnections, proxies, steadyClock, timers, onInternalError });
  const upgrade = (request: IncomingMessage, tcpSocket: Duplex, head: Buffer) => {
    // Before the upgrade and after a refusal, a socket error is not the service's problem.
    tcpSocket.on('error', () => tcpSocket.destroy());
    const network = remoteNetwork(proxies.clientOf(request));
    const refusal = checkUpgrade(request, network, ports);
    if (refusal !== undefined) return refuse(tcpSocket, refusal);
    pauses.release(tcpSocket as Socket);
    handshakes.handleUpgrade(request, tcpSocket, head, (socket) =>
      onUpgrade({ socket, tcpSocket: tcpSocket as Socket, network }),
    );
  };
  server.on('upgrade', guarded(onInternalError, upgrade));
  return server;
}

function checkUpgrade(
  request: IncomingMessage,
  network: string,
  { limits, origins, count, hasCapacity, takeHandshakeToken }: UpgradePorts,
): Refusal | undefined {
  const { url = '/', headers } = request;
  // Checked first: a refused handshake costs nearly as much as an accepted one.
  if (!takeHandshakeToken(network)) return { status: 503, message: 'The network opens sockets faster than it may.' };
  if (url.includes('?'))
    return { status: 400, message: 'The address takes no query: a ticket goes into an auth frame, never into an address.' };
  if (url !== '/') return { status: 404, message: 'The realtime service is at /.' };
  if (!isOriginAllowed(headers.origin, headers.host, origins))
    return { status: 403, message: 'Pages of this origin may not connect: the operator can let it in with --origins.' };
  if (count() >= limits.maxConnections) return { status: 503, message: 'There are as many sockets as the service takes.' };
  if (!hasCapacity(network)) return { status: 503, message: 'The network has as many sockets as it may.' };
  return undefined;
}

/**
 * Programs send no Origin and are accepted. A browser always sends one: its page must be from the host it connects to, on any
 * port, or from a configured origin. This protects no credentials, since there are no cookies; it keeps foreign pages from using
 * up sockets.
 */
export function isOriginAllowed(origin: string | undefined, host: string | undefined, origins: readonly string[]): boolean {
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return true;
  return host !== undefined && URL.canParse(origin) && URL.canParse(`http://${host}`)
    ? new URL(origin).hostname === new URL(`http://${host}`).hostname
    : false;
}

function refuse(tcpSocket: Duplex, { status, message }: Refusal): void {
  const body = `${message}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 503 ? ['Retry-After: 10'] : []),
  ];
  tcpSocket.once('finish', () => tcpSocket.destroy());
  tcpSocket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
