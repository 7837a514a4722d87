/** The markets of the venue for the operator's commands: their rules, their defaults, and a generated index for a new one. */
import type { OperatedMarkets } from '#operator/market-actions.ts';
import type { PricedMarket } from '#prices/market-feed.ts';
import type { Directory } from '#reads/reads.ts';
import { listingFault } from '#venue/market/listing-rules.ts';
import { changedFixedField } from '#venue/market/update.ts';
import { defaultMarket, defaultSpecification, MAX_DEFAULT_PRICE, MIN_DEFAULT_PRICE } from './default-market.ts';
import type { IndexPrices } from './index-prices.ts';

/** @param priced the markets with an index; a new one is added */
export function operatedMarkets(directory: Directory, priced: Map<string, PricedMarket>, prices: IndexPrices): OperatedMarkets {
  return {
    all: () => directory.listedMarkets(),
    defaultOf: (marketId, price) =>
      price >= MIN_DEFAULT_PRICE && price <= MAX_DEFAULT_PRICE ? defaultSpecification(marketId, price) : undefined,
    faultOf: listingFault,
    changedFixedField,
    startIndex: (marketId, price) => {
      const { market, specification } = directory.listedMarket(marketId)!;
      priced.set(marketId, { market, priceScale: specification.priceScale });
      return prices.generate(defaultMarket(marketId, price)) ? 'generated' : 'none';
    },
  };
}
