/** What the realtime room is given: the reads that it shows, a clock, and how much it lets in. */
import type { BookSnapshot, MarketStats } from '#contract/markets.ts';
import type { MarketOrdinal, Sequence } from '#units/ids.ts';

/** The scales that amounts of a market are written at. */
export interface ShownMarket {
  readonly market: MarketOrdinal;
  readonly marketId: string;
  readonly priceScale: number;
  readonly quantityScale: number;
}

/** Reads as of the durable sequence. What is read after a group was handed to the service reflects it. */
export interface RealtimeReads {
  sequence(): Sequence;
  /** `undefined` where no market has this id. */
  market(marketId: string): ShownMarket | undefined;
  book(market: MarketOrdinal, depth: number): Promise<BookSnapshot>;
  stats(market: MarketOrdinal): Promise<MarketStats>;
}

/** What the service does and did, in numbers: for who looks after the venue. */
export interface RealtimeCounts {
  readonly sockets: number;
  readonly subscriptions: number;
  readonly framesSent: number;
  /** Clients that were cut off, by the reason that they were told. */
  readonly closed: Readonly<Record<string, number>>;
}

export interface RealtimeLimits {
  /** Clients at once; the next one's handshake is answered 503. */
  readonly maxConnections: number;
  /** A line that has not asked for a socket after this is cut. */
  readonly handshakeMs: number;
  readonly maxSubscriptions: number;
  readonly maxFrameBytes: number;
  /** What may wait to be sent to one client; beyond it the client is cut off. */
  readonly maxQueuedBytes: number;
  /** Frames that a client may send: so many at once, and so many per second on and on. */
  readonly frameBurst: number;
  readonly framesPerSecond: number;
  /** A client that gives no sign of life for this long is cut off; it is pinged three times before. */
  readonly idleMs: number;
  /** Books and tickers are sent at most this often. */
  readonly conflationMs: number;
}

export const DEFAULT_REALTIME_LIMITS: RealtimeLimits = {
  maxConnections: 2_048,
  handshakeMs: 10_000,
  maxSubscriptions: 64,
  maxFrameBytes: 4_096,
  maxQueuedBytes: 1_048_576,
  frameBurst: 128,
  framesPerSecond: 20,
  idleMs: 60_000,
  conflationMs: 100,
};
