/** The core relies on the bounds that the listing of a market checks: each refuses the first value beyond it. */
import { expect, test } from 'vitest';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import type { Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { MAX_POSITION_ORDERS, specificationFault } from './specification.ts';

const tiers = (...steps: (readonly [number, number])[]) =>
  steps.map(([threshold, rate]) => ({ notionalThresholdAtoms: threshold as QuoteAtoms, maintenanceMarginBps: rate as Bps }));

/** The first market with some fields replaced: initial margin 200 bps, maintenance 100 bps, which is 10,000,000 ppb. */
function fault(change: Record<string, unknown>): string | undefined {
  return specificationFault({ ...DEVNET_MARKETS[0]!.specification, ...change });
}

test('accepts the markets of the devnet', () => {
  for (const { specification } of DEVNET_MARKETS)
    expect(specificationFault(specification), specification.marketId).toBeUndefined();
});

/** Allowed values, and the nearest refused ones. */
const bounds: [field: string, allowed: readonly unknown[], refused: readonly unknown[]][] = [
  ['liquidationFeeBps', [0, 100], [-1, 101, 0.5]],
  ['takerFeeBps', [2, 100], [1, 101]],
  ['markBandBps', [1, 20], [0, 21, 0.5]],
  ['maxIndexAgeMs', [100, 86_400_000], [99, 86_400_001]],
  ['maxIndexJumpBps', [1, 10_000], [0, 10_001]],
  ['indexConfirmations', [1, 100], [0, 101]],
  ['fundingPeriodMs', [5_000, 86_400_000], [4_999, 86_400_001]],
  ['premiumSampleMs', [100, 3_600_000], [99, 3_600_001]],
  ['fundingCapPpb', [12_500, 10_000_000], [-1, 10_000_001]],
  ['fundingInterestPpb', [-7_500_000, 7_500_000], [-7_500_001, 7_500_001]],
  ['impactNotionalAtoms', [1, 2 ** 49], [0, 2 ** 49 + 1]],
];

test.each(bounds)('bounds %s', (field, allowed, refused) => {
  for (const value of allowed) expect(fault({ [field]: value }), `${value}`).toBeUndefined();
  for (const value of refused) expect(fault({ [field]: value }), `${value}`).toContain(field);
});

test('bounds the largest order so that the largest position fits into 32 bits', () => {
  const cheap = {
    priceScale: 6,
    quantityScale: 0,
    minPriceAtoms: 1,
    maxPriceAtoms: 1_000,
    maintenanceMarginTiers: tiers([0, 100]),
  };
  expect(fault({ ...cheap, maxQuantityAtoms: 2 ** 29 - 1 })).toBeUndefined();
  expect((2 ** 29 - 1) * MAX_POSITION_ORDERS).toBeLessThan(2 ** 32);
  expect(fault({ ...cheap, maxQuantityAtoms: 2 ** 29 })).toContain('quantity bounds');
});

test('bounds the number of premium samples in a funding period', () => {
  expect(fault({ fundingPeriodMs: 10_000_000, premiumSampleMs: 100 })).toBeUndefined();
  expect(fault({ fundingPeriodMs: 10_000_001, premiumSampleMs: 100 })).toContain('samples');
});

test('bounds the funding of one lot so that it is exact', () => {
  const whole = {
    priceScale: 0,
    quantityScale: 0,
    minQuantityAtoms: 1,
    maxQuantityAtoms: 5,
    maxPriceAtoms: 46_116 as PriceAtoms,
  };
  const dear = { ...whole, maintenanceMarginTiers: tiers([0, 1_000]), initialMarginBps: 2_000, maxLeverageX: 5 };
  expect(fault({ ...dear, fundingCapPpb: 100_000_000 })).toBeUndefined();
  expect(fault({ ...dear, fundingCapPpb: 100_000_000, maxPriceAtoms: 46_117 })).toContain('value of one lot');
});

test('requires maintenance tiers to rise from 0 to at most half, on whole cents, from below the initial margin', () => {
  expect(
    fault({ maintenanceMarginTiers: tiers([0, 100], [10_000, 101], [2 ** 49 - (2 ** 49 % 10_000), 5_000]) }),
  ).toBeUndefined();
  expect(fault({ maintenanceMarginTiers: [] })).toContain('start at 0');
  expect(fault({ maintenanceMarginTiers: tiers([10_000, 100]) })).toContain('start at 0');
  expect(fault({ maintenanceMarginTiers: tiers([0, 100], [10_001, 300]) })).toContain('whole cent');
  expect(fault({ maintenanceMarginTiers: tiers([0, 100], [10_000 * 56_294_995_343, 300]) })).toContain('562 million');
  expect(fault({ maintenanceMarginTiers: tiers([0, 100], [10_000, 300], [10_000, 400]) })).toContain('rise in notional');
  expect(fault({ maintenanceMarginTiers: tiers([0, 100], [10_000, 100]) })).toContain('rise in margin');
  expect(fault({ maintenanceMarginTiers: tiers([0, 100], [10_000, 5_001]) })).toContain('from 1 to 5000');
  expect(fault({ maintenanceMarginTiers: tiers([0, 200]) })).toContain('below the initial margin');
});
