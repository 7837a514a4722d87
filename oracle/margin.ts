/** What quantities are worth, and the margin that opening and holding them needs. */
import { ceilDiv, floorDiv, larger, smaller, sum } from './arithmetic.ts';
import type { Side, Specification } from './command.ts';
import type { Market, Order, World } from './world.ts';
import { ordersOf } from './world.ts';

const WHOLE_BPS = 10_000n;
const SETTLEMENT_DECIMALS = 6;
/** A leverage of 1, in hundredths. */
export const ONE_X = 100n;
const DEFAULT_LEVERAGE_HUNDREDTHS = 10n * ONE_X;

/** The money atoms of one tick of one lot. */
export function tickLotOf({ priceScale, quantityScale }: Specification): bigint {
  return 10n ** BigInt(SETTLEMENT_DECIMALS - priceScale - quantityScale);
}

export function notionalOf(market: Market, price: bigint, quantity: bigint): bigint {
  return price * quantity * tickLotOf(market.specification);
}

/** The maintenance rate of the tier that a notional reaches. */
export function tierBpsAt(notional: bigint, { maintenanceMarginTiers }: Specification): bigint {
  const reached = maintenanceMarginTiers.filter(({ notionalThresholdAtoms }) => BigInt(notionalThresholdAtoms) <= notional);
  return BigInt(reached.at(-1)!.maintenanceMarginBps);
}

/** Each tier's rate for the part of the notional within the tier, like tax brackets; rounded up once. */
export function maintenanceOf(notional: bigint, { maintenanceMarginTiers: tiers }: Specification): bigint {
  const shares = tiers.map(({ notionalThresholdAtoms, maintenanceMarginBps }, index) => {
    const end = tiers[index + 1]?.notionalThresholdAtoms;
    const top = end === undefined ? notional : smaller(notional, BigInt(end));
    return larger(0n, top - BigInt(notionalThresholdAtoms)) * BigInt(maintenanceMarginBps);
  });
  return ceilDiv(sum(shares), WHOLE_BPS);
}

/** The initial margin of an exposure: it rises in proportion to the maintenance rate of the tier, up to 100 %. */
export function initialMarginBpsAt(exposure: bigint, specification: Specification): bigint {
  const firstBps = BigInt(specification.maintenanceMarginTiers[0]!.maintenanceMarginBps);
  return smaller(WHOLE_BPS, ceilDiv(BigInt(specification.initialMarginBps) * tierBpsAt(exposure, specification), firstBps));
}

/** The leverage of an order that names none: chosen by its account, or 10, unless the exposure permits only a lower one (then 0). */
export function leverageOf(chosen: bigint | undefined, initialMarginBps: bigint, { maxLeverageX }: Specification): bigint {
  const leverageHundredths = smaller(chosen ?? DEFAULT_LEVERAGE_HUNDREDTHS, BigInt(maxLeverageX) * ONE_X);
  return leverageHundredths <= floorDiv(WHOLE_BPS, initialMarginBps) * ONE_X ? leverageHundredths : 0n;
}

/** The highest whole leverage that an initial margin permits. */
export function maxLeverageAt(initialMarginBps: bigint, specification: Specification): bigint {
  return smaller(BigInt(specification.maxLeverageX), floorDiv(WHOLE_BPS, initialMarginBps));
}

/** The terms of an order that decide what opening costs. */
export interface OpeningTerms {
  readonly side: Side;
  readonly price: bigint;
  readonly placedAtMark: bigint;
  readonly leverageHundredths: bigint;
  readonly initialMarginBps: bigint;
}

/** The share of the notional, rounded up, and the loss with which the quantity opens against the mark of the placement. */
export function openingMargin(market: Market, terms: OpeningTerms, quantity: bigint): bigint {
  const notional = notionalOf(market, terms.price, quantity);
  const share =
    terms.leverageHundredths === 0n
      ? ceilDiv(notional * terms.initialMarginBps, WHOLE_BPS)
      : ceilDiv(notional * ONE_X, terms.leverageHundredths);
  return share + larger(0n, notionalOf(market, lossAgainst(terms, terms.placedAtMark), quantity));
}

/** By how much a price is worse than a mark, for the owner of the order; negative if it is better. */
export function lossAgainst({ side, price }: OpeningTerms, mark: bigint): bigint {
  return side === 'buy' ? price - mark : mark - price;
}

/**
 * What a margin lacks to be the initial margin at the mark of what opens: the share of the notional there, and the loss. Without a loss
 * it is the share of the notional at the order's own price.
 */
export function missingAtMark(market: Market, terms: OpeningTerms, opened: bigint, margin: bigint, rateBps: bigint): bigint {
  const loss = lossAgainst(terms, market.mark);
  const price = loss > 0n ? market.mark : terms.price;
  const needed = ceilDiv(notionalOf(market, price, opened) * rateBps, WHOLE_BPS) + notionalOf(market, larger(0n, loss), opened);
  return larger(0n, needed - margin);
}

/** What an order reserves for a quantity: margin and taker fee, each rounded up. Reduce-only orders reserve nothing. */
export function reservationOf(market: Market, order: OpeningTerms & { readonly reduceOnly: boolean }, quantity: bigint): bigint {
  if (order.reduceOnly) return 0n;
  const takerFeeBps = BigInt(market.specification.takerFeeBps);
  return openingMargin(market, order, quantity) + ceilDiv(notionalOf(market, order.price, quantity) * takerFeeBps, WHOLE_BPS);
}

/** What all open orders of an account reserve. */
export function reservedOf(world: World, account: number): bigint {
  const reservations = world.markets.map((market) =>
    sum(ordersOf(world, market, account).map((order) => reservationOf(market, order, order.remaining))),
  );
  return sum(reservations);
}

/** The quantity and the notional, at their prices, of the orders of an account that may open. */
export function restingOf(world: World, market: Market, account: number): { base: bigint; notional: bigint } {
  const opening: Order[] = ordersOf(world, market, account).filter((order) => !order.reduceOnly);
  return {
    base: sum(opening.map((order) => order.remaining)),
    notional: sum(opening.map((order) => notionalOf(market, order.price, order.remaining))),
  };
}
