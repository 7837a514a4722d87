/** Translates lists of /v1 to /v2 entry by entry while the venue reads them, so that the caller does not have to. */
import type { FillResource } from '#contract/account-history.ts';
import type { CandleSeries, MarketResource } from '#contract/markets.ts';
import type { OrderResource } from '#contract/orders.ts';
import { unifiedTrade } from './account-structures.ts';
import { unifiedCandle } from './market-structures.ts';
import { unifiedOrder } from './order-structures.ts';
import { type ListedMarket, symbolOf } from './symbols.ts';

type MarketName = Pick<ListedMarket, 'symbol' | 'settlementAsset'>;

/** By the name of the list in its body. `readMarkets` is called for a market that is not cached. */
export function unifiedView(readMarkets: () => readonly MarketResource[]) {
  const markets = new Map<string, MarketName>();
  const marketOf = (marketId: string): MarketName => {
    if (!markets.has(marketId)) for (const market of readMarkets()) markets.set(market.marketId, named(market));
    return markets.get(marketId)!;
  };
  return {
    orders: (order: OrderResource) => unifiedOrder(order, marketOf(order.marketId)),
    fills: (fill: FillResource) => unifiedTrade(fill, marketOf(fill.marketId).symbol),
    candles: (candle: CandleSeries['candles'][number]) => unifiedCandle(candle),
  };
}

function named(market: MarketResource): MarketName {
  return { symbol: symbolOf(market), settlementAsset: market.settlementAsset };
}
