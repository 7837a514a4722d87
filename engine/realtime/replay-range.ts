/** The rendered updates of one subscription between two sequences: replays are made of them, and may share them. */

interface RenderedUpdate {
  readonly sequence: number;
  readonly frame: Buffer;
}

export class ReplayRange {
  /** Has all updates after this sequence. */
  fromSequence: number;
  /** Up to this sequence. */
  upTo: number;
  /** The sequence of the last update. */
  replayedSequence: number;
  /** Whether older updates were dropped to limit the bytes. */
  isCut = false;
  bytes = 0;
  #written: RenderedUpdate[] = [];

  constructor(fromSequence: number) {
    this.fromSequence = fromSequence;
    this.upTo = fromSequence;
    this.replayedSequence = fromSequence;
  }

  /** Appends the next update, and drops the oldest ones beyond `maxBytes`. */
  push(sequence: number, frame: Buffer, maxBytes: number): void {
    this.#written.push({ sequence, frame });
    this.replayedSequence = sequence;
    this.bytes += frame.length;
    let dropped = 0;
    for (; this.bytes > maxBytes; dropped += 1) this.bytes -= this.#written[dropped]!.frame.length;
    if (dropped === 0) return;
    this.fromSequence = this.#written[dropped - 1]!.sequence;
    this.isCut = true;
    this.#written.splice(0, dropped);
  }

  after(sequence: number): readonly Buffer[] {
    const first = this.#written.findIndex((it) => it.sequence > sequence);
    return first < 0 ? [] : this.#written.slice(first).map(({ frame }) => frame);
  }
}
