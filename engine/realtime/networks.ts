/**
 * Counters and buckets of each network that clients come from, and of its site, so that no network uses up the capacity of all. A
 * network stays after its last socket closes, until its buckets are full: reconnecting gains nothing.
 */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { SteadyClock } from '#time/clock.ts';
import { TokenBucket } from '#time/token-bucket.ts';
import { siteOf } from '#units/network-site.ts';
import { FrameBudget } from './frame-budget.ts';
import type { FrameTurns } from './frame-turns.ts';

/**
 * Processing time in milliseconds that frames of a network may take, at once and per second, before they count as the cause of an
 * overload.
 */
export const FAIR_TIME_MS = { burst: 500, perSecond: 250 };

/** Buckets of a network, or of a site with all of its networks. */
export class Share {
  sockets = 0;
  /** Bytes that wait to be sent to one of its clients alone. */
  queuedBytes = 0;
  readonly handshakes: TokenBucket;
  /** Auth frames take a token; a successful one gives it back. */
  readonly auths: TokenBucket;
  /** Bytes of records that were read for its replays. */
  readonly replayBytes: TokenBucket;
  readonly frameTokens: TokenBucket;
  readonly frameMilliseconds: TokenBucket;

  /** `times` is the multiple of one network's limits. */
  constructor(limits: RealtimeLimits, clock: SteadyClock, times: number, parent?: Share) {
    const { handshakeBurst, handshakesPerSecond, failedAuthBurst, failedAuthsPerSecond } = limits;
    const { replayBurstBytes, replayBytesPerSecond, sharedFrameBurst, sharedFramesPerSecond } = limits;
    const bucket = (burst: number, perSecond: number, shared?: TokenBucket) =>
      new TokenBucket({ burst: burst * times, perSecond: perSecond * times }, clock, shared);
    this.handshakes = bucket(handshakeBurst, handshakesPerSecond, parent?.handshakes);
    this.auths = bucket(failedAuthBurst, failedAuthsPerSecond, parent?.auths);
    this.replayBytes = bucket(replayBurstBytes, replayBytesPerSecond, parent?.replayBytes);
    this.frameTokens = bucket(sharedFrameBurst, sharedFramesPerSecond, parent?.frameTokens);
    // Not multiplied: the same processing time overloads the service whichever network it comes from.
    this.frameMilliseconds = new TokenBucket(FAIR_TIME_MS, clock, parent?.frameMilliseconds);
  }

  get isIdle(): boolean {
    const buckets = [this.handshakes, this.auths, this.replayBytes, this.frameTokens, this.frameMilliseconds];
    return this.sockets === 0 && buckets.every(({ isFull }) => isFull);
  }
}

export class Network extends Share {
  /** Frames of its unauthenticated sockets. */
  readonly frames: FrameBudget;
  readonly site: Share;

  constructor(limits: RealtimeLimits, clock: SteadyClock, turns: FrameTurns, site: Share) {
    super(limits, clock, 1, site);
    this.site = site;
    this.frames = new FrameBudget(this.frameTokens, this.frameMilliseconds, clock, turns);
  }

  joined(): void {
    this.sockets += 1;
    this.site.sockets += 1;
  }

  left(): void {
    this.sockets -= 1;
    this.site.sockets -= 1;
  }
}

export class Networks {
  readonly #limits: RealtimeLimits;
  readonly #steadyClock: SteadyClock;
  readonly #turns: FrameTurns;
  readonly #networks = new Map<string, Network>();
  readonly #sites = new Map<string, Share>();

  constructor(limits: RealtimeLimits, steadyClock: SteadyClock, turns: FrameTurns) {
    this.#turns = turns;
    this.#limits = limits;
    this.#steadyClock = steadyClock;
  }

  named(name: string): Network {
    let network = this.#networks.get(name);
    if (network === undefined) {
      network = new Network(this.#limits, this.#steadyClock, this.#turns, this.#siteOf(name));
      this.#networks.set(name, network);
    }
    return network;
  }

  /** Whether the network and its site may have another socket. */
  hasCapacity(name: string): boolean {
    const { sockets, site } = this.named(name);
    const { maxConnectionsPerNetwork, maxConnectionsPerSite } = this.#limits;
    return sockets < maxConnectionsPerNetwork && site.sockets < maxConnectionsPerSite;
  }

  /** Evicts networks and sites without sockets whose buckets are full. */
  evictIdle(): void {
    const used = new Set<Share>();
    for (const [name, network] of this.#networks) {
      if (network.isIdle) this.#networks.delete(name);
      else used.add(network.site);
    }
    for (const [name, site] of this.#sites) if (site.isIdle && !used.has(site)) this.#sites.delete(name);
  }

  #siteOf(name: string): Share {
    const siteName = siteOf(name);
    let site = this.#sites.get(siteName);
    if (site === undefined) {
      site = new Share(this.#limits, this.#steadyClock, this.#limits.siteShare);
      this.#sites.set(siteName, site);
    }
    return site;
  }
}
