/** Closes a position that lost half of its requirement against positions of the other side, when the book does not suffice. */
import { absolute, clamp, floorDiv, larger, smaller } from './arithmetic.ts';
import { bankruptcyPriceOf, closingSideOf, equityOf, isBankruptAt, pnlOf, sizeOf } from './equity.ts';
import { executeTrade, settleSide } from './fill.ts';
import { settleLiquidated } from './liquidation-fill.ts';
import { notionalOf } from './margin.ts';
import { cutChanged } from './resting.ts';
import { insuredLots, shortfallOf } from './shortfall.ts';
import { acceptVenueOrder, endVenueOrder } from './venue-order.ts';
import type { Market, Position, World } from './world.ts';

const COUNTERPARTIES_PER_TURN = 50;
const WHOLE = 1_000_000n;
const MAX_LOSS = 2n ** 52n;

/** Returns false if the bound on counterparties of a turn may have left some out. */
export function deleverage(world: World, market: Market, position: Position): boolean {
  const isBankrupt = isBankruptAt(market, position, market.mark);
  const used = isBankrupt ? closeAtBankruptcy(world, market, position) : 0;
  if (used === COUNTERPARTIES_PER_TURN) return false;
  return position.base === 0n || closeAtMark(world, market, position, COUNTERPARTIES_PER_TURN - used, isBankrupt);
}

/** Whether deleveraging would close at least one lot. */
export function hasCounterparty(world: World, market: Market, position: Position): boolean {
  const isInsured = insuredLots(world, market, position, market.mark) > 0n;
  return queueOf(market, position, isInsured ? market.mark : bankruptcyWithinBounds(market, position)).length > 0;
}

/** At the bankruptcy price, against those whom it does not make bankrupt. Returns how many it selected. */
function closeAtBankruptcy(world: World, market: Market, position: Position): number {
  const price = bankruptcyWithinBounds(market, position);
  const counterparties = queueOf(market, position, price).slice(0, COUNTERPARTIES_PER_TURN);
  if (counterparties.length === 0) return 0;
  const order = acceptOrder(world, market, position);
  for (const counter of counterparties) {
    if (position.base === 0n) break;
    const quantity = smaller(sizeOf(position), sizeOf(counter));
    closeAgainst(world, market, position, { order, counter, price, quantity, isBankrupt: true });
  }
  endOrder(world, market, position, order);
  return counterparties.length;
}

/** At the mark. Of a bankrupt position as many lots as the fund can pay the difference for. */
function closeAtMark(world: World, market: Market, position: Position, limit: number, isBankrupt: boolean): boolean {
  const price = market.mark;
  if (insuredLots(world, market, position, price) === 0n) return true;
  const counterparties = queueOf(market, position, price).slice(0, limit);
  if (counterparties.length === 0) return true;
  const order = acceptOrder(world, market, position);
  let isInsured = true;
  for (const counter of counterparties) {
    if (position.base === 0n || !isInsured) break;
    const lots = smaller(sizeOf(position), sizeOf(counter));
    const quantity = smaller(lots, insuredLots(world, market, position, price));
    isInsured = quantity === lots;
    if (quantity > 0n) closeAgainst(world, market, position, { order, counter, price, quantity, isBankrupt });
  }
  endOrder(world, market, position, order);
  return !isInsured || counterparties.length < limit;
}

function bankruptcyWithinBounds(market: Market, position: Position): bigint {
  const { minPriceAtoms, maxPriceAtoms } = market.specification;
  return clamp(bankruptcyPriceOf(market, position), BigInt(minPriceAtoms), BigInt(maxPriceAtoms));
}

function acceptOrder(world: World, market: Market, position: Position): number {
  return acceptVenueOrder(world, market, position.account, closingSideOf(position), sizeOf(position), 'auto_deleveraging');
}

function endOrder(world: World, market: Market, position: Position, order: number): void {
  cutChanged(world, market);
  if (position.base === 0n) return;
  endVenueOrder(world, market, position.account, order, closingSideOf(position), sizeOf(position));
}

interface Close {
  readonly order: number;
  readonly counter: Position;
  readonly price: bigint;
  readonly quantity: bigint;
  readonly isBankrupt: boolean;
}

/** A bankrupt position pays no fee, also of what rounding leaves it. */
function closeAgainst(world: World, market: Market, position: Position, close: Close): void {
  const { order, counter, price, quantity, isBankrupt } = close;
  const counterOrder = acceptVenueOrder(world, market, counter.account, closingSideOf(counter), quantity, 'auto_deleveraging');
  const trade = executeTrade(world, market, 'auto_deleveraging', closingSideOf(position), price, quantity);
  const cover = shortfallOf(market, position, price, quantity);
  const bankruptcy = bankruptcyPriceOf(market, position);
  const better = position.base > 0n ? price - bankruptcy : bankruptcy - price;
  const gain = isBankrupt ? 0n : larger(0n, notionalOf(market, better, quantity));
  const fill = { order, owesFee: gain > 0n, fee: 0n, cover, gain, isLastOfOrder: false };
  settleLiquidated(world, market, position, trade, fill);
  settleSide(world, market, trade, {
    account: counter.account,
    order: counterOrder,
    side: closingSideOf(counter),
    // The order that closes the counterparty is the maker's side of the record.
    liquidity: 'maker',
    cause: 'auto_deleveraging',
    fee: 0n,
    remaining: 0n,
    isComplete: true,
    lockedFor: () => 0n,
  });
}

/** The positions of the other side that are not bankrupt at a price, the first to be deleveraged in front, then the oldest. */
export function queueOf(market: Market, position: Position, price: bigint): Position[] {
  return market.positions
    .filter((other) => other.base > 0n !== position.base > 0n && !isBankruptAt(market, other, price))
    .map((other) => ({ other, score: scoreOf(market, other) }))
    .sort((one, two) => (one.score === two.score ? one.other.episode - two.other.episode : one.score > two.score ? -1 : 1))
    .map(({ other }) => other);
}

/**
 * In profit: profit ÷ entry × leverage in millionths, and one. Otherwise loss ÷ entry ÷ leverage in millionths, negative. Leverage is
 * notional ÷ equity, infinite without equity.
 */
function scoreOf(market: Market, position: Position): bigint {
  const pnl = pnlOf(market, position, market.mark);
  const equity = equityOf(market, position, market.mark);
  const notional = notionalOf(market, market.mark, sizeOf(position));
  if (pnl > 0n) return floorDiv(pnl * notional * WHOLE, equity * position.entry) + 1n;
  if (equity <= 0n) return 0n;
  return larger(-floorDiv(absolute(pnl) * WHOLE * equity, position.entry * notional), -MAX_LOSS);
}
