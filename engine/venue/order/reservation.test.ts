import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FINE_MARKET } from '#simulation/scenario.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import { Market } from '#venue/market/market.ts';
import { VenueState } from '#venue/state.ts';
import { fillFee, marginShare, type OpeningTerms, openingMargin, reservationOf } from './reservation.ts';

const market = new Market(1 as MarketOrdinal, FINE_MARKET, 'open', new VenueState());
const rebating = new Market(1 as MarketOrdinal, { ...FINE_MARKET, makerFeeBps: -2 as Bps }, 'open', new VenueState());

function terms(side: Side, price: number, leverageX = 0, mark = price): OpeningTerms {
  return {
    side,
    priceAtoms: price as PriceAtoms,
    markPriceAtoms: mark as PriceAtoms,
    leverageHundredths: leverageX * 100,
    initialMarginBps: 500 as Bps,
  };
}
const lots = (quantity: number) => quantity as BaseAtoms;

test('rounds margin and fee up separately', () => {
  // 10,001 × 7 = 70,007 atoms: 5 % is 3,500.35, 5 bps are 35.0035, a third is 23,335.67.
  expect(reservationOf(market, terms('buy', 10_001), lots(7))).toBe(3_501 + 36);
  expect(reservationOf(market, terms('buy', 10_001, 3), lots(7))).toBe(23_336 + 36);
  // Divided by 2.5 it is 28,002.8.
  expect(reservationOf(market, terms('buy', 10_001, 2.5), lots(7))).toBe(28_003 + 36);
});

test('adds the loss at the mark to the margin of an order behind the mark only', () => {
  const at = (side: Side, price: number) => openingMargin(market, terms(side, price, 20, 10_000), lots(10));
  expect([at('buy', 10_100), at('buy', 9_900)]).toEqual([5_050 + 1_000, 4_950]);
  expect([at('sell', 9_900), at('sell', 10_100)]).toEqual([4_950 + 1_000, 5_050]);
});

test('splits the reserved margin exactly among any sequence of fills, and leaves enough for their fees', () => {
  const fills = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 });
  const price = fc.integer({ min: 1, max: 100_000 });
  const side = fc.constantFrom<Side>('buy', 'sell');
  fc.assert(
    fc.property(price, price, side, fills, fc.constantFrom(0, 1, 2.5, 3, 7, 20), (at, mark, way, quantities, leverageX) => {
      const it = terms(way, at, leverageX, mark);
      const whole = lots(quantities.reduce((sum, quantity) => sum + quantity, 0));
      let remaining = whole;
      let margin = 0;
      for (const quantity of quantities as BaseAtoms[]) {
        const left = lots(remaining - quantity);
        const freed = reservationOf(market, it, remaining) - reservationOf(market, it, left);
        const share = marginShare(market, it, remaining, quantity);
        margin += share;
        expect(freed - share).toBeGreaterThanOrEqual(fillFee(market, market.notional(it.priceAtoms, quantity), 'taker'));
        remaining = left;
      }
      expect(margin).toBe(openingMargin(market, it, whole));
    }),
  );
});

test('rounds fees and rebates toward zero', () => {
  expect([fillFee(market, 9_999 as QuoteAtoms, 'maker'), fillFee(market, 9_999 as QuoteAtoms, 'taker')]).toEqual([1, 4]);
  expect(fillFee(rebating, 9_999 as QuoteAtoms, 'maker')).toBe(-1);
});
