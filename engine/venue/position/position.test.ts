import { expect, test } from 'vitest';
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import { applyFillEffect, blankFillEffect, fillEffect, type Holding } from './position.ts';

function holding(base: number, entry: number, margin: number): Holding {
  return { signedBaseAtoms: base as BaseAtoms, entryNotionalAtoms: entry as QuoteAtoms, marginAtoms: margin as QuoteAtoms };
}

function closed(from: Holding, side: 'buy' | 'sell', quantity: number, lotPrice: number, fee = 0) {
  const effect = blankFillEffect();
  fillEffect(from, side, quantity as BaseAtoms, lotPrice as QuoteAtoms, fee as QuoteAtoms, effect);
  const to = { ...from };
  applyFillEffect(to, side, effect, 0 as QuoteAtoms);
  return { effect, to };
}

test('a partial close takes its share rounded down; what is left over stays with the position until the last close', () => {
  const first = closed(holding(3, 1_000, 100), 'sell', 1, 400);
  expect(first.effect).toMatchObject({ closedEntryNotionalAtoms: 333, releasedMarginAtoms: 33, realizedPnlAtoms: 67 });
  expect(first.to).toEqual(holding(2, 667, 67));
  const last = closed(first.to, 'sell', 2, 400);
  expect(last.effect).toMatchObject({ closedEntryNotionalAtoms: 667, releasedMarginAtoms: 67, realizedPnlAtoms: 133 });
  expect(last.to).toEqual(holding(0, 0, 0));
});

test('a short gains what a long at the same prices loses', () => {
  expect(closed(holding(-4, 1_000, 100), 'buy', 4, 240).effect).toMatchObject({ realizedPnlAtoms: 40, deficitAtoms: 0 });
  expect(closed(holding(4, 1_000, 100), 'sell', 4, 240).effect).toMatchObject({ realizedPnlAtoms: -40, deficitAtoms: 0 });
});

test('a loss takes the share, then the rest of the margin, then is the venue’s', () => {
  expect(closed(holding(4, 1_000, 100), 'sell', 2, 200).effect).toMatchObject({
    releasedMarginAtoms: 100,
    realizedPnlAtoms: -100,
    deficitAtoms: 0,
  });
  expect(closed(holding(4, 1_000, 100), 'sell', 2, 190).effect).toMatchObject({
    releasedMarginAtoms: 100,
    realizedPnlAtoms: -120,
    deficitAtoms: 20,
  });
});

test('a close pays its fee before it sets anything free: out of its own proceeds first, then out of the rest of the margin', () => {
  // A third of the position loses 20 and has 33 of the margin: 13 are left, which is 5 short of the fee.
  const partial = closed(holding(3, 1_200, 100), 'sell', 1, 380, 18);
  expect(partial.effect).toMatchObject({ realizedPnlAtoms: -20, releasedMarginAtoms: 38, deficitAtoms: 0 });
  expect(partial.to).toEqual(holding(2, 800, 62));
  expect(closed(holding(1, 400, 25), 'sell', 1, 380, 18).effect).toMatchObject({ releasedMarginAtoms: 25, deficitAtoms: 13 });
});
