/** What our checks accept and reject, with structures that have one fault each. */
import ccxt, { type Order, type Trade } from 'ccxt';
import { expect, test } from 'vitest';
import { assertCandles, assertGapsUntraded } from './own/candles.ts';
import type { Stage } from './stage.ts';
import { assertSumOfFills, assertTime } from './structures.ts';

const MINUTE = 60_000;
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE;
const stage = { exchange: new ccxt.Exchange(), aheadMs: 0 } as unknown as Stage;

test('rejects a time later than the venue’s clock', () => {
  const at = (timestamp: number) => ({ timestamp, datetime: new Date(timestamp).toISOString() });
  const now = Date.now();
  assertTime(at(now), stage, now);
  assertTime(at(now + 50), { ...stage, aheadMs: 50 }, now);
  expect(() => assertTime(at(now + 1), stage, now)).toThrow(/is later than/);
});

const candle = (time: number) => [time, 1, 3, 1, 2, 5];

test('rejects a candle of the future', () => {
  assertCandles([candle(NOW - MINUTE), candle(NOW)], MINUTE, stage);
  expect(() => assertCandles([candle(NOW), candle(NOW + 2 * MINUTE)], MINUTE, stage)).toThrow(/in the future/);
});

test('checks a missing candle against the trades of its minute', async () => {
  const tradedAt = (...times: readonly number[]) => ({
    fetchTrades: async (_: string, since = 0) =>
      times.filter((timestamp) => timestamp >= since).map((timestamp) => ({ timestamp }) as Trade),
  });
  const gap = [candle(0), candle(MINUTE), candle(4 * MINUTE)];
  await assertGapsUntraded(tradedAt(), 'X', gap.slice(0, 2), MINUTE);
  await assertGapsUntraded(tradedAt(1, MINUTE + 5, 4 * MINUTE), 'X', gap, MINUTE);
  await expect(assertGapsUntraded(tradedAt(1, 2 * MINUTE, 4 * MINUTE), 'X', gap, MINUTE)).rejects.toThrow(/and a trade at/);
});

test('checks an order against the sum of its fills', () => {
  const fill = (amount: number, cost: number, fee: number) => ({ amount, cost, fee: { cost: fee, currency: 'USD.E' } }) as Trade;
  const fills = [fill(0.1, 10, 0.1), fill(0.2, 20, 0.2)];
  const order = { filled: 0.3, cost: 30, fee: { cost: 0.3, currency: 'USD.E' } } as Order;
  assertSumOfFills(order, fills);
  expect(() => assertSumOfFills({ ...order, filled: 0.31 }, fills)).toThrow(/amount/);
  expect(() => assertSumOfFills({ ...order, cost: 30.000001 }, fills)).toThrow(/cost/);
  expect(() => assertSumOfFills({ ...order, fee: { cost: 0.1, currency: 'USD.E' } }, fills)).toThrow(/fee/);
  expect(() => assertSumOfFills(order, [])).toThrow(/no fill/);
});
