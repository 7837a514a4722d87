/** The runner over the real core: which orders carry out an action within the market's bounds. */
import { expect, test } from 'vitest';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { BaseAtoms } from '#units/money.ts';
import { ordersOf } from './bar-orders.ts';
import { LONG_ABOVE, orders, RunnerVenue } from './testing/runner-venue.ts';

/** Long above 10,000, short below. */
const REVERSING = `//@version=6
strategy("Reverse")
if close > 1000
    strategy.entry("Long", strategy.long)
else
    strategy.entry("Short", strategy.short)
`;

test('reverses in one order within the bounds of the market, otherwise closes and enters', async () => {
  const specification = { ...SCENARIO_MARKET, maxQuantityAtoms: 15 as BaseAtoms };
  const placed = async (orderSizeAtoms: number) => {
    const venue = new RunnerVenue(specification);
    venue.deploy(REVERSING, { orderSizeAtoms: orderSizeAtoms as BaseAtoms });
    await venue.runner.settled();
    venue.bar(0, 10_010);
    await venue.reach(1);
    venue.bar(1, 9_990);
    await venue.reach(2);
    return orders(venue).slice(1);
  };
  expect(await placed(7)).toMatchObject([{ positionBaseAtoms: 7 }, { barIndex: 0, filledBaseAtoms: 14, positionBaseAtoms: -7 }]);
  expect(await placed(8)).toMatchObject([
    { positionBaseAtoms: 8 },
    { kind: 'entry', barIndex: 0, filledBaseAtoms: 8, positionBaseAtoms: 0 },
    { kind: 'entry', barIndex: 1, filledBaseAtoms: 8, positionBaseAtoms: -8 },
  ]);
});

test('closes a position that is smaller than the smallest order', async () => {
  const venue = new RunnerVenue({ ...SCENARIO_MARKET, minQuantityAtoms: 6 as BaseAtoms });
  venue.scenario.limit(1, 'sell', 10_020, 7);
  venue.deploy(LONG_ABOVE, { orderSizeAtoms: 38 as BaseAtoms });
  await venue.runner.settled();
  for (const [minute, price] of [10_010, 9_990, 9_990].entries()) {
    venue.bar(minute, price);
    await venue.reach(minute + 1);
  }
  // The book takes 35 of the 38.
  expect(orders(venue).map(({ positionBaseAtoms }) => positionBaseAtoms)).toEqual([0, 38, 3, 0]);
});

test('closes a position before an entry that no order may have', async () => {
  const venue = new RunnerVenue({ ...SCENARIO_MARKET, minQuantityAtoms: 6 as BaseAtoms });
  venue.deploy(REVERSING.replace('strategy.short', 'strategy.short, 0.001'));
  await venue.runner.settled();
  venue.bar(0, 10_010);
  await venue.reach(1);
  venue.bar(1, 9_990);
  await venue.reach(2);
  expect(orders(venue).slice(1)).toMatchObject([{ positionBaseAtoms: 10 }, { positionBaseAtoms: 0 }, { filledBaseAtoms: 0 }]);
});

test('cuts a long order id, and closes before a reversal beyond the integers', () => {
  const long = { quantityAtoms: 5, averagePriceAtoms: 1 };
  const terms = { orderSizeAtoms: 7, minQuantityAtoms: 1, maxQuantityAtoms: Number.MAX_SAFE_INTEGER };
  const id = `${'x'.repeat(63)}\u{1f600}`;
  const entry = { kind: 'entry', id, direction: 'short', quantityAtoms: Number.MAX_SAFE_INTEGER } as const;
  const signal = 'x'.repeat(63);
  expect(ordersOf(entry, long, terms)).toEqual([
    { kind: 'entry', signal, side: 'sell', quantityAtoms: 5, reduceOnly: true },
    { kind: 'entry', signal, side: 'sell', quantityAtoms: Number.MAX_SAFE_INTEGER, reduceOnly: false },
  ]);
  expect(ordersOf({ ...entry, quantityAtoms: null }, long, terms)).toMatchObject([{ quantityAtoms: 12, reduceOnly: false }]);
});
