/** Ports of the HTTP server: the writer, the directory, the reads, clocks, the venue's status, and limits. */
import type { RealtimeUrl } from '#contract/asyncapi.ts';
import { DEFAULT_VENUE_LIMITS, type VenueLimits } from '#contract/contract-limits.ts';
import type { Environment } from '#contract/environments.ts';
import type { Gateway, Venue as VenueOfGateway } from '#gateway/port.ts';
import type { RateCounters } from '#http/access/rate-counters.ts';
import type { OwnerStores } from '#identity/owner-stores.ts';
import type { SignInProvider } from '#identity/sign-in/providers.ts';
import type { Tickets } from '#identity/tickets.ts';
import type { RelyingParty } from '#identity/webauthn/relying-party.ts';
import type { OpenOrders, PreviewOrder } from '#reads/open-orders.ts';
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { ReadsFor } from '#reads/reader.ts';
import type { Directory, PricedUnderlying } from '#reads/reads.ts';
import type { Coordinator } from '#settlement/coordinator/coordinator.ts';
import type { SteadyClock } from '#time/clock.ts';
import type { Time } from '#time/time.ts';
import type { Sequence } from '#units/ids.ts';
import type { FindOutcome, Submit } from '#writer/port/submit.ts';
import type { OnInternalError } from './guarded-events.ts';
import type { Observe } from './observation.ts';

export interface VenueStatus {
  /** Whether orders are accepted. */
  readonly isReady: boolean;
  /** Why not, in texts for clients; empty if it is ready. */
  readonly reasons: readonly string[];
  /** Unavailable parts that cancels and closes do not need, in such texts too. */
  readonly degraded?: readonly string[];
}

export interface HttpLimits extends VenueLimits {
  /** Over all networks. */
  readonly maxConnections: number;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = { maxConnections: 4_096, ...DEFAULT_VENUE_LIMITS };

export interface HttpPorts extends Time, OwnerStores {
  /** Operations that it lacks have no route. */
  readonly environment: Environment;
  readonly submit: Submit;
  readonly findOutcome: FindOutcome;
  /** SHA-256 of the bytes of a durable record, in hex; `undefined` if its part of the journal was moved elsewhere. */
  readonly recordDigest: (sequence: Sequence) => Promise<string | undefined>;
  readonly previewOrder: PreviewOrder;
  readonly openOrders: OpenOrders;
  readonly directory: Directory;
  readonly owners: OwnerDirectory;
  /** Absent on a venue without an external ledger. */
  readonly settlement?: Coordinator | undefined;
  readonly readsFor: ReadsFor;
  /** The underlyings that the price source has prices for. */
  readonly pricedUnderlyings: readonly PricedUnderlying[];
  readonly tickets: Tickets;
  /** The sign-in providers of the environment and the configuration. */
  readonly signInProviders: readonly SignInProvider[];
  /** The site of the owner's page. Known once the server listens: by default its origin has the server's port. */
  readonly relyingParty: () => RelyingParty;
  /** Creates the gateway that translates /v2 to operations of /v1, for an anonymous caller. */
  readonly openGateway: (publicVenue: VenueOfGateway, steadyClock: SteadyClock) => Gateway;
  /** The URL by which clients reach the realtime service, for the documents. */
  readonly realtimeUrl: RealtimeUrl;
  readonly status: () => VenueStatus | Promise<VenueStatus>;
  readonly limits: HttpLimits;
  /** Proxies whose forwarding headers are trusted: addresses, and networks as CIDRs. By default, no proxy is trusted. */
  readonly trustedProxies?: readonly string[];
  /** The counters of the rate limits. */
  readonly rateCounters: RateCounters;
  /** Called for every response. */
  readonly observe: Observe;
  /** Receives internal errors; the client gets only 500 and the request id. */
  readonly onInternalError: OnInternalError;
}
