/** What a deployment reads of its market: candles of trades that have closed, and the bounds of an order. */
import type { BarPage, BarSeries, BarSource, ClosedBar, MarketScale, RunMarket } from '#agents/runner/ports.ts';
import { DEPLOYMENT_TIMEFRAMES, type DeploymentTimeframe, TIMEFRAME_MS } from '#contract/markets.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import { parseDecimal } from '#units/decimal.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';

/** Also the synthetic candles of before the venue's start. */
export function recordedBars(
  reads: Pick<RenderedReads, 'candles'>,
  marketScale: (market: MarketOrdinal) => Promise<MarketScale>,
): BarSource {
  return {
    hasTimeframe: (timeframeMs) => timeframeOf(timeframeMs) !== undefined,
    async barsSince({ market, timeframeMs }: BarSeries, sinceEpochMs: number, limit: number): Promise<BarPage> {
      const timeframe = timeframeOf(timeframeMs)!;
      const scale = await marketScale(market);
      const series = parseRendered(await reads.candles({ market, timeframe, series: 'trade', sinceEpochMs, limit }));
      // Journal time never goes back: no later record changes a candle that ends at or before the newest one.
      const closedUntilEpochMs = Math.floor(series.asOfEpochMs / timeframeMs) * timeframeMs;
      const closed = series.candles.filter(({ openTimeEpochMs }) => openTimeEpochMs < closedUntilEpochMs);
      return { bars: closed.map((candle) => barOf(candle, scale)), closedUntilEpochMs };
    },
  };
}

type Quantities = Readonly<Record<'minQuantity' | 'maxQuantity', string>>;

export function runMarketOf(market: Quantities & Record<'priceScale' | 'quantityScale', number>): RunMarket {
  const { priceScale, quantityScale } = market;
  const quantity = (text: string) => atomsOf(text, quantityScale);
  const bounds = { minQuantityAtoms: quantity(market.minQuantity), maxQuantityAtoms: quantity(market.maxQuantity) };
  return { priceScale, quantityScale, ...bounds };
}

function timeframeOf(timeframeMs: number): DeploymentTimeframe | undefined {
  return DEPLOYMENT_TIMEFRAMES.find((timeframe) => TIMEFRAME_MS[timeframe] === timeframeMs);
}

type Candle = Readonly<Record<'open' | 'high' | 'low' | 'close' | 'volume', string>> & { readonly openTimeEpochMs: number };

function barOf(candle: Candle, { priceScale, quantityScale }: MarketScale): ClosedBar {
  const price = (text: string) => atomsOf(text, priceScale);
  return {
    openTimeEpochMs: candle.openTimeEpochMs as EpochMs,
    openAtoms: price(candle.open),
    highAtoms: price(candle.high),
    lowAtoms: price(candle.low),
    closeAtoms: price(candle.close),
    volumeAtoms: atomsOf(candle.volume, quantityScale),
  };
}

/** A volume beyond the safe integers counts as the largest one. */
function atomsOf(text: string, scale: number): number {
  const parsed = parseDecimal(text, scale);
  if ('atoms' in parsed) return parsed.atoms;
  if (parsed.fault !== 'too_large') throw new Error(`a candle has the amount ${text}`);
  return Number.MAX_SAFE_INTEGER;
}
