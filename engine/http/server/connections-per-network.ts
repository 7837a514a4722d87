/**
 * Limits the connections of one network, for the REST and the realtime service. Counts them from the start, because a silent
 * connection takes up as much memory as any. Further ones are closed without a response.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { siteOf } from '#units/network-site.ts';
import { contained, guarded, type OnInternalError } from './guarded-events.ts';
import { remoteNetwork } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** A site may have this multiple of one network's maximum, which is below the total maximum. */
const SITE_SHARE = 1.5;

/**
 * Returns a lookup of the connections of a network or site. A trusted proxy has connections for many networks, and must limit its
 * clients itself.
 */
export function limitConnectionsPerNetwork(
  server: Server,
  max: number,
  proxies: TrustedProxies,
  onInternalError: OnInternalError,
): (name: string) => Iterable<Socket> {
  const [networks, sites] = [new ConnectionsByName(), new ConnectionsByName()];
  const take = (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (proxies.has(address)) return;
    const network = remoteNetwork(address);
    const site = siteOf(network);
    if (networks.countOf(network) >= max || sites.countOf(site) >= max * SITE_SHARE) {
      socket.destroy();
      return;
    }
    networks.add(network, socket);
    sites.add(site, socket);
    const leave = () => {
      networks.delete(network, socket);
      sites.delete(site, socket);
    };
    socket.once('close', contained(onInternalError, 'the close of a connection', leave));
  };
  server.on('connection', guarded(onInternalError, take));
  return (name) => (networks.countOf(name) > 0 ? networks : sites).of(name);
}

class ConnectionsByName {
  readonly #connections = new Map<string, Set<Socket>>();

  of(name: string): Iterable<Socket> {
    return this.#connections.get(name) ?? [];
  }

  countOf(name: string): number {
    return this.#connections.get(name)?.size ?? 0;
  }

  add(name: string, socket: Socket): void {
    this.#connections.set(name, (this.#connections.get(name) ?? new Set()).add(socket));
  }

  delete(name: string, socket: Socket): void {
    const sockets = this.#connections.get(name)!;
    sockets.delete(socket);
    if (sockets.size === 0) this.#connections.delete(name);
  }
}
