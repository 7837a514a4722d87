/**
 * Candles and funding rates of a market's synthetic past, computed on read. Longer candles are folded from shorter ones, and those of stored
 * spans cached in blocks with LRU eviction; minutes are cheap enough to compute each time.
 */
import { TIMEFRAME_MS } from '#contract/markets.ts';
import { MarketPast, nextCandle, type PastCandle } from '#prices/history.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, PriceAtoms, WideAtoms } from '#units/money.ts';
import { widePlus } from '#units/money.ts';
import { fundingRateOf } from '#venue/funding/funding-rate.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { nextSpanStart, STORED_SPANS_MS, spanStart, storedSpanOf } from './candle-spans.ts';
import type { CandleRow, CandleSeriesName, FundingPeriodRow } from './rows.ts';

/** Each timeframe up to `MAX_FILLED_SPAN_MS` has at least this many candles, however short the history, because indicators need them. */
const MIN_CANDLES = 500;
const MAX_FILLED_SPAN_MS = TIMEFRAME_MS['4h'];

const MINUTE_MS = TIMEFRAME_MS['1m'];
const BLOCK_CANDLES = 64;
const FIELDS = 6;
/**
 * Per stored span above a minute, so that pages of short candles do not evict long ones, which are the most expensive. Enough for all series of
 * a month, and of a year from 1h on. A market caches at most 6.9 MB.
 */
const MAX_BLOCKS = 450;

/** The number of all synthetic funding periods; the market numbers its own from 1. */
export const PAST_PERIOD = 0;

export class PastCandles {
  readonly #past: MarketPast;
  readonly #market: MarketOrdinal;
  /** By span, then by series and block; least recently used first. A candle that is not computed yet has the open price 0. */
  readonly #blocks = new Map<number, Map<string, Float64Array>>(STORED_SPANS_MS.map((spanMs) => [spanMs, new Map()]));

  constructor(market: MarketOrdinal, history: MarketHistory, specification: MarketSpecification) {
    this.#market = market;
    this.#past = new MarketPast(history, specification);
  }

  /** Open times from the first whole synthetic candle to that in which the venue started, which may also have a row. */
  openTimes(spanMs: number): { readonly first: number; readonly last: number } {
    const { startedAtEpochMs, lengthMs } = this.#past.history;
    const reachMs = Math.max(lengthMs, MIN_CANDLES * Math.min(spanMs, MAX_FILLED_SPAN_MS));
    const first = nextSpanStart(Math.max(0, startedAtEpochMs - reachMs), spanMs);
    return { first, last: spanStart(startedAtEpochMs - 1, spanMs) };
  }

  /** `undefined` if the candle does not open before the start. Excludes the part after the start. */
  row(series: CandleSeriesName, spanMs: number, openTimeEpochMs: number): CandleRow | undefined {
    const candle = this.#candle(series, spanMs, openTimeEpochMs);
    if (candle === undefined) return undefined;
    return {
      market: this.#market,
      series,
      spanMs,
      ...candle,
      openTimeEpochMs: openTimeEpochMs as EpochMs,
      volumeAtoms: String(candle.volumeAtoms) as WideAtoms,
      notionalAtoms: String(candle.notionalAtoms) as WideAtoms,
    };
  }

  /** Adds the part of the candle before the start to a row; `undefined` if there is no such part. */
  completed(row: CandleRow): CandleRow | undefined {
    const before = this.row(row.series, row.spanMs, row.openTimeEpochMs);
    if (before === undefined) return undefined;
    return {
      ...row,
      openAtoms: before.openAtoms,
      highAtoms: Math.max(before.highAtoms, row.highAtoms) as PriceAtoms,
      lowAtoms: Math.min(before.lowAtoms, row.lowAtoms) as PriceAtoms,
      volumeAtoms: widePlus(row.volumeAtoms, before.volumeAtoms),
      notionalAtoms: widePlus(row.notionalAtoms, before.notionalAtoms),
    };
  }

