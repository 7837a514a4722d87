/**
 * Seeded one-minute candles with a crash and a feed outage of realistic size: a calm hour, 284 minutes without a candle, a lower
 * price after them, a slide, a plunge with minutes of −6 to −9 %, and a partial recovery.
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

/** The start of the first candle. */
export const SYNTHETIC_START_MS = 1_621_382_400_000;

/** The minutes of each part. */
export interface CrashMinutes {
  readonly calm: number;
  readonly outage: number;
  readonly slide: number;
  readonly plunge: number;
  readonly recovery: number;
}

/** The outage and the plunge last as long as in 2021. The minutes between them are fewer. */
export const SYNTHETIC_MINUTES: CrashMinutes = { calm: 60, outage: 284, slide: 120, plunge: 40, recovery: 60 };

/** The share of the fall that happens during the outage: more than an index may jump without confirmation. */
const HIDDEN = 0.05;

/** The candles of one market: rising in time, with one hole. */
export function syntheticCrash(shape: CrashShape, random: () => number, minutes = SYNTHETIC_MINUTES): Candle[] {
  const bottom = shape.startPrice * (1 - shape.drawdown);
  const beforePlunge = bottom + (shape.startPrice - bottom) * 0.55;
  const legs: [minutes: number, target: number, noise: number][] = [
    [minutes.calm, shape.startPrice, 0.0006],
    [minutes.slide, beforePlunge, 0.0015],
    [minutes.plunge, bottom, 0.006],
    [minutes.recovery, bottom * 1.18, 0.003],
  ];
  const candles: Candle[] = [];
  let price = shape.startPrice;
  let minute = 0;
  for (const [index, [count, target, noise]] of legs.entries()) {
    if (index === 1) {
      minute += minutes.outage;
      price *= 1 - HIDDEN;
    }
    for (let left = count; left > 0; left -= 1) {
      // Each step covers its part of the way to the target, with noise. The last one reaches it.
      const aim = price * (target / price) ** (1 / left);
      const isWorst = index === 2 && left === Math.floor(count / 2);
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
