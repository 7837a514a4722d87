/**
 * What an account holds in a market: a signed quantity, what it cost, and the margin that backs it.
 * `fillEffect` is the arithmetic of one fill, without touching anything; planning and committing both ask it.
 */
import type { AccountOrdinal, MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, mulDivUp, plus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import type { Slot } from '#venue/order/order-table.ts';
import { NO_SLOT } from '#venue/order/order-table.ts';
import type { TriggerHeap } from '#venue/risk/trigger-heap.ts';

/** The numbers that a fill changes. */
export interface Holding {
  /** Long above zero, short below. */
  signedBaseAtoms: BaseAtoms;
  /** What entering cost, never below zero. */
  entryNotionalAtoms: QuoteAtoms;
  marginAtoms: QuoteAtoms;
}

/** Nothing held. */
export const FLAT: Readonly<Holding> = Object.freeze({
  signedBaseAtoms: ZERO_BASE,
  entryNotionalAtoms: ZERO_QUOTE,
  marginAtoms: ZERO_QUOTE,
});

export function copyHolding(from: Readonly<Holding>, into: Holding): void {
  into.signedBaseAtoms = from.signedBaseAtoms;
  into.entryNotionalAtoms = from.entryNotionalAtoms;
  into.marginAtoms = from.marginAtoms;
}

export class Position implements Holding {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  /** The episode: 0 while flat. */
  ordinal = 0 as PositionOrdinal;
  signedBaseAtoms: BaseAtoms = ZERO_BASE;
  entryNotionalAtoms: QuoteAtoms = ZERO_QUOTE;
  marginAtoms: QuoteAtoms = ZERO_QUOTE;
  /** The account's open orders in this market, newest first, and how many of them only reduce. */
  firstOwnOrder: Slot = NO_SLOT;
  openOrders = 0;
  reduceOnlyOrders = 0;
  /** How much the orders that may enlarge the position are for, and what they are worth at their prices. */
  restingBaseAtoms: BaseAtoms = ZERO_BASE;
  restingNotionalAtoms: QuoteAtoms = ZERO_QUOTE;
  /** The last funding period that is settled with it (see `funding-settlement.ts`). */
  fundingPeriod = 0;
  /** The price that triggers its liquidation (see `liquidationTriggerOf`). Of no account while flat. */
  liquidationPriceAtoms = 0 as PriceAtoms;
  /** What its liquidation has closed so far, at the prices of the fills: the fee at its end is a share of that. */
  liquidatedNotionalAtoms: QuoteAtoms = ZERO_QUOTE;
  /** Where it stands among the open positions of its market and among the triggers of its side; -1 while it does not. */
  listPlace = -1;
  triggerPlace = -1;
  triggers: TriggerHeap<Position> | undefined;

  constructor(account: AccountOrdinal, market: MarketOrdinal) {
    this.account = account;
    this.market = market;
  }
}

/** What a fill does to a holding. Amounts are at or above zero, but for the PnL. */
export interface FillEffect {
  closedBaseAtoms: BaseAtoms;
  closedNotionalAtoms: QuoteAtoms;
  /** The share of entry notional that the closed quantity had cost, and the margin set free with it. */
  closedEntryNotionalAtoms: QuoteAtoms;
  releasedMarginAtoms: QuoteAtoms;
  realizedPnlAtoms: QuoteAtoms;
  /** What the close and its fee cost beyond all margin of the position. */
  deficitAtoms: QuoteAtoms;
  openedBaseAtoms: BaseAtoms;
  openedNotionalAtoms: QuoteAtoms;
}

export function blankFillEffect(): FillEffect {
  return {
    closedBaseAtoms: ZERO_BASE,
    closedNotionalAtoms: ZERO_QUOTE,
    closedEntryNotionalAtoms: ZERO_QUOTE,
    releasedMarginAtoms: ZERO_QUOTE,
    realizedPnlAtoms: ZERO_QUOTE,
    deficitAtoms: ZERO_QUOTE,
    openedBaseAtoms: ZERO_BASE,
    openedNotionalAtoms: ZERO_QUOTE,
  };
}

export function isLong(holding: Readonly<Holding>): boolean {
  return holding.signedBaseAtoms > 0;
}

/** The quantity held, without its sign. */
export function sizeOf(holding: Readonly<Holding>): BaseAtoms {
  return Math.abs(holding.signedBaseAtoms) as BaseAtoms;
}

/** The side of an order that closes what is held. */
export function closingSideOf(holding: Readonly<Holding>): Side {
  return isLong(holding) ? 'sell' : 'buy';
}

/** How much an order of this side can close. */
export function closableBy(side: Side, holding: Readonly<Holding>): BaseAtoms {
  return (side === 'buy') === holding.signedBaseAtoms < 0 ? sizeOf(holding) : ZERO_BASE;
}

/**
 * What a fill of `quantity` does: first it closes what is held on the other side, then it opens. Closing a share of a
 * position takes the same share of its entry notional and margin, rounded so that it never sets more free than its share:
 * what rounding leaves backs the rest of the position, and the last close takes all. `notionalPerLot` is the fill's price in money atoms, `closingFee` the fee of
 * the part that closes: the position pays for it where what the close sets free does not.
 */
export function fillEffect(
  holding: Readonly<Holding>,
  side: Side,
  quantity: BaseAtoms,
  notionalPerLot: QuoteAtoms,
  closingFee: QuoteAtoms,
  effect: FillEffect,
): void {
  const size = sizeOf(holding);
  const closable = closableBy(side, holding);
  const closed = smallerOf(quantity, closable);
  const opened = minus(quantity, closed);
  effect.closedBaseAtoms = closed;
  effect.openedBaseAtoms = opened;
  effect.closedNotionalAtoms = (closed * notionalPerLot) as QuoteAtoms;
  effect.openedNotionalAtoms = (opened * notionalPerLot) as QuoteAtoms;
  if (closed === 0) {
    effect.closedEntryNotionalAtoms = ZERO_QUOTE;
    effect.releasedMarginAtoms = ZERO_QUOTE;
    effect.realizedPnlAtoms = ZERO_QUOTE;
    effect.deficitAtoms = ZERO_QUOTE;
    return;
  }
  const entry = closedEntryOf(holding, closed, size);
  const share = closed === size ? holding.marginAtoms : mulDivDown(holding.marginAtoms, closed, size);
  const pnl = isLong(holding) ? minus(effect.closedNotionalAtoms, entry) : minus(entry, effect.closedNotionalAtoms);
  // A loss beyond the share takes from the rest of the position's margin, and only then is it the venue's.
  const shortfall = largerOf(ZERO_QUOTE, minus(closingFee, plus(share, pnl)));
  const rest = minus(holding.marginAtoms, share);
  const fromRest = smallerOf(shortfall, rest);
  effect.closedEntryNotionalAtoms = entry;
  effect.releasedMarginAtoms = plus(share, fromRest);
  effect.realizedPnlAtoms = pnl;
  effect.deficitAtoms = minus(shortfall, fromRest);
}

/** What a share of a position had cost: of a long rounded up, of a short down, so that its PnL is not rounded up. */
function closedEntryOf(holding: Readonly<Holding>, closed: BaseAtoms, size: BaseAtoms): QuoteAtoms {
  const { entryNotionalAtoms } = holding;
  if (closed === size) return entryNotionalAtoms;
  return isLong(holding) ? mulDivUp(entryNotionalAtoms, closed, size) : mulDivDown(entryNotionalAtoms, closed, size);
}

/** Applies an effect, with the margin that the opened part locks. */
export function applyFillEffect(holding: Holding, side: Side, effect: FillEffect, lockedMargin: QuoteAtoms): void {
  const quantity = effect.closedBaseAtoms + effect.openedBaseAtoms;
  holding.signedBaseAtoms = (holding.signedBaseAtoms + (side === 'buy' ? quantity : -quantity)) as BaseAtoms;
  holding.entryNotionalAtoms = plus(
    minus(holding.entryNotionalAtoms, effect.closedEntryNotionalAtoms),
    effect.openedNotionalAtoms,
  );
  holding.marginAtoms = plus(minus(holding.marginAtoms, effect.releasedMarginAtoms), lockedMargin);
}
