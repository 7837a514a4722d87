/** Something whose speed is compared with others': it carries out the same work as often as it is asked to. */

export interface Contender {
  /** What the time is divided by. */
  readonly operations: number;
  /** What it does, in words. */
  readonly work: string;
  readonly version: string;
  /** How it is driven, where there is a choice. */
  readonly manner: string;
  /** Makes everything ready, up to where the clock runs. */
  prepare(): void;
  /** The timed part. Once for every {@link prepare}. Answers how many milliseconds the clock ran. */
  run(): number;
  /** Does the work once more, not timed, and answers what came of it. */
  outcome(): object;
}

/** Which contender a thread makes: by the name of its part, of itself, and of what it works on. */
export interface Assignment {
  readonly part: string;
  readonly contender: string;
  readonly profile: string;
  readonly options: BenchOptions;
}

export interface BenchOptions {
  readonly seed: number;
  /** All in small: whether it works, not how fast. */
  readonly isQuick: boolean;
}
