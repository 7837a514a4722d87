import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrderPlacement } from '#contract/orders.ts';
import { Refused } from '#contract/refused.ts';
import { BITCOIN } from '#http/testing/markets.ts';
import { renderDecimal } from '#units/decimal.ts';
import { orderTerms } from './order-terms.ts';

const target = { accountId: 'acct-1', marketId: 'BTC-USD-PERP', clientOrderId: 'a', side: 'buy' } as const;

function codeOf(body: OrderPlacement): string {
  try {
    orderTerms(body, BITCOIN);
  } catch (thrown) {
    if (thrown instanceof Refused) return `${thrown.code}: ${thrown.message}`;
    throw thrown;
  }
  return 'taken';
}

describe('the terms of an order', () => {
  test('are in ticks, lots and quote atoms', () => {
    expect(orderTerms({ ...target, orderType: 'limit', price: '65000.1', quantity: '0.0005', postOnly: true }, BITCOIN)).toEqual({
      kind: 'limit',
      priceAtoms: 650_001,
      quantityAtoms: 5,
      postOnly: true,
    });
    expect(orderTerms({ ...target, orderType: 'market', quantity: '2' }, BITCOIN)).toEqual({
      kind: 'market',
      quantityAtoms: 20_000,
    });
    expect(orderTerms({ ...target, orderType: 'market', notional: '10.000001' }, BITCOIN)).toEqual({
      kind: 'market_notional',
      notionalAtoms: 10_000_001,
    });
    expect(orderTerms({ ...target, orderType: 'limit', quantity: '2' }, BITCOIN)).toEqual({
      kind: 'band_limit',
      quantityAtoms: 20_000,
    });
    expect(orderTerms({ ...target, orderType: 'limit', notional: '10.000001' }, BITCOIN)).toEqual({
      kind: 'band_notional',
      notionalAtoms: 10_000_001,
    });
  });

  test.each([
    [
      'price_off_tick: The price is 65000.15; it must be a multiple of 0.1 on BTC-USD-PERP: round it to at most 1 decimals.',
      { price: '65000.15', quantity: '1' },
    ],
    [
      'quantity_off_lot: The quantity is 0.00015; it must be a multiple of 0.0001 on BTC-USD-PERP',
      { price: '1', quantity: '0.00015' },
    ],
    [
      'price_out_of_bounds: The price is 99999999999999999999; it may be at most 1000000 on BTC-USD-PERP.',
      { price: '9'.repeat(20), quantity: '1' },
    ],
    [
      'quantity_out_of_bounds: The quantity is 99999999999999999999; it may be at most 500 on BTC-USD-PERP.',
      { price: '1', quantity: '9'.repeat(20) },
    ],
  ])('are refused: %s', (said, amounts) => {
    expect(codeOf({ ...target, orderType: 'limit', ...amounts })).toContain(said);
  });

  test('are refused if the notional is too fine or too large', () => {
    expect(codeOf({ ...target, orderType: 'market', notional: '1.0000001' })).toContain('notional_too_fine');
    expect(codeOf({ ...target, orderType: 'market', notional: '9'.repeat(20) })).toContain('invalid_request: The field notional');
  });

  test('are never rounded', () => {
    fc.assert(
      fc.property(fc.nat(9_999_999), fc.nat(999_999), (priceAtoms, quantityAtoms) => {
        const body = { price: renderDecimal(priceAtoms, 1), quantity: renderDecimal(quantityAtoms, 4) };
        expect(orderTerms({ ...target, orderType: 'limit', ...body }, BITCOIN)).toMatchObject({ priceAtoms, quantityAtoms });
      }),
    );
  });
});
