/**
 * Closes positions whose equity has fallen below maintenance, a bounded number in a turn. One position goes through the
 * stages in order until nothing is left of it: its orders in the market leave; it goes into the book, at the expense of the
 * insurance fund beyond its bankruptcy price; then, if it is bankrupt, against others. What is left waits for another price.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, mulDivUp, smallerOf, WHOLE_BPS, ZERO_QUOTE } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import { FILL } from '#venue/order/match-plan.ts';
import { cancelMatched } from '#venue/order/matched-orders.ts';
import { planMatches } from '#venue/order/matching.ts';
import type { Slot } from '#venue/order/order-table.ts';
import { cancelIdleReduceOnly } from '#venue/order/reduce-only.ts';
import { fillFee } from '#venue/order/reservation.ts';
import { cancelAllIn } from '#venue/order/resting.ts';
import { executeMatch, settleMaker } from '#venue/order/settlement.ts';
import { acceptVenueOrder, endVenueOrder } from '#venue/order/venue-order.ts';
import type { Position } from '#venue/position/position.ts';
import { closingSideOf, isLong, sizeOf } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import { deleverage, hasCounterparty } from './auto-deleveraging.ts';
import { bankruptcyPriceOf } from './bankruptcy-price.ts';
import { settleLiquidationFill } from './liquidation-fill.ts';
import { maintenanceRequirementOf, positionEquityOf } from './position-risk.ts';
import { coverableLots, shareOfShortfall, shortfallAt } from './shortfall.ts';

/** How many positions a turn may liquidate, and for how many that wait it may look at the book: before that, and after. */
export const LIQUIDATIONS_PER_TURN = 4;

/** How many of those that wait a turn asks whether they are sound again, which is told without a look at the book. */
const RELEASES_PER_TURN = 250;

/** Liquidates what is due at the mark, as far as one turn goes. Answers whether anything was closed. */
export function liquidateDue(turn: Turn, market: Market): boolean {
  let hasClosed = false;
  for (let count = 0; count < LIQUIDATIONS_PER_TURN; count += 1) {
    const position = market.positions.nextDistressed(market.markPriceAtoms);
    if (position === undefined) break;
    const size = sizeOf(position);
    const mayGoOn = liquidate(turn, market, position);
    hasClosed ||= sizeOf(position) < size;
    if (!mayGoOn) break;
  }
  return hasClosed;
}

/**
 * Looks again at some of those that found nobody before, the ones that have waited longest first: who is sound again, or would
 * be closed at least in part, waits no more. Of the others nothing is told.
 */
export function retryParked(turn: Turn, market: Market): void {
  const { positions } = market;
  let left = smallerOf(positions.parkedCount, RELEASES_PER_TURN);
  let visitedMakers = 0;
  // Those that go on waiting become the last: the walk comes to them only behind all others.
  for (const position of positions.parked()) {
    if (left === 0 || visitedMakers === LIQUIDATIONS_PER_TURN) return;
    left -= 1;
    const isValid = !isDistressed(market, position);
    if (!isValid) visitedMakers += 1;
    if (isValid || wouldClose(turn, market, position)) positions.unpark(market, position);
    else park(market, position);
  }
}

/** Whether anything comes of liquidating the position now, be it only that the next turn has less in its way. */
function wouldClose(turn: Turn, market: Market, position: Position): boolean {
  const { closing: matches } = turn;
  planClose(turn, market, position);
  if (matches.end === 'steps' && matches.fillCount < matches.count) return true;
  for (let step = 0; step < matches.count; step += 1) {
    if (matches.kindAt(step) !== FILL) continue;
    const price = turn.state.orders.priceOf(matches.slotAt(step));
    if (coverableAt(turn.state, market, position, price) > 0) return true;
    break;
  }
  return mayDeleverage(market, position) && hasCounterparty(turn, market, position);
}

/** It waits for another price; where others will be closed for it, for the one that leaves it bankrupt at the latest. */
function park(market: Market, position: Position): void {
  const waitsForBankruptcy = market.specification.autoDeleveraging && !isBankrupt(market, position);
  market.positions.park(market, position, waitsForBankruptcy);
}

/** Others are closed for it only where it is bankrupt at the mark: before that it may still find a price in the book. */
function mayDeleverage(market: Market, position: Position): boolean {
  return market.specification.autoDeleveraging && isBankrupt(market, position);
}

function isBankrupt({ markPriceAtoms, tickLotAtoms }: Market, position: Position): boolean {
  return positionEquityOf(position, markPriceAtoms, tickLotAtoms) < 0;
}

function isDistressed(market: Market, position: Position): boolean {
  return market.positions.isDue(position, market.markPriceAtoms);
}

/** Answers whether this turn may go on: not where it has deleveraged as many as a turn does. */
function liquidate(turn: Turn, market: Market, position: Position): boolean {
  const account = turn.state.account(position.account)!;
  emitLiquidationStart(turn, market, position);
  cancelAllIn(turn, position, 'liquidation');
  const side = closingSideOf(position);
  const order = acceptVenueOrder(turn, market, account, side, sizeOf(position), 'liquidation');
  const isExhausted = closeIntoBook(turn, market, position, order);
  if (position.signedBaseAtoms === 0) return true;
  endVenueOrder(turn, market, account, order, side, sizeOf(position));
  if (!isExhausted) return true;
  const isThrough = !mayDeleverage(market, position) || deleverage(turn, market, position);
  if (!isThrough) return false;
  if (position.signedBaseAtoms !== 0 && isDistressed(market, position)) park(market, position);
  return true;
}

