import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ladderOf } from '#devnet/ladder.ts';
import { listingFault } from '#venue/market/listing-rules.ts';
import { defaultSpecification, FURTHER_MARKETS, MAX_DEFAULT_PRICE, MIN_DEFAULT_PRICE } from './default-market.ts';

test('gives any price a specification that may be listed, with a tick of at most a tenth of a percent', () => {
  const exponent = fc.double({ min: Math.log10(MIN_DEFAULT_PRICE), max: Math.log10(MAX_DEFAULT_PRICE), noNaN: true });
  fc.assert(
    fc.property(exponent, (power) => {
      const price = 10 ** power;
      const specification = defaultSpecification('DOGE-USD-PERP', price);
      expect(listingFault(specification)).toBeUndefined();
      expect(10 ** -specification.priceScale).toBeLessThanOrEqual(price / 999);
      const [lowest, highest] = [specification.minPriceAtoms, specification.maxPriceAtoms].map(
        (atoms) => atoms / 10 ** specification.priceScale,
      );
      expect(lowest).toBeLessThanOrEqual(price / 10);
      expect(highest).toBeGreaterThanOrEqual(price * 3);
    }),
  );
});

test('derives the scales from the price', () => {
  const scales = (price: number) => {
    const { priceScale, quantityScale, minQuantityAtoms, underlyingSymbol } = defaultSpecification('DOGE-USD-PERP', price);
    expect(underlyingSymbol).toBe('DOGE');
    return [priceScale, quantityScale, minQuantityAtoms];
  };
  expect(scales(0.15)).toEqual([5, 0, 34]);
  expect(scales(150)).toEqual([2, 3, 34]);
  expect(scales(65_000)).toEqual([0, 5, 8]);
});

test('the makers can quote each further market', () => {
  expect(FURTHER_MARKETS).toHaveLength(17);
  for (const { specification, basePrice } of FURTHER_MARKETS)
    for (const price of [basePrice / 10, basePrice, basePrice * 3]) {
      const { minQuantityAtoms, maxQuantityAtoms, minPriceAtoms, maxPriceAtoms, marketId } = specification;
      expect(listingFault(specification), marketId).toBeUndefined();
      for (const quote of ladderOf(specification, price, 0)) {
        expect(quote.quantityAtoms, marketId).toBeGreaterThanOrEqual(minQuantityAtoms);
        expect(quote.quantityAtoms, marketId).toBeLessThanOrEqual(maxQuantityAtoms);
        expect(quote.priceAtoms, marketId).toBeGreaterThanOrEqual(minPriceAtoms);
        expect(quote.priceAtoms, marketId).toBeLessThanOrEqual(maxPriceAtoms);
      }
    }
});
