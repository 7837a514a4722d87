/** What clients are told that an open order holds of their cash, and what a fill costs: written from those rules alone. */
import type { Liquidity, OrderOrigin } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

export interface OrderDemand {
  readonly side: 'buy' | 'sell';
  readonly priceAtoms: number;
  readonly reduceOnly: boolean;
  /** 0: the share `initialMarginBps`. */
  readonly leverageX: number;
  readonly initialMarginBps: number;
  /** The mark when it was placed. */
  readonly markPriceAtoms: number;
}

/** Money atoms of one tick of one lot. */
export function tickLotOf({ priceScale, quantityScale }: MarketSpecification): number {
  return 10 ** (6 - priceScale - quantityScale);
}

/** Its margin, what opening there would have lost at the mark, and the fee of a taker; each rounded up. */
export function reservationFor(order: OrderDemand, remaining: number, specification: MarketSpecification): number {
  if (order.reduceOnly || remaining === 0) return 0;
  const tickLot = tickLotOf(specification);
  const notional = order.priceAtoms * remaining * tickLot;
  const margin =
    order.leverageX === 0 ? ratioUp(notional, order.initialMarginBps, 10_000) : ratioUp(notional, 1, order.leverageX);
  const ticksBehind = order.side === 'buy' ? order.priceAtoms - order.markPriceAtoms : order.markPriceAtoms - order.priceAtoms;
  const loss = Math.max(0, ticksBehind) * remaining * tickLot;
  return margin + loss + ratioUp(notional, specification.takerFeeBps, 10_000);
}

/**
 * The least and the most that a fill pays, rounded toward zero. Whom the venue closes pays what it can, and nothing where it
 * is closed against somebody that did not ask for it either; a maker who is paid for it gets what that leaves.
 */
export function feeBounds(
  origin: OrderOrigin,
  liquidity: Liquidity,
  notional: number,
  specification: MarketSpecification,
): readonly [least: number, most: number] {
  if (origin === 'auto_deleveraging') return [0, 0];
  const rate = liquidity === 'maker' ? specification.makerFeeBps : specification.takerFeeBps;
  const fee = Number((BigInt(notional) * BigInt(rate)) / 10_000n);
  if (origin !== 'liquidation') return [fee, fee];
  return liquidity === 'taker' ? [0, fee] : [fee, Math.max(0, fee)];
}

/** The worst price that an order without a limit may fill at: the band around the mark that it was placed at. */
export function isWithinBand(side: 'buy' | 'sell', price: number, mark: number, { priceBandBps }: MarketSpecification): boolean {
  return side === 'buy' ? price * 10_000 <= mark * (10_000 + priceBandBps) : price * 10_000 >= mark * (10_000 - priceBandBps);
}

/** The worst price that the band admits at that mark: the limit of an order that was sent without one. */
export function isEndOfBand(side: 'buy' | 'sell', price: number, mark: number, specification: MarketSpecification): boolean {
  if (!isWithinBand(side, price, mark, specification)) return false;
  const { minPriceAtoms, maxPriceAtoms } = specification;
  if (side === 'buy') return price === maxPriceAtoms || !isWithinBand(side, price + 1, mark, specification);
  return price === minPriceAtoms || !isWithinBand(side, price - 1, mark, specification);
}

function ratioUp(amount: number, numerator: number, denominator: number): number {
  const divisor = BigInt(denominator);
  return Number((BigInt(amount) * BigInt(numerator) + divisor - 1n) / divisor);
}
