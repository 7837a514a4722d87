/**
 * Settles the liquidated side of a match. Unlike a client's fill, it releases no margin before the order ends: what a fill gains
 * above the bankruptcy price pays the fees, repays the insurance fund, and backs the rest of the position.
 */
import type { OrderOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import { bpsOfUp, largerOf, minus, mulDivDown, mulDivUp, plus, smallerOf, WHOLE_BPS, ZERO_QUOTE } from '#units/money.ts';
import { coverShortfall, payFee, postCash, postLedger, repayFund } from '#venue/account/cash.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import { closingSideOf, isLong, sizeOf } from '#venue/position/position.ts';
import { endOfPosition } from '#venue/trigger/waiting.ts';
import type { Turn } from '#venue/turn.ts';
import { fundOf, noteFundPayment, noteFundReceipt } from './fund-budget.ts';
import { initialMarginBpsAt } from './initial-margin.ts';
import { positionEquityOf } from './position-risk.ts';

/** The parameters of a liquidation fill that are not in `turn.match`. */
export interface LiquidationFill {
  readonly order: OrderOrdinal;
  /** Whether the fill owes a liquidation fee: in the book, and in a deleveraging before bankruptcy. */
  readonly owesLiquidationFee: boolean;
  readonly feeAtoms: QuoteAtoms;
  /** The share of the shortfall (`shortfall.ts`) for this match: the insurance fund pays it, then the deficit ledger. */
  readonly coverAtoms: QuoteAtoms;
  /** What the fill gains above the bankruptcy price, less `feeAtoms`. Limits the liquidation fee; 0 if it gains nothing. */
  readonly gainAfterFeeAtoms: QuoteAtoms;
  readonly remainingAtoms: BaseAtoms;
  /** Whether the order fills no more. What a healthy rest does not need is then released. */
  readonly isLastOfOrder: boolean;
}

export function settleLiquidationFill(turn: Turn, market: Market, position: Position, fill: LiquidationFill): void {
  const { match } = turn;
  const account = turn.state.account(position.account)!;
  const side = closingSideOf(position);
  const isLast = match.quantityAtoms === sizeOf(position);
  const entry = closedEntryOf(position, match.quantityAtoms);
  const pnl = isLong(position) ? minus(match.notionalAtoms, entry) : minus(entry, match.notionalAtoms);
  const { ordinal } = position;
  // PnL, fee and cover pass through cash into the margin, so that each of them has a posting.
  const change = plus(minus(pnl, fill.feeAtoms), fill.coverAtoms);
  if (fill.owesLiquidationFee) {
    position.liquidatedNotionalAtoms = plus(position.liquidatedNotionalAtoms, match.notionalAtoms);
  }
  // What the fill gains goes to the trade fee, then back to the fund, then to the liquidation fee.
  let repaid = smallerOf(position.insuredAtoms, fill.gainAfterFeeAtoms);
  const gainLeft = minus(fill.gainAfterFeeAtoms, repaid);
  const left = minus(plus(position.marginAtoms, change), repaid);
  const liquidationFee = liquidationFeeOf(turn, market, position, isLast ? left : undefined, gainLeft);
  const baseBefore = position.signedBaseAtoms;
  position.signedBaseAtoms = minus(baseBefore, signed(position, match.quantityAtoms));
  market.positions.moveBase(baseBefore, position.signedBaseAtoms);
  position.entryNotionalAtoms = minus(position.entryNotionalAtoms, entry);
  const before = position.marginAtoms;
  position.marginAtoms = minus(left, liquidationFee);
  const releases = isLast || (fill.isLastOfOrder && turn.rules.chargesFeeByFill);
  const excess = isLast ? position.marginAtoms : releases ? excessMarginOf(market, position) : ZERO_QUOTE;
  position.marginAtoms = minus(position.marginAtoms, excess);
  repaid = plus(repaid, smallerOf(minus(position.insuredAtoms, repaid), excess));
  position.insuredAtoms = minus(position.insuredAtoms, repaid);
  const covered = minus(fill.coverAtoms, repaid);
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
    ...((covered !== 0 || liquidationFee !== 0) && { liquidationFeeAtoms: liquidationFee, insuranceCoveredAtoms: covered }),
  });
  const released = minus(before, position.marginAtoms);
  if (released > 0) postCash(turn, account, 'margin_release', released);
  if (fill.coverAtoms > 0) {
    noteFundPayment(turn, market, position, coverShortfall(turn, account, fill.coverAtoms, fundOf(turn, market)));
  }
  postCash(turn, account, 'realized_pnl', pnl);
  payFee(turn, account, fill.feeAtoms);
  repayFund(turn, account, repaid);
  postCash(turn, account, 'liquidation_fee', minus(ZERO_QUOTE, liquidationFee));
  postLedger(turn, 'insurance', liquidationFee);
  noteFundReceipt(turn, market, position, plus(repaid, liquidationFee), position.insuredAtoms);
  if (released < 0) postCash(turn, account, 'margin_lock', released);
  if (isLast) {
    position.ordinal = 0 as PositionOrdinal;
    // What the fund has not got back when the episode ends is its loss.
    position.insuredAtoms = ZERO_QUOTE;
  }
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
    ...(covered !== 0 && { insuranceCoveredAtoms: covered }),
  });
  market.positions.update(market, position);
  if (isLast) endOfPosition(turn, account, market.ordinal, ordinal);
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

/**
 * The liquidation fee of a fill, which the insurance fund receives: a share, rounded up, of the notional that the book has closed and
 * that has paid no fee yet. It is at most what the fill gains above the bankruptcy price after the trade fee, so a loss pays none. The
 * notional of what stays unpaid is carried to the next fill of the episode, rounded up. `lastLeft` is what the close of the whole
 * position leaves, else undefined.
 */
function liquidationFeeOf(
  { rules }: Turn,
  { specification }: Market,
  position: Position,
  lastLeft: QuoteAtoms | undefined,
  gainAfterFee: QuoteAtoms,
): QuoteAtoms {
  const { liquidationFeeBps } = specification;
  const due = bpsOfUp(position.liquidatedNotionalAtoms, liquidationFeeBps);
  const fee = rules.chargesFeeByFill ? smallerOf(due, gainAfterFee) : smallerOf(due, lastLeft ?? ZERO_QUOTE);
  if (lastLeft !== undefined || (rules.chargesFeeByFill && fee === due)) position.liquidatedNotionalAtoms = ZERO_QUOTE;
  else if (fee > 0) {
    const paid = mulDivDown(fee, WHOLE_BPS, liquidationFeeBps);
    position.liquidatedNotionalAtoms = minus(position.liquidatedNotionalAtoms, paid);
  }
  return fee;
}

/** The margin beyond the initial margin of the position at the mark. */
function excessMarginOf(market: Market, position: Position): QuoteAtoms {
  const { markPriceAtoms, specification, tickLotAtoms } = market;
  const notional = market.notional(markPriceAtoms, sizeOf(position));
  const needed = bpsOfUp(notional, initialMarginBpsAt(notional, specification));
  const excess = minus(positionEquityOf(position, markPriceAtoms, tickLotAtoms), needed);
  return largerOf(ZERO_QUOTE, smallerOf(position.marginAtoms, excess));
}

function signed(position: Position, quantity: BaseAtoms): BaseAtoms {
  return (isLong(position) ? quantity : -quantity) as BaseAtoms;
}
