/**
 * Seeded one-minute candles with a crash and a feed outage of the size that markets have really seen: a calm night,
 * 284 minutes without a candle, a slide, minutes of −6 to −9 %, a third (or nearly half) lost, a partial recovery.
 */
import type { Candle } from '#prices/candle-file.ts';

export interface CrashShape {
  readonly startPrice: number;
  /** The share of the price that is lost from the top to the bottom. */
  readonly drawdown: number;
  /** The share that the worst single minute loses. */
  readonly worstMinute: number;
}

export const BTC_CRASH: CrashShape = { startPrice: 43_600, drawdown: 0.312, worstMinute: 0.058 };
export const ETH_CRASH: CrashShape = { startPrice: 3_442, drawdown: 0.451, worstMinute: 0.093 };

/** When the candles begin, and the minutes of each part. */
export const SYNTHETIC_START_MS = 1_621_382_400_000;
const CALM = 240;
export const OUTAGE_MINUTES = 284;
const SLIDE = 300;
const PLUNGE = 40;
const RECOVERY = 240;

/** The candles of one market: rising in time, one hole of `OUTAGE_MINUTES`. */
export function syntheticCrash(shape: CrashShape, random: () => number): Candle[] {
  const bottom = shape.startPrice * (1 - shape.drawdown);
  const beforePlunge = bottom + (shape.startPrice - bottom) * 0.55;
  const legs: [minutes: number, target: number, noise: number][] = [
    [CALM, shape.startPrice, 0.0006],
    [SLIDE, beforePlunge, 0.0015],
    [PLUNGE, bottom, 0.006],
    [RECOVERY, bottom * 1.18, 0.003],
  ];
  const candles: Candle[] = [];
  let price = shape.startPrice;
  let minute = 0;
  for (const [index, [minutes, target, noise]] of legs.entries()) {
    if (index === 1) minute += OUTAGE_MINUTES;
    for (let left = minutes; left > 0; left -= 1) {
      // Each step closes its part of the way to the target, with noise around it; the last one arrives.
      const aim = price * (target / price) ** (1 / left);
      const isWorst = index === 2 && left === Math.floor(PLUNGE / 2);
      const close = isWorst
        ? Math.max(price * (1 - shape.worstMinute), bottom)
        : left === 1
          ? target
          : aim * (1 + noise * (random() - 0.5));
      candles.push(candleOf(SYNTHETIC_START_MS + minute * 60_000, price, close, noise, random));
      price = close;
      minute += 1;
    }
  }
  return candles;
}

function candleOf(openedAtEpochMs: number, open: number, close: number, noise: number, random: () => number): Candle {
  const high = Math.max(open, close) * (1 + noise * random());
  const low = Math.min(open, close) * (1 - noise * random());
  return { openedAtEpochMs, open, high, low, close };
}
