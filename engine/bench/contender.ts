/** A contender of a speed comparison: repeats the same work on demand. */

export interface Contender {
  /** The divisor of the time. */
  readonly operations: number;
  /** A description of the work. */
  readonly work: string;
  readonly version: string;
  /** How it is driven, if there is a choice. */
  readonly manner: string;
  /** Prepares everything before the clock starts. */
  prepare(): void;
  /** The timed part, once after each {@link prepare}. Returns the milliseconds. */
  run(): number;
  /** Does the work once more, untimed, and returns its result. */
  outcome(): object;
}

/** The contender of a thread: the names of its part, of itself, and of its input. */
export interface Assignment {
  readonly part: string;
  readonly contender: string;
  readonly profile: string;
  readonly options: BenchOptions;
}

export interface BenchOptions {
  readonly seed: number;
  /** Runs everything in small, to test whether it works, not how fast. */
  readonly isQuick: boolean;
}
