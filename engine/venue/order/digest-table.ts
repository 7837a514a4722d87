/**
 * Finds entries by 64-bit digest and owner: open addressing with linear probing, at most half full. It consists of small
 * tables that grow independently, so that no turn waits while millions of entries are moved.
 */

const PART_BITS = 8;
const FIRST_PAIRS = 16;
/** Shared by all parts without an entry so far, because a test's venue uses few parts. It is never written: the first entry replaces it. */
const EMPTY_PART = new Int32Array(2);

/** Whether an entry has this high digest and belongs to this owner. Entry 0 is no entry. */
type EntryMatcher = (entry: number, high: number, owner: number) => boolean;

export class DigestTable {
  /** Pairs of words: the low digest and the entry. Most searches end without reading an entry. */
  readonly #parts: Int32Array[] = new Array<Int32Array>(1 << PART_BITS).fill(EMPTY_PART);
  readonly #used = new Int32Array(1 << PART_BITS);
  readonly #matches: EntryMatcher;

  constructor(matches: EntryMatcher) {
    this.#matches = matches;
  }

  /** The entry of an owner's digest, or 0 if the table has no such entry. */
  find(high: number, low: number, owner: number): number {
    const table = this.#parts[partOf(low)]!;
    const mask = table.length - 1;
    for (let at = bucketOf(low, mask); ; at = (at + 2) & mask) {
      const entry = table[at + 1]!;
      if (entry === 0 || (table[at] === low && this.#matches(entry, high, owner))) return entry;
    }
  }

  /** Maps the digest to this entry, replacing an earlier one. */
  set(high: number, low: number, owner: number, entry: number): void {
    const part = partOf(low);
    if (this.#parts[part] === EMPTY_PART) this.#parts[part] = new Int32Array(FIRST_PAIRS * 2);
    const table = this.#parts[part]!;
    const mask = table.length - 1;
    let at = bucketOf(low, mask);
    while (table[at + 1] !== 0 && !(table[at] === low && this.#matches(table[at + 1]!, high, owner))) at = (at + 2) & mask;
    const isNew = table[at + 1] === 0;
    table[at] = low;
    table[at + 1] = entry;
    if (!isNew) return;
    this.#used[part]! += 1;
    if (this.#used[part]! * 4 > table.length) this.#grow(part);
  }

  /** Removes an entry, unless its digest maps to another one by now. Moves up the pairs that were displaced by it. */
  drop(low: number, entry: number): void {
    const part = partOf(low);
    const table = this.#parts[part]!;
    const mask = table.length - 1;
    let hole = bucketOf(low, mask);
    while (table[hole + 1] !== entry) {
      if (table[hole + 1] === 0) return;
      hole = (hole + 2) & mask;
    }
    for (let at = (hole + 2) & mask; table[at + 1] !== 0; at = (at + 2) & mask) {
      const home = bucketOf(table[at]!, mask);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      table[hole] = table[at]!;
      table[hole + 1] = table[at + 1]!;
      hole = at;
    }
    table[hole + 1] = 0;
    this.#used[part]! -= 1;
  }

  #grow(part: number): void {
    const smaller = this.#parts[part]!;
    const table = new Int32Array(smaller.length * 2);
    const mask = table.length - 1;
    for (let from = 0; from < smaller.length; from += 2) {
      if (smaller[from + 1] === 0) continue;
      let at = bucketOf(smaller[from]!, mask);
      while (table[at + 1] !== 0) at = (at + 2) & mask;
      table[at] = smaller[from]!;
      table[at + 1] = smaller[from + 1]!;
    }
    this.#parts[part] = table;
  }
}

function partOf(low: number): number {
  return low >>> (32 - PART_BITS);
}

/** The pair at which the search for a digest starts. */
function bucketOf(low: number, mask: number): number {
  return (low << 1) & mask;
}
