/** Arbitrary order terms with any numbers. */
import fc from 'fast-check';
import { type BandTerms, type LimitTerms, type MarketTerms, TIMES_IN_FORCE } from '#venue/order/order-terms.ts';
import { anyInteger } from './drawn-records.ts';

/** For every number with a unit: its brand does not limit its range. */
const int = anyInteger as fc.Arbitrary<never>;
const inForce = { timeInForce: fc.constantFrom(...TIMES_IN_FORCE.filter((time) => time !== 'GTD')) };
const expiring = { timeInForce: fc.constant('GTD' as const), expiresAtEpochMs: int };
const limit = { kind: fc.constant('limit' as const), priceAtoms: int, quantityAtoms: int, postOnly: fc.boolean() };

export const limitTerms: fc.Arbitrary<LimitTerms> = fc.oneof(
  fc.record(limit),
  fc.record({ ...limit, notionalAtoms: int }),
  fc.record({ ...limit, ...inForce }),
  fc.record({ ...limit, notionalAtoms: int, ...expiring }),
);

export const marketTerms: fc.Arbitrary<MarketTerms> = fc.oneof(
  fc.record({ kind: fc.constant('market' as const), quantityAtoms: int }),
  fc.record({ kind: fc.constant('market_notional' as const), notionalAtoms: int }),
);

export const bandTerms: fc.Arbitrary<BandTerms> = fc.oneof(
  fc.record({ kind: fc.constant('band_limit' as const), quantityAtoms: int }),
  fc.record({ kind: fc.constant('band_notional' as const), notionalAtoms: int }),
  fc.record({ kind: fc.constant('band_limit' as const), quantityAtoms: int, ...inForce }),
  fc.record({ kind: fc.constant('band_notional' as const), notionalAtoms: int, ...expiring }),
);
