import { expect, test } from 'vitest';
import { Scenario } from '#simulation/scenario.ts';
import { MARKED, markAt, only, openLong, placeWaiting, refusal, triggered } from './testing/waiting-orders.ts';

test('follows a rising price at its distance, and never moves back', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const placed = placeWaiting(scenario, 1, 'sell', 0, 1_000, { kind: 'trailing_stop', trailing: 150 });
  const { order, triggerPriceAtoms } = only(placed, 'TriggerAccepted')[0]!;
  expect(triggerPriceAtoms).toBe(9_850);
  expect(triggered(markAt(scenario, 10_100))).toEqual([]);
  expect(triggered(markAt(scenario, 9_951))).toEqual([]);
  expect(triggered(markAt(scenario, 10_050))).toEqual([]);
  const events = markAt(scenario, 9_950);
  expect(triggered(events)).toEqual([order]);
  expect(only(events, 'OrderTriggered')[0]).toMatchObject({ triggerPriceAtoms: 9_950 });
});

test('follows a falling price for a short, by a share that is rounded toward the price', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const placed = placeWaiting(scenario, 2, 'buy', 0, 1_000, { kind: 'trailing_stop', trailingBps: 33 });
  const { order, triggerPriceAtoms } = only(placed, 'TriggerAccepted')[0]!;
  expect(triggerPriceAtoms).toBe(10_033);
  markAt(scenario, 9_901);
  // 9,901 × 1.0033 = 9,933.67
  expect(triggered(markAt(scenario, 9_932))).toEqual([]);
  expect(triggered(markAt(scenario, 9_933))).toEqual([order]);
});

test('stays at least one tick away', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  markAt(scenario, 9_990);
  const placed = placeWaiting(scenario, 1, 'sell', 0, 1_000, { kind: 'trailing_stop', trailingBps: 1 });
  expect(only(placed, 'TriggerAccepted')[0]).toMatchObject({ triggerPriceAtoms: 9_989 });
});

test('is not moved by a price that the index guard holds back', () => {
  const scenario = Scenario.withAccounts(3, { ...MARKED, maxIndexJumpBps: 100 as never });
  openLong(scenario);
  const placed = placeWaiting(scenario, 1, 'sell', 0, 1_000, { kind: 'trailing_stop', trailing: 100, source: 'index' });
  const { order } = only(placed, 'TriggerAccepted')[0]!;
  scenario.price(10_400);
  expect(triggered(markAt(scenario, 9_990))).toEqual([]);
  expect(triggered(markAt(scenario, 9_900))).toEqual([order]);
});

test('refuses a distance that is none, two, or beyond the price, and the last price as its source', () => {
  const scenario = Scenario.withAccounts(3, MARKED);
  openLong(scenario);
  const place = (it: object) => refusal(placeWaiting(scenario, 1, 'sell', 0, 1_000, { kind: 'trailing_stop', ...it }));
  expect(place({})).toBe('trigger_invalid');
  expect(place({ trailing: 10, trailingBps: 10 })).toBe('trigger_invalid');
  expect(place({ trailing: 10, source: 'last' })).toBe('trigger_invalid');
  expect(place({ trailing: 10_000 })).toBe('price_out_of_bounds');
  expect(place({ trailingBps: 10_000 })).toBe('trigger_invalid');
});