/**
 * Fills the position against what rests, as far as the price band and what covers it reach. Answers whether it was the
 * book or the cover that ended it, rather than the bound of a turn.
 */
function closeIntoBook(turn: Turn, market: Market, position: Position, order: OrderOrdinal): boolean {
  const { closing: matches } = turn;
  planClose(turn, market, position);
  cancelMatched(turn, matches);
  let isCovered = true;
  for (let step = 0; step < matches.count && isCovered; step += 1) {
    if (matches.kindAt(step) !== FILL) continue;
    const lots = matches.quantityAt(step);
    const filled = fillCovered(turn, market, position, order, matches.slotAt(step), lots);
    isCovered = filled === lots;
  }
  cancelIdleReduceOnly(turn);
  // Behind orders that were passed over the next turn would end as well.
  return !isCovered || matches.end !== 'steps';
}

/** Plans what a position meets in the book, in `turn.closing`. */
function planClose(turn: Turn, market: Market, position: Position): void {
  const { incoming } = turn;
  incoming.account = position.account;
  incoming.side = closingSideOf(position);
  incoming.limitPrice = furthestPrice(market, position);
  incoming.quantity = sizeOf(position);
  incoming.notional = undefined;
  incoming.mayOpen = market.allowsRestingToOpen(turn.now);
  planMatches(turn, market, incoming, turn.closing);
}

/**
 * How far into the book a position goes: within the price band, down to where it pays for itself, and where that is
 * nearer, as far from the mark as the maintenance margin is meant to bear. Else whoever quotes far away in a thin book
 * would buy from the insurance fund at the price of their choice.
 */
function furthestPrice(market: Market, position: Position): PriceAtoms {
  const bankruptcyPrice = bankruptcyPriceOf(position, market.tickLotAtoms);
  const { maintenanceMarginTiers, autoDeleveraging } = market.specification;
  const slippageBps = maintenanceMarginTiers[0]!.maintenanceMarginBps;
  const band = market.bandPrice(closingSideOf(position));
  // Without deleveraging behind it there is no other way out.
  if (!autoDeleveraging) return band;
  if (isLong(position)) {
    const slipped = mulDivUp(market.markPriceAtoms, WHOLE_BPS - slippageBps, WHOLE_BPS);
    return largerOf(band, smallerOf(bankruptcyPrice, slipped));
  }
  const slipped = mulDivDown(market.markPriceAtoms, WHOLE_BPS + slippageBps, WHOLE_BPS);
  return smallerOf(band, largerOf(bankruptcyPrice, slipped));
}

/**
 * Fills as much of `wanted` against a resting order as is covered at its price, and answers how much that was. What counts
 * is what backs the position as it is then: what better fills have gained is used up before anybody covers anything.
 */
function fillCovered(
  turn: Turn,
  market: Market,
  position: Position,
  order: OrderOrdinal,
  slot: Slot,
  lots: BaseAtoms,
): BaseAtoms {
  const price = turn.state.orders.priceOf(slot);
  const quantity = smallerOf(lots, coverableAt(turn.state, market, position, price));
  if (quantity === 0) return quantity;
  const coverAtoms = shareOfShortfall(shortfallAt(position, price, market.tickLotAtoms), quantity, sizeOf(position));
  const gain = gainAt(market, position, price, quantity);
  executeMatch(turn, market, 'liquidation', closingSideOf(position), price, quantity);
  // The fee is taken of what the price gives beyond bankruptcy: it makes nobody bankrupt.
  const feeAtoms = gain <= 0 ? ZERO_QUOTE : smallerOf(gain, fillFee(market, turn.match.notionalAtoms, 'taker'));
  settleMaker(turn, market, slot, feeAtoms);
  const remainingAtoms = minus(sizeOf(position), quantity);
  const fill = { order, cause: 'liquidation', feeAtoms, coverAtoms, remainingAtoms } as const;
  settleLiquidationFill(turn, market, position, fill);
  return quantity;
}

/** What a quantity closed at a price gives beyond the bankruptcy price of what is there now; below zero what it takes. */
function gainAt(market: Market, position: Position, price: PriceAtoms, quantity: BaseAtoms): QuoteAtoms {
  const bankruptcyPrice = bankruptcyPriceOf(position, market.tickLotAtoms);
  return market.notional(isLong(position) ? minus(price, bankruptcyPrice) : minus(bankruptcyPrice, price), quantity);
}

/**
 * How many lots are covered: all that pay for themselves, otherwise as many as the insurance fund pays for; without
 * deleveraging behind it, the venue covers any number.
 */
function coverableAt({ ledgers }: VenueState, market: Market, position: Position, price: PriceAtoms): BaseAtoms {
  const size = sizeOf(position);
  if (!market.specification.autoDeleveraging) return size;
  return coverableLots(shortfallAt(position, price, market.tickLotAtoms), ledgers.insurance, size);
}

function emitLiquidationStart(turn: Turn, market: Market, position: Position): void {
  const { markPriceAtoms, tickLotAtoms, specification } = market;
  const notional = market.notional(markPriceAtoms, sizeOf(position));
  turn.events.emit({
    type: 'LiquidationStarted',
    position: position.ordinal,
    account: position.account,
    market: market.ordinal,
    markPriceAtoms,
    equityAtoms: positionEquityOf(position, markPriceAtoms, tickLotAtoms),
    maintenanceRequirementAtoms: maintenanceRequirementOf(notional, specification.maintenanceMarginTiers),
    bankruptcyPriceAtoms: bankruptcyPriceOf(position, tickLotAtoms),
  });
}
