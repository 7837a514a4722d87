/** What the HTTP room is given: the writer, the directory, the reads, a clock, the venue's status, and how much it lets in. */
import type { PlaceOrder } from '#venue/command.ts';
import type { Preview } from '#venue/preview.ts';
import type { Clock } from '#writer/clock.ts';
import type { Looked, Submit } from '#writer/submit.ts';
import type { Ask } from './answers.ts';
import type { Directory, PricedUnderlying } from './reads.ts';

export interface VenueStatus {
  /** Orders are taken. */
  readonly isReady: boolean;
  /** Why not, in words fit for clients; empty when it is ready. */
  readonly reasons: readonly string[];
}

/** So many at once, and so many per second on and on. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

export interface HttpLimits {
  readonly maxConnections: number;
  /** A request that has not arrived completely after this is refused. */
  readonly requestTimeoutMs: number;
  /** Placements per account; cancels as many again, and previews. */
  readonly orders: Rate;
  /** Changes of what an account sees and shows: favorites, the leaderboard. */
  readonly settings: Rate;
  /** Public reads per remote address. */
  readonly publicReads: Rate;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxConnections: 4_096,
  requestTimeoutMs: 15_000,
  orders: { burst: 1_000, perSecond: 500 },
  settings: { burst: 20, perSecond: 1 },
  publicReads: { burst: 400, perSecond: 200 },
};

/** What placing an order would do now. Resolves once everything that it takes into account is durable. */
export type PreviewOrder = (command: PlaceOrder) => Promise<Looked<Preview>>;

export interface HttpPorts {
  readonly submit: Submit;
  readonly previewOrder: PreviewOrder;
  readonly directory: Directory;
  readonly ask: Ask;
  /** What the source of index prices has prices for. */
  readonly pricedUnderlyings: readonly PricedUnderlying[];
  readonly clock: Clock;
  readonly status: () => VenueStatus;
  readonly limits: HttpLimits;
  /** Takes what should not have happened. The client hears no more of it than the request id. */
  readonly reportDefect: (defect: unknown, requestId: string) => void;
}
