/**
 * Auto-deleveraging: closes a position that the book does not take against positions of the other side, in ADL order. Counterparties pay no
 * fee. The price is the mark; if the position is bankrupt, its bankruptcy price. Counterparties that cannot absorb that are closed at the
 * mark, and the insurance fund pays the difference.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import { largerOf, minus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import { cutChangedReduceOnly } from '#venue/order/reduce-only.ts';
import { executeMatch, settleSide } from '#venue/order/settlement.ts';
import { acceptVenueOrder, endVenueOrder } from '#venue/order/venue-order.ts';
import type { Position } from '#venue/position/position.ts';
import { closingSideOf, isLong, sizeOf } from '#venue/position/position.ts';
import type { Turn } from '#venue/turn.ts';
import type { AdlCandidate } from './adl-score.ts';
import { adlScoreOf, compareByAdl } from './adl-score.ts';
import { bankruptcyPriceOf, closingGainOf } from './bankruptcy-price.ts';
import { fundBudgetOf } from './fund-budget.ts';
import { settleLiquidationFill } from './liquidation-fill.ts';
import { positionEquityOf } from './position-risk.ts';
import { coverableLots, shareOfShortfall, shortfallAt } from './shortfall.ts';

/** The maximum number of counterparties of one position per turn. */
export const COUNTERPARTIES_PER_TURN = 50;

interface Candidate extends AdlCandidate {
  readonly position: Position;
}

/**
 * Closes a bankrupt position at its bankruptcy price against counterparties that can absorb it, then the rest at the mark as far as the
 * insurance fund pays the difference. Before bankruptcy all of it is closed at the mark. Returns false if the limit per turn may have left
 * out counterparties.
 */
export function deleverage(turn: Turn, market: Market, position: Position): boolean {
  const isBankrupt = positionEquityOf(position, market.markPriceAtoms, market.tickLotAtoms) < 0;
  const limit = COUNTERPARTIES_PER_TURN - (isBankrupt ? closeAtBankruptcy(turn, market, position) : 0);
  if (limit === 0) return false;
  return position.signedBaseAtoms === 0 || closeAtMark(turn, market, position, limit, isBankrupt);
}

/** Whether {@link deleverage} would close at least one lot of the position. */
export function hasCounterparty(turn: Turn, market: Market, position: Position): boolean {
  const isInsured = insuredLots(turn, market, position) > 0;
  // The mark is the better price for counterparties: one that can absorb the bankruptcy price can also absorb the mark.
  const price = isInsured ? market.markPriceAtoms : clampedPrice(market, bankruptcyPriceOf(position, market.tickLotAtoms));
  for (let index = 0; index < market.positions.count; index += 1) {
    if (canAbsorb(market, position, market.positions.at(index), price)) return true;
  }
  return false;
}

/** Returns how many counterparties it selected. `COUNTERPARTIES_PER_TURN` if there may be more. */
function closeAtBankruptcy(turn: Turn, market: Market, position: Position): number {
  // The clamped price may be worse than the bankruptcy price, as after long funding of a parked position. The venue then
  // covers the difference.
  const price = clampedPrice(market, bankruptcyPriceOf(position, market.tickLotAtoms));
  const candidates = firstInQueue(market, position, price, COUNTERPARTIES_PER_TURN);
  if (candidates.length === 0) return 0;
  const order = acceptOrder(turn, market, position);
  for (const { position: counter } of candidates) {
    if (position.signedBaseAtoms === 0) break;
    const quantity = smallerOf(sizeOf(position), sizeOf(counter));
    closeAgainst(turn, market, position, { order, counter, price, quantity, isBankrupt: true });
  }
  endOrder(turn, market, position, order);
  return candidates.length;
}

/**
 * Closes the position at the mark, which costs counterparties no equity. Of a bankrupt position the fund pays the difference, for as many
 * lots as it can. Returns false if `limit` may have left some out.
 */
function closeAtMark(turn: Turn, market: Market, position: Position, limit: number, isBankrupt: boolean): boolean {
  const price = market.markPriceAtoms;
  const candidates = insuredLots(turn, market, position) === 0 ? [] : firstInQueue(market, position, price, limit);
  if (candidates.length === 0) return true;
  const order = acceptOrder(turn, market, position);
  let isInsured = true;
  for (const { position: counter } of candidates) {
    if (position.signedBaseAtoms === 0) break;
    const lots = smallerOf(sizeOf(position), sizeOf(counter));
    const quantity = smallerOf(lots, insuredLots(turn, market, position));
    isInsured = quantity === lots;
    if (quantity > 0) closeAgainst(turn, market, position, { order, counter, price, quantity, isBankrupt });
    if (!isInsured) break;
  }
  endOrder(turn, market, position, order);
  return !isInsured || candidates.length < limit;
}

