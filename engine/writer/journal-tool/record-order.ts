/** Records one after the other: says where some are missing, so that nothing that was known before them is taken for known after. */
import type { CommittedRecord } from '#writer/port/submit.ts';

export class RecordOrder {
  #last = 0;

  /** The records just before this one are missing: what they did is not known. */
  isBroken({ sequence }: Pick<CommittedRecord, 'sequence'>): boolean {
    const isNext = sequence === this.#last + 1;
    this.#last = sequence;
    return !isNext;
  }
}
