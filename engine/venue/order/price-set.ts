/**
 * The set of prices that have orders, as a tree of 32-bit words: a bit per tick, above it a bit per word, and so on up
 * to one word. Finding the nearest occupied price in either direction takes a few steps, however far away it is.
 */

const WORD_BITS = 5;
const WORD_MASK = 31;

export class PriceSet {
  /** Ticks first; each further level has a bit for every word of the one below. The last level is a single word. */
  readonly #levels: readonly Int32Array[];

  constructor(highest: number) {
    const levels: Int32Array[] = [];
    let words = (highest >>> WORD_BITS) + 1;
    for (;;) {
      levels.push(new Int32Array(words));
      if (words === 1) break;
      words = ((words - 1) >>> WORD_BITS) + 1;
    }
    this.#levels = levels;
  }

  add(tick: number): void {
    let key = tick;
    for (const words of this.#levels) {
      const word = words[key >>> WORD_BITS]!;
      words[key >>> WORD_BITS] = word | (1 << (key & WORD_MASK));
      if (word !== 0) return;
      key >>>= WORD_BITS;
    }
  }

  remove(tick: number): void {
    let key = tick;
    for (const words of this.#levels) {
      const word = words[key >>> WORD_BITS]! & ~(1 << (key & WORD_MASK));
      words[key >>> WORD_BITS] = word;
      if (word !== 0) return;
      key >>>= WORD_BITS;
    }
  }

  /** The lowest price above `tick`, or 0 where there is none. */
  above(tick: number): number {
    let key = tick;
    for (let level = 0; level < this.#levels.length; level += 1) {
      const bit = key & WORD_MASK;
      const higher = bit === WORD_MASK ? 0 : this.#levels[level]![key >>> WORD_BITS]! & (-1 << (bit + 1));
      if (higher !== 0) return this.#descendLowest(level, (key & ~WORD_MASK) | lowestBit(higher));
      key >>>= WORD_BITS;
    }
    return 0;
  }

  /** The highest price below `tick`, or 0 where there is none. */
  below(tick: number): number {
    let key = tick;
    for (let level = 0; level < this.#levels.length; level += 1) {
      const lower = this.#levels[level]![key >>> WORD_BITS]! & ((1 << (key & WORD_MASK)) - 1);
      if (lower !== 0) return this.#descendHighest(level, (key & ~WORD_MASK) | highestBit(lower));
      key >>>= WORD_BITS;
    }
    return 0;
  }

  #descendLowest(from: number, start: number): number {
    let key = start;
    for (let level = from - 1; level >= 0; level -= 1) key = (key << WORD_BITS) | lowestBit(this.#levels[level]![key]!);
    return key;
  }

  #descendHighest(from: number, start: number): number {
    let key = start;
    for (let level = from - 1; level >= 0; level -= 1) key = (key << WORD_BITS) | highestBit(this.#levels[level]![key]!);
    return key;
  }
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

function highestBit(word: number): number {
  return 31 - Math.clz32(word);
}
