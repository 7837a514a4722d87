/** The declaration of a channel of the realtime service. Frames, the AsyncAPI document and tests come from these declarations. */
import type * as z from 'zod';
import type { EnvironmentScope } from './environments.ts';

/** The source of a channel's updates (`x-venue-source-status`). */
export type SourceStatus = 'live' | 'projection' | 'derived' | 'digest' | 'unavailable';

export interface Channel extends EnvironmentScope {
  readonly name: `market.${string}` | `account.${string}`;
  readonly summary: string;
  readonly description: string;
  /** Not in the interface. */
  readonly isOurs?: true;
  /** The field that a subscription names. Channels of an account need a ticket. */
  readonly subject: 'marketId' | 'accountId';
  /**
   * The REST read of the bootstrap snapshot. Without one a subscription replays from the stream; with `none` the channel has no replay
   * either.
   */
  readonly snapshotSource?: `GET /v1/${string}` | 'none';
  /** The field of that response with the sequence to subscribe from; of several pages, use the first. */
  readonly snapshotSequence?: string;
  /** For a channel without a snapshot, the REST read of updates that are too old to replay. */
  readonly historySource?: `GET /v1/${string}`;
  readonly sourceStatus: SourceStatus;
  /**
   * `lossless`: the client gets every update, or is disconnected with a reason. `newest`: each update is complete and replaces the
   * previous one; a subscription starts with the newest, and updates are conflated for a slow reader.
   */
  readonly delivery: 'lossless' | 'newest';
  /** Further fields of a subscription, besides the subject. */
  readonly options?: z.ZodObject;
  /** The payload of an update; absent if the source is unavailable. */
  readonly data?: z.ZodObject | z.ZodDiscriminatedUnion;
}
