/** The results that all books of a comparison must agree on. */

export interface BookOutcome {
  readonly trades: number;
  readonly volume: number;
  /** Every trade in order: taker, maker, price, quantity. */
  readonly tradesDigest: number;
  /** Every price level with orders at the end, and its quantity: by market, bids from the highest, then asks from the lowest. */
  readonly depthDigest: number;
}

/** Folds numbers into 32 bits. */
export class Digest {
  value = 0;

  add(...numbers: readonly number[]): void {
    for (const number of numbers) {
      const mixed = Math.imul(this.value ^ number, 0x9e3779b1);
      this.value = (mixed ^ (mixed >>> 15)) >>> 0;
    }
  }
}
