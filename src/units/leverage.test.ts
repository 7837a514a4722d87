import { expect, test } from 'vitest';
import { isWholeLeverage, leverageHundredths, leverageXOf, ONE_X } from './leverage.ts';

test('converts every number of at most two decimals, and back to the same number', () => {
  for (let hundredths = ONE_X; hundredths <= 1_000_000; hundredths += 1) {
    const leverageX = Number(`${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`);
    if (leverageHundredths(leverageX) !== hundredths || leverageXOf(hundredths) !== leverageX)
      throw new Error(`wrong: ${leverageX}`);
  }
});

test('knows which leverages have no fraction', () => {
  expect([0, 100, 101, 250, 2_000].map(isWholeLeverage)).toEqual([true, true, false, false, true]);
});
