/** Updates of one subscription written out, of all that is between two sequences: what replays are made of, and may have in common. */

interface Written {
  readonly sequence: number;
  readonly frame: Buffer;
}

export class Stretch {
  /** Updates after this are here. */
  fromSequence: number;
  /** And none is missing up to this one. */
  upTo: number;
  /** Of the last update. */
  heldSequence: number;
  /** Older ones were let go, for there was too much. */
  isCut = false;
  bytes = 0;
  #written: Written[] = [];

  constructor(fromSequence: number) {
    this.fromSequence = fromSequence;
    this.upTo = fromSequence;
    this.heldSequence = fromSequence;
  }

  /** The next update; the oldest ones go beyond so many bytes. */
  push(sequence: number, frame: Buffer, mostBytes: number): void {
    this.#written.push({ sequence, frame });
    this.heldSequence = sequence;
    this.bytes += frame.length;
    let gone = 0;
    for (; this.bytes > mostBytes; gone += 1) this.bytes -= this.#written[gone]!.frame.length;
    if (gone === 0) return;
    this.fromSequence = this.#written[gone - 1]!.sequence;
    this.isCut = true;
    this.#written.splice(0, gone);
  }

  after(sequence: number): readonly Buffer[] {
    const first = this.#written.findIndex((it) => it.sequence > sequence);
    return first < 0 ? [] : this.#written.slice(first).map(({ frame }) => frame);
  }
}
