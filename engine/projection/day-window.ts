/**
 * The last 24 hours of a market, from its one-minute candles: the minute under way and the 1,439 before it.
 * A market that did not trade within them still has the price it had then, which is its last.
 */
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, PriceAtoms, WideAtoms } from '#units/money.ts';
import { mulDivDown, WHOLE_BPS, widePlus, ZERO_WIDE } from '#units/money.ts';
import { spanStart } from './market-fold.ts';
import type { CandleRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = 1_440 * MINUTE_MS;

const IN_WINDOW = `FROM candles WHERE market = ? AND series = 'trade' AND spanMs = ${MINUTE_MS} AND openTimeEpochMs > ? ORDER BY openTimeEpochMs`;
export const CANDLES_IN_WINDOW = `SELECT * ${IN_WINDOW}`;
export const FIRST_IN_WINDOW = `SELECT openAtoms ${IN_WINDOW} LIMIT 1`;

/** What the trades of the last 24 hours come to. Prices are absent where there were none. */
export interface DayWindow {
  readonly openAtoms?: PriceAtoms;
  readonly highAtoms?: PriceAtoms;
  readonly lowAtoms?: PriceAtoms;
  readonly volumeAtoms: WideAtoms;
  readonly notionalAtoms: WideAtoms;
}

export function dayWindowOf(store: ProjectionStore, market: MarketOrdinal): DayWindow {
  let window: DayWindow = { volumeAtoms: ZERO_WIDE, notionalAtoms: ZERO_WIDE };
  for (const row of store.statement(CANDLES_IN_WINDOW).iterate(market, beforeWindow(store.checkpoint.epochMs))) {
    const candle = row as unknown as CandleRow;
    window = {
      openAtoms: window.openAtoms ?? candle.openAtoms,
      highAtoms: Math.max(window.highAtoms ?? 0, candle.highAtoms) as PriceAtoms,
      lowAtoms: Math.min(window.lowAtoms ?? candle.lowAtoms, candle.lowAtoms) as PriceAtoms,
      volumeAtoms: widePlus(window.volumeAtoms, candle.volumeAtoms),
      notionalAtoms: widePlus(window.notionalAtoms, candle.notionalAtoms),
    };
  }
  return window;
}

/** How far the last price lies from the first one of the window, in basis points, toward zero. */
export function change24hBpsOf(store: ProjectionStore, market: MarketOrdinal, last: PriceAtoms): string {
  const first = store.statement(FIRST_IN_WINDOW).get(market, beforeWindow(store.checkpoint.epochMs));
  const open = first === undefined ? last : (first.openAtoms as PriceAtoms);
  const change = mulDivDown(Math.abs(last - open), WHOLE_BPS, open);
  return last < open && change > 0 ? `-${change}` : String(change);
}

/** The open time that lies just outside of the window. */
function beforeWindow(nowEpochMs: EpochMs): number {
  return spanStart(nowEpochMs, MINUTE_MS) - WINDOW_MS;
}
