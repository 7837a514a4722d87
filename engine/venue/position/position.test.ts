import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BaseAtoms, Bps, QuoteAtoms } from '#units/money.ts';
import { closingPriceBoundOf } from '#venue/risk/bankruptcy-price.ts';
import { applyFillEffect, blankFillEffect, fillEffect, type Holding } from './position.ts';

function holding(base: number, entry: number, margin: number, insured = 0): Holding {
  return {
    signedBaseAtoms: base as BaseAtoms,
    entryNotionalAtoms: entry as QuoteAtoms,
    marginAtoms: margin as QuoteAtoms,
    insuredAtoms: insured as QuoteAtoms,
  };
}

function closed(from: Holding, side: 'buy' | 'sell', quantity: number, lotPrice: number, fee = 0) {
  const effect = blankFillEffect();
  fillEffect(from, side, quantity as BaseAtoms, lotPrice as QuoteAtoms, fee as QuoteAtoms, effect);
  const to = { ...from };
  applyFillEffect(to, side, effect, 0 as QuoteAtoms);
  return { effect, to };
}

test('keeps the rounding remainders of partial closes in the position until the last close', () => {
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

test('repays the fund from what a close brings after its fee, and forgets the rest with the last close', () => {
  // A share of 50 and a profit of 20 less the fee of 5.
  const part = closed(holding(4, 1_000, 100, 80), 'sell', 2, 260, 5);
  expect(part.effect.repaidAtoms).toBe(65);
  expect(part.to).toEqual(holding(2, 500, 50, 15));
  expect(closed(part.to, 'sell', 2, 250).effect.repaidAtoms).toBe(15);
  const loss = closed(part.to, 'sell', 2, 230);
  expect(loss.effect.repaidAtoms).toBe(10);
  expect(loss.to).toEqual(holding(0, 0, 0, 0));
  expect(closed(holding(4, 1_000, 100, 80), 'sell', 2, 100).effect).toMatchObject({ repaidAtoms: 0, deficitAtoms: 200 });
});

test('gives a short the profit that a long loses at the same prices', () => {
  expect(closed(holding(-4, 1_000, 100), 'buy', 4, 240).effect).toMatchObject({ realizedPnlAtoms: 40, deficitAtoms: 0 });
  expect(closed(holding(4, 1_000, 100), 'sell', 4, 240).effect).toMatchObject({ realizedPnlAtoms: -40, deficitAtoms: 0 });
});

test('charges a loss to the share of the margin, then to the rest of the margin, then to the venue', () => {
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

test('charges the closing fee to the proceeds of the close, then to the rest of the margin', () => {
  // A third of the position loses 20 of its 33 margin. The remaining 13 are 5 less than the fee.
  const partial = closed(holding(3, 1_200, 100), 'sell', 1, 380, 18);
  expect(partial.effect).toMatchObject({ realizedPnlAtoms: -20, releasedMarginAtoms: 38, deficitAtoms: 0 });
  expect(partial.to).toEqual(holding(2, 800, 62));
  expect(closed(holding(1, 400, 25), 'sell', 1, 380, 18).effect).toMatchObject({ releasedMarginAtoms: 25, deficitAtoms: 13 });
});

test('closes a position in any parts without deficit at a price at which its margin covers loss and fee', () => {
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
