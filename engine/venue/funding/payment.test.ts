import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import type { Exposure } from '#venue/risk/position-risk.ts';
import { fundingPaymentOf, splitPaymentOf } from './payment.ts';

const payment = (base: number, perLot: number) => fundingPaymentOf(base as BaseAtoms, perLot);

describe('payment', () => {
  test('is from longs to shorts when the rate is positive, from shorts to longs when it is negative', () => {
    expect([payment(10, 8_000_000), payment(-10, 8_000_000)]).toEqual([80, -80]);
    expect([payment(10, -8_000_000), payment(-10, -8_000_000)]).toEqual([-80, 80]);
    expect([payment(10, 0), payment(-10, 0)]).toEqual([0, 0]);
  });

  test('rounds payments up and receipts down', () => {
    expect([payment(3, 333_334), payment(-3, 333_334)]).toEqual([2, -1]);
    expect([payment(1, -1), payment(-1, -1)]).toEqual([0, 1]);
  });

  /** Positions of random sizes with equal total longs and shorts. */
  const positions = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 2 ** 24 }), fc.integer({ min: 1, max: 2 ** 24 })), { minLength: 1, maxLength: 40 })
    .map((pairs) => {
      const longs = pairs.map(([long]) => long);
      const shorts = pairs.map(([, short]) => -short);
      const net = [...longs, ...shorts].reduce((sum, base) => sum + base, 0);
      return net === 0 ? [...longs, ...shorts] : [...longs, ...shorts, -net];
    });

  test('covers all receipts with a remainder of less than one atom per position', () => {
    fc.assert(
      fc.property(positions, fc.integer({ min: -(2 ** 28), max: 2 ** 28 }), (bases, perLot) => {
        const remainder = bases.reduce((sum, base) => sum + payment(base, perLot), 0);
        expect(remainder).toBeGreaterThanOrEqual(0);
        expect(remainder).toBeLessThan(bases.length);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('payment split', () => {
  const long = (entry: number, margin: number) => exposureOf(5, entry, margin);
  const short = (entry: number, margin: number) => exposureOf(-5, entry, margin);
  const split = (from: Exposure, amount: number) => {
    const { fromMarginAtoms, onEntryAtoms, unpaidAtoms } = splitPaymentOf(from, amount as QuoteAtoms);
    return [fromMarginAtoms, onEntryAtoms, unpaidAtoms] as const;
  };

  test('takes the margin first, then the entry', () => {
    expect(split(long(1_000, 100), 100)).toEqual([100, 0, 0]);
    expect(split(long(1_000, 100), 130)).toEqual([100, 30, 0]);
    expect(split(short(1_000, 100), 130)).toEqual([100, 30, 0]);
  });

  test('leaves unpaid what would lower a short’s entry below one atom or raise a long’s entry above the exact range', () => {
    expect(split(short(1_000, 100), 1_100)).toEqual([100, 999, 1]);
    expect(split(short(1, 0), 7)).toEqual([0, 0, 7]);
    expect(split(long(2 ** 50 - 3, 0), 7)).toEqual([0, 3, 4]);
    expect(split(long(2 ** 50 + 3, 0), 7)).toEqual([0, 0, 7]);
  });

  test('adds up to the payment and takes no more than margin and entry allow', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(2_000), fc.nat(2_000), fc.nat(5_000), (isLong, entry, margin, amount) => {
        const [fromMargin, onEntry, unpaid] = split(exposureOf(isLong ? 1 : -1, entry + 1, margin), amount);
        expect(fromMargin + onEntry + unpaid).toBe(amount);
        expect(Math.min(fromMargin, onEntry, unpaid)).toBeGreaterThanOrEqual(0);
        expect(fromMargin).toBeLessThanOrEqual(margin);
        if (onEntry > 0) expect(fromMargin).toBe(margin);
        if (!isLong) expect(entry + 1 - onEntry).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

function exposureOf(base: number, entry: number, margin: number): Exposure {
  return {
    signedBaseAtoms: base as BaseAtoms,
    entryNotionalAtoms: entry as QuoteAtoms,
    marginAtoms: margin as QuoteAtoms,
  };
}
