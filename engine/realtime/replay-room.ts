/**
 * Room for replays that wait for who reads them. Where another one needs it, those are cut off that take nothing of theirs, the longest of all
 * first: else some clients that read nothing would hold up the replays of everybody.
 */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { Connection } from './connection.ts';
import type { Share } from './networks.ts';
import type { PrivateBytes } from './private-bytes.ts';

export class ReplayRoom {
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

  /** Whether so many bytes may wait for the client. */
  isMadeFor({ network }: Connection, bytes: number): boolean {
    while (!this.#privateBytes.hasRoom(network, bytes)) {
      const stalled = this.#longestStalled(this.#privateBytes.hasRoomOf(network, bytes) ? undefined : network.site);
      if (stalled === undefined) return false;
      stalled.close('slow_consumer');
    }
    return true;
  }

  /** Of a site, where it is its own room that is short. */
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
