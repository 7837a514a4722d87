/**
 * Pauses networks that send more small pieces (chunks of bodies, pipelined requests) than any program needs. Node parses all
 * pieces of a read before the server can refuse one, so the only remedy is to read less: while a network is overdrawn, the venue
 * reads nothing from its connections. Connections of trusted proxies are exempt, as clients share them.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Time } from '#time/time.ts';
import { TokenBucket, type TokenRate } from '#time/token-bucket.ts';
import { siteOf } from '#units/network-site.ts';
import { contained, guarded, type OnInternalError } from './guarded-events.ts';
import { remoteNetwork } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** In chunks, of which each takes Node half a microsecond or more: the burst takes some 5 ms. */
const EXCESS_LIMITS = { burst: 8_192, perSecond: 8_192 };
/** The rate of a site: many networks of one holder. */
const SITE_EXCESS_LIMITS = { burst: 2 * EXCESS_LIMITS.burst, perSecond: 2 * EXCESS_LIMITS.perSecond };
/** Maximum length of a pause, so that requests and handshakes of the network's other clients are read before they time out. */
const MAX_PAUSE_S = 8;
const CHECK_MS = 250;

export interface NetworkPausesParts extends Pick<Time, 'steadyClock' | 'timers'> {
  /** The connections of a network or a site. */
  readonly connectionsOf: (name: string) => Iterable<Socket>;
  readonly proxies: TrustedProxies;
  readonly onInternalError: OnInternalError;
}

export class NetworkPauses {
  readonly #parts: NetworkPausesParts;
  /** Buckets of networks and sites that sent excess, until they are full again. */
  readonly #buckets = new Map<string, TokenBucket>();
  /** Connections that this class paused. Node resumes those that it paused itself, for a body or a response. */
  readonly #paused = new WeakSet<Socket>();
  readonly #released = new WeakSet<Socket>();

  constructor(server: Server, parts: NetworkPausesParts) {
    this.#parts = parts;
    server.on(
      'connection',
      guarded(parts.onInternalError, (socket: Socket) => this.#watch(socket)),
    );
  }

  /** Exempts a connection that has been upgraded to another protocol. */
  release(socket: Socket): void {
    this.#released.add(socket);
  }

  /** Charges `excess` chunks. If the network or its site is overdrawn, pauses its connections and returns true. */
  charge(network: string, excess: number): boolean {
    const site = siteOf(network);
    const isNetworkOverdrawn = this.#chargeDebt(network, excess, EXCESS_LIMITS);
    return site === network ? isNetworkOverdrawn : this.#chargeDebt(site, excess, SITE_EXCESS_LIMITS) || isNetworkOverdrawn;
  }

  #chargeDebt(name: string, excess: number, rate: TokenRate): boolean {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      bucket = new TokenBucket(rate, this.#parts.steadyClock);
      this.#buckets.set(name, bucket);
      this.#checkLater(name);
    }
    const wasOverdrawn = bucket.isOverdrawn;
    const maxMissing = rate.burst + rate.perSecond * MAX_PAUSE_S;
    bucket.borrow(Math.max(0, Math.min(excess, maxMissing - bucket.missing)));
    if (wasOverdrawn || !bucket.isOverdrawn) return wasOverdrawn;
    for (const socket of this.#parts.connectionsOf(name)) if (!socket.isPaused()) this.#pause(socket);
    return true;
  }

  #pause(socket: Socket): void {
    if (this.#released.has(socket)) return;
    this.#paused.add(socket);
    // After a `resume()` whose event is still pending, Node reads although the stream is paused, and `pause()` does nothing.
    if (socket.isPaused()) socket.emit('pause');
    else socket.pause();
  }

  #checkLater(name: string): void {
    const task = contained(this.#parts.onInternalError, 'a paused network', () => this.#check(name));
    this.#parts.timers.setTimeout(task, CHECK_MS, { ref: false });
  }

  #check(name: string): void {
    const bucket = this.#buckets.get(name)!;
    if (bucket.isFull) this.#buckets.delete(name);
    else this.#checkLater(name);
    if (bucket.isOverdrawn) return;
    for (const socket of this.#parts.connectionsOf(name))
      if (this.#paused.delete(socket) && !this.#released.has(socket)) socket.resume();
  }

  /** The server resumes a connection at the end of each request, and when it continues to read a body. */
  #watch(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    // `connectionsOf` excludes connections of proxies, so nothing would resume them.
    if (this.#parts.proxies.has(address)) return;
    const network = remoteNetwork(address);
    const site = siteOf(network);
    const pauseIfOverdrawn = contained(this.#parts.onInternalError, 'a connection of a paused network', () => {
      if (this.#buckets.get(network)?.isOverdrawn || this.#buckets.get(site)?.isOverdrawn) this.#pause(socket);
    });
    socket.on('resume', pauseIfOverdrawn);
    // The server starts to read a new connection after this event.
    process.nextTick(pauseIfOverdrawn);
  }
}
