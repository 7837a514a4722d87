/**
 * The spans of candles. Some are stored, so that a page does not read many rows per candle; the others are folded from stored ones when
 * they are read, up to seven rows per candle, so that an observation does not change a row for every timeframe.
 */
import { TIMEFRAME_MS } from '#contract/markets.ts';
import type { EpochMs } from '#units/money.ts';

/** Each but the first is a multiple of the one before. */
export const STORED_SPANS_MS: readonly number[] = (['1m', '5m', '15m', '1h', '4h', '1d'] as const).map((it) => TIMEFRAME_MS[it]);

const WEEK_MS = TIMEFRAME_MS['1w'];
/** The epoch was a Thursday. */
const FIRST_MONDAY_MS = 4 * TIMEFRAME_MS['1d'];

/** The longest stored span that divides a span: the span itself if it is stored. */
export function storedSpanOf(spanMs: number): number {
  return STORED_SPANS_MS.findLast((stored) => spanMs % stored === 0)!;
}

/** The start of the span that contains a time. Weeks start on Mondays; the days before the first Monday are a week of their own. */
export function spanStart(epochMs: number, spanMs: number): EpochMs {
  const offsetMs = spanMs === WEEK_MS ? FIRST_MONDAY_MS : 0;
  return (epochMs < offsetMs ? 0 : epochMs - ((epochMs - offsetMs) % spanMs)) as EpochMs;
}

/** The start of the first span that does not start before a time. */
export function nextSpanStart(epochMs: number, spanMs: number): EpochMs {
  const start = spanStart(epochMs, spanMs);
  return start === epochMs ? start : spanStart(start + spanMs, spanMs);
}
