/**
 * What a paper order must become, from the auditor's own book: a market order of the agent account, without its margin. The documentation
 * leaves one question open for a reader of events: whether a due liquidation was tried, so that opening is permitted again.
 */
import type { PaperOrderPlaced } from '#venue/event.ts';
import { missingBacking } from './backing-rules.ts';
import { mayLiquidate } from './liquidations.ts';
import { type Market, type Markets, permits } from './markets.ts';
import { openInterestIn } from './open-interest.ts';
import type { OpenOrder, OrderBooks } from './order-books.ts';
import { feeFor, isWithinBand } from './order-rules.ts';
import type { PositionBooks } from './position-books.ts';

export interface PaperLedger {
  readonly positionBaseAtoms: number;
  readonly cashQuoteAtoms: number;
  readonly feesQuoteAtoms: number;
  readonly fillCount: number;
}

type Order = Pick<PaperOrderPlaced, 'market' | 'side' | 'quantityAtoms' | 'reduceOnly'>;

/** The fields of the event that follow from the book. */
export type PaperResult = Pick<
  PaperOrderPlaced,
  'outcome' | 'reason' | 'filledBaseAtoms' | 'filledNotionalAtoms' | 'feeAtoms' | 'fills' | 'worstPriceAtoms'
> & { readonly ledger: PaperLedger };

interface Books {
  readonly markets: Markets;
  readonly orders: OrderBooks;
  readonly positions: PositionBooks;
  /** The cash of an account that no order reserves. */
  readonly availableTo: (account: number) => number;
}

interface FillTotals {
  base: number;
  notional: number;
  fee: number;
  fills: number;
  worst: number;
  /** Why matching ended before the whole quantity. */
  end: 'no_liquidity' | 'price_band' | 'fill_limit';
}

const MAX_MET = 1_000;
const MAX_SKIPPED = 10_000;
/** A position may have the size of this many of the largest orders. */
const MAX_POSITION_ORDERS = 8;

/** The permitted results: two if a liquidation is due, else one. */
export function paperResults(
  books: Books,
  agent: number,
  order: Order,
  ledger: PaperLedger,
  epochMs: number,
): readonly PaperResult[] {
  const market = books.markets.of(order.market);
  if (market.mark === 0) return [refused('mark_price_unavailable', ledger)];
  return openings(books, market, epochMs).map((mayOpen) => resultOf(books, market, agent, order, ledger, epochMs, mayOpen));
}

/** Whether the market permits opening. */
function openings({ positions }: Books, market: Market, epochMs: number): readonly boolean[] {
  if (!permits(market, 'open', epochMs)) return [false];
  for (const position of positions.in(market.listing.market)) if (mayLiquidate(market, position)) return [true, false];
  return [true];
}

function resultOf(
  books: Books,
  market: Market,
  agent: number,
  order: Order,
  ledger: PaperLedger,
  epochMs: number,
  mayOpen: boolean,
): PaperResult {
  const { side, quantityAtoms: quantity, reduceOnly } = order;
  const { specification } = market.listing;
  const closable = Math.max(0, side === 'buy' ? -ledger.positionBaseAtoms : ledger.positionBaseAtoms);
  const isPermitted = reduceOnly ? permits(market, 'reduce', epochMs) : mayOpen;
  if (!isPermitted) return refused(closedReason(market, epochMs), ledger);
  if (reduceOnly && closable === 0) return refused('reduce_only_would_increase', ledger);
  if (quantity < specification.minQuantityAtoms || quantity > specification.maxQuantityAtoms)
    return refused('quantity_out_of_bounds', ledger);
  const wanted = reduceOnly ? Math.min(closable, quantity) : quantity;
  const filled = fill(books, market, { agent, epochMs }, side, wanted, mayOpen);
  const unfilledFor = filled.base === wanted ? 'reduce_only' : filled.end;
  const reason = filled.base === quantity ? 'none' : unfilledFor;
  if (filled.fills === 0) return refused(reason, ledger);
  const after = afterFills(ledger, side, filled);
  const maxSize = specification.maxQuantityAtoms * MAX_POSITION_ORDERS;
  if (Math.abs(after.positionBaseAtoms) > maxSize) return refused('position_limit', ledger);
  if (!Number.isSafeInteger(after.cashQuoteAtoms) || !Number.isSafeInteger(after.feesQuoteAtoms))
    return refused('paper_limit', ledger);
  return {
    outcome: reason === 'none' ? 'applied' : 'partially_applied',
    reason,
    ...amounts(filled),
    ledger: after,
  };
}

