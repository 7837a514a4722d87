/** How far those who follow the journal have come, as they say when a writer is opened. */
import type { Sequence } from '#units/ids.ts';

/** What they have folded and kept: all records up to one that ends a group, and the chain's digest there. */
export interface Followed {
  readonly sequence: Sequence;
  /** In hex. Of no account at sequence 0. */
  readonly chainDigest: string;
}

/** The projections hold the events of another journal: they are to be discarded and fed from the start. */
export class FollowedAnotherJournal extends Error {
  override readonly name = 'FollowedAnotherJournal';
}
