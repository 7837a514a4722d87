/** What the events of a market change in the rows: activity, trades, candles, open interest and funding periods. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { FundingSettled, MarketPriced, PositionChanged, TradeExecuted } from '#venue/event.ts';
import { STORED_SPANS_MS, spanStart } from './candle-spans.ts';
import {
  executedTrade,
  fundedMarket,
  fundingPeriod,
  isMarked,
  isObservation,
  isQuoted,
  marketAfterPositionChange,
  type Observation,
  observedCandle,
  pricedMarket,
  priceObservation,
  tradedMarket,
} from './market-fold.ts';
import { openInterestRows } from './open-interest-tables.ts';
import type { ReadModel } from './read-model.ts';
import type { MarketActivityRow, Moment } from './rows.ts';

export function foldTrade(model: ReadModel, event: TradeExecuted, at: Moment): void {
  model.trades.put(executedTrade(event, at));
  if (!isQuoted(event)) return;
  model.marketActivity.put(tradedMarket(activityOf(model, event.market), event, at));
  foldObservation(model, { ...event, series: 'trade' }, at);
}

export function foldPrice(model: ReadModel, event: MarketPriced, at: Moment): void {
  const before = activityOf(model, event.market);
  model.marketActivity.put(pricedMarket(before, event, at));
  if (isObservation(before, event)) foldObservation(model, priceObservation(event, 'index'), at);
  if (isMarked(before, event)) foldObservation(model, priceObservation(event, 'mark'), at);
}

export function foldOpenInterest(model: ReadModel, event: PositionChanged, at: Moment): void {
  const before = activityOf(model, event.market);
  const after = marketAfterPositionChange(before, event);
  if (after === before) return;
  model.marketActivity.put(after);
  for (const row of openInterestRows(after, at)) model.openInterests.put(row);
}

export function foldFundingPeriod(model: ReadModel, event: FundingSettled, at: Moment): void {
  model.fundingPeriods.put(fundingPeriod(event, at));
  model.marketActivity.put(fundedMarket(activityOf(model, event.market), event));
}

function foldObservation(model: ReadModel, observation: Observation, at: Moment): void {
  for (const spanMs of STORED_SPANS_MS) {
    const before = model.candles.find(observation.market, observation.series, spanMs, spanStart(at.epochMs, spanMs));
    const candle = observedCandle(before, observation, spanMs, at);
    model.candles.put(candle);
    model.dayWindows.observe(candle);
  }
}

function activityOf(model: ReadModel, market: MarketOrdinal): MarketActivityRow {
  const row = model.marketActivity.find(market);
  if (row === undefined) throw new Error(`an event names market ${market}, which was never made`);
  return row;
}
