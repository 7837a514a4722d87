/**
 * The lines that clients hold: so many in all and of one network, so that nobody keeps others out, and none whose answers are not
 * taken.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Time } from '#time/time.ts';
import type { Timer } from '#time/timers.ts';
import { contained, guarded, type OnInternalError } from './guarded-events.ts';
import { limitNetworks } from './network-limits.ts';
import type { HttpLimits } from './ports.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** How often a line is looked at within the time that it has. */
const LOOKS = 4;

/** What a line was seen at when bytes began to wait there. */
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
  const lines = new Map<Socket, Waiting | undefined>();
  server.maxConnections = maxConnections;
  limitNetworks(server, { maxConnections: maxConnectionsPerNetwork, proxies, steadyClock, timers, onInternalError });
  const take = (line: Socket) => {
    if (line.destroyed) return;
    lines.set(line, undefined);
    line.once('close', () => lines.delete(line));
  };
  server.on('connection', guarded(onInternalError, take));
  const look = () => {
    const nowMs = steadyClock.elapsedMs();
    const cut = guarded(onInternalError, (line: Socket) => cutIfMute(line, lines, answerTimeoutMs, nowMs));
    for (const line of lines.keys()) cut(line);
  };
  let looking: Timer | undefined;
  server.once('listening', () => {
    looking = timers.setInterval(contained(onInternalError, 'looking for mute connections', look), answerTimeoutMs / LOOKS);
  });
  server.once('close', () => looking?.cancel());
}

/** Looked at from outside, answers cost nothing for it. Whoever waits for the venue, and not the venue for it, has nothing to take. */
function cutIfMute(line: Socket, lines: Map<Socket, Waiting | undefined>, answerTimeoutMs: number, nowMs: number): void {
  const waiting = lines.get(line);
  // Of what was handed to the line; an answer counts once all of it is taken.
  const taken = line.bytesWritten - line.writableLength;
  if (line.writableLength === 0) lines.set(line, undefined);
  else if (waiting?.taken !== taken) lines.set(line, { taken, sinceMs: nowMs });
  else if (nowMs - waiting.sinceMs >= answerTimeoutMs) line.destroy();
}
