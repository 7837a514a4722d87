/**
 * What the public channels publish: for trades, prices, funding and statuses an update per record, for books, tickers and candles
 * their state.
 */

import type { CandleSeriesName, Timeframe } from '#contract/markets.ts';
import type { ChannelData, MarketChannel } from '#contract/realtime-channels.ts';
import type { PriceProvider } from '#contract/realtime-market.ts';
import { candleResource } from '#projection/candle-series.ts';
import { renderRate } from '#projection/funding-resource.ts';
import type { LiveModel } from '#projection/live-model.ts';
import { spanStart, TIMEFRAME_MS } from '#projection/market-fold.ts';
import { bookSides, tickerOf } from '#projection/market-resource.ts';
import type { MarketScales } from '#projection/market-scales.ts';
import { tradeResource } from '#projection/order-resource.ts';
import type { RecordChanges } from '#projection/record-changes.ts';
import type { MarketActivityRow } from '#projection/rows.ts';

/** Levels per side of a `market.book` update. */
const BOOK_DEPTH = 50;

/** Channels that publish an update for every record that concerns them. */
export const RECORD_CHANNELS = [
  'market.trades',
  'market.price',
  'market.funding',
  'market.status',
] as const satisfies MarketChannel[];
type RecordChannel = (typeof RECORD_CHANNELS)[number];

export function isRecordChannel(channel: MarketChannel): channel is RecordChannel {
  return (RECORD_CHANNELS as readonly string[]).includes(channel);
}

type Source<Channel extends MarketChannel> = (
  changes: RecordChanges,
  market: MarketScales,
  provider: PriceProvider,
) => ChannelData<Channel> | undefined;

const SOURCES: { readonly [Channel in RecordChannel]: Source<Channel> } = {
  'market.trades': ({ trades }, market) => {
    const own = trades.filter((trade) => trade.market === market.market);
    return own.length === 0 ? undefined : { trades: own.map((trade) => tradeResource(trade, market)) };
  },

  'market.price': ({ priced }, market, provider) => {
    const event = priced.findLast((it) => it.market === market.market);
    // No index price was accepted yet.
    if (event === undefined || event.indexPriceAtoms === 0) return undefined;
    return {
      indexPrice: market.price(event.indexPriceAtoms),
      markPrice: market.price(event.markPriceAtoms),
      observedAtEpochMs: event.observedAtEpochMs,
      indexStatus: event.indexStatus,
      provider,
    };
  },

  'market.funding': ({ settled, activity }, market) => {
    const period = settled.findLast((it) => it.market === market.market);
    const change = activity.find(({ after }) => after.market === market.market);
    if (change === undefined) return undefined;
    const { before, after } = change;
    if (period === undefined && !isEstimateChanged(before, after)) return undefined;
    const { lastFundingPeriod, lastFundingRatePpb, lastFundingAtEpochMs, fundingEstimatePpb, nextFundingAtEpochMs } = after;
    return {
      cause: period === undefined ? 'estimate_changed' : 'period_settled',
      reported:
        lastFundingPeriod === null || lastFundingRatePpb === null || lastFundingAtEpochMs === null
          ? null
          : {
              period: lastFundingPeriod,
              fundingRate: renderRate(lastFundingRatePpb),
              settledAtEpochMs: lastFundingAtEpochMs,
              indexPrice: market.priceOrNull(period?.indexPriceAtoms),
              perLotMicroAtoms: period === undefined ? null : String(period.perLotMicroAtoms),
            },
      estimated:
        fundingEstimatePpb === null || nextFundingAtEpochMs === null
          ? null
          : { fundingRate: renderRate(fundingEstimatePpb), periodEndsAtEpochMs: nextFundingAtEpochMs },
    };
  },

  'market.status': ({ markets }, market) => {
    const change = markets.find(({ after }) => after.market === market.market);
    return change === undefined || change.before?.status === change.after.status ? undefined : { status: change.after.status };
  },
};

function isEstimateChanged(before: MarketActivityRow | undefined, after: MarketActivityRow): boolean {
  return before?.fundingEstimatePpb !== after.fundingEstimatePpb || before?.nextFundingAtEpochMs !== after.nextFundingAtEpochMs;
}

/** A record's update for a channel; `undefined` if the record does not concern it. */
export function recordUpdate(
  channel: RecordChannel,
  changes: RecordChanges,
  market: MarketScales,
  provider: PriceProvider,
): object | undefined {
  return SOURCES[channel](changes, market, provider);
}

/** The markets that a record concerns, other than by books, tickers and candles. */
export function affectedMarkets({ trades, priced, settled, markets }: RecordChanges): ReadonlySet<number> {
  const changed = new Set<number>();
  for (const { market } of trades) changed.add(market);
  for (const { market } of priced) changed.add(market);
  for (const { market } of settled) changed.add(market);
  for (const { after } of markets) changed.add(after.market);
  return changed;
}

export function bookData(model: LiveModel, market: MarketScales): ChannelData<'market.book'> {
  return bookSides(model.books, market, BOOK_DEPTH);
}

export function tickerData(model: LiveModel, market: MarketScales): ChannelData<'market.ticker'> {
  const activity = model.marketActivity.find(market.market)!;
  return tickerOf(market, activity, model.books, model.dayWindows.at(market.market, model.epochMs));
}

/** The candles of a timeframe with an observation at `sinceEpochMs` or later. `undefined` if there are no candles. */
export function candlesData(
  model: LiveModel,
  market: MarketScales,
  { series, timeframe }: { readonly series: CandleSeriesName; readonly timeframe: Timeframe },
  sinceEpochMs: number,
): ChannelData<'market.candles'> | undefined {
  const since = spanStart(sinceEpochMs, TIMEFRAME_MS[timeframe]);
  const candles = model.candles.since({ market: market.market, series }, timeframe, since);
  return candles.length === 0 ? undefined : { candles: candles.map((candle) => candleResource(candle, market)) };
}