function closedReason(market: Market, epochMs: number): PaperOrderPlaced['reason'] {
  const { status, index } = market;
  if (status !== 'open' && status !== 'reduce_only') return 'market_not_open';
  return status === 'open' && index.statusAt(epochMs) !== 'current' ? 'index_not_current' : 'market_reduce_only';
}

/** Walks the other side of the book in price-time priority. */
function fill(
  books: Books,
  market: Market,
  { agent, epochMs }: { readonly agent: number; readonly epochMs: number },
  side: 'buy' | 'sell',
  wanted: number,
  mayOpen: boolean,
): FillTotals {
  const { listing, mark } = market;
  const filled: FillTotals = { base: 0, notional: 0, fee: 0, fills: 0, worst: 0, end: 'no_liquidity' };
  const closedBy = new Map<number, number>();
  const toppedUp = new Map<number, number>();
  let [met, skipped, isCrossed] = [0, 0, false];
  for (const order of books.orders.queue(listing.market, side === 'buy' ? 'sell' : 'buy')) {
    const left = wanted - filled.base;
    if (left === 0) return filled;
    if (!isWithinBand(side, order.priceAtoms, mark, listing)) {
      if (!isCrossed) filled.end = 'price_band';
      return filled;
    }
    if (met === MAX_MET) {
      filled.end = 'fill_limit';
      return filled;
    }
    met += 1;
    if (order.expiresAtEpochMs > 0 && order.expiresAtEpochMs <= epochMs) continue;
    if (order.account === agent) continue;
    const missing = missingIn(books, market, order, left);
    const spent = toppedUp.get(order.account) ?? 0;
    if (missing > 0 && missing > books.availableTo(order.account) - spent) continue;
    const closable = books.positions.closableBy(order.side, order.account, listing.market);
    if (!mayOpen && closable === 0) {
      if (skipped === MAX_SKIPPED) return filled;
      met -= 1;
      skipped += 1;
      isCrossed = true;
      continue;
    }
    const closed = closedBy.get(order.account) ?? 0;
    const reducible = Math.max(0, Math.min(order.remaining, closable - closed));
    const offered = mayOpen && !order.reduceOnly ? order.remaining : reducible;
    const quantity = Math.min(left, offered);
    closedBy.set(order.account, closed + quantity);
    if (quantity > 0) toppedUp.set(order.account, spent + missing);
    if (quantity > 0) take(filled, order.priceAtoms, quantity, market);
    if (!mayOpen && !order.reduceOnly && wanted > filled.base && offered < order.remaining) isCrossed = true;
  }
  return filled;
}

/** Each fill pays its own fee, rounded toward zero. */
function take(filled: FillTotals, price: number, quantity: number, { listing }: Market): void {
  const notional = price * quantity * listing.tickLot;
  filled.base += quantity;
  filled.notional += notional;
  filled.fee += feeFor('client', 'taker', notional, 0, listing);
  filled.fills += 1;
  filled.worst = price;
}

function missingIn({ orders, positions }: Books, { listing, funding, mark }: Market, order: OpenOrder, quantity: number): number {
  const own = [...orders.of(order.account)].filter(({ market }) => market === listing.market);
  const position = positions.of(order.account, listing.market);
  const openInterest = openInterestIn(listing, positions, mark);
  return missingBacking({ order, own, position, funded: funding.afterDue(position), mark, openInterest }, quantity, listing);
}

function afterFills(ledger: PaperLedger, side: 'buy' | 'sell', { base, notional, fee, fills }: FillTotals): PaperLedger {
  const sign = side === 'buy' ? 1 : -1;
  return {
    positionBaseAtoms: ledger.positionBaseAtoms + sign * base,
    cashQuoteAtoms: ledger.cashQuoteAtoms - sign * notional,
    feesQuoteAtoms: ledger.feesQuoteAtoms + fee,
    fillCount: ledger.fillCount + fills,
  };
}

function amounts({ base, notional, fee, fills, worst }: Omit<FillTotals, 'end'>) {
  return {
    filledBaseAtoms: base as PaperOrderPlaced['filledBaseAtoms'],
    filledNotionalAtoms: notional as PaperOrderPlaced['filledNotionalAtoms'],
    feeAtoms: fee as PaperOrderPlaced['feeAtoms'],
    fills,
    worstPriceAtoms: worst as PaperOrderPlaced['worstPriceAtoms'],
  };
}

function refused(reason: PaperOrderPlaced['reason'], ledger: PaperLedger): PaperResult {
  return { outcome: 'refused', reason, ...amounts({ base: 0, notional: 0, fee: 0, fills: 0, worst: 0 }), ledger };
}
