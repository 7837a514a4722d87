/** Whom a read is made for: reads wait for their turn by client. */
import type { Ask } from './answers.ts';

export interface Reader {
  /** An account with all of its keys, a network, or the venue itself. */
  readonly client: string;
  /** In tokens of its rate limit: what it may cost at most. */
  readonly cost: number;
  /** How lists are shown: as /v1 does, or entry by entry as /v2 does. */
  readonly form: 'native' | 'unified';
  /** Nobody waits for the answer. */
  readonly isGone: () => boolean;
}

export type AskAs = (reader: Reader) => Ask;

/** What the venue itself reads: at its start, for metrics, for its operator. */
export const VENUE_READER: Reader = { client: 'venue', cost: 1, form: 'native', isGone: () => false };
