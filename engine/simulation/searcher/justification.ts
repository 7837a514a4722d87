/**
 * Whether a stranger's liquidation is due without the colluders: the index has reached its price. A bid for a position that is due saves the
 * fund a payment; a bid for one that is not takes from its owner.
 */
import type { Position } from '#venue/position/position.ts';

type Trigger = Pick<Position, 'signedBaseAtoms' | 'liquidationPriceAtoms'>;

export class Justification {
  readonly #index: readonly number[];
  readonly #positionOf: (account: number) => Trigger;
  readonly #prices = new Map<number, number>();

  /** @param index the index of each second */
  constructor(index: readonly number[], positionOf: (account: number) => Trigger) {
    this.#index = index;
    this.#positionOf = positionOf;
  }

  /** Reads the liquidation prices before a price of the index may start liquidations, and before funding moves them. */
  look(strangers: readonly number[]): void {
    for (const account of strangers) {
      const { signedBaseAtoms, liquidationPriceAtoms } = this.#positionOf(account);
      this.#prices.set(account, signedBaseAtoms > 0 ? liquidationPriceAtoms : -liquidationPriceAtoms);
    }
  }

  isDue(account: number, second: number): boolean {
    const price = this.#prices.get(account)!;
    return this.#index.slice(0, second + 1).some((index) => (price > 0 ? index <= price : index >= -price));
  }
}
