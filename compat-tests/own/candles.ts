/** What candles must be: on their timeframe, in order, none later than now; and where one is missing, nothing was traded. */
import assert from 'node:assert/strict';
import type { Exchange } from 'ccxt';
import type { Stage } from '#compat/stage.ts';

export type Candles = readonly (readonly (number | undefined)[])[];

export function assertCandles(candles: Candles, step: number, { aheadMs }: Pick<Stage, 'aheadMs'>): void {
  assert(candles.length > 0, 'no candle');
  let before = 0;
  for (const candle of candles) {
    const [time = 0, open = 0, high = 0, low = 0, close = 0, volume = -1] = candle;
    assert.equal(candle.length, 6);
    assert.equal(time % step, 0, `a candle at ${time}`);
    assert(time > before, `${time} after ${before}`);
    assert(time <= Date.now() + aheadMs, `a candle of ${time}, which is yet to come`);
    assert(low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close), `no candle: ${candle.join(' ')}`);
    assert(volume >= 0, 'volume below 0');
    before = time;
  }
}

/** A timeframe in which nothing was traded has no candle; each that is missing is held to that. */
export async function assertGapsUntraded(
  exchange: Pick<Exchange, 'fetchTrades'>,
  symbol: string,
  candles: Candles,
  step: number,
): Promise<void> {
  for (const [index, [time = 0]] of candles.entries()) {
    const missing = (candles[index - 1]?.[0] ?? time - step) + step;
    if (missing === time) continue;
    const [trade] = await exchange.fetchTrades(symbol, missing, 1);
    const tradedAt = trade?.timestamp ?? 0;
    assert(tradedAt >= time, `no candle from ${missing} to ${time}, and a trade at ${tradedAt}`);
  }
}
