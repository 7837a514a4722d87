/** The fields of a market's specification that an operator's action may name. The market id is an operand, and fixed. */
import * as z from 'zod';
import { listInput, textInput } from '#contract/fields.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

/** A specification has at most this many maintenance tiers here. */
const MAX_TIERS = 32;

const whole = z.int('must be a whole number').min(0, 'must not be negative');
const signed = z.int('must be a whole number');

/** Fields that are left out keep their value, or get a default. The listing rules check their values. */
export const specificationChanges = z
  .strictObject({
    underlyingSymbol: textInput(12, 1),
    priceScale: whole,
    quantityScale: whole,
    minPriceAtoms: whole,
    maxPriceAtoms: whole,
    minQuantityAtoms: whole,
    maxQuantityAtoms: whole,
    initialMarginBps: whole,
    maxLeverageX: whole,
    maintenanceMarginTiers: listInput(
      z.strictObject({ notionalThresholdAtoms: whole, maintenanceMarginBps: whole }),
      1,
      MAX_TIERS,
    ),
    makerFeeBps: signed,
    takerFeeBps: whole,
    priceBandBps: whole,
    markBandBps: whole,
    liquidationFeeBps: whole,
    autoDeleveraging: z.boolean(),
    maxIndexAgeMs: whole,
    maxIndexJumpBps: whole,
    indexConfirmations: whole,
    fundingPeriodMs: whole,
    fundingInterestPpb: signed,
    fundingCapPpb: whole,
    premiumSampleMs: whole,
    impactNotionalAtoms: whole,
    openInterest: z.strictObject({ lowerAtoms: whole, upperAtoms: whole }).nullable(),
  } satisfies Record<Exclude<keyof MarketSpecification, 'marketId'>, z.ZodType>)
  .partial();

export type SpecificationChanges = z.output<typeof specificationChanges>;

/** A specification with some fields replaced. Bounds of the open interest that are null are removed. */
export function changedBy(specification: MarketSpecification, changes: SpecificationChanges): MarketSpecification {
  const { openInterest, ...changed } = { ...specification, ...(changes as Record<string, unknown>) } as MarketSpecification;
  return openInterest ? { ...changed, openInterest } : changed;
}
