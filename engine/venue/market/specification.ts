/**
 * What a market is: its scales, bounds, margin and fees. Fixed while the market is listed, published to clients as it
 * stands here, and checked once, when the market is listed; everything after relies on the rules below.
 */
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { SETTLEMENT_DECIMALS, WHOLE_BPS } from '#units/money.ts';

/** From `notionalThresholdAtoms` of position notional upward, this share of the notional must back the position. */
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
}

/** Market status: only `open` takes orders; an open order can be cancelled whatever the status. */
export type MarketStatus = 'draft' | 'open' | 'cancel_only' | 'closed';

/**
 * The most that a position and the orders that may enlarge it, or a single order, can be worth at their prices: 562
 * million USD.E. Sums of two such amounts stay far inside the exact integers.
 */
export const MAX_EXPOSURE_ATOMS = (2 ** 49) as QuoteAtoms;

/** The highest price that a market may allow, in ticks: the book keeps one bit for each of them. */
export const MAX_PRICE_TICKS = 2 ** 26;
/** The largest order, in lots: the book's arrays hold 31 bits. */
export const MAX_QUANTITY_LOTS = 2 ** 31 - 2;

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
  return tierFault(specification);
}

function tierFault({ maintenanceMarginTiers, initialMarginBps }: MarketSpecification): string | undefined {
  if (maintenanceMarginTiers[0]?.notionalThresholdAtoms !== 0) return 'the first maintenance tier starts at 0';
  for (const [index, tier] of maintenanceMarginTiers.entries()) {
    const previous = maintenanceMarginTiers[index - 1];
    if (previous !== undefined && tier.notionalThresholdAtoms <= previous.notionalThresholdAtoms)
      return 'maintenance tiers must rise in notional';
    if (previous !== undefined && tier.maintenanceMarginBps <= previous.maintenanceMarginBps)
      return 'maintenance tiers must rise in margin';
    if (!isWithin(tier.maintenanceMarginBps, 1, WHOLE_BPS)) return 'maintenanceMarginBps must be from 1 to 10000';
  }
  if ((maintenanceMarginTiers[0]?.maintenanceMarginBps ?? 0) >= initialMarginBps)
    return 'the first maintenance tier must lie below the initial margin';
  return undefined;
}

function isWithin(value: number, lowest: number, highest: number): boolean {
  return Number.isSafeInteger(value) && value >= lowest && value <= highest;
}