/** How many lots the insurance fund can cover at the mark, within the market's budget. */
function insuredLots(turn: Turn, market: Market, position: Position): BaseAtoms {
  const shortfall = shortfallAt(position, market.markPriceAtoms, market.tickLotAtoms);
  return coverableLots(shortfall, fundBudgetOf(turn, market), sizeOf(position));
}

/** Clamps a price to the market's bounds. */
function clampedPrice({ specification }: Market, price: PriceAtoms): PriceAtoms {
  return largerOf(specification.minPriceAtoms, smallerOf(specification.maxPriceAtoms, price));
}

function acceptOrder(turn: Turn, market: Market, position: Position): OrderOrdinal {
  const account = turn.state.account(position.account)!;
  return acceptVenueOrder(turn, market, account, closingSideOf(position), sizeOf(position), 'auto_deleveraging');
}

function endOrder(turn: Turn, market: Market, position: Position, order: OrderOrdinal): void {
  cutChangedReduceOnly(turn);
  if (position.signedBaseAtoms === 0) return;
  endVenueOrder(turn, market, turn.state.account(position.account)!, order, closingSideOf(position), sizeOf(position));
}

interface Close {
  readonly order: OrderOrdinal;
  readonly counter: Position;
  readonly price: PriceAtoms;
  readonly quantity: BaseAtoms;
  /** Whether the position was bankrupt at the mark when its deleveraging began. */
  readonly isBankrupt: boolean;
}

function closeAgainst(turn: Turn, market: Market, position: Position, close: Close): void {
  const { order, counter, price, quantity, isBankrupt } = close;
  const account = turn.state.account(counter.account)!;
  const side = closingSideOf(position);
  const { deleveragedSide: counterSide } = turn;
  counterSide.side = closingSideOf(counter);
  counterSide.account = account;
  counterSide.order = acceptVenueOrder(turn, market, account, counterSide.side, quantity, 'auto_deleveraging');
  counterSide.remainingAtoms = ZERO_BASE;
  counterSide.isComplete = true;
  executeMatch(turn, market, 'auto_deleveraging', side, price, quantity);
  const remainingAtoms = minus(sizeOf(position), quantity);
  // What the rounded bankruptcy price leaves to a bankrupt position is not a gain: it collects in the rest from close to close.
  const gainAtoms = isBankrupt ? ZERO_QUOTE : largerOf(ZERO_QUOTE, closingGainOf(position, price, quantity, market.tickLotAtoms));
  const coverAtoms = shareOfShortfall(shortfallAt(position, price, market.tickLotAtoms), quantity, sizeOf(position));
  const fill = {
    order,
    // Before bankruptcy it pays the fee that the same close in the book would.
    owesLiquidationFee: gainAtoms > 0,
    feeAtoms: ZERO_QUOTE,
    gainAfterFeeAtoms: gainAtoms,
    coverAtoms,
    remainingAtoms,
    isLastOfOrder: false,
  };
  settleLiquidationFill(turn, market, position, fill);
  settleSide(turn, market, counterSide);
}

/** The first `limit` positions of the other side by rank that can absorb the price. */
function firstInQueue(market: Market, position: Position, price: PriceAtoms, limit: number): readonly Candidate[] {
  const { positions, markPriceAtoms, tickLotAtoms } = market;
  const queue: Candidate[] = [];
  for (let index = 0; index < positions.count; index += 1) {
    const other = positions.at(index);
    if (!canAbsorb(market, position, other, price)) continue;
    const candidate = { position: other, ordinal: other.ordinal, score: adlScoreOf(other, markPriceAtoms, tickLotAtoms) };
    if (queue.length === limit && compareByAdl(queue[limit - 1]!, candidate) < 0) continue;
    if (queue.length === limit) queue.pop();
    // Insertion is fast enough: most positions rank behind the last entry of the full queue and were skipped above.
    let rank = queue.length;
    while (rank > 0 && compareByAdl(candidate, queue[rank - 1]!) < 0) rank -= 1;
    queue.splice(rank, 0, candidate);
  }
  return queue;
}

/** Whether a position is on the other side and not bankrupt at the price: no account may lose more than its position's margin. */
function canAbsorb(market: Market, position: Position, other: Position, price: PriceAtoms): boolean {
  return isLong(other) !== isLong(position) && positionEquityOf(other, price, market.tickLotAtoms) >= 0;
}
