/**
 * From the orders that rest to the quotes that are wanted, in steps that never empty a side: what is new is placed
 * before what it replaces is cancelled, and the side that moves away goes first, so that the house does not trade with
 * itself. Orders that are still good enough stay, which keeps the number of commands small.
 */
import type { Quote, Side } from './ladder.ts';

/** An own order that rests in the book. */
export interface RestingQuote {
  readonly orderId: string;
  /** The slot it was placed for; an empty text for an order that is none of the ladder's. */
  readonly slot: string;
  readonly side: Side;
  readonly priceAtoms: number;
  readonly remainingAtoms: number;
}

/** One slot to be renewed: place `quote`, then cancel `stale`; without a quote just cancel. */
export interface Replacement {
  readonly side: Side;
  readonly quote: Quote | undefined;
  readonly stale: readonly RestingQuote[];
}

/** An order that has less than this share of its quantity left is filled up again. */
const REFILL_SHARE = 0.5;

/** The replacements of each side, in the order in which the sides are to be done. */
export function planRequote(resting: readonly RestingQuote[], quotes: readonly Quote[]): Replacement[][] {
  const bySlot = Map.groupBy(resting, (order) => order.slot);
  const replacements: Replacement[] = quotes.flatMap((quote) => replacementOf(quote, bySlot.get(quote.slot) ?? []) ?? []);
  const wanted = new Set(quotes.map(({ slot }) => slot));
  const strays = resting.filter(({ slot }) => !wanted.has(slot));
  for (const order of strays) replacements.push({ side: order.side, quote: undefined, stale: [order] });
  const order: readonly Side[] = isRising(resting, quotes) ? ['sell', 'buy'] : ['buy', 'sell'];
  return order.map((side) => replacements.filter((replacement) => replacement.side === side));
}

function replacementOf(quote: Quote, held: readonly RestingQuote[]): Replacement | undefined {
  const kept = held.find((order) => isGoodEnough(order, quote));
  const stale = held.filter((order) => order !== kept);
  if (kept !== undefined) return stale.length === 0 ? undefined : { side: quote.side, quote: undefined, stale };
  return { side: quote.side, quote, stale };
}

function isGoodEnough(order: RestingQuote, quote: Quote): boolean {
  return (
    Math.abs(order.priceAtoms - quote.priceAtoms) <= quote.toleranceAtoms &&
    order.remainingAtoms >= quote.quantityAtoms * REFILL_SHARE
  );
}

/** A wanted bid reaches an ask that still rests: the asks have to go up first. */
function isRising(resting: readonly RestingQuote[], quotes: readonly Quote[]): boolean {
  const bestBid = Math.max(...quotes.filter(({ side }) => side === 'buy').map(({ priceAtoms }) => priceAtoms));
  return resting.some(({ side, priceAtoms }) => side === 'sell' && priceAtoms <= bestBid);
}
