/**
 * Counts the bytes that wait to be sent to single clients, over all clients: replays and responses. Live updates wait too, but
 * are rendered once for all subscribers. Private bytes are not shared, so clients that do not read could fill the memory with
 * them.
 */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { Network } from './networks.ts';

type Bounds = Pick<RealtimeLimits, 'maxPrivateQueuedBytes' | 'maxPrivateQueuedBytesPerNetwork'>;

export class PrivateBytes {
  readonly #bounds: Bounds;
  #queued = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  hasCapacity(network: Network, bytes: number): boolean {
    return this.#queued + bytes <= this.#bounds.maxPrivateQueuedBytes && this.hasCapacityOf(network, bytes);
  }

  /** Whether the network's site stays within its bound. */
  hasCapacityOf({ site }: Network, bytes: number): boolean {
    return site.queuedBytes + bytes <= this.#bounds.maxPrivateQueuedBytesPerNetwork;
  }

  /** `bytes` is negative when they were sent or dropped. */
  add(network: Network, bytes: number): void {
    this.#queued += bytes;
    network.site.queuedBytes += bytes;
  }
}
