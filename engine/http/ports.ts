/** What the HTTP room is given: the writer, the directory, the reads, a clock, the venue's status, and how much it lets in. */
import type { RealtimeUrl } from '#contract/asyncapi.ts';
import { DEFAULT_VENUE_LIMITS, type VenueLimits } from '#contract/contract-limits.ts';
import type { Gateway, Venue as VenueOfGateway } from '#gateway/port.ts';
import type { Tickets } from '#identity/tickets.ts';
import type { SteadyClock } from '#time/clock.ts';
import type { Time } from '#time/time.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { PlaceOrder } from '#venue/command.ts';
import type { Preview } from '#venue/preview.ts';
import type { Looked, Submit } from '#writer/submit.ts';
import type { OrderName } from './answers.ts';
import type { OnInternalError } from './guarded-events.ts';
import type { Observe } from './observation.ts';
import type { RateCounters } from './rate-counters.ts';
import type { AskAs } from './reader.ts';
import type { Directory, PricedUnderlying } from './reads.ts';

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

/** What placing an order would do now. Resolves once everything that it takes into account is durable. */
export type PreviewOrder = (command: PlaceOrder) => Promise<Looked<Preview>>;

/**
 * What the venue has open as of its last turn. That is ahead of the disk and of every read: it decides what is submitted, and
 * nothing that is answered.
 */
export interface OpenOrders {
  /** `undefined` where a name is one that the venue has forgotten: then reads have to say. */
  named(account: AccountOrdinal, names: readonly OrderName[]): NamedOrders | undefined;
  /** All of the account, in one market or in all, from the oldest to the newest. */
  all(account: AccountOrdinal, market?: MarketOrdinal): readonly OrderOrdinal[];
  /** Resolves when reads show what was seen here before; or at once where they never will, for the venue has halted. */
  settled(): Promise<void>;
}

/** Orders as they were named, in that order, and those of them that are open and the account's, each once. */
export interface NamedOrders {
  readonly orders: readonly OrderOrdinal[];
  readonly open: readonly OrderOrdinal[];
}

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
