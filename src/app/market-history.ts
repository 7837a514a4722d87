/**
 * The parameters of a market's synthetic history at its listing. Generated prices go back along their own path. The history of a
 * replayed market is generated too, at the volatility of its candles, and ends at their first price. It needs no file at later
 * starts and reveals nothing of the replay.
 */
import type { DevnetMarket } from '#devnet/markets.ts';
import type { CandlePath } from '#prices/candle-path.ts';
import { generatedPrices } from '#prices/generated.ts';
import type { PriceChoice } from '#prices/price-choice.ts';
import { startOfReplay } from '#prices/replay.ts';
import { type EpochMs, ppb, priceAtoms, WHOLE_PPB } from '#units/money.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import type { VenueConfig } from './config.ts';

/** Candles replayed fast move far in a second; a month at that volatility would leave the market's price bounds. */
const MAX_REPLAYED_VOLATILITY = 0.000_5;

/** Returns `undefined` if the venue starts without history or prices, or the market's candles have no price. */
export function historyOf(
  market: DevnetMarket,
  { seed, speed, historyMs }: Pick<VenueConfig, 'seed' | 'speed' | 'historyMs'>,
  { hasPrices, replayed }: PriceChoice,
  now: EpochMs,
): MarketHistory | undefined {
  if (historyMs === 0 || !hasPrices) return undefined;
  const path = replayed.get(market.specification.marketId);
  const start = path === undefined ? generatedStart(market, seed, now) : replayedStart(path, replayed, speed);
  if (start.price === undefined) return undefined;
  const { priceScale, minPriceAtoms, maxPriceAtoms } = market.specification;
  const onTick = Math.round(start.price * 10 ** priceScale);
  return {
    seed,
    startedAtEpochMs: now,
    lengthMs: historyMs,
    startPriceAtoms: priceAtoms(Math.max(minPriceAtoms, Math.min(maxPriceAtoms, onTick))),
    volatilityPpb: ppb(Math.round(start.volatilityPerSecond * WHOLE_PPB)),
  };
}

interface StartValues {
  readonly price: number | undefined;
  readonly volatilityPerSecond: number;
}

function generatedStart(
  { specification, basePrice, volatilityPerSecond }: DevnetMarket,
  seed: number,
  now: EpochMs,
): StartValues {
  const { marketId } = specification;
  const markets = [{ marketId, basePrice, volatilityPerSecond }];
  const source = generatedPrices({ seed, markets, lastPrices: new Map(), startedAtEpochMs: now });
  return { price: source.observe(now)[0]?.price, volatilityPerSecond };
}

function replayedStart(path: CandlePath, paths: PriceChoice['replayed'], speed: number): StartValues {
  const start = startOfReplay(paths);
  const price = path.priceAt(start) ?? path.priceAt(path.resumesAfter(start) ?? Number.NaN);
  return { price, volatilityPerSecond: Math.min(MAX_REPLAYED_VOLATILITY, path.volatilityPerSecond * Math.sqrt(speed)) };
}
