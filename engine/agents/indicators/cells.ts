/**
 * Holds the whole numeric state of a run in cells of doubles. Each indicator and variable takes its cells once, in an order that
 * only the script decides, so a run is saved and restored as one list of numbers.
 */

/** A run would need more cells than its limit. */
export class CellsExceeded extends Error {}

export class Cells {
  readonly #parts: Float64Array[] = [];
  readonly #maxCells: number;
  #size = 0;

  constructor(maxCells: number) {
    this.#maxCells = maxCells;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes `count` cells, each with the value `initial`. Throws {@link CellsExceeded}. */
  take(count: number, initial = 0): Float64Array {
    if (this.#size + count > this.#maxCells) throw new CellsExceeded(`a run has at most ${this.#maxCells} cells`);
    const part = new Float64Array(count).fill(initial);
    this.#parts.push(part);
    this.#size += count;
    return part;
  }

  /** Every cell in order, with `null` for `na`, because JSON has no NaN. All other values are finite. */
  save(): (number | null)[] {
    return this.#parts.flatMap((part) => Array.from(part, (value) => (Number.isFinite(value) ? value : null)));
  }

  /** Returns false, without a change, if the values are not those of the same cells. */
  restore(values: readonly (number | null)[]): boolean {
    if (values.length !== this.#size) return false;
    if (!values.every((value) => value === null || Number.isFinite(value))) return false;
    let index = 0;
    for (const part of this.#parts) {
      for (let cell = 0; cell < part.length; cell += 1) part[cell] = values[index++] ?? Number.NaN;
    }
    return true;
  }
}
