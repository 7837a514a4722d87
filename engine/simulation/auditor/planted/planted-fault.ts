/** A fault of a venue, planted in its turns once they are recorded. */
import type { Check } from '#simulation/auditor/audit-failed.ts';
import type { Auditor } from '#simulation/auditor/auditor.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';

/**
 * Returns the turn with the fault, more than one turn if the venue adds some, or `undefined` if the fault cannot occur.
 * `books` are those before the turn.
 */
export type Plant = (turn: CommittedRecord, books: Auditor) => CommittedRecord | readonly CommittedRecord[] | undefined;

export interface PlantedFault {
  readonly fault: string;
  /** Made once for each run. */
  readonly plant: () => Plant;
  /** The check that finds it, and its message. */
  readonly check: Check;
  readonly says: RegExp;
  /**
   * The crash cannot show it: no account there transfers cash, sets favorites or leaves reduce-only orders, no liquidation leaves a
   * rest that needs less than it has, and none costs the insurance fund anything.
   */
  readonly isNotInCrash?: boolean;
}
