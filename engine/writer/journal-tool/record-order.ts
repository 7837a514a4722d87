/** Detects gaps in a sequence of records, so that nothing known before a gap is taken as known after it. */
import type { CommittedRecord } from '#writer/port/submit.ts';

export class RecordOrder {
  #last = 0;

  /** Whether records are missing just before this one, whose effects are unknown. */
  isBroken({ sequence }: Pick<CommittedRecord, 'sequence'>): boolean {
    const isNext = sequence === this.#last + 1;
    this.#last = sequence;
    return !isNext;
  }
}
