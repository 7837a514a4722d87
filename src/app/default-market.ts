/** A specification for any symbol from its price, with the terms of a liquid altcoin, and the markets that `--markets` adds. */
import type { DevnetMarket } from '#devnet/markets.ts';
import type { CandlePath } from '#prices/candle-path.ts';
import type { PriceChoice } from '#prices/price-choice.ts';
import { PriceSourceFault } from '#prices/price-source.ts';
import { baseAtoms, bps, ppb, priceAtoms, quoteAtoms } from '#units/money.ts';
import { MAX_EXPOSURE_ATOMS, MAX_PRICE_TICKS, MAX_QUANTITY_LOTS, type MarketSpecification } from '#venue/market/specification.ts';

const USD = 1_000_000;
const MAX_SCALE = 6;
/** A price has at least so many ticks, if the scales permit: a tick is at most a basis point. */
const MIN_TICKS = 10_000;
/** Below it, a tick would be more than a tenth of a percent. */
export const MIN_DEFAULT_PRICE = 0.001;
export const MAX_DEFAULT_PRICE = 500_000;
/** How far the price may move from the one of the listing, as a factor in both directions. */
const PRICE_ROOM = 100;
/** Dollars of the smallest and the largest order at the price of the listing. */
const MIN_ORDER_USD = 5;
const MAX_ORDER_USD = 5_000_000;
const VOLATILITY_PER_SECOND = 0.000_15;

/** The price must be from `MIN_DEFAULT_PRICE` to `MAX_DEFAULT_PRICE`. */
export function defaultSpecification(marketId: string, price: number): MarketSpecification {
  const priceScale = Math.min(MAX_SCALE, Math.max(0, Math.ceil(Math.log10(MIN_TICKS / price))));
  // A lot is worth at most a dollar, if the scales permit.
  const quantityScale = Math.min(MAX_SCALE - priceScale, Math.max(0, Math.ceil(Math.log10(price))));
  const ticks = price * 10 ** priceScale;
  const lotUsd = price * 10 ** -quantityScale;
  const maxPrice = Math.min(MAX_PRICE_TICKS, Math.ceil(ticks * PRICE_ROOM));
  const exactLots = Math.floor(MAX_EXPOSURE_ATOMS / (maxPrice * 10 ** (MAX_SCALE - priceScale - quantityScale)));
  return {
    marketId,
    underlyingSymbol: marketId.split('-', 1)[0]!,
    priceScale,
    quantityScale,
    minPriceAtoms: priceAtoms(Math.max(1, Math.floor(ticks / PRICE_ROOM))),
    maxPriceAtoms: priceAtoms(maxPrice),
    minQuantityAtoms: baseAtoms(Math.max(1, Math.ceil(MIN_ORDER_USD / lotUsd))),
    maxQuantityAtoms: baseAtoms(Math.min(MAX_QUANTITY_LOTS, exactLots, Math.max(1, Math.floor(MAX_ORDER_USD / lotUsd)))),
    initialMarginBps: bps(500),
    maxLeverageX: 20,
    maintenanceMarginTiers: [
      { notionalThresholdAtoms: quoteAtoms(0), maintenanceMarginBps: bps(250) },
      { notionalThresholdAtoms: quoteAtoms(500_000 * USD), maintenanceMarginBps: bps(400) },
      { notionalThresholdAtoms: quoteAtoms(2_500_000 * USD), maintenanceMarginBps: bps(600) },
      { notionalThresholdAtoms: quoteAtoms(10_000_000 * USD), maintenanceMarginBps: bps(1_000) },
    ],
    makerFeeBps: bps(2),
    takerFeeBps: bps(5),
    priceBandBps: bps(1_000),
    markBandBps: bps(50),
    liquidationFeeBps: bps(100),
    autoDeleveraging: true,
    maxIndexAgeMs: 10_000,
    maxIndexJumpBps: bps(250),
    indexConfirmations: 3,
    fundingPeriodMs: 3_600_000,
    fundingInterestPpb: ppb(12_500),
    fundingCapPpb: ppb(18_750_000),
    premiumSampleMs: 5_000,
    impactNotionalAtoms: quoteAtoms(4_000 * USD),
  };
}

/** A market with default terms whose generated price returns to this one. */
export function defaultMarket(marketId: string, basePrice: number): DevnetMarket {
  return { specification: defaultSpecification(marketId, basePrice), basePrice, volatilityPerSecond: VOLATILITY_PER_SECOND };
}

/** Markets for which there are candles and that are not among the known ones: their first price gives the scales. */
export function replayedMarkets({ replayed }: PriceChoice, known: readonly DevnetMarket[]): readonly DevnetMarket[] {
  const names = new Set(known.map(({ specification }) => specification.marketId));
  return [...replayed].flatMap(([marketId, path]) => (names.has(marketId) ? [] : [replayedMarket(marketId, path)]));
}

function replayedMarket(marketId: string, path: CandlePath): DevnetMarket {
  const price = path.priceAt(path.startsAtEpochMs);
  if (price === undefined || price < MIN_DEFAULT_PRICE || price > MAX_DEFAULT_PRICE)
    throw new PriceSourceFault(
      `--prices: ${marketId} starts at ${price}, outside of ${MIN_DEFAULT_PRICE} to ${MAX_DEFAULT_PRICE}: use candles of a larger or smaller unit`,
    );
  return defaultMarket(marketId, price);
}

/** In the order in which `--markets` adds them to the built-in ones. */
export const FURTHER_MARKETS: readonly DevnetMarket[] = (
  [
    ['XRP', 0.6],
    ['DOGE', 0.15],
    ['ADA', 0.45],
    ['AVAX', 35],
    ['LINK', 15],
    ['DOT', 7],
    ['LTC', 85],
    ['BCH', 400],
    ['UNI', 8],
    ['ATOM', 9],
    ['NEAR', 5],
    ['APT', 9],
    ['ARB', 1],
    ['OP', 2],
    ['SUI', 1.5],
    ['FIL', 6],
    ['TRX', 0.12],
  ] as const
).map(([symbol, price]) => defaultMarket(`${symbol}-USD-PERP`, price));
