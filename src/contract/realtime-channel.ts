/** What a channel of the realtime service declares about itself. Frames, the AsyncAPI document and tests are read from these declarations. */
import type * as z from 'zod';

/** How a channel comes by what it tells (`x-venue-source-status`). */
export type SourceStatus = 'live' | 'projection' | 'derived' | 'digest' | 'unavailable';

export interface Channel {
  readonly name: `market.${string}` | `account.${string}`;
  readonly summary: string;
  readonly description: string;
  /** Whose updates they are: each subscription names one. Those of an account need a ticket before. */
  readonly subject: 'marketId' | 'accountId';
  /**
   * The REST read whose answer is the state that updates go on from; without one a subscription replays from the stream. `none`: there is
   * nothing to replay either.
   */
  readonly snapshotSource?: `GET /v1/${string}` | 'none';
  /** Where that answer has the sequence to subscribe from; of what is read in pages, the first one. */
  readonly snapshotSequence?: string;
  /** Without such a read, the one that tells of what a replay does not reach any more. */
  readonly historySource?: `GET /v1/${string}`;
  readonly sourceStatus: SourceStatus;
  /**
   * `lossless`: every update arrives, or the client is cut off with a reason. `newest`: each update is whole and replaces the
   * one before; the newest one comes first, and a slow reader is spared those in between.
   */
  readonly delivery: 'lossless' | 'newest';
  /** What is chosen when subscribing, beside the subject. */
  readonly options?: z.ZodObject;
  /** What an update tells; absent where the source is unavailable. */
  readonly data?: z.ZodObject | z.ZodDiscriminatedUnion;
}
