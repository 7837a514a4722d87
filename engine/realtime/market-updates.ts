/**
 * What the public channels publish: for trades, prices, funding and statuses an update per record, for books, tickers and candles
 * their state.
 */

import { type LiveCandleSeriesName, TIMEFRAME_MS, type Timeframe } from '#contract/markets.ts';
import type { ChannelData, MarketChannel, NewestChannel } from '#contract/realtime-channels.ts';
import type { PriceProvider } from '#contract/realtime-market.ts';
import { candleResource } from '#projection/candle-series.ts';
import { spanStart } from '#projection/candle-spans.ts';
import { renderRate } from '#projection/funding-resource.ts';
import type { LiveModel } from '#projection/live-model.ts';
import { isQuoted } from '#projection/market-fold.ts';
import { bookSides, tickerOf } from '#projection/market-resource.ts';
import type { MarketScales } from '#projection/market-scales.ts';
import { tradeResource } from '#projection/order-resource.ts';
import type { RecordChanges } from '#projection/record-changes.ts';
import type { MarketActivityRow } from '#projection/rows.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { Subject } from './topic.ts';

/** Levels per side of a `market.book` update. */
const BOOK_DEPTH = 50;

type Source<Channel extends MarketChannel> = (
  changes: RecordChanges,
  market: MarketScales,
  provider: PriceProvider,
) => ChannelData<Channel> | undefined;

/** Channels that publish an update for every record that concerns them. */
const RECORD_SOURCES = {
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
} as const satisfies { readonly [Channel in Exclude<MarketChannel, NewestChannel>]?: Source<Channel> };

type RecordChannel = keyof typeof RECORD_SOURCES;

export function isRecordChannel(channel: MarketChannel): channel is RecordChannel {
  return Object.hasOwn(RECORD_SOURCES, channel);
}

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
  const source: Source<RecordChannel> = RECORD_SOURCES[channel];
  return source(changes, market, provider);
}

/** The markets for which a record may have an update, other than of their state. */
export function affectedMarkets({ trades, priced, settled, markets }: RecordChanges): ReadonlySet<number> {
  const changed = new Set<number>();
  for (const { market } of trades) changed.add(market);
  for (const { market } of priced) changed.add(market);
  for (const { market } of settled) changed.add(market);
  for (const { after } of markets) changed.add(after.market);
  return changed;
}

/** Channels that publish their state after it changed. All other public channels are in {@link RECORD_SOURCES}. */
export type StateChannel = Exclude<MarketChannel, RecordChannel>;
type MarketSubject = Extract<Subject, { market: unknown }>;

/** A market whose state changed; of candles, the series. */
export interface ChangedState {
  readonly market: MarketOrdinal;
  readonly series?: LiveCandleSeriesName;
}

interface StateSource<Channel extends StateChannel> {
  /** The markets whose state a record may have changed. */
  readonly changedIn: (changes: RecordChanges) => readonly ChangedState[];
  /** The state; `undefined` if it has not changed since `sinceEpochMs`. */
  readonly data: (model: LiveModel, subject: MarketSubject, sinceEpochMs: number) => ChannelData<Channel> | undefined;
}

const STATE_SOURCES: { readonly [Channel in StateChannel]: StateSource<Channel> } = {
  'market.book': {
    changedIn: ({ books }) => books.map((market) => ({ market })),
    data: (model, { market }) => bookData(model, market),
  },
  'market.ticker': {
    // A trade whose price was not quoted does not change the ticker.
    changedIn: ({ trades }) => trades.filter(isQuoted),
    data: (model, { market }) => tickerData(model, market),
  },
  'market.candles': {
    changedIn: ({ observed }) => observed,
    data: (model, { market, series, timeframe }, since) =>
      candlesData(model, market, { series: series!, timeframe: timeframe! }, since),
  },
};

export const STATE_CHANNELS = Object.keys(STATE_SOURCES) as StateChannel[];

export function changedStates(channel: StateChannel, changes: RecordChanges): readonly ChangedState[] {
  return STATE_SOURCES[channel].changedIn(changes);
}

/** The state of a channel that publishes states; `undefined` if it has not changed since `sinceEpochMs`. */
export function stateData(model: LiveModel, subject: MarketSubject, sinceEpochMs: number): object | undefined {
  return STATE_SOURCES[subject.channel as StateChannel].data(model, subject, sinceEpochMs);
}

export function bookData(model: LiveModel, market: MarketScales): ChannelData<'market.book'> {
  return bookSides(model.books, market, BOOK_DEPTH);
}

function tickerData(model: LiveModel, market: MarketScales): ChannelData<'market.ticker'> {
  const activity = model.marketActivity.find(market.market)!;
  return tickerOf(market, activity, model.books, model.dayWindows.at(market.market, model.epochMs));
}

/** The candles of a timeframe with an observation at `sinceEpochMs` or later. `undefined` if there are no candles. */
export function candlesData(
  model: LiveModel,
  market: MarketScales,
  { series, timeframe }: { readonly series: LiveCandleSeriesName; readonly timeframe: Timeframe },
  sinceEpochMs: number,
): ChannelData<'market.candles'> | undefined {
  const since = spanStart(sinceEpochMs, TIMEFRAME_MS[timeframe]);
  const candles = model.candles.since({ market: market.market, series }, timeframe, since);
  return candles.length === 0 ? undefined : { candles: candles.map((candle) => candleResource(candle, market)) };
}
