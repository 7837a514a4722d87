/**
 * How many lines one network may hold, at REST and at the realtime service: counted from when they are there, for a mute one takes up
 * as much room as any. What is beyond is closed without a word, as it would be by a machine that has no room.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { contained, guarded, type OnInternalError } from './guarded-events.ts';
import { remoteNetwork } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Returns the lines of a network. A trusted proxy holds lines for many networks, and sees to it itself that none of them takes all. */
export function limitLinesPerNetwork(
  server: Server,
  most: number,
  proxies: TrustedProxies,
  onInternalError: OnInternalError,
): (network: string) => Iterable<Socket> {
  const lines = new Map<string, Set<Socket>>();
  const take = (line: Socket) => {
    const address = line.remoteAddress ?? '';
    if (proxies.has(address)) return;
    const network = remoteNetwork(address);
    const held = lines.get(network) ?? new Set();
    if (held.size >= most) {
      line.destroy();
      return;
    }
    lines.set(network, held.add(line));
    const leave = () => {
      held.delete(line);
      if (held.size === 0) lines.delete(network);
    };
    line.once('close', contained(onInternalError, 'the close of a connection', leave));
  };
  server.on('connection', guarded(onInternalError, take));
  return (network) => lines.get(network) ?? [];
}
