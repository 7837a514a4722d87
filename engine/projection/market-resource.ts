/** Market resources of the contract: the catalogue entry, the stats, the book. */
import type { CandidateMarket } from '#contract/market-data.ts';
import type { BookSnapshot, MarketResource, MarketStats } from '#contract/markets.ts';
import type { ChannelData } from '#contract/realtime-channels.ts';
import type { PricedUnderlying } from '#reads/reads.ts';
import { renderDecimal } from '#units/decimal.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Bps, EpochMs, QuoteAtoms } from '#units/money.ts';
import { exact, SETTLEMENT_DECIMALS, smallerOf } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import { MAX_EXPOSURE_ATOMS, type MarketSpecification, maxPositionAtomsOf } from '#venue/market/specification.ts';
import { initialMarginBpsAt, maxLeverageAt } from '#venue/risk/initial-margin.ts';
import { marginAtOpenInterest, openInterestAtomsOf } from '#venue/risk/open-interest.ts';
import type { BookLevels, Level } from './book-levels.ts';
import { change24hBpsOf, type DayWindow } from './day-window.ts';
import { renderRate } from './funding-resource.ts';
import { indexStatusAt } from './index-status.ts';
import type { ListedMarkets } from './listed-markets.ts';
import type { MarketScales } from './market-scales.ts';
import { renderMoney } from './market-scales.ts';
import type { MarketActivityRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

/** `favorite` is set for `viewer`. */
export function marketResource(store: ProjectionStore, market: MarketScales, viewer?: AccountOrdinal): MarketResource {
  const { specification } = market;
  const { lastPriceAtoms } = store.marketActivity.find(market.market)!;
  return {
    marketId: specification.marketId,
    underlyingSymbol: specification.underlyingSymbol,
    marketType: 'crypto',
    logoUrl: null,
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
      initialMarginBps: initialMarginBpsAt(tier.notionalThresholdAtoms, specification),
      maxLeverageX: maxLeverageAt(tier.notionalThresholdAtoms, specification),
    })),
    maxLeverageX: specification.maxLeverageX,
    openInterestLower: moneyOrNull(specification.openInterest?.lowerAtoms),
    openInterestUpper: moneyOrNull(specification.openInterest?.upperAtoms),
    makerFeeBps: specification.makerFeeBps,
    takerFeeBps: specification.takerFeeBps,
    settlementAsset: 'USD.E',
    settlementAssetDecimals: SETTLEMENT_DECIMALS,
    lastPriceAtoms: lastPriceAtoms === null ? null : String(lastPriceAtoms),
    lastPrice: market.priceOrNull(lastPriceAtoms),
    change24hBps:
      lastPriceAtoms === null
        ? null
        : change24hBpsOf(store.dayWindows.at(market.market, store.checkpoint.epochMs), lastPriceAtoms),
    favorite: viewer !== undefined && store.favorites.find(viewer, market.market)?.isFavorite === 1,
    baseAsset: specification.underlyingSymbol,
    quoteAsset: 'USD.E',
    contractSize: '1',
    tickSize: renderDecimal(1, specification.priceScale),
    lotSize: renderDecimal(1, specification.quantityScale),
    ...positionLimits(market),
    priceBandBps: specification.priceBandBps,
    markBandBps: specification.markBandBps,
    ...riskRules(specification),
  };
}

function moneyOrNull(atoms: QuoteAtoms | undefined): string | null {
  return atoms === undefined ? null : renderMoney(atoms);
}

/** The rate of the first tier, which the open interest raises. */
function initialMarginBpsNow({ specification, tickLotAtoms }: MarketScales, activity: MarketActivityRow): Bps {
  const lotAtoms = ((activity.markPriceAtoms ?? 0) * tickLotAtoms) as QuoteAtoms;
  // Beyond the safe integers it is above any bound.
  const longBaseAtoms = Number(activity.openInterestAtoms);
  const openInterestAtoms = openInterestAtomsOf({ specification, longBaseAtoms, lotAtoms });
  return marginAtOpenInterest(specification.initialMarginBps, openInterestAtoms, specification.openInterest);
}

