import { expect, test } from 'vitest';
import { BTC, Scenario } from '#simulation/scenario.ts';

function markAfter(prepare: (scenario: Scenario) => void, index = 10_000): number {
  const scenario = Scenario.withAccounts(3);
  prepare(scenario);
  scenario.price(index);
  return scenario.venue.state.market(BTC)!.markPriceAtoms;
}

test('without a book and trades the mark is the index', () => {
  expect(markAfter(() => {})).toBe(10_000);
});

test('one order or one trade alone does not move it', () => {
  expect(markAfter((it) => it.limit(1, 'buy', 9_500, 1))).toBe(10_000);
  expect(markAfter((it) => it.limit(1, 'buy', 10_900, 1))).toBe(10_000);
});

test('bid, ask and last trade together pull it to their median', () => {
  const mark = markAfter((it) => {
    it.limit(1, 'sell', 10_020, 2);
    it.market(2, 'buy', 1);
    it.limit(1, 'buy', 10_010, 1);
  });
  expect(mark).toBe(10_020);
});

test('never further from the index than the band, on either side', () => {
  const pulled = (price: number) =>
    markAfter((it) => {
      it.limit(1, 'sell', price, 2);
      it.market(2, 'buy', 1);
      it.limit(3, 'buy', price - 1, 1);
    });
  expect([pulled(10_900), pulled(9_100)]).toEqual([10_050, 9_950]);
});
