/**
 * Limits connections: a maximum in total and per network, so that no client locks others out; and closes connections that do not read
 * their responses.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Time } from '#time/time.ts';
import type { Timer } from '#time/timers.ts';
import { contained, guarded, type OnInternalError } from './guarded-events.ts';
import { limitNetworks } from './network-limits.ts';
import type { HttpLimits } from './ports.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Checks of a connection per timeout. */
const CHECKS_PER_TIMEOUT = 4;

/** The state of a connection when bytes began to wait. */
interface Waiting {
  readonly taken: number;
  readonly sinceMs: number;
}

export function limitConnections(
  server: Server,
  limits: Omit<HttpLimits, 'rates'>,
  proxies: TrustedProxies,
  { steadyClock, timers }: Time,
  onInternalError: OnInternalError,
): void {
  const { maxConnections, maxConnectionsPerNetwork, answerTimeoutMs } = limits;
  const sockets = new Map<Socket, Waiting | undefined>();
  server.maxConnections = maxConnections;
  limitNetworks(server, { maxConnections: maxConnectionsPerNetwork, proxies, steadyClock, timers, onInternalError });
  const take = (socket: Socket) => {
    if (socket.destroyed) return;
    sockets.set(socket, undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', guarded(onInternalError, take));
  const checkAll = () => {
    const nowMs = steadyClock.elapsedMs();
    const cut = guarded(onInternalError, (socket: Socket) => destroyIfIdle(socket, sockets, answerTimeoutMs, nowMs));
    for (const socket of sockets.keys()) cut(socket);
  };
  let looking: Timer | undefined;
  server.once('listening', () => {
    looking = timers.setInterval(
      contained(onInternalError, 'looking for mute connections', checkAll),
      answerTimeoutMs / CHECKS_PER_TIMEOUT,
    );
  });
  server.once('close', () => looking?.cancel());
}

/** Polls, so that responses cost nothing extra. A client that waits for the venue has nothing to read, and stays connected. */
function destroyIfIdle(socket: Socket, sockets: Map<Socket, Waiting | undefined>, answerTimeoutMs: number, nowMs: number): void {
  const waiting = sockets.get(socket);
  // Bytes that the system took so far; a response counts once all of it is taken.
  const taken = socket.bytesWritten - socket.writableLength;
  if (socket.writableLength === 0) sockets.set(socket, undefined);
  else if (waiting?.taken !== taken) sockets.set(socket, { taken, sinceMs: nowMs });
  else if (nowMs - waiting.sinceMs >= answerTimeoutMs) socket.destroy();
}
