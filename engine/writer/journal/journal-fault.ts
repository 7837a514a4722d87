/** What keeps a venue from starting: a journal that is not what was written, or one that this program may not go on from. */
import { segmentName } from './segment.ts';

/** The journal is not what was written: nothing is started on it and nothing in it is changed. */
export class JournalDamaged extends Error {
  override readonly name = 'JournalDamaged';
  /** The file, the place in it, and the record that is at fault, where there is one. */
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

/** The journal is whole, but this program may not go on from it. */
export class RecoveryRefused extends Error {
  override readonly name = 'RecoveryRefused';
}
