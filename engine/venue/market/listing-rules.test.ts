import { expect, test } from 'vitest';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { listingFault } from './listing-rules.ts';

/** The first market with some fields replaced: initial margin 200 bps, maintenance 100 bps. */
function fault(change: Record<string, unknown>): string | undefined {
  return listingFault({ ...DEVNET_MARKETS[0]!.specification, ...change });
}

test('accepts the markets of the devnet', () => {
  for (const { specification } of DEVNET_MARKETS) expect(listingFault(specification), specification.marketId).toBeUndefined();
});

test('names what the core refuses', () => {
  expect(fault({ markBandBps: 21 })).toContain('markBandBps');
});

test.each([
  ['maxIndexJumpBps', [10, 100], [9, 101]],
  ['impactNotionalAtoms', [10_000_000_000, 5_000_000_000_000], [9_999_999_999, 5_000_050_000_000]],
])('bounds %s', (field, allowed, refused) => {
  for (const value of allowed) expect(fault({ [field]: value }), `${value}`).toBeUndefined();
  for (const value of refused) expect(fault({ [field]: value }), `${value}`).toContain(field);
});
