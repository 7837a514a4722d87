/**
 * Whether a stranger's liquidation is due without the colluders: its price was reached by the index, or by the mark of the same stage
 * without them. A bid for a position that is due saves the fund a payment; a bid for one that is not takes from its owner.
 */
import type { Position } from '#venue/position/position.ts';

/** A liquidation so many seconds before the index reaches its price is due too: the index is what ends the position. */
const EARLY_SECONDS = 5;

type Trigger = Pick<Position, 'signedBaseAtoms' | 'liquidationPriceAtoms'>;

export class Justification {
  readonly #index: readonly number[];
  readonly #positionOf: (account: number) => Trigger;
  /** The mark of each second without colluders; computed when it is first needed, because few episodes need it. */
  readonly #marksAlone: () => readonly number[];
  readonly #prices = new Map<number, number>();

  /** @param index the index of each second */
  constructor(index: readonly number[], positionOf: (account: number) => Trigger, marksAlone: () => readonly number[]) {
    this.#index = index;
    this.#positionOf = positionOf;
    let marks: readonly number[] | undefined;
    this.#marksAlone = () => (marks ??= marksAlone());
  }

  /** Reads the liquidation prices before a price of the index may start liquidations. */
  look(strangers: readonly number[]): void {
    for (const account of strangers) {
      const { signedBaseAtoms, liquidationPriceAtoms } = this.#positionOf(account);
      this.#prices.set(account, signedBaseAtoms > 0 ? liquidationPriceAtoms : -liquidationPriceAtoms);
    }
  }

  isDue(account: number, second: number): boolean {
    const price = this.#prices.get(account)!;
    const isReached = (value: number): boolean => (price > 0 ? value <= price : value >= -price);
    if (this.#index.slice(0, second + 1 + EARLY_SECONDS).some(isReached)) return true;
    return this.#marksAlone()
      .slice(0, second + 1)
      .some(isReached);
  }
}
