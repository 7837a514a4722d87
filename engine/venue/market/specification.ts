/**
 * The specification of a market: scales, bounds, margin and fees. Clients see it as it is. Listings and updates check it; all other code
 * relies on the rules below.
 */
import type { BaseAtoms, Bps, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { SETTLEMENT_DECIMALS, WHOLE_BPS } from '#units/money.ts';

/**
 * The required share of the part of a position's notional between `notionalThresholdAtoms` and the next tier's threshold. Tiers add
 * up like tax brackets: a higher tier does not change the requirement for the notional below it.
 */
export interface MaintenanceTier {
  readonly notionalThresholdAtoms: QuoteAtoms;
  readonly maintenanceMarginBps: Bps;
}

/**
 * Between these notionals of all long positions at the mark, the initial margin rises from the market's own to the whole notional:
 * `open-interest.ts`.
 */
export interface OpenInterestBounds {
  readonly lowerAtoms: QuoteAtoms;
  readonly upperAtoms: QuoteAtoms;
}

export interface MarketSpecification {
  /** `BTC-USD-PERP` */
  readonly marketId: string;
  /** `BTC` */
  readonly underlyingSymbol: string;
  /** One price atom, `10^-priceScale`, is the tick. `priceScale + quantityScale ≤ 6` makes every notional exact. */
  readonly priceScale: number;
  /** One quantity atom, `10^-quantityScale`, is the lot. */
  readonly quantityScale: number;
  readonly minPriceAtoms: PriceAtoms;
  readonly maxPriceAtoms: PriceAtoms;
  readonly minQuantityAtoms: BaseAtoms;
  readonly maxQuantityAtoms: BaseAtoms;
  /** The share of the notional that an order or position needs as margin at the highest leverage. */
  readonly initialMarginBps: Bps;
  readonly maxLeverageX: number;
  /** Thresholds rise from 0. Rates rise; the first is below the initial margin. */
  readonly maintenanceMarginTiers: readonly MaintenanceTier[];
  /** Negative for a rebate. Its absolute value is at most the taker fee. */
  readonly makerFeeBps: Bps;
  readonly takerFeeBps: Bps;
  /** How far above the mark a buy, and below the mark a sell, may trade. */
  readonly priceBandBps: Bps;
  /** How far the mark may be from the index. */
  readonly markBandBps: Bps;
  /** The share of the notional closed in the book that a liquidated position pays; at most the first maintenance rate. */
  readonly liquidationFeeBps: Bps;
  /** Whether profitable positions are closed against a bankrupt one that the book and the insurance fund do not cover. */
  readonly autoDeleveraging: boolean;
  /** The maximum age of an index price; an older one is stale. */
  readonly maxIndexAgeMs: number;
  /** The maximum distance of an index price from the accepted one; a larger jump needs confirmations. */
  readonly maxIndexJumpBps: Bps;
  /** How many further observations confirm a jump, each within `maxIndexJumpBps` of the previous one. */
  readonly indexConfirmations: number;
  readonly fundingPeriodMs: number;
  /** The rate that longs pay shorts for a period in which the premium is zero. */
  readonly fundingInterestPpb: Ppb;
  /** The maximum rate that either side pays for a period. */
  readonly fundingCapPpb: Ppb;
  /** The interval between samples of the book's premium over the index. */
  readonly premiumSampleMs: number;
  /** The impact notional: how much a simulated order buys or sells to measure the impact prices. */
  readonly impactNotionalAtoms: QuoteAtoms;
  /** Absent if the initial margin does not depend on the open interest. */
  readonly openInterest?: OpenInterestBounds;
}

/** Whether the index is reliable: `unconfirmed` during a jump without enough confirmations, `stale` without a recent price. */
export type IndexStatus = 'current' | 'unconfirmed' | 'stale';

/** What may happen in a market, and how its status may change: `market-status.ts`. */
export type MarketStatus = 'draft' | 'open' | 'cancel_only' | 'closed' | 'reduce_only';

/**
 * The maximum notional of a position with the orders that may enlarge it, and of a single order, at their prices: 562 million USD.E.
 * Sums of two such amounts stay far within the exact integers.
 */
export const MAX_EXPOSURE_ATOMS = (2 ** 49) as QuoteAtoms;

/**
 * The maximum quantity of a position with the orders that may enlarge it, in orders of the largest size. At the market's highest
 * price it is worth at most 2^52 money atoms, so that amounts are exact at every price.
 */
export const MAX_POSITION_ORDERS = 8;

/** The maximum quantity of a position with the orders that may enlarge it. */
export function maxPositionAtomsOf({ maxQuantityAtoms }: MarketSpecification): BaseAtoms {
  return (maxQuantityAtoms * MAX_POSITION_ORDERS) as BaseAtoms;
}

/** The highest bound of the open interest: 2.25 billion USD.E. Its sum with an order stays exact. */
export const MAX_OPEN_INTEREST_ATOMS = (2 ** 51) as QuoteAtoms;

/** The highest permitted `maxPriceAtoms`, in ticks: the book has one bit for each price. */
export const MAX_PRICE_TICKS = 2 ** 26;
/** The largest permitted order, in lots: `MAX_POSITION_ORDERS` of them fit into 32 bits. */
export const MAX_QUANTITY_LOTS = 2 ** 29 - 1;

/** The maximum rate of a maintenance tier. */
const MAX_MAINTENANCE_BPS = 5_000;
/** How often the band of the mark must fit into the first maintenance rate. Journals of version 3 have markets that break this. */
const MIN_BANDS = 5;
const PPB_OF_ONE_BPS = 100_000;
/** Tiers start on whole cents, so that threshold × difference of the rates is a whole number of atoms. */
const CENT_ATOMS = 10_000;
/** Durations are between 0.1 seconds and a day, so that sums with a time stay exact. */
const MIN_MS = 100;
const MAX_MS = 86_400_000;
/** More premium samples in one period would not improve the average. */
const MAX_PREMIUM_SAMPLES = 100_000;
/** Keeps the funding of one lot, in millionths of an atom, exact: it is at most a thousandth of this. */
const MAX_LOT_FUNDING = 2 ** 62;

/** What the amount of a tick of a lot depends on. */
type MarketScales = Pick<MarketSpecification, 'priceScale' | 'quantityScale'>;

/** The money atoms of one tick of one lot. */
export function quoteAtomsPerTickLot({ priceScale, quantityScale }: MarketScales): number {
  return 10 ** (SETTLEMENT_DECIMALS - priceScale - quantityScale);
}

/** Describes the first rule that a specification breaks; `undefined` if it is valid. */
export function specificationFault(specification: MarketSpecification): string | undefined {
  const { priceScale, quantityScale, minPriceAtoms, maxPriceAtoms, minQuantityAtoms, maxQuantityAtoms } = specification;
  if (!/^[A-Z0-9]{1,12}(?:-[A-Z0-9]{1,12}){1,3}$/.test(specification.marketId)) return 'marketId must have the form BTC-USD-PERP';
  if (!isWithin(priceScale, 0, 6) || !isWithin(quantityScale, 0, 6))
    return 'priceScale and quantityScale must be whole numbers from 0 to 6';
  if (priceScale + quantityScale > SETTLEMENT_DECIMALS) return 'priceScale + quantityScale may be at most 6';
  if (!isWithin(minPriceAtoms, 1, maxPriceAtoms) || !isWithin(maxPriceAtoms, 1, MAX_PRICE_TICKS))
    return `price bounds must satisfy 1 ≤ minPriceAtoms ≤ maxPriceAtoms ≤ ${MAX_PRICE_TICKS}`;
  if (!isWithin(minQuantityAtoms, 1, maxQuantityAtoms) || !isWithin(maxQuantityAtoms, 1, MAX_QUANTITY_LOTS))
    return `quantity bounds must satisfy 1 ≤ minQuantityAtoms ≤ maxQuantityAtoms ≤ ${MAX_QUANTITY_LOTS}`;
  if (maxPriceAtoms * maxQuantityAtoms * quoteAtomsPerTickLot(specification) > MAX_EXPOSURE_ATOMS)
    return 'the largest order at the highest price may be worth at most 562 million';
  if (!isWithin(specification.initialMarginBps, 1, WHOLE_BPS)) return 'initialMarginBps must be from 1 to 10000';
  if (!isWithin(specification.maxLeverageX, 1, WHOLE_BPS)) return 'maxLeverageX must be a whole number from 1 to 10000';
  if (specification.maxLeverageX * specification.initialMarginBps > WHOLE_BPS)
    return 'maxLeverageX × initialMarginBps may be at most 10000';
  if (!isWithin(specification.takerFeeBps, 0, 1_000)) return 'takerFeeBps must be from 0 to 1000';
  if (!isWithin(specification.makerFeeBps, -specification.takerFeeBps, specification.takerFeeBps))
    return 'makerFeeBps must be within ± takerFeeBps';
  if (!isWithin(specification.priceBandBps, 1_000, 9_000)) return 'priceBandBps must be from 1000 to 9000';
  if (!isWithin(specification.markBandBps, 1, 1_000)) return 'markBandBps must be from 1 to 1000';
  return tierFault(specification) ?? openInterestFault(specification) ?? indexFault(specification) ?? fundingFault(specification);
}

function tierFault(specification: MarketSpecification): string | undefined {
  const { maintenanceMarginTiers, initialMarginBps, takerFeeBps, liquidationFeeBps, markBandBps } = specification;
  if (maintenanceMarginTiers[0]?.notionalThresholdAtoms !== 0) return 'the first maintenance tier must start at 0';
  for (const [index, tier] of maintenanceMarginTiers.entries()) {
    const previous = maintenanceMarginTiers[index - 1];
    if (previous !== undefined && tier.notionalThresholdAtoms <= previous.notionalThresholdAtoms)
      return 'maintenance tiers must rise in notional';
    if (previous !== undefined && tier.maintenanceMarginBps <= previous.maintenanceMarginBps)
      return 'maintenance tiers must rise in margin';
    if (!isWithin(tier.notionalThresholdAtoms, 0, MAX_EXPOSURE_ATOMS))
      return 'a maintenance tier must start at 562 million at most';
    if (tier.notionalThresholdAtoms % CENT_ATOMS !== 0) return 'a maintenance tier must start at a whole cent';
    if (!isWithin(tier.maintenanceMarginBps, 1, MAX_MAINTENANCE_BPS)) return 'maintenanceMarginBps must be from 1 to 5000';
  }
  const firstBps = maintenanceMarginTiers[0].maintenanceMarginBps;
  if (firstBps >= initialMarginBps) return 'the first maintenance tier must be below the initial margin';
  // A position that meets the maintenance requirement can then pay the fee of a close at the mark.
  if (takerFeeBps > firstBps) return 'takerFeeBps must not be above the first maintenance tier';
  // Trading at an unmoved index can then take at most a fifth of the margin that a position must keep.
  if (markBandBps * MIN_BANDS > firstBps) return 'markBandBps may be at most a fifth of the first maintenance tier';
  // The remaining margin of a position that is liquidated in time then covers the fee.
  if (!isWithin(liquidationFeeBps, 0, firstBps)) return 'liquidationFeeBps must be from 0 to the first maintenance tier';
  return undefined;
}

function openInterestFault({ openInterest }: MarketSpecification): string | undefined {
  if (openInterest === undefined) return undefined;
  const { lowerAtoms, upperAtoms } = openInterest;
  if (!isWithin(lowerAtoms, 0, MAX_OPEN_INTEREST_ATOMS) || !isWithin(upperAtoms, lowerAtoms + 1, MAX_OPEN_INTEREST_ATOMS))
    return 'openInterest must satisfy 0 ≤ lowerAtoms < upperAtoms ≤ 2^51';
  return undefined;
}

function indexFault({ maxIndexAgeMs, maxIndexJumpBps, indexConfirmations }: MarketSpecification): string | undefined {
  if (!isWithin(maxIndexAgeMs, MIN_MS, MAX_MS)) return 'maxIndexAgeMs must be from 100 to 86400000';
  if (!isWithin(maxIndexJumpBps, 1, WHOLE_BPS)) return 'maxIndexJumpBps must be from 1 to 10000';
  if (!isWithin(indexConfirmations, 1, 100)) return 'indexConfirmations must be from 1 to 100';
  return undefined;
}

function fundingFault(specification: MarketSpecification): string | undefined {
  const { fundingPeriodMs, premiumSampleMs, fundingCapPpb, fundingInterestPpb, impactNotionalAtoms } = specification;
  if (!isWithin(fundingPeriodMs, MIN_MS, MAX_MS)) return 'fundingPeriodMs must be from 100 to 86400000';
  if (!isWithin(premiumSampleMs, MIN_MS, fundingPeriodMs)) return 'premiumSampleMs must be from 100 to fundingPeriodMs';
  if (premiumSampleMs * MAX_PREMIUM_SAMPLES < fundingPeriodMs) return 'a funding period may have at most 100000 premium samples';
  // One payment is then at most the maintenance requirement, so it does not make a position bankrupt that meets it.
  const firstPpb = specification.maintenanceMarginTiers[0]!.maintenanceMarginBps * PPB_OF_ONE_BPS;
  if (!isWithin(fundingCapPpb, 0, firstPpb)) return 'fundingCapPpb must be from 0 to the first maintenance tier';
  if (!isWithin(fundingInterestPpb, -fundingCapPpb, fundingCapPpb)) return 'fundingInterestPpb must be within ± fundingCapPpb';
  if (specification.maxPriceAtoms * quoteAtomsPerTickLot(specification) * fundingCapPpb > MAX_LOT_FUNDING)
    return 'fundingCapPpb is too high for the value of one lot at maxPriceAtoms';
  if (!isWithin(impactNotionalAtoms, 1, MAX_EXPOSURE_ATOMS)) return 'impactNotionalAtoms must be from 1 atom to 562 million';
  return undefined;
}

function isWithin(value: number, lowest: number, highest: number): boolean {
  return Number.isSafeInteger(value) && value >= lowest && value <= highest;
}
