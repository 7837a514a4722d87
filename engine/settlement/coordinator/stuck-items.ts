/**
 * Items that the ledger or the venue refuses again and again, so that the operator must help. Each is logged when that begins, and then
 * after twice as many passes each time.
 */
import { type Item, nameOf } from './item.ts';

interface StuckItem {
  passes: number;
  /** Those that were logged. */
  readonly problems: Set<string>;
}

/** An item with more different problems than this logs the others by its passes alone. */
const MAX_PROBLEMS = 8;

export class StuckItems {
  readonly #log: (line: string) => void;
  readonly #items = new Map<string, StuckItem>();

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  get count(): number {
    return this.#items.size;
  }

  /** A pass of the item ended with this problem. */
  add(item: Item, problem: string): void {
    const stuck = this.#items.get(nameOf(item)) ?? { passes: 0, problems: new Set() };
    this.#items.set(nameOf(item), stuck);
    stuck.passes += 1;
    const isNew = stuck.problems.size < MAX_PROBLEMS && !stuck.problems.has(problem);
    if (isNew) stuck.problems.add(problem);
    if (isNew) this.#log(`ledger: ${problem}`);
    else if (isPowerOfTwo(stuck.passes)) this.#log(`ledger: ${problem} (tried ${stuck.passes} times)`);
  }

  /** A pass of the item met no problem. */
  remove(item: Item): void {
    this.#items.delete(nameOf(item));
  }
}

export function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}
