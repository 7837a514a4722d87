/** Closes positions whose equity is below maintenance: in the book, then by deleveraging; what finds no price waits for another. */
import { larger, smaller } from './arithmetic.ts';
import { bestAgainst } from './book.ts';
import { deleverage, hasCounterparty } from './deleveraging.ts';
import {
  bankruptcyPriceOf,
  closingSideOf,
  duePriceOf,
  equityOf,
  isDue,
  maintenanceAt,
  STEPS,
  sizeOf,
  stepPriceOf,
  stepsOf,
} from './equity.ts';
import { executeTrade, feeOf, fillMaker } from './fill.ts';
import { settleLiquidated } from './liquidation-fill.ts';
import { notionalOf } from './margin.ts';
import { bandPriceOf } from './mark.ts';
import { type Matches, matchesOf, type Step } from './matching.ts';
import { park, unpark } from './positions.ts';
import { cancelAll, cancelOrder, cutChanged } from './resting.ts';
import { insuredLots, shortfallOf } from './shortfall.ts';
import { isParked, nextDue, restingMayOpen } from './status.ts';
import { acceptVenueOrder, endVenueOrder } from './venue-order.ts';
import type { Market, Position, World } from './world.ts';
import { note, positionOf } from './world.ts';

const LIQUIDATED_PER_TURN = 4;
const CHECKED_PER_TURN = 250;

/** Returns whether any quantity was closed. */
export function liquidateDue(world: World, market: Market): boolean {
  let hasClosed = false;
  for (let count = 0; count < LIQUIDATED_PER_TURN; count += 1) {
    const position = nextDue(market);
    if (position === undefined) return hasClosed;
    const before = sizeOf(position);
    const mayContinue = liquidate(world, market, position);
    if (sizeOf(position) < before) hasClosed = true;
    if (!mayContinue) return hasClosed;
  }
  return hasClosed;
}

/** Looks at parked positions again, the longest parked first: healthy ones and those that would close wait no longer. */
export function retryParked(world: World, market: Market): void {
  let evaluated = 0;
  for (const { account } of market.parked.slice(0, CHECKED_PER_TURN)) {
    if (evaluated === LIQUIDATED_PER_TURN) return;
    const position = positionOf(market, account)!;
    const isHealthy = !isDue(market, position);
    if (!isHealthy) evaluated += 1;
    if (isHealthy || wouldClose(world, market, position)) unpark(market, position);
    else wait(world, market, position);
  }
}

function liquidate(world: World, market: Market, position: Position): boolean {
  const { account } = position;
  const side = closingSideOf(position);
  noteStart(world, market, position);
  if (!isParked(market, position) || wouldClose(world, market, position)) cancelAll(world, market, account, 'liquidation');
  const order = acceptVenueOrder(world, market, account, side, sizeOf(position), 'liquidation');
  const isExhausted = closeInBook(world, market, position, order);
  if (position.base === 0n) return true;
  endVenueOrder(world, market, account, order, side, sizeOf(position));
  if (!isExhausted) return true;
  if (mayDeleverage(market, position) && !deleverage(world, market, position)) return false;
  if (position.base !== 0n && isDue(market, position)) wait(world, market, position);
  return true;
}

/** Returns false if the bound on met orders ended it: the next turn may get further. */
function closeInBook(world: World, market: Market, position: Position, order: number): boolean {
  const matches = planClose(world, market, position);
  for (const { order: met, kind } of matches.steps) if (kind !== 'fill') cancelOrder(world, met, kind);
  const fills = fillsOf(matches);
  let isCovered = true;
  for (const [index, step] of fills.entries()) {
    if (!isCovered) break;
    isCovered = fillCovered(world, market, position, order, step, index === fills.length - 1);
  }
  cutChanged(world, market);
  return !isCovered || matches.end !== 'met';
}

function planClose(world: World, market: Market, position: Position): Matches {
  return matchesOf(world, market, {
    account: position.account,
    side: closingSideOf(position),
    limit: furthestPrice(market, position),
    quantity: sizeOf(position),
    restingMayOpen: restingMayOpen(world, market),
  });
}

