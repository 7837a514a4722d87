/** Folds the activity of a market: index and mark, the last trade, open interest, funding, and the candles of all series. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { widePlus, ZERO_BASE, ZERO_QUOTE, ZERO_WIDE } from '#units/money.ts';
import type { FundingSettled, FundMoved, MarketPriced, OrderOrigin, PositionChanged, TradeExecuted } from '#venue/event.ts';
import { spanStart } from './candle-spans.ts';
import type { CandleRow, CandleSeriesName, FundingPeriodRow, MarketActivityRow, Moment, TradeRow } from './rows.ts';

export function untradedMarket(market: MarketOrdinal): MarketActivityRow {
  return {
    market,
    indexPriceAtoms: null,
    indexObservedAtEpochMs: null,
    indexStatus: null,
    pricedAtEpochMs: null,
    markPriceAtoms: null,
    markSequence: null,
    lastPriceAtoms: null,
    lastQuantityAtoms: null,
    lastTradeAtEpochMs: null,
    openInterestAtoms: ZERO_WIDE,
    fundingEstimatePpb: null,
    nextFundingAtEpochMs: null,
    lastFundingPeriod: null,
    lastFundingRatePpb: null,
    lastFundingAtEpochMs: null,
    fundDay: 0,
    fundSpentAtoms: ZERO_QUOTE,
    fundBalanceAtoms: ZERO_QUOTE,
  };
}

export function insuredMarket(activity: MarketActivityRow, { day, spentAtoms, balanceAtoms }: FundMoved): MarketActivityRow {
  return { ...activity, fundDay: day, fundSpentAtoms: spentAtoms, fundBalanceAtoms: balanceAtoms };
}

export function pricedMarket(activity: MarketActivityRow, event: MarketPriced, at: Moment): MarketActivityRow {
  const observed = {
    ...activity,
    indexStatus: event.indexStatus,
    pricedAtEpochMs: at.epochMs,
    fundingEstimatePpb: event.fundingEstimatePpb,
    nextFundingAtEpochMs: event.nextFundingAtEpochMs === 0 ? null : event.nextFundingAtEpochMs,
  };
  // There is no current price yet.
  if (event.indexPriceAtoms === 0) return observed;
  return {
    ...observed,
    indexPriceAtoms: event.indexPriceAtoms,
    indexObservedAtEpochMs: event.observedAtEpochMs,
    markPriceAtoms: event.markPriceAtoms,
    markSequence: isMarked(activity, event) ? at.sequence : activity.markSequence,
  };
}

/**
 * Whether the event has a new current price. A late or unconfirmed observation changes nothing, and its event repeats the current price.
 */
export function isObservation(before: MarketActivityRow, event: MarketPriced): boolean {
  if (event.indexStatus !== 'current' || event.indexPriceAtoms === 0) return false;
  return event.observedAtEpochMs !== before.indexObservedAtEpochMs || event.indexPriceAtoms !== before.indexPriceAtoms;
}

/** Whether the event has a new mark: another one, or the same again for a new index price. */
export function isMarked(before: MarketActivityRow, event: MarketPriced): boolean {
  if (event.indexPriceAtoms === 0) return false;
  return event.markPriceAtoms !== before.markPriceAtoms || isObservation(before, event);
}

/** The estimate and the end of the new period come with the next price. */
export function fundedMarket(activity: MarketActivityRow, event: FundingSettled): MarketActivityRow {
  return {
    ...activity,
    fundingEstimatePpb: null,
    nextFundingAtEpochMs: null,
    lastFundingPeriod: event.period,
    lastFundingRatePpb: event.ratePpb,
    lastFundingAtEpochMs: event.settledAtEpochMs,
  };
}

export function fundingPeriod(event: FundingSettled, at: Moment): FundingPeriodRow {
  const { market, period, ratePpb, indexPriceAtoms, perLotMicroAtoms, settledAtEpochMs } = event;
  return { market, period, ratePpb, indexPriceAtoms, perLotMicroAtoms, settledAtEpochMs, sequence: at.sequence };
}

/**
 * Whether an order quoted the trade's price. A deleveraging uses the bankruptcy price: it is a fill of both accounts and a public trade with
 * its origin, but does not count as last price or in candles and ticker. A liquidation in the book trades at quoted prices.
 */
export function isQuoted({ origin }: { readonly origin: OrderOrigin }): boolean {
  return origin !== 'auto_deleveraging';
}

export function executedTrade(event: TradeExecuted, at: Moment): TradeRow {
  const { trade, market, origin, takerSide, priceAtoms, quantityAtoms, notionalAtoms } = event;
  const executed = { executedAtEpochMs: at.epochMs, sequence: at.sequence };
  return { trade, market, origin, takerSide, priceAtoms, quantityAtoms, notionalAtoms, ...executed };
}

export function tradedMarket(activity: MarketActivityRow, event: TradeExecuted, at: Moment): MarketActivityRow {
  return {
    ...activity,
    lastPriceAtoms: event.priceAtoms,
    lastQuantityAtoms: event.quantityAtoms,
    lastTradeAtEpochMs: at.epochMs,
  };
}

/** Open interest is the total of the long side, which equals the short side. */
export function marketAfterPositionChange(activity: MarketActivityRow, event: PositionChanged): MarketActivityRow {
  const before = event.signedBaseAtoms - event.changedBaseAtoms;
  const change = Math.max(0, event.signedBaseAtoms) - Math.max(0, before);
  return change === 0 ? activity : { ...activity, openInterestAtoms: widePlus(activity.openInterestAtoms, change) };
}

/** One observation of a series: a trade, or an index or mark price (without a quantity). */
export interface Observation {
  readonly market: MarketOrdinal;
  readonly series: CandleSeriesName;
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly notionalAtoms: QuoteAtoms;
}

export function priceObservation({ market, ...event }: MarketPriced, series: 'index' | 'mark'): Observation {
  const priceAtoms = series === 'index' ? event.indexPriceAtoms : event.markPriceAtoms;
  return { market, series, priceAtoms, quantityAtoms: ZERO_BASE, notionalAtoms: ZERO_QUOTE };
}

/** `before` is `undefined` for the first observation of its span. Candles use the venue's time, not the source's. */
export function observedCandle(before: CandleRow | undefined, observation: Observation, spanMs: number, at: Moment): CandleRow {
  const { market, series, priceAtoms } = observation;
  if (before === undefined) {
    return {
      market,
      series,
      spanMs,
      openTimeEpochMs: spanStart(at.epochMs, spanMs),
      openAtoms: priceAtoms,
      highAtoms: priceAtoms,
      lowAtoms: priceAtoms,
      closeAtoms: priceAtoms,
      volumeAtoms: widePlus(ZERO_WIDE, observation.quantityAtoms),
      notionalAtoms: widePlus(ZERO_WIDE, observation.notionalAtoms),
    };
  }
  return {
    ...before,
    highAtoms: Math.max(before.highAtoms, priceAtoms) as PriceAtoms,
    lowAtoms: Math.min(before.lowAtoms, priceAtoms) as PriceAtoms,
    closeAtoms: priceAtoms,
    volumeAtoms: widePlus(before.volumeAtoms, observation.quantityAtoms),
    notionalAtoms: widePlus(before.notionalAtoms, observation.notionalAtoms),
  };
}
