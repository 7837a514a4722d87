/** The client that a read is for: reads are queued by client. */
import type { RenderedReads } from './resource-reads.ts';

export interface Reader {
  /** An account with all of its keys, a network, or the venue itself. */
  readonly client: string;
  /** The maximum cost, in tokens of its rate limit. */
  readonly cost: number;
  /** The form of lists: as in /v1, or entry by entry as in /v2. */
  readonly form: 'native' | 'unified';
  /** Whether the client has disconnected. */
  readonly isClosed: () => boolean;
}

export type ReadsFor = (reader: Reader) => RenderedReads;

/** Reads of the venue itself: at its start, for metrics, for its operator. */
export const VENUE_READER: Reader = { client: 'venue', cost: 1, form: 'native', isClosed: () => false };
