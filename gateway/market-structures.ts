/** Converts markets, stats, candles and books of /v1 to the structures of the unified library. */
import type { BookSnapshot, CandleSeries, MarketResource, MarketStats } from '#contract/markets.ts';
import type { UnifiedBook, UnifiedCandles, UnifiedMarket, UnifiedStats } from '#contract/unified-markets.ts';
import { renderDecimal } from '#units/decimal.ts';
import { renderIsoTime } from '#units/iso-time.ts';
import { isZero, minus, over, plus, times } from './decimals.ts';
import { numberOf, numberOrNull } from './numbers.ts';
import { type ListedMarket, symbolOf } from './symbols.ts';

export function unifiedMarket(market: MarketResource): UnifiedMarket {
  const { baseAsset, quoteAsset, settlementAsset } = market;
  const moneyStep = numberOf(renderDecimal(1, market.settlementAssetDecimals));
  return {
    id: market.marketId,
    lowercaseId: null,
    symbol: symbolOf(market),
    base: baseAsset,
    quote: quoteAsset,
    settle: settlementAsset,
    baseId: baseAsset,
    quoteId: quoteAsset,
    settleId: settlementAsset,
    type: 'swap',
    spot: false,
    margin: false,
    swap: true,
    future: false,
    option: false,
    index: false,
    active: market.status === 'open',
    contract: true,
    linear: true,
    inverse: false,
    subType: 'linear',
    taker: shareOf(market.takerFeeBps),
    maker: shareOf(market.makerFeeBps),
    contractSize: 1,
    expiry: null,
    expiryDatetime: null,
    strike: null,
    optionType: null,
    precision: {
      amount: numberOf(market.lotSize),
      price: numberOf(market.tickSize),
      cost: moneyStep,
      base: null,
      quote: moneyStep,
    },
    limits: {
      leverage: { min: 1, max: market.maxLeverageX },
      amount: { min: numberOf(market.minQuantity), max: numberOf(market.maxQuantity) },
      price: { min: numberOf(market.minPrice), max: numberOf(market.maxPrice) },
      cost: { min: 0, max: null },
    },
    marginModes: { cross: false, isolated: true },
    created: null,
    info: market,
  };
}

export function unifiedStats(stats: MarketStats, market: ListedMarket): UnifiedStats {
  return { symbol: market.symbol, ...asOf(stats.asOfEpochMs), ...ticker(stats, market), ...funding(stats, market), info: stats };
}

function ticker(stats: MarketStats, { priceScale }: ListedMarket) {
  const [open, close] = [known(stats.openPrice24h), known(stats.lastPrice)];
  const change = minus(close, open);
  const last = numberOrNull(close);
  return {
    high: numberOrNull(known(stats.highPrice24h)),
    low: numberOrNull(known(stats.lowPrice24h)),
    bid: numberOrNull(known(stats.bestBidPrice)),
    bidVolume: numberOrNull(stats.bestBidQuantity),
    ask: numberOrNull(known(stats.bestAskPrice)),
    askVolume: numberOrNull(stats.bestAskQuantity),
    vwap: numberOrNull(over(known(stats.quoteVolume24h), stats.baseVolume24h)),
    open: numberOrNull(open),
    close: last,
    last,
    previousClose: null,
    change: numberOrNull(change),
    percentage: numberOrNull(times(over(change, open), '100')),
    average: numberOrNull(over(plus(open, close), '2', priceScale)),
    baseVolume: numberOf(stats.baseVolume24h),
    quoteVolume: numberOf(stats.quoteVolume24h),
    markPrice: numberOrNull(stats.markPrice),
    indexPrice: numberOrNull(stats.indexPrice),
  };
}

function funding(stats: MarketStats, { fundingInterestRate, fundingPeriodMs }: ListedMarket) {
  const { nextFundingAtEpochMs: end, lastFundingAtEpochMs: last } = stats;
  return {
    interestRate: numberOf(fundingInterestRate),
    estimatedSettlePrice: null,
    fundingRate: numberOrNull(stats.estimatedFundingRate),
    fundingTimestamp: end,
    fundingDatetime: timeOrNull(end),
    nextFundingRate: null,
    nextFundingTimestamp: null,
    nextFundingDatetime: null,
    previousFundingRate: numberOrNull(stats.lastFundingRate),
    previousFundingTimestamp: last,
    previousFundingDatetime: timeOrNull(last),
    interval: intervalOf(fundingPeriodMs),
  };
}

export function unifiedCandle({
  openTimeEpochMs,
  open,
  high,
  low,
  close,
  volume,
}: CandleSeries['candles'][number]): UnifiedCandles[number] {
  return [openTimeEpochMs, numberOf(open), numberOf(high), numberOf(low), numberOf(close), numberOf(volume)];
}

export function unifiedBook(book: BookSnapshot, { symbol }: ListedMarket): UnifiedBook {
  const levels = (side: BookSnapshot['bids']) =>
    side.map(([price, quantity]): [number, number] => [numberOf(price), numberOf(quantity)]);
  return { symbol, bids: levels(book.bids), asks: levels(book.asks), ...asOf(book.asOfEpochMs), nonce: book.sequence };
}

/** Basis points as a fraction. */
function shareOf(bps: number): number {
  return numberOf(over(String(bps), '10000')!);
}

/** Null for an amount of zero. */
function known(amount: string | null): string | null {
  return amount === null || isZero(amount) ? null : amount;
}

function asOf(epochMs: number) {
  return { timestamp: epochMs, datetime: renderIsoTime(epochMs) };
}

function timeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : renderIsoTime(epochMs);
}

/** In the largest unit that divides it. */
function intervalOf(periodMs: number): string {
  if (periodMs % 3_600_000 === 0) return `${periodMs / 3_600_000}h`;
  if (periodMs % 60_000 === 0) return `${periodMs / 60_000}m`;
  return `${periodMs / 1_000}s`;
}
