/**
 * Whether a stranger's liquidation is due without the colluders: the index has reached the liquidation price that the stranger had at the start.
 * Later funding may move that price, and colluders move funding. A bid for a position that is due saves the fund a payment; a bid for one that
 * is not takes from its owner.
 */
import { isLong, type Position } from '#venue/position/position.ts';

interface Start {
  readonly isLong: boolean;
  readonly price: number;
}

export class Justification {
  readonly #index: readonly number[];
  readonly #starts: readonly Start[];

  /**
   * @param index the index of each second
   * @param positions of the strangers at the start, in their order
   */
  constructor(index: readonly number[], positions: readonly Position[]) {
    this.#index = index;
    this.#starts = positions.map((it) => ({ isLong: isLong(it), price: it.liquidationPriceAtoms }));
  }

  isDue(stranger: number, second: number): boolean {
    const { isLong, price } = this.#starts[stranger]!;
    return this.#index.slice(0, second + 1).some((index) => (isLong ? index <= price : index >= price));
  }
}