/** Within the band, and without deleveraging all of it. From the last step but one on it is the further of the bankruptcy price and the mark. */
function furthestPrice(market: Market, position: Position): bigint {
  const band = bandPriceOf(market, closingSideOf(position));
  if (!market.specification.autoDeleveraging) return band;
  const steps = stepsOf(market, position);
  const bankruptcy = bankruptcyPriceOf(market, position);
  const isWholeWay = steps + 1n >= STEPS;
  const limit = limitOf(market, position, steps, duePriceOf(market, position));
  if (position.base > 0n) return larger(band, isWholeWay ? smaller(bankruptcy, market.mark) : limit);
  return smaller(band, isWholeWay ? larger(bankruptcy, market.mark) : limit);
}

/** Fills a step as far as the fund covers it. Returns whether it covers all of it. */
function fillCovered(
  world: World,
  market: Market,
  position: Position,
  order: number,
  step: Step,
  isLastOfOrder: boolean,
): boolean {
  const { order: met, quantity: lots } = step;
  const quantity = smaller(lots, coverableLots(world, market, position, met.price));
  if (quantity === 0n) return false;
  const cover = shortfallOf(market, position, met.price, quantity);
  const bankruptcy = bankruptcyPriceOf(market, position);
  const better = position.base > 0n ? met.price - bankruptcy : bankruptcy - met.price;
  const gain = larger(0n, notionalOf(market, better, quantity));
  const trade = executeTrade(world, market, 'liquidation', closingSideOf(position), met.price, quantity);
  const fee = smaller(gain, feeOf(trade.notional, market.specification.takerFeeBps));
  fillMaker(world, market, step, trade, fee);
  settleLiquidated(world, market, position, trade, { order, owesFee: true, fee, cover, gain: gain - fee, isLastOfOrder });
  return quantity === lots;
}

function coverableLots(world: World, market: Market, position: Position, price: bigint): bigint {
  // Without deleveraging the venue covers any loss.
  return market.specification.autoDeleveraging ? insuredLots(world, market, position, price) : sizeOf(position);
}

/** Whether a liquidation would close a lot now, or at least remove orders that are in the way of the next turn. */
function wouldClose(world: World, market: Market, position: Position): boolean {
  const matches = planClose(world, market, position);
  const fills = fillsOf(matches);
  if (matches.end === 'met' && fills.length < matches.steps.length) return true;
  const first = fills[0];
  if (first !== undefined && coverableLots(world, market, position, first.order.price) > 0n) return true;
  return mayDeleverage(market, position) && hasCounterparty(world, market, position);
}

function fillsOf({ steps }: Matches): Step[] {
  return steps.filter(({ kind }) => kind === 'fill');
}

/** As long as half of the requirement is left, a later book may still take it. */
function mayDeleverage(market: Market, position: Position): boolean {
  return market.specification.autoDeleveraging && stepsOf(market, position) === STEPS;
}

/** Parks a position until the next step that permits the best order of the book, or until its deleveraging. */
function wait(world: World, market: Market, position: Position): void {
  let next = stepsOf(market, position) + 1n;
  if (!market.specification.autoDeleveraging || next > STEPS) {
    park(market, position, 0n);
    return;
  }
  const best = bestAgainst(world, market, closingSideOf(position));
  while (next < STEPS && !permitsAtStep(market, position, next, best)) next += 1n;
  park(market, position, next);
}

function permitsAtStep(market: Market, position: Position, step: bigint, best: bigint): boolean {
  if (best === 0n) return false;
  const limit = limitOf(market, position, step, stepPriceOf(market, position, step));
  return position.base > 0n ? best >= limit : best <= limit;
}

/** One part more of the way from a price to the bankruptcy price than the steps that are reached. */
function limitOf(market: Market, position: Position, steps: bigint, price: bigint): bigint {
  const bankruptcy = bankruptcyPriceOf(market, position);
  const parts = steps + 1n;
  return position.base > 0n ? price - ((price - bankruptcy) * parts) / STEPS : price + ((bankruptcy - price) * parts) / STEPS;
}

function noteStart(world: World, market: Market, position: Position): void {
  note(world, {
    type: 'LiquidationStarted',
    position: position.episode,
    account: position.account,
    market: market.ordinal,
    markPriceAtoms: market.mark,
    equityAtoms: equityOf(market, position, market.mark),
    maintenanceRequirementAtoms: maintenanceAt(market, position, market.mark),
    bankruptcyPriceAtoms: bankruptcyPriceOf(market, position),
  });
}
