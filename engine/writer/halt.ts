/** The switch that stops the writer for good: a failed write or sync, or a defect. Only a new start gets past it. */
import { VenueHalted } from './submit.ts';

/** Why the writer stopped. */
export interface Halt {
  readonly reason: string;
  readonly cause: unknown;
}

export class HaltSwitch {
  readonly #onHalt: (halt: Halt) => void;
  #halt: Halt | undefined;

  /** `onHalt` hears of it once, at once. */
  constructor(onHalt: (halt: Halt) => void) {
    this.#onHalt = onHalt;
  }

  get halt(): Halt | undefined {
    return this.#halt;
  }

  /** The first reason counts: what goes wrong afterwards comes of it. */
  stop(what: string, cause: unknown): void {
    if (this.#halt !== undefined) return;
    this.#halt = { reason: `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, cause };
    this.#onHalt(this.#halt);
  }

  /** What callers hear who were not answered. */
  error(): VenueHalted {
    return new VenueHalted(`the venue takes no commands until it is started again (${this.#halt?.reason})`, {
      cause: this.#halt?.cause,
    });
  }
}
