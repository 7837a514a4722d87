/**
 * Limits the connections of one network, for the REST and the realtime service. Counts them from the start, because a silent
 * connection takes up as much memory as any. Further ones are closed without a response.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { contained, guarded, type OnInternalError } from './guarded-events.ts';
import { remoteNetwork, siteOf } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** A site may have this multiple of one network's maximum, which is below the total maximum. */
const SITE_SHARE = 1.5;

/**
 * Returns a lookup of the connections of a network or site. A trusted proxy has connections for many networks, and must limit its
 * clients itself.
 */
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
