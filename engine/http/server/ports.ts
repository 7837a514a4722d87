/** What the HTTP room is given: the writer, the directory, the reads, a clock, the venue's status, and how much it lets in. */
import type { RealtimeUrl } from '#contract/asyncapi.ts';
import { DEFAULT_VENUE_LIMITS, type VenueLimits } from '#contract/contract-limits.ts';
import type { Gateway, Venue as VenueOfGateway } from '#gateway/port.ts';
import type { RateCounters } from '#http/access/rate-counters.ts';
import type { Tickets } from '#identity/tickets.ts';
import type { OpenOrders, PreviewOrder } from '#reads/open-orders.ts';
import type { AskAs } from '#reads/reader.ts';
import type { Directory, PricedUnderlying } from '#reads/reads.ts';
import type { SteadyClock } from '#time/clock.ts';
import type { Time } from '#time/time.ts';
import type { Submit } from '#writer/port/submit.ts';
import type { OnInternalError } from './guarded-events.ts';
import type { Observe } from './observation.ts';

export interface VenueStatus {
  /** Orders are taken. */
  readonly isReady: boolean;
  /** Why not, in words fit for clients; empty when it is ready. */
  readonly reasons: readonly string[];
  /** What is away that cancels and closes do not need, in such words too. */
  readonly degraded?: readonly string[];
}

export interface HttpLimits extends VenueLimits {
  /** Of all networks together. */
  readonly maxConnections: number;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = { maxConnections: 4_096, ...DEFAULT_VENUE_LIMITS };

export interface HttpPorts extends Time {
  readonly submit: Submit;
  readonly previewOrder: PreviewOrder;
  readonly openOrders: OpenOrders;
  readonly directory: Directory;
  readonly askAs: AskAs;
  /** What the source of index prices has prices for. */
  readonly pricedUnderlyings: readonly PricedUnderlying[];
  readonly tickets: Tickets;
  /** Translates /v2 onto the operations of /v1, for a venue as anyone has it. */
  readonly openGateway: (anyone: VenueOfGateway, steadyClock: SteadyClock) => Gateway;
  /** Where clients reach the realtime service, as documents name it. */
  readonly realtimeUrl: RealtimeUrl;
  readonly status: () => VenueStatus | Promise<VenueStatus>;
  readonly limits: HttpLimits;
  /** Whose word is taken for whom a request is from: addresses, and networks as CIDRs. Nobody's, where it is not given. */
  readonly trustedProxies?: readonly string[];
  /** Where requests are counted. */
  readonly rateCounters: RateCounters;
  /** Hears of every answer. */
  readonly observe: Observe;
  /** Takes what the client is answered 500 for; the client gets no more of it than the request id. */
  readonly onInternalError: OnInternalError;
}
