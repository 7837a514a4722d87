/**
 * The realtime service: a socket server on a port of its own. It takes committed groups from the writer and sends what
 * its clients subscribed to; it owns no state of the venue and cannot hold it up, nor can a client keep it from ending.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { parseClientFrame, refused } from '#contract/realtime.ts';
import type { Clock } from '#writer/clock.ts';
import type { FollowGroups } from '#writer/submit.ts';
import { Connection, type ConnectionTally } from './connection.ts';
import { FanOut } from './fan-out.ts';
import type { RealtimeCounts, RealtimeLimits, RealtimeReads } from './ports.ts';

export interface RealtimeOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly reads: RealtimeReads;
  readonly clock: Clock;
  readonly limits: RealtimeLimits;
  /** Who observes the prices of `market.price`. */
  readonly provider: string;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  /** Takes what should not have happened. */
  readonly onDefect: (defect: unknown) => void;
}

export interface RealtimeService {
  readonly port: number;
  /** Takes committed groups, once the reads show them. */
  readonly follow: FollowGroups;
  readonly counts: () => RealtimeCounts;
  /** Tells every client that the venue stops, and ends. */
  close(): Promise<void>;
}

/** Lines beyond the connections that may be in their handshake at once. */
const HANDSHAKES = 256;

/** Rejects where the port is taken. */
export async function startRealtime(options: RealtimeOptions): Promise<RealtimeService> {
  const { host, port, reads, clock, limits, provider, log, onDefect } = options;
  const fanOut = new FanOut(reads, provider, onDefect);
  const connections = new Set<Connection>();
  const tally: ConnectionTally = {
    framesSent: 0,
    closed: { slow_consumer: 0, too_many_frames: 0, idle: 0, venue_stops: 0 },
  };
  const server = openDoor(limits);
  const handshakes = new WebSocketServer({
    noServer: true,
    maxPayload: limits.maxFrameBytes,
    perMessageDeflate: false,
    clientTracking: false,
  });
  server.on('upgrade', (request, line, head) => {
    // Until it is handed on and after it was refused, a line that breaks is its client's affair.
    line.on('error', () => line.destroy());
    if (connections.size >= limits.maxConnections) return refuseUpgrade(line);
    handshakes.handleUpgrade(request, line, head, (socket) => {
      // Too large a frame, a broken one, a line that is cut: ws closes the connection, and that is all there is to it.
      socket.on('error', () => socket.terminate());
      const connection = new Connection(socket, limits, tally, clock.now());
      connections.add(connection);
      socket.on('close', () => {
        connections.delete(connection);
        fanOut.drop(connection);
      });
      serve(socket, connection, fanOut, options);
    });
  });
  server.listen({ host, port });
  await once(server, 'listening');
  // Connections that cannot be accepted, for want of file handles for one; those that stand go on.
  server.on('error', (error) => log(`realtime: ${error.message}`));
  const flushing = setInterval(() => fanOut.flush(), limits.conflationMs);
  const watching = setInterval(() => {
    for (const connection of connections) connection.checkIdle(clock.now());
  }, limits.idleMs / 4);
  return {
    port: (server.address() as AddressInfo).port,
    follow: (group) => fanOut.follow(group),
    counts: () => ({
      sockets: connections.size,
      subscriptions: [...connections].reduce((sum, { subscriptions }) => sum + subscriptions.size, 0),
      framesSent: tally.framesSent,
      closed: { ...tally.closed },
    }),
    close: async () => {
      clearInterval(flushing);
      clearInterval(watching);
      for (const connection of connections) connection.close('venue_stops');
      const closed = new Promise((resolve) => server.close(resolve));
      // Lines that never became a client's wait for nothing; clients have a moment to take their close frame.
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Takes lines and waits for their handshake, for so long and for so many. What asks for no socket is told so. */
function openDoor({ maxConnections, handshakeMs }: RealtimeLimits): Server {
  const server = createServer(
    { headersTimeout: handshakeMs, requestTimeout: handshakeMs, connectionsCheckingInterval: handshakeMs / 4 },
    (_request, response) => {
      response.writeHead(426, { connection: 'close', 'content-type': 'text/plain' }).end('This port speaks WebSocket.\n');
    },
  );
  // Room for lines that are in their handshake, or are being told that there is no room.
  server.maxConnections = maxConnections + HANDSHAKES;
  return server;
}

function refuseUpgrade(line: Duplex): void {
  line.once('finish', () => line.destroy());
  line.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 10\r\nContent-Length: 0\r\n\r\n');
}

function serve(socket: WebSocket, connection: Connection, fanOut: FanOut, { reads, clock, limits }: RealtimeOptions): void {
  socket.on('pong', () => connection.isAlive(clock.now()));
  socket.on('message', (bytes, isBinary) => {
    if (!connection.hears(clock.now())) return;
    if (isBinary) return connection.send(refused('invalid_request', 'send frames as text'));
    const request = parseClientFrame(String(bytes));
    if ('type' in request) return connection.send(request);
    if (request.op === 'ping') return connection.send({ type: 'pong' });
    const { op, channel, marketId } = request;
    const market = reads.market(marketId);
    if (market === undefined) return connection.send(refused('unknown_market', `there is no market ${marketId}`, channel));
    if (op === 'unsubscribe') return fanOut.unsubscribe(connection, channel, market);
    if (connection.subscriptions.size >= limits.maxSubscriptions) {
      return connection.send(refused('too_many_subscriptions', `a connection holds at most ${limits.maxSubscriptions}`, channel));
    }
    fanOut.subscribe(connection, channel, market);
  });
  connection.send({ type: 'hello', version: 'realtime-contract/v1' });
}
