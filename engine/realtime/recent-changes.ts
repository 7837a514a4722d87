/** What the newest records have changed, so far back as the service can replay: bounded by time and by how much there is to keep. */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import { type RecordChanges, sizeOf } from '#projection/record-changes.ts';

export class RecentChanges {
  readonly #limits: Pick<RealtimeLimits, 'replayWindowMs' | 'replayWindowChanges'>;
  #records: RecordChanges[] = [];
  #first = 0;
  #size = 0;
  #newest: number;

  /** Nothing before the record after `sequence` is known. */
  constructor(limits: Pick<RealtimeLimits, 'replayWindowMs' | 'replayWindowChanges'>, sequence: number) {
    this.#limits = limits;
    this.#newest = sequence;
  }

  add(changes: RecordChanges): void {
    this.#records.push(changes);
    this.#size += sizeOf(changes);
    this.#newest = changes.sequence;
    while (this.#first < this.#records.length && this.#isOutside(this.#records[this.#first]!)) this.#drop();
  }

  /** The lowest sequence that everything after is known of. */
  get oldest(): number {
    return this.#newest - (this.#records.length - this.#first);
  }

  /** The records after a sequence that is not below the oldest, in order. Their sequences leave nothing out. */
  after(sequence: number): readonly RecordChanges[] {
    return this.#records.slice(this.#first + Math.max(0, sequence - this.oldest));
  }

  /** One record alone can be more than is kept: then nothing is. */
  #isOutside({ epochMs }: RecordChanges): boolean {
    const { replayWindowMs, replayWindowChanges } = this.#limits;
    return this.#size > replayWindowChanges || epochMs < this.#records.at(-1)!.epochMs - replayWindowMs;
  }

  /** The list is cut once half of it is dropped: each record is moved once on average. */
  #drop(): void {
    this.#size -= sizeOf(this.#records[this.#first]!);
    this.#first += 1;
    if (2 * this.#first < this.#records.length) return;
    this.#records = this.#records.slice(this.#first);
    this.#first = 0;
  }
}
