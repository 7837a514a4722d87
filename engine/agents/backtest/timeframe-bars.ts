/**
 * Builds the bars of a timeframe out of shorter ones, aligned to UTC as the venue's candles are. A span without a shorter bar has no bar;
 * a bar that the input starts or ends inside of is left out, because its open or close is not known.
 */
import type { TimedBar } from './backtest-terms.ts';

export interface TimeframeBars {
  readonly bars: readonly TimedBar[];
  /** The length of the shorter bars: the smallest distance of two of them. */
  readonly inputSpanMs: number;
  /** Spans between the first and the last bar that have no bar. */
  readonly missingBars: number;
}

/** Why the input does not fit; `openedAtEpochMs` is the first bar that does not. */
export type TimeframeFault =
  | { readonly fault: 'coarser'; readonly inputSpanMs: number }
  | { readonly fault: 'unaligned'; readonly inputSpanMs: number; readonly openedAtEpochMs: number };

/** @param input in ascending order, not empty */
export function timeframeBars(input: readonly TimedBar[], spanMs: number): TimeframeBars | TimeframeFault {
  const inputSpanMs = smallestDistance(input) ?? spanMs;
  if (spanMs % inputSpanMs !== 0) return { fault: 'coarser', inputSpanMs };
  const unaligned = input.find(({ openedAtEpochMs }) => openedAtEpochMs % inputSpanMs !== 0);
  if (unaligned !== undefined) return { fault: 'unaligned', inputSpanMs, openedAtEpochMs: unaligned.openedAtEpochMs };
  const bars: TimedBar[] = [];
  for (const bar of input) {
    const openedAtEpochMs = bar.openedAtEpochMs - (bar.openedAtEpochMs % spanMs);
    const last = bars.at(-1);
    if (last?.openedAtEpochMs === openedAtEpochMs) bars[bars.length - 1] = merged(last, bar);
    else bars.push({ ...bar, openedAtEpochMs });
  }
  const [first] = input;
  if (first!.openedAtEpochMs % spanMs !== 0) bars.shift();
  if ((input.at(-1)!.openedAtEpochMs + inputSpanMs) % spanMs !== 0) bars.pop();
  return { bars, inputSpanMs, missingBars: missingIn(bars, spanMs) };
}

function smallestDistance(input: readonly TimedBar[]): number | undefined {
  let smallest: number | undefined;
  for (let index = 1; index < input.length; index += 1) {
    const distance = input[index]!.openedAtEpochMs - input[index - 1]!.openedAtEpochMs;
    if (smallest === undefined || distance < smallest) smallest = distance;
  }
  return smallest;
}

function merged(earlier: TimedBar, later: TimedBar): TimedBar {
  return {
    openedAtEpochMs: earlier.openedAtEpochMs,
    openAtoms: earlier.openAtoms,
    highAtoms: Math.max(earlier.highAtoms, later.highAtoms),
    lowAtoms: Math.min(earlier.lowAtoms, later.lowAtoms),
    closeAtoms: later.closeAtoms,
    volumeAtoms: earlier.volumeAtoms + later.volumeAtoms,
  };
}

function missingIn(bars: readonly TimedBar[], spanMs: number): number {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return 0;
  return (last.openedAtEpochMs - first.openedAtEpochMs) / spanMs + 1 - bars.length;
}
