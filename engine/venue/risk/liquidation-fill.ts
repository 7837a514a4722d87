/**
 * The liquidated side of a match. Unlike a fill of its owner's, it sets no margin free before the position is closed:
 * what one fill gains above the bankruptcy price backs what is left.
 */
import type { OrderOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import { bpsOfUp, minus, mulDivDown, mulDivUp, plus, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import { coverShortfall, payFee, postCash, postLedger } from '#venue/account/cash.ts';
import type { OrderOrigin } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import { closingSideOf, isLong, sizeOf } from '#venue/position/position.ts';
import type { Turn } from '#venue/turn.ts';

/** What the liquidated side of a match is told beside the match. */
export interface LiquidationFill {
  readonly order: OrderOrdinal;
  readonly cause: OrderOrigin;
  readonly feeAtoms: QuoteAtoms;
  /** What the match costs beyond the bankruptcy price: the venue covers it. */
  readonly coverAtoms: QuoteAtoms;
  readonly remainingAtoms: BaseAtoms;
}

export function settleLiquidationFill(turn: Turn, market: Market, position: Position, fill: LiquidationFill): void {
  const { match } = turn;
  const account = turn.state.account(position.account)!;
  const side = closingSideOf(position);
  const isLast = match.quantityAtoms === sizeOf(position);
  const entry = closedEntryOf(position, match.quantityAtoms);
  const pnl = isLong(position) ? minus(match.notionalAtoms, entry) : minus(entry, match.notionalAtoms);
  const { ordinal } = position;
  turn.events.orderFilled({
    order: fill.order,
    trade: match.trade,
    account: account.ordinal,
    market: market.ordinal,
    position: ordinal,
    side,
    liquidity: 'taker',
    priceAtoms: match.priceAtoms,
    quantityAtoms: match.quantityAtoms,
    notionalAtoms: match.notionalAtoms,
    feeAtoms: fill.feeAtoms,
    realizedPnlAtoms: pnl,
    remainingAtoms: fill.remainingAtoms,
    isComplete: fill.remainingAtoms === 0,
    accountReservedAtoms: account.reservedAtoms,
  });
  // The gain or loss of the fill passes through cash into the margin, so that every part of it is a posting.
  const change = plus(minus(pnl, fill.feeAtoms), fill.coverAtoms);
  const kept = isLast ? ZERO_QUOTE : plus(position.marginAtoms, change);
  const released = minus(position.marginAtoms, kept);
  if (released > 0) postCash(turn, account, 'margin_release', released);
  if (fill.coverAtoms > 0) coverShortfall(turn, account, fill.coverAtoms);
  postCash(turn, account, 'realized_pnl', pnl);
  payFee(turn, account, fill.feeAtoms);
  if (released < 0) postCash(turn, account, 'margin_lock', released);
  position.signedBaseAtoms = minus(position.signedBaseAtoms, signed(position, match.quantityAtoms));
  position.entryNotionalAtoms = minus(position.entryNotionalAtoms, entry);
  position.marginAtoms = kept;
  if (fill.cause === 'liquidation') {
    position.liquidatedNotionalAtoms = plus(position.liquidatedNotionalAtoms, match.notionalAtoms);
  }
  const liquidationFee = isLast ? payLiquidationFee(turn, market, position, plus(released, change)) : ZERO_QUOTE;
  if (isLast) position.ordinal = 0 as PositionOrdinal;
  turn.events.positionChanged({
    position: ordinal,
    account: account.ordinal,
    market: market.ordinal,
    trade: match.trade,
    // Whatever it ends against, it was liquidated: those that it ends against were deleveraged.
    cause: 'liquidation',
    signedBaseAtoms: position.signedBaseAtoms,
    entryNotionalAtoms: position.entryNotionalAtoms,
    marginAtoms: position.marginAtoms,
    changedBaseAtoms: (side === 'buy' ? match.quantityAtoms : -match.quantityAtoms) as BaseAtoms,
    changedNotionalAtoms: match.notionalAtoms,
    realizedPnlAtoms: pnl,
    feeAtoms: plus(fill.feeAtoms, liquidationFee),
  });
  market.positions.update(market, position);
}

/**
 * What the closed quantity had cost, rounded so that the margin has the remainder; the last close takes all, and until
 * then an atom stays, also where funding has left no more than that.
 */
function closedEntryOf(position: Position, quantity: BaseAtoms): QuoteAtoms {
  const { entryNotionalAtoms } = position;
  const size = sizeOf(position);
  if (quantity === size) return entryNotionalAtoms;
  if (isLong(position)) return mulDivDown(entryNotionalAtoms, quantity, size);
  return smallerOf(mulDivUp(entryNotionalAtoms, quantity, size), minus(entryNotionalAtoms, 1 as QuoteAtoms));
}

/** A share of what was closed in the book, rounded up, into the insurance fund; never more than what is left. */
function payLiquidationFee(turn: Turn, market: Market, position: Position, left: QuoteAtoms): QuoteAtoms {
  const request = bpsOfUp(position.liquidatedNotionalAtoms, market.specification.liquidationFeeBps);
  const fee = smallerOf(request, left);
  position.liquidatedNotionalAtoms = ZERO_QUOTE;
  postCash(turn, turn.state.account(position.account)!, 'liquidation_fee', minus(ZERO_QUOTE, fee));
  postLedger(turn, 'insurance', fee);
  return fee;
}

function signed(position: Position, quantity: BaseAtoms): BaseAtoms {
  return (isLong(position) ? quantity : -quantity) as BaseAtoms;
}
