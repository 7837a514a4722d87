/**
 * Limits of one network at a server: connections, chunks of bodies, pipelined requests. The REST server and the realtime service
 * install the same limits.
 */
import type { Server } from 'node:http';
import type { Time } from '#time/time.ts';
import { limitBodyChunks } from './body-chunks.ts';
import { limitConnectionsPerNetwork } from './connections-per-network.ts';
import type { OnInternalError } from './guarded-events.ts';
import { NetworkPauses } from './network-pauses.ts';
import { limitPipelinedRequests } from './pipelined-requests.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

export interface NetworkLimits extends Pick<Time, 'steadyClock' | 'timers'> {
  /** Per network. */
  readonly maxConnections: number;
  readonly proxies: TrustedProxies;
  readonly onInternalError: OnInternalError;
}

/** Call it before the server listens. Returns the pauses, from which a connection is released at its upgrade. */
export function limitNetworks(server: Server, limits: NetworkLimits): NetworkPauses {
  const { maxConnections, proxies, onInternalError } = limits;
  const connectionsOf = limitConnectionsPerNetwork(server, maxConnections, proxies, onInternalError);
  const pauses = new NetworkPauses(server, { ...limits, connectionsOf });
  limitBodyChunks(server, pauses, proxies, onInternalError);
  limitPipelinedRequests(server, pauses, proxies, onInternalError);
  return pauses;
}