function positionLimits(market: MarketScales): Pick<MarketResource, 'maxPositionQuantity' | 'maxPositionNotional'> {
  const { specification } = market;
  const quantityAtoms = maxPositionAtomsOf(specification);
  const notionalAtoms = exact<QuoteAtoms>(specification.maxPriceAtoms * quantityAtoms * market.tickLotAtoms);
  return {
    maxPositionQuantity: market.quantity(quantityAtoms),
    maxPositionNotional: renderMoney(smallerOf(MAX_EXPOSURE_ATOMS, notionalAtoms)),
  };
}

type RiskRules =
  | 'liquidationFeeBps'
  | 'autoDeleveraging'
  | 'maxIndexAgeMs'
  | 'maxIndexJumpBps'
  | 'indexConfirmations'
  | 'fundingPeriodMs'
  | 'fundingInterestRate'
  | 'fundingRateCap'
  | 'premiumSampleMs'
  | 'impactNotional';

function riskRules(specification: MarketSpecification): Pick<MarketResource, RiskRules> {
  return {
    liquidationFeeBps: specification.liquidationFeeBps,
    autoDeleveraging: specification.autoDeleveraging,
    maxIndexAgeMs: specification.maxIndexAgeMs,
    maxIndexJumpBps: specification.maxIndexJumpBps,
    indexConfirmations: specification.indexConfirmations,
    fundingPeriodMs: specification.fundingPeriodMs,
    fundingInterestRate: renderRate(specification.fundingInterestPpb),
    fundingRateCap: renderRate(specification.fundingCapPpb),
    premiumSampleMs: specification.premiumSampleMs,
    impactNotional: renderMoney(specification.impactNotionalAtoms),
  };
}

/** Candidates: unlisted markets with prices, and listed markets that were never opened. */
export function candidateMarkets(
  store: ProjectionStore,
  markets: ListedMarkets,
  priced: readonly PricedUnderlying[],
): readonly CandidateMarket[] {
  const unlisted = priced
    .filter(({ marketId }) => markets.byId(marketId) === undefined)
    .map(({ marketId, underlyingSymbol }) => ({
      marketId,
      underlyingSymbol,
      state: 'priced' as const,
      indexPrice: null,
      indexObservedAtEpochMs: null,
    }));
  const drafts = markets.all().filter(({ market }) => store.markets.find(market)!.status === 'draft');
  return [...unlisted, ...drafts.map((market) => draftResource(store, market))];
}

function draftResource(store: ProjectionStore, market: MarketScales): CandidateMarket {
  const { marketId, underlyingSymbol } = market.specification;
  const { indexPriceAtoms, indexObservedAtEpochMs } = store.marketActivity.find(market.market)!;
  return {
    marketId,
    underlyingSymbol,
    state: 'draft',
    indexPrice: market.priceOrNull(indexPriceAtoms),
    indexObservedAtEpochMs,
  };
}

/** The index status is that at `nowEpochMs`, because it can become stale without an event. */
export function marketStats(store: ProjectionStore, market: MarketScales, nowEpochMs: EpochMs): MarketStats {
  const activity = store.marketActivity.find(market.market)!;
  const { sequence, epochMs: asOfEpochMs } = store.checkpoint;
  const { indexObservedAtEpochMs } = activity;
  const indexStatus = indexStatusAt(activity, market.specification, nowEpochMs);
  return {
    version: 'external-market-stats/v1',
    marketId: market.marketId,
    status: store.markets.find(market.market)!.status,
    ...tickerOf(market, activity, store.books, store.dayWindows.at(market.market, asOfEpochMs)),
    indexObservedAtEpochMs,
    indexStatus: indexStatus ?? null,
    openInterest: market.quantity(BigInt(activity.openInterestAtoms)),
    currentInitialMarginBps: initialMarginBpsNow(market, activity),
    insuranceBalance: renderMoney(activity.fundBalanceAtoms),
    ...funding(activity),
    sequence,
    asOfEpochMs,
  };
}

