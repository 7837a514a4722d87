/**
 * Settles the liquidated side of a match. Unlike a client's fill, it releases no margin before the position is closed:
 * what a fill gains above the bankruptcy price backs the rest of the position.
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

/** The parameters of a liquidation fill that are not in `turn.match`. */
export interface LiquidationFill {
  readonly order: OrderOrdinal;
  readonly cause: OrderOrigin;
  readonly feeAtoms: QuoteAtoms;
  /** The share of the shortfall (`shortfall.ts`) for this match: the insurance fund pays it, then the deficit ledger. */
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
  // PnL, fee and cover pass through cash into the margin, so that each of them has a posting.
  const change = plus(minus(pnl, fill.feeAtoms), fill.coverAtoms);
  const remainingMargin = isLast ? ZERO_QUOTE : plus(position.marginAtoms, change);
  const released = minus(position.marginAtoms, remainingMargin);
  if (released > 0) postCash(turn, account, 'margin_release', released);
  if (fill.coverAtoms > 0) coverShortfall(turn, account, fill.coverAtoms);
  postCash(turn, account, 'realized_pnl', pnl);
  payFee(turn, account, fill.feeAtoms);
  if (released < 0) postCash(turn, account, 'margin_lock', released);
  position.signedBaseAtoms = minus(position.signedBaseAtoms, signed(position, match.quantityAtoms));
  position.entryNotionalAtoms = minus(position.entryNotionalAtoms, entry);
  position.marginAtoms = remainingMargin;
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
    // The cause is liquidation even for an ADL fill: only the counterparties are deleveraged.
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
 * The entry notional of the closed quantity, rounded in favor of the margin. The last close takes all. Until then at least
 * one atom of entry remains, even if funding has left only that.
 */
function closedEntryOf(position: Position, quantity: BaseAtoms): QuoteAtoms {
  const { entryNotionalAtoms } = position;
  const size = sizeOf(position);
  if (quantity === size) return entryNotionalAtoms;
  if (isLong(position)) return mulDivDown(entryNotionalAtoms, quantity, size);
  return smallerOf(mulDivUp(entryNotionalAtoms, quantity, size), minus(entryNotionalAtoms, 1 as QuoteAtoms));
}

/** Pays the liquidation fee to the insurance fund: a share of the notional closed in the book, rounded up, at most `left`. */
function payLiquidationFee(turn: Turn, market: Market, position: Position, left: QuoteAtoms): QuoteAtoms {
  const fullFee = bpsOfUp(position.liquidatedNotionalAtoms, market.specification.liquidationFeeBps);
  const fee = smallerOf(fullFee, left);
  position.liquidatedNotionalAtoms = ZERO_QUOTE;
  postCash(turn, turn.state.account(position.account)!, 'liquidation_fee', minus(ZERO_QUOTE, fee));
  postLedger(turn, 'insurance', fee);
  return fee;
}

function signed(position: Position, quantity: BaseAtoms): BaseAtoms {
  return (isLong(position) ? quantity : -quantity) as BaseAtoms;
}
