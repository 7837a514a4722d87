/**
 * The quantity at each price of each book, in memory only. It is rebuilt from the open orders, so the database does not store it.
 */
import type { MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';

/** A price and the total quantity that rests there. */
export interface Level {
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
}

/** One side of one book. Prices are sorted worst first, because most changes are near the best price: splices then move few entries. */
class BookSide {
  readonly #prices: PriceAtoms[] = [];
  readonly #quantities = new Map<PriceAtoms, BaseAtoms>();
  readonly #sign: 1 | -1;

  constructor(side: Side) {
    this.#sign = side === 'buy' ? 1 : -1;
  }

  change(price: PriceAtoms, by: number): void {
    const before = this.#quantities.get(price) ?? 0;
    const after = before + by;
    if (!Number.isSafeInteger(after) || after < 0) throw new Error(`the level at ${price} would have the quantity ${after}`);
    if (before === 0) this.#prices.splice(this.#placeOf(price), 0, price);
    if (after === 0) this.#prices.splice(this.#placeOf(price), 1);
    if (after === 0) this.#quantities.delete(price);
    else this.#quantities.set(price, after as BaseAtoms);
  }

  best(depth: number): readonly Level[] {
    return this.#prices
      .slice(-depth)
      .reverse()
      .map((priceAtoms) => ({ priceAtoms, quantityAtoms: this.#quantities.get(priceAtoms)! }));
  }

  /** The index of a price, or where to insert it: the first index whose price is not worse. */
  #placeOf(price: PriceAtoms): number {
    let low = 0;
    let high = this.#prices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sign * this.#prices[middle]! < this.#sign * price) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export class BookLevels {
  readonly #sides = new Map<string, BookSide>();

  /** Adds `by` to a level. Throws if the quantity would become negative. */
  change(market: MarketOrdinal, side: Side, price: PriceAtoms, by: number): void {
    const name = `${market}/${side}`;
    let bookSide = this.#sides.get(name);
    if (bookSide === undefined) {
      bookSide = new BookSide(side);
      this.#sides.set(name, bookSide);
    }
    bookSide.change(price, by);
  }

  /** The best levels, best first. */
  best(market: MarketOrdinal, side: Side, depth: number): readonly Level[] {
    return this.#sides.get(`${market}/${side}`)?.best(depth) ?? [];
  }

  clear(): void {
    this.#sides.clear();
  }
}
