/**
 * Closes positions with equity below maintenance, a bounded number per turn. Stages: cancel the account's orders in the market;
 * close in the book, further with each step; beyond the bankruptcy price the insurance fund pays; if half of maintenance is lost, deleverage; park
 * the rest.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, mulDivUp, smallerOf, WHOLE_BPS, ZERO_QUOTE } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { FILL } from '#venue/order/match-plan.ts';
import { cancelMatched } from '#venue/order/matched-orders.ts';
import { planMatches } from '#venue/order/matching.ts';
import { cutChangedReduceOnly } from '#venue/order/reduce-only.ts';
import { fillFee } from '#venue/order/reservation.ts';
import { cancelAllIn } from '#venue/order/resting.ts';
import { executeMatch, settleMaker } from '#venue/order/settlement.ts';
import { acceptVenueOrder, endVenueOrder } from '#venue/order/venue-order.ts';
import type { Position } from '#venue/position/position.ts';
import { closingSideOf, isLong, sizeOf } from '#venue/position/position.ts';
import type { Turn } from '#venue/turn.ts';
import { deleverage, hasCounterparty } from './auto-deleveraging.ts';
import { bankruptcyPriceOf, closingGainOf } from './bankruptcy-price.ts';
import { fundBudgetOf } from './fund-budget.ts';
import { settleLiquidationFill } from './liquidation-fill.ts';
import { HALF_LOST_STEP, stepAt, stepLimitOf, stepReaching, WHOLE_WAY_STEP } from './liquidation-steps.ts';
import { maintenanceRequirementOf, positionEquityOf } from './position-risk.ts';
import { coverableLots, shareOfShortfall, shortfallAt } from './shortfall.ts';

/** How many positions a turn liquidates, and for how many parked positions each retry plans matches in the book. */
export const LIQUIDATIONS_PER_TURN = 4;

/** How many parked positions each retry checks for restored margin. The check is cheap: it does not read the book. */
const RELEASES_PER_TURN = 250;

/** Liquidates due positions up to the limit per turn. Returns whether any quantity was closed. */
export function liquidateDue(turn: Turn, market: Market): boolean {
  let hasClosed = false;
  for (let count = 0; count < LIQUIDATIONS_PER_TURN; count += 1) {
    const position = market.nextDue;
    if (position === undefined) break;
    const size = sizeOf(position);
    const mayContinue = liquidate(turn, market, position);
    hasClosed ||= sizeOf(position) < size;
    if (!mayContinue) break;
  }
  return hasClosed;
}

/**
 * Checks some parked positions again, the longest parked first. Unparks a position that is healthy again or would now close
 * at least in part. Emits no events.
 */
export function retryParked(turn: Turn, market: Market): void {
  const { positions } = market;
  let left = smallerOf(positions.parkedCount, RELEASES_PER_TURN);
  let planned = 0;
  // A position that stays parked moves to the end, so the iteration reaches it only after all others.
  for (const position of positions.parked()) {
    if (left === 0 || planned === LIQUIDATIONS_PER_TURN) return;
    left -= 1;
    const isHealthy = !isDistressed(market, position);
    if (!isHealthy) planned += 1;
    if (isHealthy || wouldClose(turn, market, position)) positions.unpark(market, position);
    else park(turn, market, position);
  }
}

/** Whether liquidating the position now would fill a lot, or at least remove orders that block the next turn. */
function wouldClose(turn: Turn, market: Market, position: Position): boolean {
  const { closing: matches } = turn;
  planClose(turn, market, position);
  if (matches.end === 'steps' && matches.fillCount < matches.count) return true;
  for (let step = 0; step < matches.count; step += 1) {
    if (matches.kindAt(step) !== FILL) continue;
    const price = turn.state.orders.priceOf(matches.slotAt(step));
    if (coverableAt(turn, market, position, price) > 0) return true;
    break;
  }
  return mayDeleverage(turn, market, position) && hasCounterparty(turn, market, position);
}

