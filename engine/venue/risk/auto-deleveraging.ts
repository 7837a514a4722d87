/**
 * The last resort: a bankrupt position that neither the book nor the insurance fund closes is closed against positions of
 * the other side, those in most profit at most leverage first and without fees: at its bankruptcy price, and where nobody can
 * bear that, at the mark for the fund's money.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import { largerOf, minus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import { Match, MatchSide } from '#venue/order/match.ts';
import { endIdleReduceOnly } from '#venue/order/reduce-only.ts';
import { settleSide } from '#venue/order/settlement.ts';
import { acceptVenueOrder, endVenueOrder } from '#venue/order/venue-order.ts';
import type { Position } from '#venue/position/position.ts';
import { closingSideOf, isLong, sizeOf } from '#venue/position/position.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { VenueState } from '#venue/state.ts';
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

const match = new Match();
const counterSide = new MatchSide();
counterSide.cause = 'auto_deleveraging';
// Its order only closes: nothing is opened, so nothing is locked.
counterSide.lockLimitAtoms = ZERO_QUOTE;

/**
 * Closes the position at the bankruptcy price of what is left of it, as far as there are positions that can take it; what is
 * left then at the mark, as far as the insurance fund pays the difference. Answers whether all were asked: a turn asks only
 * so many.
 */
export function deleverage(state: VenueState, market: Market, position: Position, events: EventWriter): boolean {
  const asked = closeAtBankruptcy(state, market, position, events);
  const most = COUNTERPARTIES_PER_TURN - asked;
  if (most === 0) return false;
  return position.signedBaseAtoms === 0 || closeAtMark(state, market, position, most, events);
}

/** Whether there is anybody whom {@link deleverage} would close a lot of the position against. */
export function hasCounterparty(state: VenueState, market: Market, position: Position): boolean {
  const isInsured = insuredLots(state, market, position) > 0;
  // At the mark others have at least what they have at a price that is worse for them.
  const price = isInsured ? market.markPriceAtoms : knownPrice(market, bankruptcyPriceOf(position, market.tickLotAtoms));
  for (let place = 0; place < market.positions.count; place += 1) {
    if (canTake(market, position, market.positions.at(place), price)) return true;
  }
  return false;
}

/** Answers how many were asked. */
function closeAtBankruptcy(state: VenueState, market: Market, position: Position, events: EventWriter): number {
  // Where the price that the market knows is the worse one, as funding may leave it for a position that was parked for
  // long, the venue covers what is missing.
  const price = knownPrice(market, bankruptcyPriceOf(position, market.tickLotAtoms));
  const candidates = firstInLine(market, position, price, COUNTERPARTIES_PER_TURN);
  if (candidates.length === 0) return 0;
  const order = beginOrder(state, market, position, events);
  for (const { position: counter } of candidates) {
    if (position.signedBaseAtoms === 0) break;
    const quantity = smallerOf(sizeOf(position), sizeOf(counter));
    closeAgainst(state, market, position, order, counter, price, quantity, events);
  }
  endOrder(state, market, position, order, events);
  return candidates.length;
}

/**
 * Where nobody can bear the bankruptcy price, because they came in behind it, they are closed at the mark, which costs them
 * nothing, and the fund pays what is missing for as many lots as it can. Answers whether all of the `most` were asked that it reaches.
 */
function closeAtMark(state: VenueState, market: Market, position: Position, most: number, events: EventWriter): boolean {
  const price = market.markPriceAtoms;
  const candidates = insuredLots(state, market, position) === 0 ? [] : firstInLine(market, position, price, most);
  if (candidates.length === 0) return true;
  const order = beginOrder(state, market, position, events);
  let isInsured = true;
  for (const { position: counter } of candidates) {
    if (position.signedBaseAtoms === 0) break;
    const wanted = smallerOf(sizeOf(position), sizeOf(counter));
    const quantity = smallerOf(wanted, insuredLots(state, market, position));
    isInsured = quantity === wanted;
    if (quantity > 0) closeAgainst(state, market, position, order, counter, price, quantity, events);
    if (!isInsured) break;
  }
  endOrder(state, market, position, order, events);
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

function beginOrder(state: VenueState, market: Market, position: Position, events: EventWriter): OrderOrdinal {
  const account = state.account(position.account)!;
  return acceptVenueOrder(state, market, account, closingSideOf(position), sizeOf(position), 'auto_deleveraging', events);
}

function endOrder(state: VenueState, market: Market, position: Position, order: OrderOrdinal, events: EventWriter): void {
  endIdleReduceOnly(state, events);
  if (position.signedBaseAtoms === 0) return;
  endVenueOrder(market, state.account(position.account)!, order, closingSideOf(position), sizeOf(position), events);
}

function closeAgainst(
  state: VenueState,
  market: Market,
  position: Position,
  order: OrderOrdinal,
  counter: Position,
  price: PriceAtoms,
  quantity: BaseAtoms,
  events: EventWriter,
): void {
  const account = state.account(counter.account)!;
  const side = closingSideOf(position);
  counterSide.side = closingSideOf(counter);
  counterSide.account = account;
  counterSide.order = acceptVenueOrder(state, market, account, counterSide.side, quantity, 'auto_deleveraging', events);
  counterSide.remainingAtoms = ZERO_BASE;
  counterSide.isComplete = true;
  match.begin(state, market, 'auto_deleveraging', side, price, quantity, events);
  const remainingAtoms = minus(sizeOf(position), quantity);
  const coverAtoms = shareOfShortfall(shortfallAt(position, price, market.tickLotAtoms), quantity, sizeOf(position));
  const fill = { order, cause: 'auto_deleveraging', feeAtoms: ZERO_QUOTE, coverAtoms, remainingAtoms } as const;
  settleLiquidationFill(state, market, position, match, fill, events);
  settleSide(state, market, match, counterSide, events);
}

/** The first positions of the other side by rank, `most` of them. */
function firstInLine(market: Market, position: Position, price: PriceAtoms, most: number): readonly Candidate[] {
  const { positions, markPriceAtoms, tickLotAtoms } = market;
  const line: Candidate[] = [];
  for (let place = 0; place < positions.count; place += 1) {
    const other = positions.at(place);
    if (!canTake(market, position, other, price)) continue;
    const candidate = { position: other, ordinal: other.ordinal, score: adlScoreOf(other, markPriceAtoms, tickLotAtoms) };
    if (line.length === most && compareByAdl(line[most - 1]!, candidate) < 0) continue;
    if (line.length === most) line.pop();
    // Few of many come so far: most are behind the last one that is kept.
    let rank = line.length;
    while (rank > 0 && compareByAdl(candidate, line[rank - 1]!) < 0) rank -= 1;
    line.splice(rank, 0, candidate);
  }
  return line;
}

/**
 * Whoever would be bankrupt at the price itself is passed over: nobody is made to lose more than what backs the position.
 */
function canTake(market: Market, position: Position, other: Position, price: PriceAtoms): boolean {
  return isLong(other) !== isLong(position) && positionEquityOf(other, price, market.tickLotAtoms) >= 0;
}
