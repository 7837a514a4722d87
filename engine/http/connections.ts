/**
 * The lines that clients hold: so many in all and of one network, so that nobody keeps others out, and none whose answers are not
 * taken. What is beyond is closed without a word, as it would be by a machine that has no room.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpLimits } from './ports.ts';
import { remoteNetwork } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** How often a line is looked at within the time that it has. */
const LOOKS = 4;

/** What a line was seen at when bytes began to wait there. */
interface Waiting {
  readonly taken: number;
  readonly sinceMs: number;
}

/** A trusted proxy holds lines for many networks, and sees to it itself that none of them takes all. */
export function limitConnections(server: Server, limits: HttpLimits, proxies: TrustedProxies): void {
  const { maxConnections, maxConnectionsPerNetwork, answerTimeoutMs } = limits;
  const lines = new Map<Socket, Waiting | undefined>();
  const perNetwork = new Map<string, number>();
  server.maxConnections = maxConnections;
  server.on('connection', (line: Socket) => {
    const address = line.remoteAddress ?? '';
    const network = proxies.has(address) ? undefined : remoteNetwork(address);
    if (network !== undefined) {
      const held = perNetwork.get(network) ?? 0;
      if (held >= maxConnectionsPerNetwork) {
        line.destroy();
        return;
      }
      perNetwork.set(network, held + 1);
    }
    lines.set(line, undefined);
    line.once('close', () => {
      lines.delete(line);
      if (network !== undefined) release(perNetwork, network);
    });
  });
  let looking: NodeJS.Timeout | undefined;
  server.once('listening', () => {
    looking = setInterval(() => cutMute(lines, answerTimeoutMs), answerTimeoutMs / LOOKS);
  });
  server.once('close', () => clearInterval(looking));
}

function release(perNetwork: Map<string, number>, network: string): void {
  const left = perNetwork.get(network)! - 1;
  if (left === 0) perNetwork.delete(network);
  else perNetwork.set(network, left);
}

/** Looked at from outside, answers cost nothing for it. Whoever waits for the venue, and not the venue for it, has nothing to take. */
function cutMute(lines: Map<Socket, Waiting | undefined>, answerTimeoutMs: number): void {
  const nowMs = performance.now();
  for (const [line, waiting] of lines) {
    // Of what was handed to the line; an answer counts once all of it is taken.
    const taken = line.bytesWritten - line.writableLength;
    if (line.writableLength === 0) lines.set(line, undefined);
    else if (waiting?.taken !== taken) lines.set(line, { taken, sinceMs: nowMs });
    else if (nowMs - waiting.sinceMs >= answerTimeoutMs) line.destroy();
  }
}
