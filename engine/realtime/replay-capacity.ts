/**
 * Memory for replays that wait for slow readers. If another replay needs it, connections that read nothing of theirs are closed,
 * the longest stalled first: otherwise a few clients that read nothing would block the replays of all.
 */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { Connection } from './connection.ts';
import type { Share } from './networks.ts';
import type { PrivateBytes } from './private-bytes.ts';

export class ReplayCapacity {
  readonly #connections: ReadonlySet<Connection>;
  readonly #privateBytes: PrivateBytes;
  readonly #stalledMs: number;

  constructor(
    connections: ReadonlySet<Connection>,
    privateBytes: PrivateBytes,
    { stalledMs }: Pick<RealtimeLimits, 'stalledMs'>,
  ) {
    this.#connections = connections;
    this.#privateBytes = privateBytes;
    this.#stalledMs = stalledMs;
  }

  /** Whether so many bytes may wait for the connection. Closes stalled connections if needed. */
  reserve({ network }: Connection, bytes: number): boolean {
    while (!this.#privateBytes.hasCapacity(network, bytes)) {
      const stalled = this.#longestStalled(this.#privateBytes.hasCapacityOf(network, bytes) ? undefined : network.site);
      if (stalled === undefined) return false;
      stalled.close('slow_consumer');
    }
    return true;
  }

  /** Only of one site, if that site's own bound is exceeded. */
  #longestStalled(site: Share | undefined): Connection | undefined {
    let longest: Connection | undefined;
    let longestMs = this.#stalledMs;
    for (const connection of this.#connections) {
      const { stalledMs } = connection;
      if (stalledMs < longestMs || (site !== undefined && connection.network.site !== site)) continue;
      longest = connection;
      longestMs = stalledMs;
    }
    return longest;
  }
}