/** Parks the position. The price of a later step makes it due again. Without deleveraging there are no steps. */
function park(turn: Turn, market: Market, position: Position): void {
  market.positions.park(market, position, market.specification.autoDeleveraging ? nextStep(turn, market, position) : 0);
}

/**
 * The next step that makes the position due: the first one that permits the best price of the book, otherwise that of deleveraging. What
 * other orders offer later is tried at each price, by {@link retryParked}. 0 if all steps are reached.
 */
function nextStep(turn: Turn, market: Market, position: Position): number {
  const { book, tickLotAtoms, specification } = market;
  const step = stepOf(turn, market, position);
  if (step === HALF_LOST_STEP) return 0;
  const best = book.bestAgainst(closingSideOf(position));
  return best === NO_PRICE
    ? HALF_LOST_STEP
    : stepReaching(position, best, step + 1, tickLotAtoms, specification.maintenanceMarginTiers);
}

/** Until half of the requirement is lost, the book of a later price may still take the position. */
function mayDeleverage(turn: Turn, market: Market, position: Position): boolean {
  const { markPriceAtoms, tickLotAtoms, specification } = market;
  const isLost = turn.rules.deleveragesEarly || positionEquityOf(position, markPriceAtoms, tickLotAtoms) < 0;
  return specification.autoDeleveraging && isLost && stepOf(turn, market, position) === HALF_LOST_STEP;
}

/** The step that the liquidation of a position has reached at mark and index. */
function stepOf({ rules }: Turn, market: Market, position: Position): number {
  const { tickLotAtoms, specification } = market;
  const step = stepAt(position, market.duePriceOf(position), tickLotAtoms, specification.maintenanceMarginTiers);
  return rules.stepsLimit ? step : largerOf(step, WHOLE_WAY_STEP);
}

function isDistressed(market: Market, position: Position): boolean {
  return market.positions.isDue(position, market.duePriceOf(position));
}

/** Liquidates one position. Returns false if deleveraging reached its limit per turn. */
function liquidate(turn: Turn, market: Market, position: Position): boolean {
  const account = turn.state.account(position.account)!;
  emitLiquidationStart(turn, market, position);
  // A step that closes nothing takes no orders from the owner: the first attempt did.
  if (!market.positions.isParked(position) || wouldClose(turn, market, position)) cancelAllIn(turn, position, 'liquidation');
  const side = closingSideOf(position);
  const order = acceptVenueOrder(turn, market, account, side, sizeOf(position), 'liquidation');
  const isExhausted = closeIntoBook(turn, market, position, order);
  if (position.signedBaseAtoms === 0) return true;
  endVenueOrder(turn, market, account, order, side, sizeOf(position));
  if (!isExhausted) return true;
  const isFinished = !mayDeleverage(turn, market, position) || deleverage(turn, market, position);
  if (!isFinished) return false;
  if (position.signedBaseAtoms !== 0 && isDistressed(market, position)) park(turn, market, position);
  return true;
}

/**
 * Fills the position against resting orders within the price limit and the available cover. Returns false if the limit on
 * visited orders ended it, so that another attempt may fill more; true if the book or the cover is exhausted.
 */
function closeIntoBook(turn: Turn, market: Market, position: Position, order: OrderOrdinal): boolean {
  const { closing: matches } = turn;
  planClose(turn, market, position);
  cancelMatched(turn, matches);
  let isCovered = true;
  for (let step = 0; step < matches.count && isCovered; step += 1) {
    if (matches.kindAt(step) !== FILL) continue;
    const lots = matches.quantityAt(step);
    const filled = fillCovered(turn, market, position, order, step, lots);
    isCovered = filled === lots;
  }
  cutChangedReduceOnly(turn);
  // Skipped orders (`skips`) count as exhausted: the next turn would skip the same orders.
  return !isCovered || matches.end !== 'steps';
}

/** Plans the position's matches in the book into `turn.closing`. */
function planClose(turn: Turn, market: Market, position: Position): void {
  const { incoming } = turn;
  incoming.account = position.account;
  incoming.side = closingSideOf(position);
  incoming.limitPrice = furthestPrice(turn, market, position);
  incoming.quantity = sizeOf(position);
  incoming.notional = undefined;
  incoming.mayOpen = market.allowsRestingToOpen(turn.now);
  planMatches(turn, market, incoming, turn.closing);
}

