/** How far the journal's subscribers have come, as they state when a writer is opened. */
import type { Sequence } from '#units/ids.ts';

/** What a subscriber has folded and saved: all records up to the last of a group, and the chain digest there. */
export interface FollowerPosition {
  readonly sequence: Sequence;
  /** In hex. Ignored at sequence 0. */
  readonly chainDigest: string;
}

/** The projections contain events of another journal: discard them and rebuild them from the start. */
export class FollowerJournalMismatch extends Error {
  override readonly name = 'FollowerJournalMismatch';
}
