/** The last steps of a test world, for the report of a failure. */

export class StepLog {
  readonly #length: number;
  readonly #lines: string[] = [];
  #step = 0;

  constructor(length = 40) {
    this.#length = length;
  }

  get step(): number {
    return this.#step;
  }

  begin(): void {
    this.#step += 1;
  }

  note(line: string): void {
    this.#lines.push(`  step ${this.#step}: ${line}`);
    if (this.#lines.length > this.#length * 2) this.#lines.splice(0, this.#length);
  }

  get lastLines(): readonly string[] {
    return this.#lines.slice(-this.#length);
  }
}
