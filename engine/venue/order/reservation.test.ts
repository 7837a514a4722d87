import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FINE_MARKET } from '#simulation/scenario.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { Market } from '#venue/market/market.ts';
import { OrderTable } from './order-table.ts';
import { fillFee, marginShare, orderMargin, reservationOf } from './reservation.ts';

const market = new Market(1 as MarketOrdinal, FINE_MARKET, 'open', new OrderTable());
const rebating = new Market(1 as MarketOrdinal, { ...FINE_MARKET, makerFeeBps: -2 as Bps }, 'open', new OrderTable());

test('margin and fee are each rounded up, and reduce-only orders reserve nothing', () => {
  // 10,001 × 7 = 70,007 atoms: 5 % is 3,500.35, 5 bps are 35.0035, a third is 23,335.67.
  const [price, quantity] = [10_001 as PriceAtoms, 7 as BaseAtoms];
  expect(reservationOf(market, price, quantity, 0, false)).toBe(3_501 + 36);
  expect(reservationOf(market, price, quantity, 3, false)).toBe(23_336 + 36);
  expect(reservationOf(market, price, quantity, 3, true)).toBe(0);
});

test('the shares of any sequence of fills add up to the margin that was reserved, and fees fit into the rest', () => {
  const fills = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fills, fc.constantFrom(0, 1, 3, 7, 20), (ticks, quantities, leverageX) => {
      const price = ticks as PriceAtoms;
      const whole = quantities.reduce((sum, quantity) => sum + quantity, 0) as BaseAtoms;
      let remaining = whole;
      let margin = 0;
      for (const quantity of quantities as BaseAtoms[]) {
        const left = (remaining - quantity) as BaseAtoms;
        const freed =
          reservationOf(market, price, remaining, leverageX, false) - reservationOf(market, price, left, leverageX, false);
        const share = marginShare(market, price, remaining, quantity, leverageX);
        margin += share;
        expect(freed - share).toBeGreaterThanOrEqual(fillFee(market, market.notional(price, quantity), 'taker'));
        remaining = left;
      }
      expect(margin).toBe(orderMargin(market, market.notional(price, whole), leverageX));
    }),
  );
});

test('fees round toward zero, rebates too', () => {
  expect([fillFee(market, 9_999 as QuoteAtoms, 'maker'), fillFee(market, 9_999 as QuoteAtoms, 'taker')]).toEqual([1, 4]);
  expect(fillFee(rebating, 9_999 as QuoteAtoms, 'maker')).toBe(-1);
});
