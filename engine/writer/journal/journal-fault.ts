/** Errors that keep a venue from starting: a damaged journal, or one that this program must not continue. */
import { segmentName } from './segment.ts';

/** The journal differs from what was written: the start fails and changes nothing in it. */
export class JournalDamaged extends Error {
  override readonly name = 'JournalDamaged';
  /** The file, the offset in it, and the damaged record if known. */
  readonly place: { readonly segment: string; readonly offset: number; readonly sequence: number | undefined };

  constructor(message: string, place: JournalDamaged['place']) {
    super(message);
    this.place = place;
  }

  static at(segment: number, offset: number, sequence: number | undefined, what: string): JournalDamaged {
    const record = sequence === undefined ? '' : `, record ${sequence}`;
    const message = `the journal is damaged in ${segmentName(segment)} at byte ${offset}${record}: ${what}`;
    return new JournalDamaged(message, { segment: segmentName(segment), offset, sequence });
  }
}

/** The journal is whole, but this program must not continue it. */
export class RecoveryRefused extends Error {
  override readonly name = 'RecoveryRefused';
}
