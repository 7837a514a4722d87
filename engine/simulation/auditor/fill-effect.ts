/** What a fill must do to the position of its account: quantity, entry, margin, PnL, and the parts of its fee and cover. */
import type { OrderFilled, PositionChanged } from '#venue/event.ts';
import type { Listing } from './listing.ts';
import type { FillContext } from './matching.ts';
import { missingAtMark, openingMargin } from './order-rules.ts';
import type { Position } from './position-books.ts';
import { coverFor, equityAt, type Holding, initialRates } from './position-rules.ts';
import { shareDown, shareTowardZero, shareUp } from './rounding.ts';

type Change = Pick<
  PositionChanged,
  | 'position'
  | 'signedBaseAtoms'
  | 'entryNotionalAtoms'
  | 'marginAtoms'
  | 'changedBaseAtoms'
  | 'changedNotionalAtoms'
  | 'realizedPnlAtoms'
  | 'feeAtoms'
>;

/** Changes without the brands of the events' numbers. */
export type ExpectedChange = { readonly [Field in keyof Change]: number };

export interface FillEffect {
  /** One change, or two if the fill closes one episode and opens the next. */
  readonly changes: readonly ExpectedChange[];
  /** What the venue pays for the close. */
  readonly cover: number;
  /** What the close gives back to the insurance fund. */
  readonly repaid: number;
  readonly liquidationFee: number;
  /** The margin that a fill of a liquidation releases if its order ends with it. The change does not have it. */
  readonly excess: number;
}

/** A fill of an owner's order, or of a position that is deleveraged. `lastPosition` is the newest episode. */
export function effectOfFill(
  fill: OrderFilled,
  { terms, remainingBefore, initialRate }: FillContext,
  position: Position,
  debt: number,
  lastPosition: number,
  mark: number,
  listing: Listing,
): FillEffect {
  const sign = fill.side === 'buy' ? 1 : -1;
  const quantity = fill.quantityAtoms;
  const lotPrice = fill.priceAtoms * listing.tickLot;
  const size = Math.abs(position.signedBase);
  const closed = position.signedBase * sign < 0 ? Math.min(quantity, size) : 0;
  const opened = quantity - closed;
  const closingFee = closed === quantity ? fill.feeAtoms : shareTowardZero(fill.feeAtoms, closed, quantity);
  const changes: ExpectedChange[] = [];
  let { entry, margin } = position;
  let cover = 0;
  let repaid = 0;
  if (closed > 0) {
    const isLong = position.signedBase > 0;
    const closedEntry = isLong ? shareUp(position.entry, closed, size) : shareDown(position.entry, closed, size);
    const share = shareDown(position.margin, closed, size);
    const pnl = isLong ? closed * lotPrice - closedEntry : closedEntry - closed * lotPrice;
    // A loss beyond the share takes from the rest of the margin, and only then from the venue.
    const shortfall = Math.max(0, closingFee - share - pnl);
    const fromRest = Math.min(shortfall, position.margin - share);
    cover = shortfall - fromRest;
    repaid = Math.min(debt, Math.max(0, share + pnl - closingFee));
    entry -= closedEntry;
    margin -= share + fromRest;
    changes.push({
      position: position.ordinal,
      signedBaseAtoms: position.signedBase + sign * closed,
      entryNotionalAtoms: entry,
      marginAtoms: margin,
      changedBaseAtoms: sign * closed,
      changedNotionalAtoms: closed * lotPrice,
      realizedPnlAtoms: pnl,
      feeAtoms: closingFee,
    });
  }
  if (opened > 0) {
    entry += opened * lotPrice;
    const needed = openingMargin(terms, opened, listing);
    const limit = remainingBefore === undefined ? needed : reservedShare(terms, remainingBefore, quantity, listing);
    // An order behind the mark gets its initial margin there, from the cash of its account.
    margin += Math.min(limit, needed) + missingAtMark(terms, opened, mark, initialRate, listing);
    changes.push({
      position: position.ordinal === 0 || closed > 0 ? lastPosition + 1 : position.ordinal,
      signedBaseAtoms: position.signedBase + sign * quantity,
      entryNotionalAtoms: entry,
      marginAtoms: margin,
      changedBaseAtoms: sign * opened,
      changedNotionalAtoms: opened * lotPrice,
      realizedPnlAtoms: 0,
      feeAtoms: fill.feeAtoms - closingFee,
    });
  }
  return { changes, cover, repaid, liquidationFee: 0, excess: 0 };
}

/**
 * A fill of a liquidation: gains and losses stay in the margin. `feeDue` is the liquidation fee of all that the book closed and that
 * is not paid. What the fill gains beyond the trade fee repays the fund's `debt` first, then that fee.
 */
export function effectOfLiquidation(
  fill: OrderFilled,
  { gain }: FillContext,
  position: Position,
  debt: number,
  feeDue: number,
  mark: number,
  listing: Listing,
): FillEffect {
  const quantity = fill.quantityAtoms;
  const size = Math.abs(position.signedBase);
  const isLong = position.signedBase > 0;
  const isLast = quantity === size;
  const closedEntry = isLast
    ? position.entry
    : isLong
      ? shareDown(position.entry, quantity, size)
      : Math.min(shareUp(position.entry, quantity, size), position.entry - 1);
  const pnl = isLong ? fill.notionalAtoms - closedEntry : closedEntry - fill.notionalAtoms;
  const cover = coverFor(fill.priceAtoms, quantity, position, listing);
  const gained = Math.max(0, gain - fill.feeAtoms);
  const fromGain = Math.min(debt, gained);
  const liquidationFee = Math.min(feeDue, gained - fromGain);
  const left = position.margin + pnl - fill.feeAtoms + cover - liquidationFee - fromGain;
  const repaid = fromGain + (isLast ? Math.min(debt - fromGain, left) : 0);
  const rest = {
    signedBase: position.signedBase + (isLong ? -quantity : quantity),
    entry: position.entry - closedEntry,
    margin: isLast ? 0 : left,
  };
  const change = {
    position: position.ordinal,
    signedBaseAtoms: rest.signedBase,
    entryNotionalAtoms: rest.entry,
    marginAtoms: rest.margin,
    changedBaseAtoms: isLong ? -quantity : quantity,
    changedNotionalAtoms: fill.notionalAtoms,
    realizedPnlAtoms: pnl,
    feeAtoms: fill.feeAtoms + liquidationFee,
  };
  return { changes: [change], cover, repaid, liquidationFee, excess: excessMargin(mark, rest, listing) };
}

/** What a position has above its initial margin at the mark, of its margin. */
function excessMargin(mark: number, rest: Holding, listing: Listing): number {
  const notional = Math.abs(rest.signedBase) * mark * listing.tickLot;
  const tiers = listing.specification.maintenanceMarginTiers;
  const tier = tiers.findLastIndex(({ notionalThresholdAtoms }) => notionalThresholdAtoms <= notional);
  const needed = shareUp(notional, initialRates(listing)[tier]!, 10_000);
  return Math.max(0, Math.min(rest.margin, equityAt(mark, rest, listing) - needed));
}

/** The margin that a quantity takes out of what a resting order reserved. */
function reservedShare(terms: FillContext['terms'], remaining: number, quantity: number, listing: Listing): number {
  if (terms.reduceOnly) return 0;
  return openingMargin(terms, remaining, listing) - openingMargin(terms, remaining - quantity, listing);
}
