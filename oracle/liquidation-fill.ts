/** The liquidated side of a trade: what a fill gains stays with the position until the order ends. */
import { ceilDiv, floorDiv, larger, smaller } from './arithmetic.ts';
import { closingSideOf, equityOf, sizeOf } from './equity.ts';
import type { Trade } from './fill.ts';
import { fundOf, noteFundPayment, noteFundReceipt } from './fund-budget.ts';
import { initialMarginBpsAt, notionalOf, reservedOf } from './margin.ts';
import { coverLoss, payFee, postCash, postLedger, repayFund } from './money.ts';
import { afterChange, removePosition } from './positions.ts';
import { endOfEpisode } from './waiting.ts';
import type { Market, Position, World } from './world.ts';
import { note } from './world.ts';

const WHOLE_BPS = 10_000n;

export interface LiquidationFill {
  readonly order: number;
  /** Whether it owes a liquidation fee: in the book, and against a counterparty at more than the bankruptcy price. */
  readonly owesFee: boolean;
  readonly fee: bigint;
  /** What the fund, and then the deficit, pays of the shortfall. */
  readonly cover: bigint;
  /** What the fill gains beyond the bankruptcy price, after the trade fee. */
  readonly gain: bigint;
  readonly isLastOfOrder: boolean;
}

export function settleLiquidated(world: World, market: Market, position: Position, trade: Trade, fill: LiquidationFill): void {
  const { account } = position;
  const side = closingSideOf(position);
  const isLast = trade.quantity === sizeOf(position);
  const entry = closedEntryOf(position, trade.quantity);
  const pnl = position.base > 0n ? trade.notional - entry : entry - trade.notional;
  const before = { ...position };
  if (fill.owesFee) position.unpaidLiquidation += trade.notional;
  // What the fill gains repays the fund first, then pays the liquidation fee.
  const repaidOfGain = smaller(position.insured, fill.gain);
  const liquidationFee = takeLiquidationFee(market, position, fill.gain - repaidOfGain, isLast);
  position.base += side === 'buy' ? trade.quantity : -trade.quantity;
  position.entry -= entry;
  position.margin += pnl - fill.fee + fill.cover - repaidOfGain - liquidationFee;
  const excess = isLast ? position.margin : fill.isLastOfOrder ? excessOf(market, position) : 0n;
  const repaid = repaidOfGain + smaller(position.insured - repaidOfGain, excess);
  position.margin -= excess;
  position.insured -= repaid;
  const covered = fill.cover - repaid;
  noteLiquidated(world, market, before, trade, fill, { pnl, covered, liquidationFee });
  const released = before.margin - position.margin;
  postCash(world, account, released > 0n ? 'margin_release' : 'margin_lock', released);
  if (fill.cover > 0n) noteFundPayment(world, market, position, coverLoss(world, account, fill.cover, fundOf(world, market)));
  postCash(world, account, 'realized_pnl', pnl);
  payFee(world, account, fill.fee);
  repayFund(world, account, repaid);
  postCash(world, account, 'liquidation_fee', -liquidationFee);
  postLedger(world, 'insurance', liquidationFee);
  noteFundReceipt(world, market, position, repaid + liquidationFee, position.insured);
  note(world, {
    type: 'PositionChanged',
    position: position.episode,
    account,
    market: market.ordinal,
    trade: trade.trade,
    cause: 'liquidation',
    signedBaseAtoms: position.base,
    entryNotionalAtoms: position.entry,
    marginAtoms: position.margin,
    changedBaseAtoms: side === 'buy' ? trade.quantity : -trade.quantity,
    changedNotionalAtoms: trade.notional,
    realizedPnlAtoms: pnl,
    feeAtoms: fill.fee + liquidationFee,
    ...(covered !== 0n && { insuranceCoveredAtoms: covered }),
  });
  if (!isLast) {
    afterChange(market, position);
    return;
  }
  removePosition(market, position);
  endOfEpisode(world, market, account, position.episode);
}

/** The share of the entry, rounded in favour of the margin. At least one atom stays until the last close. */
function closedEntryOf(position: Position, quantity: bigint): bigint {
  const size = sizeOf(position);
  if (quantity === size) return position.entry;
  if (position.base > 0n) return floorDiv(position.entry * quantity, size);
  return smaller(ceilDiv(position.entry * quantity, size), position.entry - 1n);
}

/** The fee of what the book has closed, at most what the fill gains. The notional of what stays unpaid is carried on, rounded up. */
function takeLiquidationFee(market: Market, position: Position, gain: bigint, isLast: boolean): bigint {
  const feeBps = BigInt(market.specification.liquidationFeeBps);
  const due = ceilDiv(position.unpaidLiquidation * feeBps, WHOLE_BPS);
  const fee = smaller(due, gain);
  if (isLast || fee === due) position.unpaidLiquidation = 0n;
  else position.unpaidLiquidation -= floorDiv(fee * WHOLE_BPS, feeBps);
  return fee;
}

/** The margin that a position has beyond its initial margin at the mark. */
function excessOf(market: Market, position: Position): bigint {
  const notional = notionalOf(market, market.mark, sizeOf(position));
  const needed = ceilDiv(notional * initialMarginBpsAt(notional, market.specification), WHOLE_BPS);
  return larger(0n, smaller(position.margin, equityOf(market, position, market.mark) - needed));
}

function noteLiquidated(
  world: World,
  market: Market,
  before: Position,
  trade: Trade,
  fill: LiquidationFill,
  { pnl, covered, liquidationFee }: { readonly pnl: bigint; readonly covered: bigint; readonly liquidationFee: bigint },
): void {
  const remainingAtoms = sizeOf(before) - trade.quantity;
  note(world, {
    type: 'OrderFilled',
    order: fill.order,
    trade: trade.trade,
    account: before.account,
    market: market.ordinal,
    position: before.episode,
    side: closingSideOf(before),
    liquidity: 'taker',
    priceAtoms: trade.price,
    quantityAtoms: trade.quantity,
    notionalAtoms: trade.notional,
    feeAtoms: fill.fee,
    realizedPnlAtoms: pnl,
    remainingAtoms,
    isComplete: remainingAtoms === 0n,
    accountReservedAtoms: reservedOf(world, before.account),
    ...((covered !== 0n || liquidationFee !== 0n) && { liquidationFeeAtoms: liquidationFee, insuranceCoveredAtoms: covered }),
  });
}
