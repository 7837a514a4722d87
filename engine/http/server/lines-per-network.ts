/**
 * How many lines one network may hold, at REST and at the realtime service: counted from when they are there, for a mute one takes up
 * as much room as any. What is beyond is closed without a word, as it would be by a machine that has no room.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { contained, guarded, type OnInternalError } from './guarded-events.ts';
import { remoteNetwork, siteOf } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** The networks of a site may hold so many times as many together: not as many as there may be in all. */
const SITE_SHARE = 1.5;

/** Returns the lines of a network, or of a site. A trusted proxy holds lines for many networks, and sees to it itself that none of them takes all. */
export function limitLinesPerNetwork(
  server: Server,
  most: number,
  proxies: TrustedProxies,
  onInternalError: OnInternalError,
): (name: string) => Iterable<Socket> {
  const [lines, sites] = [new LinesByName(), new LinesByName()];
  const take = (line: Socket) => {
    const address = line.remoteAddress ?? '';
    if (proxies.has(address)) return;
    const network = remoteNetwork(address);
    const site = siteOf(network);
    if (lines.countOf(network) >= most || sites.countOf(site) >= most * SITE_SHARE) {
      line.destroy();
      return;
    }
    lines.add(network, line);
    sites.add(site, line);
    const leave = () => {
      lines.delete(network, line);
      sites.delete(site, line);
    };
    line.once('close', contained(onInternalError, 'the close of a connection', leave));
  };
  server.on('connection', guarded(onInternalError, take));
  return (name) => (lines.countOf(name) > 0 ? lines : sites).of(name);
}

class LinesByName {
  readonly #lines = new Map<string, Set<Socket>>();

  of(name: string): Iterable<Socket> {
    return this.#lines.get(name) ?? [];
  }

  countOf(name: string): number {
    return this.#lines.get(name)?.size ?? 0;
  }

  add(name: string, line: Socket): void {
    this.#lines.set(name, (this.#lines.get(name) ?? new Set()).add(line));
  }

  delete(name: string, line: Socket): void {
    const lines = this.#lines.get(name)!;
    lines.delete(line);
    if (lines.size === 0) this.#lines.delete(name);
  }
}
