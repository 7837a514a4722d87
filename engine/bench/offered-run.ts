/** Offers submissions to a writer at a steady rate, and measures how long each waits for its response. */
import type { Submission } from '#writer/port/submit.ts';
import type { Writer } from '#writer/writer.ts';
import { startMetronome } from './metronome.ts';
import type { PackedSubmissions } from './packed-submissions.ts';

export interface Pace {
  readonly offered: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  readonly refused: number;
  /** Refusals during the warm-up. */
  readonly refusedBefore: number;
}

/** The first part of a run warms up and is not counted. */
const COUNTED_FROM = 0.5;

/** The interval at which due submissions are submitted. */
const BEAT_MS = 0.2;

/** Each has its own due time: if the writer lags behind, the offered rate stays the same and the latency grows. */
export function offered(writer: Writer, submissions: PackedSubmissions, perSecond: number): Promise<Pace> {
  return new Promise((resolve) => {
    let run: OfferedRun | undefined;
    const metronome = startMetronome(BEAT_MS, () => {
      // The run starts with the first beat: nothing is due while the metronome starts.
      run ??= new OfferedRun(writer, submissions, perSecond);
      run.submitDue();
      if (!run.isOver) return;
      const pace = run.pace();
      void metronome.stop().then(() => resolve(pace));
    });
  });
}

class OfferedRun {
  readonly #writer: Writer;
  readonly #next: () => Submission;
  readonly #count: number;
  readonly #perSecond: number;
  readonly #latencies: Float64Array;
  readonly #countedFrom: number;
  readonly #startedAt: number;
  #sent = 0;
  #answered = 0;
  #refused = 0;
  #refusedBefore = 0;

  constructor(writer: Writer, submissions: PackedSubmissions, perSecond: number) {
    this.#writer = writer;
    this.#next = submissions.reader();
    this.#count = submissions.count;
    this.#perSecond = perSecond;
    this.#countedFrom = Math.floor(this.#count * COUNTED_FROM);
    this.#latencies = new Float64Array(this.#count);
    this.#startedAt = performance.now();
  }

  get isOver(): boolean {
    return this.#answered + this.#refused + this.#refusedBefore === this.#count;
  }

  submitDue(): void {
    const due = Math.min(this.#count, Math.floor(((performance.now() - this.#startedAt) * this.#perSecond) / 1000));
    for (; this.#sent < due; this.#sent += 1) this.#submit(this.#sent);
  }

  #submit(index: number): void {
    this.#writer.submit(this.#next()).then(
      () => {
        this.#latencies[index] = performance.now() - (this.#startedAt + (index * 1000) / this.#perSecond);
        this.#answered += 1;
      },
      () => {
        if (index < this.#countedFrom) this.#refusedBefore += 1;
        else this.#refused += 1;
      },
    );
  }

  pace(): Pace {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    // A latency of 0 marks a refused submission.
    const counted = this.#latencies.slice(this.#countedFrom).filter((latency) => latency > 0);
    counted.sort();
    const quantile = (share: number) => counted[Math.min(counted.length - 1, Math.floor(counted.length * share))]!;
    return {
      offered: this.#perSecond,
      perSecond: this.#answered / seconds,
      p50Ms: quantile(0.5),
      p99Ms: quantile(0.99),
      p999Ms: quantile(0.999),
      maxMs: quantile(1),
      refused: this.#refused,
      refusedBefore: this.#refusedBefore,
    };
  }
}
