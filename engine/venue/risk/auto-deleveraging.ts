/**
 * The last resort: a bankrupt position that neither the book nor the insurance fund closes is closed against positions
 * of the other side, those in most profit at most leverage first, at its bankruptcy price and without fees.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
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
 * Closes the position at the bankruptcy price of what is left of it, as far as there are positions that can take it. Answers
 * whether all of those were asked: a turn asks only so many.
 */
export function deleverage(state: VenueState, market: Market, position: Position, events: EventWriter): boolean {
  const bankruptcyPrice = bankruptcyPriceOf(position, market.tickLotAtoms);
  const { minPriceAtoms, maxPriceAtoms } = market.specification;
  // A price that the market does not know is moved to one that it does. Where that is the worse one, as funding may leave
  // it for a position that was parked for long, the venue covers what lies between.
  const price = largerOf(minPriceAtoms, smallerOf(maxPriceAtoms, bankruptcyPrice));
  const coverPerLot = market.lotPrice(isLong(position) ? minus(bankruptcyPrice, price) : minus(price, bankruptcyPrice));
  const candidates = firstInLine(market, position, price);
  if (candidates.length === 0) return true;
  const account = state.account(position.account)!;
  const side = closingSideOf(position);
  const order = acceptVenueOrder(state, market, account, side, sizeOf(position), 'auto_deleveraging', events);
  for (const candidate of candidates) {
    if (position.signedBaseAtoms === 0) break;
    closeAgainst(state, market, position, order, candidate.position, price, coverPerLot, events);
  }
  endIdleReduceOnly(state, events);
  if (position.signedBaseAtoms !== 0) endVenueOrder(market, account, order, side, sizeOf(position), events);
  return candidates.length < COUNTERPARTIES_PER_TURN;
}

function closeAgainst(
  state: VenueState,
  market: Market,
  position: Position,
  order: OrderOrdinal,
  counter: Position,
  price: PriceAtoms,
  coverPerLot: QuoteAtoms,
  events: EventWriter,
): void {
  const quantity = smallerOf(sizeOf(position), sizeOf(counter));
  const account = state.account(counter.account)!;
  const side = closingSideOf(position);
  counterSide.side = closingSideOf(counter);
  counterSide.account = account;
  counterSide.order = acceptVenueOrder(state, market, account, counterSide.side, quantity, 'auto_deleveraging', events);
  counterSide.remainingAtoms = ZERO_BASE;
  counterSide.isComplete = true;
  match.begin(state, market, 'auto_deleveraging', side, price, quantity, events);
  const remainingAtoms = minus(sizeOf(position), quantity);
  const coverAtoms = largerOf(ZERO_QUOTE, (coverPerLot * quantity) as QuoteAtoms);
  const fill = { order, cause: 'auto_deleveraging', feeAtoms: ZERO_QUOTE, coverAtoms, remainingAtoms } as const;
  settleLiquidationFill(state, market, position, match, fill, events);
  settleSide(state, market, match, counterSide, events);
}

/**
 * Positions of the other side by rank, as many as a turn takes. Whoever would be bankrupt at the price itself is passed
 * over: nobody is made to lose more than what backs the position.
 */
function firstInLine(market: Market, position: Position, price: PriceAtoms): readonly Candidate[] {
  const { positions, markPriceAtoms, tickLotAtoms } = market;
  const candidates: Candidate[] = [];
  for (let place = 0; place < positions.count; place += 1) {
    const other = positions.at(place);
    if (isLong(other) === isLong(position)) continue;
    if (positionEquityOf(other, price, tickLotAtoms) < 0) continue;
    const score = adlScoreOf(other, markPriceAtoms, tickLotAtoms);
    candidates.push({ position: other, ordinal: other.ordinal, score });
  }
  return candidates.sort(compareByAdl).slice(0, COUNTERPARTIES_PER_TURN);
}
