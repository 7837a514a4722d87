/** Requirements on candles: on their timeframe, in order, not in the future; a missing candle had no trades. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type Exchange, Precise } from 'ccxt';
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
    assert(time <= Date.now() + aheadMs, `a candle of ${time}, which is in the future`);
    assert(low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close), `no candle: ${candle.join(' ')}`);
    assert(volume >= 0, 'volume below 0');
    before = time;
  }
}

/** A timeframe without trades has no candle; each missing one is checked. */
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

/**
 * The candle of the newest minute equals its trades; that of the minute of the venue's start ends with them, after a synthetic
 * part. A market may trade between two reads, but not in a past minute.
 */
export async function assertCandleOfTrades({ exchange, account, symbol, aheadMs }: Stage): Promise<void> {
  const minute = (await exchange.fetchOHLCV(symbol, '1m', undefined, 1))[0]?.[0] as number;
  for (let isOver = false; !isOver; await exchange.sleep(250)) {
    isOver = Date.now() + aheadMs >= minute + 61_000;
    const [candle] = await exchange.fetchOHLCV(symbol, '1m', minute, 1);
    const trades = await tradesOfMinute(exchange, symbol, minute);
    const [again] = await exchange.fetchOHLCV(symbol, '1m', minute, 1);
    if (!isDeepStrictEqual(candle, again)) continue;
    const prices = trades.map(({ price }) => price as number);
    const volume = trades.reduce((sum, { amount }) => Precise.stringAdd(sum, String(amount)) as string, '0');
    const expected = [minute, prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1), Number(volume)] as const;
    const { candles } = await account.readMarket(symbol, '/candles', { timeframe: '1m', since: minute, limit: 1 });
    const isSynthetic = (candles as readonly { readonly synthetic?: boolean }[])[0]?.synthetic === true;
    return isSynthetic ? assertEndsWith(candle!, expected) : assert.deepEqual(candle, expected);
  }
  assert.fail('the candle of a past minute changes');
}

/** A candle whose last part equals `last`; empty if that has no close, since there was no trade. */
function assertEndsWith(candle: Candles[number], last: readonly (number | undefined)[]): void {
  const [time, , high = 0, low = 0, close, volume = 0] = candle;
  const [lastTime, , lastHigh = 0, lastLow = 0, lastClose, lastVolume = 0] = last;
  if (lastClose === undefined) return;
  assert.deepEqual([time, close], [lastTime, lastClose]);
  assert(high >= lastHigh && low <= lastLow && volume >= lastVolume, `${candle.join(' ')} does not end with ${last.join(' ')}`);
}

/** Page by page: trades of one millisecond can be on both sides of a page boundary. */
async function tradesOfMinute(exchange: Pick<Exchange, 'fetchTrades'>, symbol: string, minute: number) {
  const trades = new Map<string, { readonly price?: number | undefined; readonly amount?: number | undefined }>();
  for (let since = minute; since < minute + 60_000; ) {
    const page = await exchange.fetchTrades(symbol, since, 500);
    for (const trade of page) if (trade.timestamp! < minute + 60_000) trades.set(trade.id!, trade);
    const next = page.at(-1)?.timestamp ?? since;
    if (page.length < 500 || next === since) break;
    since = next;
  }
  return [...trades.values()];
}
