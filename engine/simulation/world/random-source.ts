/** The seeded random numbers of a test world. */
import { seededRandom } from '#simulation/seeded-random.ts';

export class RandomSource {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** From 0 to below 1. */
  readonly fraction = (): number => this.#random();

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#random() * (high - low + 1));
  }

  /** One of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)]!;
  }

  /** A place in a list of weights, each as likely as its share of their sum. */
  weighted(weights: readonly number[]): number {
    let sum = 0;
    for (let place = 0; place < weights.length; place += 1) sum += weights[place]!;
    let left = this.#random() * sum;
    for (let place = 0; place < weights.length; place += 1) {
      left -= weights[place]!;
      if (left < 0) return place;
    }
    return weights.findLastIndex((weight) => weight > 0);
  }

  /** A generator of its own: draws from it do not affect this one. */
  fork(): RandomSource {
    return new RandomSource(Math.floor(this.#random() * 2 ** 32));
  }
}
