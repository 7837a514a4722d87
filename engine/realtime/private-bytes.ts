/**
 * What waits to be sent to one client alone, of all clients together: replays and answers. What is live waits too, but is written out once
 * for all who have it; of this each has its own, and clients that do not read could fill the memory with it.
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

  hasRoom(network: Network, bytes: number): boolean {
    return this.#queued + bytes <= this.#bounds.maxPrivateQueuedBytes && this.hasRoomOf(network, bytes);
  }

  /** Of what the network may have alone, with the others of its site. */
  hasRoomOf({ site }: Network, bytes: number): boolean {
    return site.queuedBytes + bytes <= this.#bounds.maxPrivateQueuedBytesPerNetwork;
  }

  /** So many more; or fewer, where they were taken or are thrown away. */
  add(network: Network, bytes: number): void {
    this.#queued += bytes;
    network.site.queuedBytes += bytes;
  }
}