  /** Settled rates between two times, both inclusive, in the given direction. */
  fundingPeriods(
    sinceEpochMs: number,
    untilEpochMs: number,
    direction: 'newest_first' | 'oldest_first',
    limit: number,
  ): readonly FundingPeriodRow[] {
    const { history, specification } = this.#past;
    const { fundingPeriodMs } = specification;
    const first = Math.ceil(Math.max(0, sinceEpochMs, history.startedAtEpochMs - history.lengthMs) / fundingPeriodMs);
    const last = Math.floor(Math.min(untilEpochMs, history.startedAtEpochMs) / fundingPeriodMs);
    const count = Math.max(0, Math.min(limit, last - first + 1));
    const numbers = Array.from({ length: count }, (_, index) => (direction === 'oldest_first' ? first + index : last - index));
    return numbers.map((number) => this.#fundingPeriod(number * fundingPeriodMs));
  }

  #fundingPeriod(settledAtEpochMs: number): FundingPeriodRow {
    return {
      market: this.#market,
      period: PAST_PERIOD,
      ratePpb: fundingRateOf(this.#past.premiumAt(settledAtEpochMs), 1, this.#past.specification),
      indexPriceAtoms: this.#past.indexPriceAt(settledAtEpochMs),
      perLotMicroAtoms: 0,
      settledAtEpochMs: settledAtEpochMs as EpochMs,
      sequence: 0 as FundingPeriodRow['sequence'],
    };
  }

  #candle(series: CandleSeriesName, spanMs: number, openTimeEpochMs: number): PastCandle | undefined {
    if (openTimeEpochMs >= this.#past.history.startedAtEpochMs) return undefined;
    if (spanMs === MINUTE_MS) return this.#past.minute(series, openTimeEpochMs);
    const stored = storedSpanOf(spanMs);
    if (stored !== spanMs) return this.#folded(series, spanMs, openTimeEpochMs, stored);
    const index = Math.floor(openTimeEpochMs / spanMs);
    const block = blockIn(this.#blocks.get(spanMs)!, `${series}/${Math.floor(index / BLOCK_CANDLES)}`);
    const at = (index % BLOCK_CANDLES) * FIELDS;
    const partMs = STORED_SPANS_MS[STORED_SPANS_MS.indexOf(spanMs) - 1]!;
    if (block[at] === 0) block.set(valuesOf(this.#folded(series, spanMs, openTimeEpochMs, partMs)!), at);
    return candleAt(block, at);
  }

  /** Folds the candles of a shorter span. */
  #folded(series: CandleSeriesName, spanMs: number, openTimeEpochMs: number, partMs: number): PastCandle | undefined {
    let whole: PastCandle | undefined;
    for (let open = openTimeEpochMs; open < openTimeEpochMs + spanMs; open += partMs) {
      const part = this.#candle(series, partMs, open);
      if (part !== undefined) whole = nextCandle(whole, part);
    }
    return whole;
  }
}

/** Returns the block and marks it as most recently used. */
function blockIn(blocks: Map<string, Float64Array>, name: string): Float64Array {
  const block = blocks.get(name) ?? new Float64Array(BLOCK_CANDLES * FIELDS);
  blocks.delete(name);
  blocks.set(name, block);
  if (blocks.size > MAX_BLOCKS) blocks.delete(blocks.keys().next().value!);
  return block;
}

function valuesOf(candle: PastCandle): readonly number[] {
  const { openAtoms, highAtoms, lowAtoms, closeAtoms, volumeAtoms, notionalAtoms } = candle;
  return [openAtoms, highAtoms, lowAtoms, closeAtoms, volumeAtoms, notionalAtoms];
}

function candleAt(block: Float64Array, at: number): PastCandle {
  const [openAtoms, highAtoms, lowAtoms, closeAtoms, volumeAtoms, notionalAtoms] = block.subarray(at, at + FIELDS);
  return { openAtoms, highAtoms, lowAtoms, closeAtoms, volumeAtoms, notionalAtoms } as PastCandle;
}
