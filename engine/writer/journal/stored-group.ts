/** A commit group as stored in the journal: see `group.ts` for its layout. */
import type { Sequence } from '#units/ids.ts';

export interface GroupHeader {
  /** The length of the whole group without its padding. */
  readonly byteLength: number;
  readonly recordCount: number;
  readonly number: number;
  readonly firstSequence: Sequence;
  readonly previousDigest: Uint8Array;
}

/** A group that was found whole. `digest` is the chain digest after it. */
export interface StoredGroup {
  readonly header: GroupHeader;
  readonly bytes: Uint8Array;
  readonly digest: Uint8Array;
}
