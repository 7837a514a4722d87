/** A market with its current specification, and with the unit that its amounts are counted in. */
import type { MarketSpecification } from '#venue/market/specification.ts';

export interface Listing {
  readonly market: number;
  specification: MarketSpecification;
  /** Money atoms of one tick of one lot. */
  readonly tickLot: number;
}

export function listingOf(market: number, specification: MarketSpecification): Listing {
  const { priceScale, quantityScale } = specification;
  return { market, specification, tickLot: 10 ** (6 - priceScale - quantityScale) };
}
