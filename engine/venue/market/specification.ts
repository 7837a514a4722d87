/**
 * What a market is: its scales, bounds, margin and fees. Fixed while the market is listed, published to clients as it
 * stands here, and checked once, when the market is listed; everything after relies on the rules below.
 */
import type { BaseAtoms, Bps, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { SETTLEMENT_DECIMALS, WHOLE_BPS } from '#units/money.ts';

/**
 * Of the part of a position's notional that lies above `notionalThresholdAtoms` and below the next tier's, this share
 * must back the position. Tiers add up, as tax brackets do: entering one costs nothing for what lies below it.
 */
export interface MaintenanceTier {
  readonly notionalThresholdAtoms: QuoteAtoms;
  readonly maintenanceMarginBps: Bps;
}

export interface MarketSpecification {
  /** `BTC-USD-PERP` */
  readonly marketId: string;
  /** `BTC` */
  readonly underlyingSymbol: string;
  /** One price atom, `10^-priceScale`, is the tick; `priceScale + quantityScale ≤ 6`, which makes every notional exact. */
  readonly priceScale: number;
  /** One quantity atom, `10^-quantityScale`, is the lot. */
  readonly quantityScale: number;
  readonly minPriceAtoms: PriceAtoms;
  readonly maxPriceAtoms: PriceAtoms;
  readonly minQuantityAtoms: BaseAtoms;
  readonly maxQuantityAtoms: BaseAtoms;
  /** The share of the notional that an order or position needs at the highest leverage. */
  readonly initialMarginBps: Bps;
  readonly maxLeverageX: number;
  /** Rising thresholds, the first at 0, and rising requirements below the initial margin. */
  readonly maintenanceMarginTiers: readonly MaintenanceTier[];
  /** May be negative: a rebate. Never beyond the taker fee. */
  readonly makerFeeBps: Bps;
  readonly takerFeeBps: Bps;
  /** How far from the mark a buy may reach up and a sell may reach down. */
  readonly priceBandBps: Bps;
  /** How far the book may pull the mark from the index. */
  readonly markBandBps: Bps;
  /** What a liquidated position pays of the notional that was closed for it; at most the first maintenance rate. */
  readonly liquidationFeeBps: Bps;
  /** Whether positions in profit are closed against a bankrupt one that nothing else covers. */
  readonly autoDeleveraging: boolean;
  /** How old an index price may be before the market stands still. */
  readonly maxIndexAgeMs: number;
  /** How far an index price may lie from the one before it without being confirmed by others. */
  readonly maxIndexJumpBps: Bps;
  /** How many further observations confirm a price that jumped. */
  readonly indexConfirmations: number;
  readonly fundingPeriodMs: number;
  /** What longs pay shorts for a period in which the book agrees with the index. */
  readonly fundingInterestPpb: Ppb;
  /** The most that either side pays for a period. */
  readonly fundingCapPpb: Ppb;
  /** How often the premium of the book over the index is looked at. */
  readonly premiumSampleMs: number;
  /** How much is bought or sold, in thought, to see at what price the book really trades. */
  readonly impactNotionalAtoms: QuoteAtoms;
}

/** Whether the index can be relied on: `unconfirmed` after a jump that has yet to be seen again, `stale` without news. */
export type IndexStatus = 'current' | 'unconfirmed' | 'stale';

/** What may happen in a market, and how its status may change: `market-status.ts`. */
export type MarketStatus = 'draft' | 'open' | 'cancel_only' | 'closed' | 'reduce_only';

/**
 * The most that a position and the orders that may enlarge it, or a single order, can be worth at their prices: 562
 * million USD.E. Sums of two such amounts stay far inside the exact integers.
 */
export const MAX_EXPOSURE_ATOMS = (2 ** 49) as QuoteAtoms;

/**
 * How many of the largest orders a position and the orders that may enlarge it hold at most: at the highest price of the
 * market they are worth no more than 2^52 money atoms, so that no price makes a number inexact.
 */
export const MAX_POSITION_ORDERS = 8;

/** The highest price that a market may allow, in ticks: the book keeps one bit for each of them. */
export const MAX_PRICE_TICKS = 2 ** 26;
/** The largest order, in lots: as many of them as a position may hold are told in 32 bits. */
export const MAX_QUANTITY_LOTS = 2 ** 29 - 1;

/** The share that the last maintenance tier may ask for. */
const MAX_MAINTENANCE_BPS = 5_000;
const PPB_OF_ONE_BPS = 100_000;
/** Tiers start on whole cents: what they ask for less than the next one does is then a whole number of atoms. */
const CENT_ATOMS = 10_000;
/** Times of a specification lie between a tenth of a second and a day; both are exact in any sum with a time of day. */
const MIN_MS = 100;
const MAX_MS = 86_400_000;
/** More premium samples than this in one period tell nothing more. */
const MAX_PREMIUM_SAMPLES = 100_000;
/** Keeps the funding of one lot, in millionths of an atom, exact: a thousandth of this is the most that it can be. */
const MAX_LOT_FUNDING = 2 ** 62;

/** The money atoms of one tick of one lot. */
export function quoteAtomsPerTickLot(specification: MarketSpecification): number {
  return 10 ** (SETTLEMENT_DECIMALS - specification.priceScale - specification.quantityScale);
}

/** The first rule that a specification breaks, in words, or `undefined` when it is sound. */
export function specificationFault(specification: MarketSpecification): string | undefined {
  const { priceScale, quantityScale, minPriceAtoms, maxPriceAtoms, minQuantityAtoms, maxQuantityAtoms } = specification;
  if (!/^[A-Z0-9]{1,12}(?:-[A-Z0-9]{1,12}){1,3}$/.test(specification.marketId)) return 'marketId must look like BTC-USD-PERP';
  if (!isWithin(priceScale, 0, 6) || !isWithin(quantityScale, 0, 6)) return 'scales are whole numbers from 0 to 6';
  if (priceScale + quantityScale > SETTLEMENT_DECIMALS) return 'priceScale + quantityScale may be at most 6';
  if (!isWithin(minPriceAtoms, 1, maxPriceAtoms) || !isWithin(maxPriceAtoms, 1, MAX_PRICE_TICKS))
    return 'price bounds must rise from at least one tick';
  if (!isWithin(minQuantityAtoms, 1, maxQuantityAtoms) || !isWithin(maxQuantityAtoms, 1, MAX_QUANTITY_LOTS))
    return 'quantity bounds must rise from at least one lot';
  if (maxPriceAtoms * maxQuantityAtoms * quoteAtomsPerTickLot(specification) > MAX_EXPOSURE_ATOMS)
    return 'the largest order may be worth at most 562 million';
  if (!isWithin(specification.initialMarginBps, 1, WHOLE_BPS)) return 'initialMarginBps must be from 1 to 10000';
  if (!isWithin(specification.maxLeverageX, 1, WHOLE_BPS)) return 'maxLeverageX must be a positive whole number';
  if (specification.maxLeverageX * specification.initialMarginBps > WHOLE_BPS)
    return 'maxLeverageX is beyond what initialMarginBps allows';
  if (!isWithin(specification.takerFeeBps, 0, 1_000)) return 'takerFeeBps must be from 0 to 1000';
  if (!isWithin(specification.makerFeeBps, -specification.takerFeeBps, specification.takerFeeBps))
    return 'makerFeeBps must lie within ± takerFeeBps';
  if (!isWithin(specification.priceBandBps, 1_000, 9_000)) return 'priceBandBps must be from 1000 to 9000';
  if (!isWithin(specification.markBandBps, 1, 1_000)) return 'markBandBps must be from 1 to 1000';
  return tierFault(specification) ?? indexFault(specification) ?? fundingFault(specification);
}

function tierFault(specification: MarketSpecification): string | undefined {
  const { maintenanceMarginTiers, initialMarginBps, takerFeeBps, liquidationFeeBps } = specification;
  if (maintenanceMarginTiers[0]?.notionalThresholdAtoms !== 0) return 'the first maintenance tier starts at 0';
  for (const [index, tier] of maintenanceMarginTiers.entries()) {
    const previous = maintenanceMarginTiers[index - 1];
    if (previous !== undefined && tier.notionalThresholdAtoms <= previous.notionalThresholdAtoms)
      return 'maintenance tiers must rise in notional';
    if (previous !== undefined && tier.maintenanceMarginBps <= previous.maintenanceMarginBps)
      return 'maintenance tiers must rise in margin';
    if (!isWithin(tier.notionalThresholdAtoms, 0, MAX_EXPOSURE_ATOMS)) return 'a maintenance tier starts at 562 million at most';
    if (tier.notionalThresholdAtoms % CENT_ATOMS !== 0) return 'a maintenance tier starts at a whole cent';
    if (!isWithin(tier.maintenanceMarginBps, 1, MAX_MAINTENANCE_BPS)) return 'maintenanceMarginBps must be from 1 to 5000';
  }
  const firstBps = maintenanceMarginTiers[0].maintenanceMarginBps;
  if (firstBps >= initialMarginBps) return 'the first maintenance tier must lie below the initial margin';
  // Whoever meets the maintenance requirement can pay the fee of a close at the mark.
  if (takerFeeBps > firstBps) return 'takerFeeBps must not lie above the first maintenance tier';
  // Where a position is liquidated in time, what is left of its margin then pays the fee.
  if (!isWithin(liquidationFeeBps, 0, firstBps)) return 'liquidationFeeBps must be from 0 to the first maintenance tier';
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
  if (premiumSampleMs * MAX_PREMIUM_SAMPLES < fundingPeriodMs) return 'a funding period has at most 100000 premium samples';
  // One payment takes no more than the maintenance requirement: a position that meets it is not made bankrupt by it.
  const firstPpb = specification.maintenanceMarginTiers[0]!.maintenanceMarginBps * PPB_OF_ONE_BPS;
  if (!isWithin(fundingCapPpb, 0, firstPpb)) return 'fundingCapPpb must be from 0 to the first maintenance tier';
  if (!isWithin(fundingInterestPpb, -fundingCapPpb, fundingCapPpb)) return 'fundingInterestPpb must lie within ± fundingCapPpb';
  if (specification.maxPriceAtoms * quoteAtomsPerTickLot(specification) * fundingCapPpb > MAX_LOT_FUNDING)
    return 'fundingCapPpb is too high for what one lot may be worth';
  if (!isWithin(impactNotionalAtoms, 1, MAX_EXPOSURE_ATOMS)) return 'impactNotionalAtoms must be from 1 atom to 562 million';
  return undefined;
}

function isWithin(value: number, lowest: number, highest: number): boolean {
  return Number.isSafeInteger(value) && value >= lowest && value <= highest;
}