/** The latest trade, the last 24 hours, the best prices, mark and index. */
export function tickerOf(
  market: MarketScales,
  activity: MarketActivityRow,
  books: BookLevels,
  day: DayWindow,
): ChannelData<'market.ticker'> {
  const { lastPriceAtoms, lastQuantityAtoms, lastTradeAtEpochMs, markPriceAtoms, indexPriceAtoms } = activity;
  const bid = books.best(market.market, 'buy', 1)[0];
  const ask = books.best(market.market, 'sell', 1)[0];
  const openAtoms = day.openAtoms ?? lastPriceAtoms;
  return {
    lastPrice: market.priceOrNull(lastPriceAtoms),
    lastQuantity: market.quantityOrNull(lastQuantityAtoms),
    lastTradeAtEpochMs,
    markPrice: market.priceOrNull(markPriceAtoms),
    indexPrice: market.priceOrNull(indexPriceAtoms),
    bestBidPrice: market.priceOrNull(bid?.priceAtoms),
    bestBidQuantity: market.quantityOrNull(bid?.quantityAtoms),
    bestAskPrice: market.priceOrNull(ask?.priceAtoms),
    bestAskQuantity: market.quantityOrNull(ask?.quantityAtoms),
    openPrice24h: market.priceOrNull(openAtoms),
    highPrice24h: market.priceOrNull(day.highAtoms),
    lowPrice24h: market.priceOrNull(day.lowAtoms),
    change24hBps: lastPriceAtoms === null ? null : change24hBpsOf(day, lastPriceAtoms),
    baseVolume24h: market.quantity(day.volumeAtoms),
    quoteVolume24h: renderMoney(day.notionalAtoms),
  };
}

type Funding = 'estimatedFundingRate' | 'nextFundingAtEpochMs' | 'lastFundingRate' | 'lastFundingAtEpochMs';

function funding(activity: MarketActivityRow): Pick<MarketStats, Funding> {
  const { fundingEstimatePpb, nextFundingAtEpochMs, lastFundingRatePpb, lastFundingAtEpochMs } = activity;
  // Without a running period there is no estimate.
  const isRunning = fundingEstimatePpb !== null && nextFundingAtEpochMs !== null;
  const isSettled = lastFundingRatePpb !== null && lastFundingAtEpochMs !== null;
  return {
    estimatedFundingRate: isRunning ? renderRate(fundingEstimatePpb) : null,
    nextFundingAtEpochMs: isRunning ? nextFundingAtEpochMs : null,
    lastFundingRate: isSettled ? renderRate(lastFundingRatePpb) : null,
    lastFundingAtEpochMs: isSettled ? lastFundingAtEpochMs : null,
  };
}

export function bookSnapshot(store: ProjectionStore, market: MarketScales, depth: number): BookSnapshot {
  return {
    version: 'external-order-book/v1',
    marketId: market.marketId,
    ...bookSides(store.books, market, depth),
    sequence: store.checkpoint.sequence,
    asOfEpochMs: store.checkpoint.epochMs,
  };
}

/** The best levels of both sides, best first. */
export function bookSides(books: BookLevels, market: MarketScales, depth: number): Pick<BookSnapshot, 'bids' | 'asks'> {
  const levels = (side: Side) => books.best(market.market, side, depth).map((level) => levelResource(level, market));
  return { bids: levels('buy'), asks: levels('sell') };
}

function levelResource(level: Level, market: MarketScales): [string, string] {
  return [market.price(level.priceAtoms), market.quantity(level.quantityAtoms)];
}
