/** The rendered updates of one subscription between two sequences: replays are made of them, and may share them. */

interface Written {
  readonly sequence: number;
  readonly frame: Buffer;
}

export class Stretch {
  /** Has all updates after this sequence. */
  fromSequence: number;
  /** Up to this sequence. */
  upTo: number;
  /** The sequence of the last update. */
  heldSequence: number;
  /** Whether older updates were dropped to limit the bytes. */
  isCut = false;
  bytes = 0;
  #written: Written[] = [];

  constructor(fromSequence: number) {
    this.fromSequence = fromSequence;
    this.upTo = fromSequence;
    this.heldSequence = fromSequence;
  }

  /** Appends the next update, and drops the oldest ones beyond `mostBytes`. */
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
