/**
 * The set of occupied prices as a tree of 32-bit words: one bit per tick, above it one bit per word, and so on up to a single
 * word. Finding the nearest occupied price in either direction takes a few steps at any distance.
 */

const WORD_BITS = 5;
const WORD_MASK = 31;

/** The bits of a tick within its block. A block is what one word of the second level covers; see {@link PriceSet.remove}. */
export const BLOCK_BITS = 2 * WORD_BITS;

export class PriceSet {
  /** One bit per tick. */
  readonly #ticks: Int32Array;
  /** Each level has one bit per word of the level below. The last level is a single word. */
  readonly #levels: readonly Int32Array[];

  constructor(highest: number) {
    let words = (highest >>> WORD_BITS) + 1;
    this.#ticks = new Int32Array(words);
    const levels: Int32Array[] = [];
    while (words > 1) {
      words = ((words - 1) >>> WORD_BITS) + 1;
      levels.push(new Int32Array(words));
    }
    this.#levels = levels;
  }

  add(tick: number): void {
    const wordIndex = tick >>> WORD_BITS;
    const word = this.#ticks[wordIndex]!;
    this.#ticks[wordIndex] = word | (1 << (tick & WORD_MASK));
    if (word === 0) this.#mark(wordIndex);
  }

  /** Returns whether the tick was the last of its block. */
  remove(tick: number): boolean {
    const wordIndex = tick >>> WORD_BITS;
    const word = this.#ticks[wordIndex]! & ~(1 << (tick & WORD_MASK));
    this.#ticks[wordIndex] = word;
    return word === 0 && this.#unmark(wordIndex);
  }

  /** The lowest price above `tick`, or 0. */
  above(tick: number): number {
    const bit = tick & WORD_MASK;
    const higher = bit === WORD_MASK ? 0 : this.#ticks[tick >>> WORD_BITS]! & (-2 << bit);
    return higher === 0 ? this.#farAbove(tick >>> WORD_BITS) : (tick & ~WORD_MASK) | lowestBit(higher);
  }

  /** The highest price below `tick`, or 0. */
  below(tick: number): number {
    const lower = this.#ticks[tick >>> WORD_BITS]! & ((1 << (tick & WORD_MASK)) - 1);
    return lower === 0 ? this.#farBelow(tick >>> WORD_BITS) : (tick & ~WORD_MASK) | highestBit(lower);
  }

  #mark(from: number): void {
    let key = from;
    for (const words of this.#levels) {
      const word = words[key >>> WORD_BITS]!;
      words[key >>> WORD_BITS] = word | (1 << (key & WORD_MASK));
      if (word !== 0) return;
      key >>>= WORD_BITS;
    }
  }

  /** Clears the bit of an empty word. Returns whether its block is empty now. */
  #unmark(from: number): boolean {
    let key = from;
    for (let level = 0; level < this.#levels.length; level += 1) {
      const words = this.#levels[level]!;
      const word = words[key >>> WORD_BITS]! & ~(1 << (key & WORD_MASK));
      words[key >>> WORD_BITS] = word;
      if (word !== 0) return level > 0;
      key >>>= WORD_BITS;
    }
    return true;
  }

  #farAbove(from: number): number {
    let key = from;
    for (let level = 0; level < this.#levels.length; level += 1) {
      const bit = key & WORD_MASK;
      const higher = bit === WORD_MASK ? 0 : this.#levels[level]![key >>> WORD_BITS]! & (-2 << bit);
      if (higher !== 0) return this.#lowestUnder(level, (key & ~WORD_MASK) | lowestBit(higher));
      key >>>= WORD_BITS;
    }
    return 0;
  }

  #farBelow(from: number): number {
    let key = from;
    for (let level = 0; level < this.#levels.length; level += 1) {
      const lower = this.#levels[level]![key >>> WORD_BITS]! & ((1 << (key & WORD_MASK)) - 1);
      if (lower !== 0) return this.#highestUnder(level, (key & ~WORD_MASK) | highestBit(lower));
      key >>>= WORD_BITS;
    }
    return 0;
  }

  #lowestUnder(from: number, start: number): number {
    let key = start;
    for (let level = from - 1; level >= 0; level -= 1) key = (key << WORD_BITS) | lowestBit(this.#levels[level]![key]!);
    return (key << WORD_BITS) | lowestBit(this.#ticks[key]!);
  }

  #highestUnder(from: number, start: number): number {
    let key = start;
    for (let level = from - 1; level >= 0; level -= 1) key = (key << WORD_BITS) | highestBit(this.#levels[level]![key]!);
    return (key << WORD_BITS) | highestBit(this.#ticks[key]!);
  }
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

function highestBit(word: number): number {
  return 31 - Math.clz32(word);
}
