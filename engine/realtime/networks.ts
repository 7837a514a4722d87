/**
 * What is counted of each network that clients come from: nobody alone takes up what is there for all. One is remembered after its last
 * socket has gone, until what it took has come back: who connects anew begins with nothing more.
 */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { SteadyClock } from '#time/clock.ts';
import { TokenBucket } from '#time/token-bucket.ts';
import { FrameBudget } from './frame-budget.ts';
import type { FrameTurns } from './frame-turns.ts';

export class Network {
  sockets = 0;
  /** That wait to be sent to one of its clients alone. */
  queuedBytes = 0;
  readonly handshakes: TokenBucket;
  /** What auth frames take, and those give back that let somebody in. */
  readonly auths: TokenBucket;
  /** Of records that were read for its replays. */
  readonly replayBytes: TokenBucket;
  /** Of its sockets that are not authenticated. */
  readonly frames: FrameBudget;

  constructor(limits: RealtimeLimits, steadyClock: SteadyClock, turns: FrameTurns) {
    const { handshakeBurst, handshakesPerSecond } = limits;
    const { failedAuthBurst, failedAuthsPerSecond, replayBurstBytes, replayBytesPerSecond } = limits;
    this.handshakes = new TokenBucket({ burst: handshakeBurst, perSecond: handshakesPerSecond }, steadyClock);
    this.auths = new TokenBucket({ burst: failedAuthBurst, perSecond: failedAuthsPerSecond }, steadyClock);
    this.replayBytes = new TokenBucket({ burst: replayBurstBytes, perSecond: replayBytesPerSecond }, steadyClock);
    this.frames = new FrameBudget(limits, steadyClock, turns);
  }

  get isForgettable(): boolean {
    const buckets = [this.handshakes, this.auths, this.replayBytes];
    return this.sockets === 0 && buckets.every(({ isFull }) => isFull) && this.frames.isForgettable;
  }
}

export class Networks {
  readonly #limits: RealtimeLimits;
  readonly #steadyClock: SteadyClock;
  readonly #turns: FrameTurns;
  readonly #networks = new Map<string, Network>();

  constructor(limits: RealtimeLimits, steadyClock: SteadyClock, turns: FrameTurns) {
    this.#turns = turns;
    this.#limits = limits;
    this.#steadyClock = steadyClock;
  }

  named(name: string): Network {
    let network = this.#networks.get(name);
    if (network === undefined) {
      network = new Network(this.#limits, this.#steadyClock, this.#turns);
      this.#networks.set(name, network);
    }
    return network;
  }

  socketsOf(name: string): number {
    return this.#networks.get(name)?.sockets ?? 0;
  }

  /** Those that nothing is counted of any more. */
  forgetQuiet(): void {
    for (const [name, network] of this.#networks) if (network.isForgettable) this.#networks.delete(name);
  }
}
