/** Ports of the realtime service: the initial rows of the venue, tickets, clocks and limits, and its callbacks. */
import type { Environment } from '#contract/environments.ts';
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { PriceProvider } from '#contract/realtime-market.ts';
import type { SocketTickets } from '#identity/socket-tickets.ts';
import type { LiveRows } from '#projection/projection.ts';
import type { Time } from '#time/time.ts';

/** Tickets are issued and expire by `clock`. */
export interface RealtimePorts extends Time {
  /** Channels that it lacks are unknown. */
  readonly environment: Environment;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Origins of pages that may connect, besides those of the service's own host; `*` accepts all. */
  readonly origins: readonly string[];
  /** Proxies whose forwarding headers are trusted: addresses, and networks as CIDRs. */
  readonly trustedProxies: readonly string[];
  /** The initial state; the first group to follow is the next one. */
  readonly rows: LiveRows;
  /** Directory of the replay log, which lets a start replay earlier changes. Without it there is no replay log. */
  readonly replayLogDirectory?: string | undefined;
  /** Called with the newest record whose write to the replay log was tried. */
  readonly onReplayLogOpened: (sequence: number) => void;
  readonly tickets: SocketTickets;
  readonly limits: RealtimeLimits;
  /** The source of the prices in `market.price`. */
  readonly provider: PriceProvider;
  /** Called with the number of clients whenever it changes. */
  readonly onSockets: (count: number) => void;
  /** Receives log lines. */
  readonly log: (line: string) => void;
  /**
   * Receives an internal error that closed one socket, closed those of one channel, or ended a background task: the service
   * continues.
   */
  readonly onInternalError: (error: unknown) => void;
}

/** Counters of the service, for operators. */
export interface RealtimeCounts {
  readonly sockets: number;
  readonly subscriptions: number;
  /** Subscriptions that wait for their replay. */
  readonly waitingReplays: number;
  readonly framesSent: number;
  /** Closed connections by reason. */
  readonly closed: Readonly<Record<string, number>>;
  /** Books and tickers that were conflated for slow readers. */
  readonly conflated: number;
  readonly sequence: number;
}
