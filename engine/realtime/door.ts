/**
 * The door of the realtime service: which lines become sockets. Everything is limited: how many, how many of one network, and how long
 * a handshake may take. An address with a query is refused, so that no ticket and no key ever stands in one.
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

export interface Arrival {
  readonly socket: WebSocket;
  readonly line: Socket;
  readonly network: string;
}

export interface DoorPorts extends Pick<Time, 'steadyClock' | 'timers'> {
  readonly limits: RealtimeLimits;
  /** See `RealtimePorts`. */
  readonly origins: readonly string[];
  readonly proxies: TrustedProxies;
  /** How many sockets there are. */
  readonly count: () => number;
  /** Whether a network may have another socket. */
  readonly hasRoom: (network: string) => boolean;
  /** Counts a handshake of a network. False if it has had as many as it may. */
  readonly takeHandshake: (network: string) => boolean;
  readonly onArrival: (arrival: Arrival) => void;
  readonly onInternalError: (error: unknown) => void;
}

interface Refusal {
  readonly status: 400 | 403 | 404 | 503;
  readonly message: string;
}

/** Takes lines and waits for their handshake, for so long and for so many. What asks for no socket is told so. It does not listen yet. */
export function openDoor(ports: DoorPorts): Server {
  const { limits, onArrival } = ports;
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
    // Empty continuation frames add no bytes, and ws passes on none of them: without a limit one message may hold the thread up.
    maxFragments: limits.maxFragments,
    perMessageDeflate: false,
    clientTracking: false,
    // Who sends too many pings is to hear so: ws itself would cut the line without a word.
    autoPong: false,
    // There is none that both would know: ws itself would agree to the first that a client names.
    handleProtocols: () => false,
  });
  // Room for lines that are in their handshake, or are being told that there is no room.
  server.maxConnections = limits.maxConnections + limits.maxHandshakes;
  const { proxies, steadyClock, timers, onInternalError } = ports;
  const maxConnections = limits.maxConnectionsPerNetwork + limits.maxHandshakesPerNetwork;
  const pauses = limitNetworks(server, { maxConnections, proxies, steadyClock, timers, onInternalError });
  const upgrade = (request: IncomingMessage, line: Duplex, head: Buffer) => {
    // Until it is handed on and after it was refused, a line that breaks is its client's affair.
    line.on('error', () => line.destroy());
    const network = remoteNetwork(proxies.clientOf(request));
    const refusal = refusalOf(request, network, ports);
    if (refusal !== undefined) return refuse(line, refusal);
    pauses.release(line as Socket);
    handshakes.handleUpgrade(request, line, head, (socket) => onArrival({ socket, line: line as Socket, network }));
  };
  server.on('upgrade', guarded(onInternalError, upgrade));
  return server;
}

function refusalOf(
  request: IncomingMessage,
  network: string,
  { limits, origins, count, hasRoom, takeHandshake }: DoorPorts,
): Refusal | undefined {
  const { url = '/', headers } = request;
  // First of all: a refused handshake takes nearly as long as an accepted one.
  if (!takeHandshake(network)) return { status: 503, message: 'The network opens sockets faster than it may.' };
  if (url.includes('?'))
    return { status: 400, message: 'The address takes no query: a ticket goes into an auth frame, never into an address.' };
  if (url !== '/') return { status: 404, message: 'The realtime service is at /.' };
  if (!isOriginAllowed(headers.origin, headers.host, origins))
    return { status: 403, message: 'Pages of this origin may not connect: the operator can let it in with --origins.' };
  if (count() >= limits.maxConnections) return { status: 503, message: 'There are as many sockets as the service takes.' };
  if (!hasRoom(network)) return { status: 503, message: 'The network has as many sockets as it may.' };
  return undefined;
}

/**
 * Programs send no Origin and come in. A browser always sends one: its page is to be of the host that it connects to, whatever the port,
 * or of an origin that the operator names. No cookie and no other standing credential is at stake; it keeps pages of
 * strangers from using up sockets.
 */
export function isOriginAllowed(origin: string | undefined, host: string | undefined, origins: readonly string[]): boolean {
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return true;
  return host !== undefined && URL.canParse(origin) && URL.canParse(`http://${host}`)
    ? new URL(origin).hostname === new URL(`http://${host}`).hostname
    : false;
}

function refuse(line: Duplex, { status, message }: Refusal): void {
  const body = `${message}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 503 ? ['Retry-After: 10'] : []),
  ];
  line.once('finish', () => line.destroy());
  line.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
