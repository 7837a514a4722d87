/**
 * The last resort: a bankrupt position that neither the book nor the insurance fund closes is closed against positions of
 * the other side, those in most profit at most leverage first and without fees: at its bankruptcy price, and where nobody can
 * bear that, at the mark for the fund's money.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import { largerOf, minus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import { cancelIdleReduceOnly } from '#venue/order/reduce-only.ts';
import { executeMatch, settleSide } from '#venue/order/settlement.ts';
import { acceptVenueOrder, endVenueOrder } from '#venue/order/venue-order.ts';
import type { Position } from '#venue/position/position.ts';
import { closingSideOf, isLong, sizeOf } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import type { AdlCandidate } from './adl-score.ts';
import { adlScoreOf, compareByAdl } from './adl-score.ts';
import { bankruptcyPriceOf } from './bankruptcy-price.ts';
import { settleLiquidationFill } from './liquidation-fill.ts';
import { positionEquityOf } from './position-risk.ts';
import { coverableLots, shareOfShortfall, shortfallAt } from './shortfall.ts';

/** How many positions one bankrupt position is closed against in a turn. */
export const COUNTERPARTIES_PER_TURN = 50;

interface Candidate extends AdlCandidate {
  readonly position: Position;
}

/**
 * Closes the position at the bankruptcy price of what is left of it, as far as there are positions that can take it; what is
 * left then at the mark, as far as the insurance fund pays the difference. Answers whether all were asked: a turn asks only
 * so many.
 */
export function deleverage(turn: Turn, market: Market, position: Position): boolean {
  const request = closeAtBankruptcy(turn, market, position);
  const most = COUNTERPARTIES_PER_TURN - request;
  if (most === 0) return false;
  return position.signedBaseAtoms === 0 || closeAtMark(turn, market, position, most);
}

/** Whether there is anybody whom {@link deleverage} would close a lot of the position against. */
export function hasCounterparty(turn: Turn, market: Market, position: Position): boolean {
  const isInsured = insuredLots(turn.state, market, position) > 0;
  // At the mark others have at least what they have at a price that is worse for them.
  const price = isInsured ? market.markPriceAtoms : knownPrice(market, bankruptcyPriceOf(position, market.tickLotAtoms));
  for (let index = 0; index < market.positions.count; index += 1) {
    if (canAbsorb(market, position, market.positions.at(index), price)) return true;
  }
  return false;
}

/** Answers how many were asked. */
function closeAtBankruptcy(turn: Turn, market: Market, position: Position): number {
  // Where the price that the market knows is the worse one, as funding may leave it for a position that was parked for
  // long, the venue covers what is missing.
  const price = knownPrice(market, bankruptcyPriceOf(position, market.tickLotAtoms));
  const candidates = firstInQueue(market, position, price, COUNTERPARTIES_PER_TURN);
  if (candidates.length === 0) return 0;
  const order = beginOrder(turn, market, position);
  for (const { position: counter } of candidates) {
    if (position.signedBaseAtoms === 0) break;
    const quantity = smallerOf(sizeOf(position), sizeOf(counter));
    closeAgainst(turn, market, position, order, counter, price, quantity);
  }
  endOrder(turn, market, position, order);
  return candidates.length;
}

/**
 * Where nobody can bear the bankruptcy price, because they came in behind it, they are closed at the mark, which costs them
 * nothing, and the fund pays what is missing for as many lots as it can. Answers whether all of the `most` were asked that it reaches.
 */
function closeAtMark(turn: Turn, market: Market, position: Position, most: number): boolean {
  const price = market.markPriceAtoms;
  const candidates = insuredLots(turn.state, market, position) === 0 ? [] : firstInQueue(market, position, price, most);
  if (candidates.length === 0) return true;
  const order = beginOrder(turn, market, position);
  let isInsured = true;
  for (const { position: counter } of candidates) {
    if (position.signedBaseAtoms === 0) break;
    const lots = smallerOf(sizeOf(position), sizeOf(counter));
    const quantity = smallerOf(lots, insuredLots(turn.state, market, position));
    isInsured = quantity === lots;
    if (quantity > 0) closeAgainst(turn, market, position, order, counter, price, quantity);
    if (!isInsured) break;
  }
  endOrder(turn, market, position, order);
  return !isInsured || candidates.length < most;
}

/** How many lots the insurance fund can pay for at the mark. */
function insuredLots({ ledgers }: VenueState, { markPriceAtoms, tickLotAtoms }: Market, position: Position): BaseAtoms {
  return coverableLots(shortfallAt(position, markPriceAtoms, tickLotAtoms), ledgers.insurance, sizeOf(position));
}

/** A price that the market does not know is moved to one that it does. */
function knownPrice({ specification }: Market, price: PriceAtoms): PriceAtoms {
  return largerOf(specification.minPriceAtoms, smallerOf(specification.maxPriceAtoms, price));
}

function beginOrder(turn: Turn, market: Market, position: Position): OrderOrdinal {
  const account = turn.state.account(position.account)!;
  return acceptVenueOrder(turn, market, account, closingSideOf(position), sizeOf(position), 'auto_deleveraging');
}

function endOrder(turn: Turn, market: Market, position: Position, order: OrderOrdinal): void {
  cancelIdleReduceOnly(turn);
  if (position.signedBaseAtoms === 0) return;
  endVenueOrder(turn, market, turn.state.account(position.account)!, order, closingSideOf(position), sizeOf(position));
}

function closeAgainst(
  turn: Turn,
  market: Market,
  position: Position,
  order: OrderOrdinal,
  counter: Position,
  price: PriceAtoms,
  quantity: BaseAtoms,
): void {
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
  const coverAtoms = shareOfShortfall(shortfallAt(position, price, market.tickLotAtoms), quantity, sizeOf(position));
  const fill = { order, cause: 'auto_deleveraging', feeAtoms: ZERO_QUOTE, coverAtoms, remainingAtoms } as const;
  settleLiquidationFill(turn, market, position, fill);
  settleSide(turn, market, counterSide);
}

/** The first positions of the other side by rank, `most` of them. */
function firstInQueue(market: Market, position: Position, price: PriceAtoms, most: number): readonly Candidate[] {
  const { positions, markPriceAtoms, tickLotAtoms } = market;
  const queue: Candidate[] = [];
  for (let index = 0; index < positions.count; index += 1) {
    const other = positions.at(index);
    if (!canAbsorb(market, position, other, price)) continue;
    const candidate = { position: other, ordinal: other.ordinal, score: adlScoreOf(other, markPriceAtoms, tickLotAtoms) };
    if (queue.length === most && compareByAdl(queue[most - 1]!, candidate) < 0) continue;
    if (queue.length === most) queue.pop();
    // Few of many come so far: most are behind the last one that is kept.
    let rank = queue.length;
    while (rank > 0 && compareByAdl(candidate, queue[rank - 1]!) < 0) rank -= 1;
    queue.splice(rank, 0, candidate);
  }
  return queue;
}

/**
 * Whoever would be bankrupt at the price itself is passed over: nobody is made to lose more than what backs the position.
 */
function canAbsorb(market: Market, position: Position, other: Position, price: PriceAtoms): boolean {
  return isLong(other) !== isLong(position) && positionEquityOf(other, price, market.tickLotAtoms) >= 0;
}
