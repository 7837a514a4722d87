/**
 * Pauses networks that send more small pieces (chunks of bodies, pipelined requests) than any program needs. Node parses all pieces of a read before
 * the server can refuse one, so the only remedy is to read less: while a network is overdrawn, the venue reads nothing from its connections. Connections
 * of trusted proxies are left out, as clients share them.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Time } from '#time/time.ts';
import { TokenBucket } from '#time/token-bucket.ts';
import { contained, guarded, type OnInternalError } from './guarded-events.ts';
import { remoteNetwork } from './remote-network.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** In chunks, of which each takes Node half a microsecond or more: the burst takes some 5 ms. */
const EXCESS = { burst: 8_192, perSecond: 8_192 };
const CHECK_MS = 250;

export interface NetworkPausesParts extends Pick<Time, 'steadyClock' | 'timers'> {
  readonly linesOf: (network: string) => Iterable<Socket>;
  readonly proxies: TrustedProxies;
  readonly onInternalError: OnInternalError;
}

export class NetworkPauses {
  readonly #parts: NetworkPausesParts;
  /** Of the networks that have sent too much, until their buckets are full again. */
  readonly #buckets = new Map<string, TokenBucket>();
  /** Paused here: what Node pauses, as a body or a response waits, is resumed by Node. */
  readonly #paused = new WeakSet<Socket>();
  readonly #released = new WeakSet<Socket>();

  constructor(server: Server, parts: NetworkPausesParts) {
    this.#parts = parts;
    server.on(
      'connection',
      guarded(parts.onInternalError, (line: Socket) => this.#watch(line)),
    );
  }

  /** This connection speaks another protocol from now on, and is paused and resumed by others. */
  release(line: Socket): void {
    this.#released.add(line);
  }

  /** `excess`: in chunks. Pauses the network's connections, and returns true, if it has sent too many. */
  charge(network: string, excess: number): boolean {
    let bucket = this.#buckets.get(network);
    if (bucket === undefined) {
      bucket = new TokenBucket(EXCESS, this.#parts.steadyClock);
      this.#buckets.set(network, bucket);
      this.#checkLater(network);
    }
    bucket.owe(excess);
    if (!bucket.isOverdrawn) return false;
    for (const line of this.#parts.linesOf(network)) if (!line.isPaused()) this.#pause(line);
    return true;
  }

  #pause(line: Socket): void {
    if (this.#released.has(line)) return;
    this.#paused.add(line);
    // Behind a `resume()` whose event was yet to come, Node reads although the stream is paused, and `pause()` does nothing.
    if (line.isPaused()) line.emit('pause');
    else line.pause();
  }

  #checkLater(network: string): void {
    const task = contained(this.#parts.onInternalError, 'a paused network', () => this.#check(network));
    this.#parts.timers.setTimeout(task, CHECK_MS, { ref: false });
  }

  #check(network: string): void {
    const bucket = this.#buckets.get(network)!;
    if (bucket.isFull) this.#buckets.delete(network);
    else this.#checkLater(network);
    if (bucket.isOverdrawn) return;
    for (const line of this.#parts.linesOf(network)) if (this.#paused.delete(line) && !this.#released.has(line)) line.resume();
  }

  /** The server resumes a connection at the end of each request, and where a body is read on. */
  #watch(line: Socket): void {
    const address = line.remoteAddress ?? '';
    // `linesOf` leaves its connections out: nothing would resume them.
    if (this.#parts.proxies.has(address)) return;
    const network = remoteNetwork(address);
    const pauseIfOverdrawn = contained(this.#parts.onInternalError, 'a connection of a paused network', () => {
      if (this.#buckets.get(network)?.isOverdrawn) this.#pause(line);
    });
    line.on('resume', pauseIfOverdrawn);
    // The server begins to read a new connection behind this event.
    process.nextTick(pauseIfOverdrawn);
  }
}
