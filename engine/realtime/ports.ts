/** What the realtime room is given: the venue as it stands, tickets, a clock, and how much it lets in. */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { PriceProvider } from '#contract/realtime-market.ts';
import type { SocketTickets } from '#identity/socket-tickets.ts';
import type { LiveRows } from '#projection/projection.ts';
import type { Time } from '#time/time.ts';

/** Tickets are issued and expire by the clock. */
export interface RealtimePorts extends Time {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Origins of pages that may connect, beside those of the service's own host; `*` lets all in. */
  readonly origins: readonly string[];
  /** Whose word is taken for whom a line is from: addresses, and networks as CIDRs. */
  readonly trustedProxies: readonly string[];
  /** What is folded; the first group that is told is the one after it. */
  readonly rows: LiveRows;
  /** Where recent changes are kept, so that what was before a start can be replayed after it; nowhere, where it is not given. */
  readonly keptIn?: string | undefined;
  /** Hears up to which record that was done, or given up. */
  readonly onKept: (sequence: number) => void;
  readonly tickets: SocketTickets;
  readonly limits: RealtimeLimits;
  /** Who observes the prices of `market.price`. */
  readonly provider: PriceProvider;
  /** Hears how many clients there are, whenever one comes or goes. */
  readonly onSockets: (count: number) => void;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  /** Takes an internal error that ended one socket, those of one channel, or a piece of work: the service goes on. */
  readonly onInternalError: (error: unknown) => void;
}

/** What the service does and did, in numbers: for who looks after the venue. */
export interface RealtimeCounts {
  readonly sockets: number;
  readonly subscriptions: number;
  /** Subscriptions that wait for their replay. */
  readonly waitingReplays: number;
  readonly framesSent: number;
  /** Clients that were cut off, by the reason that they were told. */
  readonly closed: Readonly<Record<string, number>>;
  /** Books and tickers that slow readers were spared. */
  readonly spared: number;
  readonly sequence: number;
}