/**
 * The limit price of a liquidation, within the price band. Until nearly half of the requirement is lost it follows the steps: otherwise the
 * only bid of a thin book takes all that a position has left as soon as it is due. Then it is the further of the bankruptcy price and the
 * mark. So the insurance fund pays for a fill at most what closing at the mark costs. With a limit beyond, an accomplice's bid below the
 * bankruptcy price took the gap from the fund while winners could be deleveraged.
 */
function furthestPrice(turn: Turn, market: Market, position: Position): PriceAtoms {
  const bankruptcyPrice = bankruptcyPriceOf(position, market.tickLotAtoms);
  const { maintenanceMarginTiers, autoDeleveraging } = market.specification;
  const band = market.bandPrice(closingSideOf(position));
  // Without deleveraging the book is the only way to close the position.
  if (!autoDeleveraging) return band;
  const step = stepOf(turn, market, position);
  if (step < WHOLE_WAY_STEP) {
    const limit = stepLimitOf(step, market.duePriceOf(position), bankruptcyPrice);
    return isLong(position) ? largerOf(band, limit) : smallerOf(band, limit);
  }
  const slippageBps = turn.rules.boundsFund ? 0 : maintenanceMarginTiers[0]!.maintenanceMarginBps;
  if (isLong(position)) {
    const slipped = mulDivUp(market.markPriceAtoms, WHOLE_BPS - slippageBps, WHOLE_BPS);
    return largerOf(band, smallerOf(bankruptcyPrice, slipped));
  }
  const slipped = mulDivDown(market.markPriceAtoms, WHOLE_BPS + slippageBps, WHOLE_BPS);
  return smallerOf(band, largerOf(bankruptcyPrice, slipped));
}

/**
 * Fills up to `lots` against a resting order, as far as they are covered at its price, and returns the filled quantity. The
 * position's current margin counts: gains of earlier fills are used before the fund or the venue covers anything.
 */
function fillCovered(
  turn: Turn,
  market: Market,
  position: Position,
  order: OrderOrdinal,
  step: number,
  lots: BaseAtoms,
): BaseAtoms {
  const { closing: matches } = turn;
  const slot = matches.slotAt(step);
  const isLastOfOrder = step === matches.lastFill;
  const price = turn.state.orders.priceOf(slot);
  const quantity = smallerOf(lots, coverableAt(turn, market, position, price));
  if (quantity === 0) return quantity;
  const coverAtoms = shareOfShortfall(shortfallAt(position, price, market.tickLotAtoms), quantity, sizeOf(position));
  const gainAtoms = largerOf(ZERO_QUOTE, closingGainOf(position, price, quantity, market.tickLotAtoms));
  executeMatch(turn, market, 'liquidation', closingSideOf(position), price, quantity);
  // The fees are at most the gain above the bankruptcy price, so they cannot cause a shortfall.
  const feeAtoms = smallerOf(gainAtoms, fillFee(market, turn.match.notionalAtoms, 'taker'));
  settleMaker(turn, market, matches, step, feeAtoms);
  const remainingAtoms = minus(sizeOf(position), quantity);
  const gainAfterFeeAtoms = minus(gainAtoms, feeAtoms);
  const fill = { order, owesLiquidationFee: true, feeAtoms, gainAfterFeeAtoms, coverAtoms, remainingAtoms, isLastOfOrder };
  settleLiquidationFill(turn, market, position, fill);
  return quantity;
}

/**
 * How many lots are covered at a price: all if there is no shortfall, otherwise as many as the insurance fund can pay for within the
 * market's budget.
 * Without deleveraging the venue covers any number.
 */
function coverableAt(turn: Turn, market: Market, position: Position, price: PriceAtoms): BaseAtoms {
  const size = sizeOf(position);
  if (!market.specification.autoDeleveraging) return size;
  return coverableLots(shortfallAt(position, price, market.tickLotAtoms), fundBudgetOf(turn, market), size);
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
