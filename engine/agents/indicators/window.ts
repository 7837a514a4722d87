/**
 * A ring of the last values of a series. Indicators sum it again on each bar: a rolling sum would drift, and a long run would
 * decide differently from a short one.
 */
import type { Cells } from './cells.ts';

const COUNT = 0;
const NEXT = 1;
const FIRST = 2;

export class Window {
  readonly length: number;
  readonly #cells: Float64Array;

  constructor(cells: Cells, length: number) {
    this.length = length;
    this.#cells = cells.take(FIRST + length);
  }

  get isFull(): boolean {
    return this.#cells[COUNT] === this.length;
  }

  push(value: number): void {
    const cells = this.#cells;
    const next = cells[NEXT]!;
    cells[FIRST + next] = value;
    cells[NEXT] = next + 1 === this.length ? 0 : next + 1;
    if (cells[COUNT]! < this.length) cells[COUNT]! += 1;
  }

  /** The value `age` pushes before the newest, which has age 0; NaN if there is none. */
  at(age: number): number {
    const cells = this.#cells;
    if (age >= cells[COUNT]!) return Number.NaN;
    const index = cells[NEXT]! - 1 - age;
    return cells[FIRST + (index < 0 ? index + this.length : index)]!;
  }

  /** The sum from the oldest value to the newest. */
  sum(): number {
    let sum = 0;
    for (let age = this.length - 1; age >= 0; age -= 1) sum += this.at(age);
    return sum;
  }
}
