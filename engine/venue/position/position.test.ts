import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BaseAtoms, Bps, QuoteAtoms } from '#units/money.ts';
import { closingPriceBoundOf } from '#venue/risk/bankruptcy-price.ts';
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

test('what rounding a partial close leaves over stays with the position until the last close', () => {
  const first = closed(holding(3, 1_000, 100), 'sell', 1, 400);
  expect(first.effect).toMatchObject({ closedEntryNotionalAtoms: 334, releasedMarginAtoms: 33, realizedPnlAtoms: 66 });
  expect(first.to).toEqual(holding(2, 666, 67));
  const last = closed(first.to, 'sell', 2, 400);
  expect(last.effect).toMatchObject({ closedEntryNotionalAtoms: 666, releasedMarginAtoms: 67, realizedPnlAtoms: 134 });
  expect(last.to).toEqual(holding(0, 0, 0));
  const short = closed(holding(-3, 1_000, 100), 'buy', 1, 300);
  expect(short.effect).toMatchObject({ closedEntryNotionalAtoms: 333, releasedMarginAtoms: 33, realizedPnlAtoms: 33 });
  expect(short.to).toEqual(holding(-2, 667, 67));
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

test('a position that its margin can close at a price, fee included, can be closed there in any parts', () => {
  const part = fc.integer({ min: 1, max: 12 });
  const from = fc.record({
    isLong: fc.boolean(),
    size: fc.integer({ min: 1, max: 40 }),
    perLot: fc.integer({ min: 1, max: 3_000 }),
    odd: fc.nat(40),
    marginBps: fc.integer({ min: 1, max: 3_000 }),
    feeBps: fc.constantFrom(0, 5, 100, 1_000),
  });
  fc.assert(
    fc.property(
      from,
      fc.array(part, { minLength: 1, maxLength: 40 }),
      ({ isLong, size, perLot, odd, marginBps, feeBps }, parts) => {
        const entry = size * perLot + odd;
        let position = holding(isLong ? size : -size, entry, Math.ceil((entry * marginBps) / 10_000));
        const price = closingPriceBoundOf(position, 1, feeBps as Bps);
        for (const wanted of [...parts, size]) {
          const quantity = Math.min(wanted, Math.abs(position.signedBaseAtoms));
          if (quantity === 0) break;
          const fee = Math.floor((price * quantity * feeBps) / 10_000);
          const { effect, to } = closed(position, isLong ? 'sell' : 'buy', quantity, price, fee);
          expect(effect.deficitAtoms).toBe(0);
          position = to;
        }
      },
    ),
    { numRuns: 20_000 },
  );
});
