/** Repeatable draws. */
import { seededRandom } from '#simulation/seeded-random.ts';

export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** A whole number from `lowest` to `highest`. */
  integer(lowest: number, highest: number): number {
    return lowest + Math.floor(this.#random() * (highest - lowest + 1));
  }

  chance(percent: number): boolean {
    return this.#random() * 100 < percent;
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }
}
