/** Markets as the contract shows them: the catalogue entry, the stats, the book. */
import type { BookSnapshot, MarketResource, MarketStats } from '#contract/markets.ts';
import { renderDecimal } from '#units/decimal.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import type { Level } from './book-levels.ts';
import { change24hBpsOf } from './day-window.ts';
import type { MarketScales } from './listed-markets.ts';
import { renderMoney } from './listed-markets.ts';
import type { ProjectionStore } from './store.ts';

export function marketResource(store: ProjectionStore, market: MarketScales): MarketResource {
  const { specification } = market;
  const { lastPriceAtoms } = store.marketActivity.find(market.market)!;
  return {
    marketId: specification.marketId,
    underlyingSymbol: specification.underlyingSymbol,
    marketType: 'crypto',
    logoUnavailable: true,
    status: store.markets.find(market.market)!.status,
    priceScale: specification.priceScale,
    quantityScale: specification.quantityScale,
    minPrice: market.price(specification.minPriceAtoms),
    maxPrice: market.price(specification.maxPriceAtoms),
    minQuantity: market.quantity(specification.minQuantityAtoms),
    maxQuantity: market.quantity(specification.maxQuantityAtoms),
    initialMarginBps: specification.initialMarginBps,
    maintenanceMarginTiers: specification.maintenanceMarginTiers.map((tier) => ({
      notionalThresholdAtoms: String(tier.notionalThresholdAtoms),
      maintenanceMarginBps: tier.maintenanceMarginBps,
    })),
    maxLeverageX: specification.maxLeverageX,
    makerFeeBps: specification.makerFeeBps,
    takerFeeBps: specification.takerFeeBps,
    settlementAsset: 'USD.E',
    settlementAssetDecimals: SETTLEMENT_DECIMALS,
    ...(lastPriceAtoms !== null && {
      lastPriceAtoms: String(lastPriceAtoms),
      lastPrice: market.price(lastPriceAtoms),
      change24hBps: change24hBpsOf(store.dayWindows.at(market.market, store.checkpoint.epochMs), lastPriceAtoms),
    }),
    favorite: false,
    baseAsset: specification.underlyingSymbol,
    quoteAsset: 'USD.E',
    contractSize: '1',
    tickSize: renderDecimal(1, specification.priceScale),
    lotSize: renderDecimal(1, specification.quantityScale),
    priceBandBps: specification.priceBandBps,
    markBandBps: specification.markBandBps,
  };
}

export function marketStats(store: ProjectionStore, market: MarketScales): MarketStats {
  const activity = store.marketActivity.find(market.market)!;
  const day = store.dayWindows.at(market.market, store.checkpoint.epochMs);
  const { lastPriceAtoms, lastQuantityAtoms, lastTradeAtEpochMs, markPriceAtoms, indexPriceAtoms, indexObservedAtEpochMs } =
    activity;
  const bid = store.books.best(market.market, 'buy', 1)[0];
  const ask = store.books.best(market.market, 'sell', 1)[0];
  const openAtoms = day.openAtoms ?? lastPriceAtoms;
  return {
    version: 'external-market-stats/v1',
    marketId: market.marketId,
    status: store.markets.find(market.market)!.status,
    ...(lastPriceAtoms !== null && { lastPrice: market.price(lastPriceAtoms) }),
    ...(lastQuantityAtoms !== null && { lastQuantity: market.quantity(lastQuantityAtoms) }),
    ...(lastTradeAtEpochMs !== null && { lastTradeAtEpochMs }),
    ...(markPriceAtoms !== null && { markPrice: market.price(markPriceAtoms) }),
    ...(indexPriceAtoms !== null && { indexPrice: market.price(indexPriceAtoms) }),
    ...(indexObservedAtEpochMs !== null && { indexObservedAtEpochMs }),
    ...(bid !== undefined && { bestBidPrice: market.price(bid.priceAtoms), bestBidQuantity: market.quantity(bid.quantityAtoms) }),
    ...(ask !== undefined && { bestAskPrice: market.price(ask.priceAtoms), bestAskQuantity: market.quantity(ask.quantityAtoms) }),
    ...(openAtoms !== null && { openPrice24h: market.price(openAtoms) }),
    ...(day.highAtoms !== undefined && { highPrice24h: market.price(day.highAtoms) }),
    ...(day.lowAtoms !== undefined && { lowPrice24h: market.price(day.lowAtoms) }),
    ...(lastPriceAtoms !== null && { change24hBps: change24hBpsOf(day, lastPriceAtoms) }),
    baseVolume24h: market.quantity(day.volumeAtoms),
    quoteVolume24h: renderMoney(day.notionalAtoms),
    openInterest: market.quantity(BigInt(activity.openInterestAtoms)),
    sequence: store.checkpoint.sequence,
    asOfEpochMs: store.checkpoint.epochMs,
  };
}

export function bookSnapshot(store: ProjectionStore, market: MarketScales, depth: number): BookSnapshot {
  const levels = (side: Side) => store.books.best(market.market, side, depth).map((level) => levelResource(level, market));
  return {
    version: 'external-order-book/v1',
    marketId: market.marketId,
    bids: levels('buy'),
    asks: levels('sell'),
    sequence: store.checkpoint.sequence,
    asOfEpochMs: store.checkpoint.epochMs,
  };
}

function levelResource(level: Level, market: MarketScales): [string, string] {
  return [market.price(level.priceAtoms), market.quantity(level.quantityAtoms)];
}
