/**
 * Candles as a price path over time. Within a candle the price moves from the open to the extreme against its direction, then to
 * the other extreme, then to the close, a third of the time for each. A missing candle has no price: a gap in the file is an
 * outage of the feed.
 */
import type { Candle } from './candle-file.ts';

/** A week of minutes. */
const VOLATILITY_CANDLES = 10_080;

export class CandlePath {
  readonly #candles: readonly Candle[];
  readonly #intervalMs: number;

  constructor(candles: readonly Candle[]) {
    this.#candles = candles;
    this.#intervalMs = intervalOf(candles);
  }

  get startsAtEpochMs(): number {
    return this.#candles[0]?.openedAtEpochMs ?? 0;
  }

  /** The first moment after the last candle. */
  get endsAtEpochMs(): number {
    return (this.#candles.at(-1)?.openedAtEpochMs ?? 0) + this.#intervalMs;
  }

  /** The price at a moment of the file's time; `undefined` in a gap, before the start and after the end. */
  priceAt(epochMs: number): number | undefined {
    const candle = this.#candles[this.#indexAt(epochMs)];
    if (candle === undefined || epochMs >= candle.openedAtEpochMs + this.#intervalMs) return undefined;
    return priceWithin(candle, (epochMs - candle.openedAtEpochMs) / this.#intervalMs);
  }

  /** Standard deviation of the price change in one second, as a share of the price, from the closes of the first candles. */
  get volatilityPerSecond(): number {
    const closes = this.#candles.slice(0, VOLATILITY_CANDLES).map(({ close }) => close);
    const squares = closes.slice(1).map((close, index) => Math.log(close / closes[index]!) ** 2);
    if (squares.length === 0) return 0;
    const perCandle = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
    return perCandle / Math.sqrt(this.#intervalMs / 1_000);
  }

  /** When prices resume, for a moment without a price; `undefined` after the end. */
  resumesAfter(epochMs: number): number | undefined {
    return this.#candles[this.#indexAt(epochMs) + 1]?.openedAtEpochMs;
  }

  /** The index of the last candle that has started, or -1. */
  #indexAt(epochMs: number): number {
    let low = 0;
    let high = this.#candles.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#candles[middle]?.openedAtEpochMs ?? Number.POSITIVE_INFINITY) <= epochMs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function priceWithin({ open, high, low, close }: Candle, share: number): number {
  const [first, second] = close >= open ? [low, high] : [high, low];
  const leg = share * 3;
  if (leg < 1) return between(open, first, leg);
  if (leg < 2) return between(first, second, leg - 1);
  return between(second, close, leg - 2);
}

function between(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

/** The interval between candles: the minimum, since gaps only make it longer. A single candle counts as a minute. */
function intervalOf(candles: readonly Candle[]): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let index = 1; index < candles.length; index++) {
    smallest = Math.min(smallest, (candles[index]?.openedAtEpochMs ?? 0) - (candles[index - 1]?.openedAtEpochMs ?? 0));
  }
  return Number.isFinite(smallest) ? smallest : 60_000;
}
