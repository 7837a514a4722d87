/**
 * Plans the steps from the resting orders to the wanted quotes, without ever emptying a side: places a new order before it
 * cancels the replaced one, and starts with the side that moves away, so that the maker does not trade with itself. Orders within
 * tolerance stay, which saves commands.
 */
import type { Quote, Side } from './ladder.ts';

/** An own resting order. */
export interface RestingQuote {
  readonly orderId: string;
  /** The slot it was placed for; empty for an order outside the ladder. */
  readonly slot: string;
  readonly side: Side;
  readonly priceAtoms: number;
  readonly remainingAtoms: number;
}

/** One slot to update: place `quote`, if any, then cancel `staleOrders`. */
export interface Replacement {
  readonly side: Side;
  readonly quote: Quote | undefined;
  readonly staleOrders: readonly RestingQuote[];
}

/** An order with less than this share of its quantity left is replaced. */
const REFILL_SHARE = 0.5;

/** The replacements per side, in the order of execution. */
export function planRequote(resting: readonly RestingQuote[], quotes: readonly Quote[]): Replacement[][] {
  const bySlot = Map.groupBy(resting, (order) => order.slot);
  const replacements: Replacement[] = quotes.flatMap((quote) => replacementOf(quote, bySlot.get(quote.slot) ?? []) ?? []);
  const slots = new Set(quotes.map(({ slot }) => slot));
  const strays = resting.filter(({ slot }) => !slots.has(slot));
  for (const order of strays) replacements.push({ side: order.side, quote: undefined, staleOrders: [order] });
  const order: readonly Side[] = isRising(resting, quotes) ? ['sell', 'buy'] : ['buy', 'sell'];
  return order.map((side) => replacements.filter((replacement) => replacement.side === side));
}

function replacementOf(quote: Quote, resting: readonly RestingQuote[]): Replacement | undefined {
  const unchanged = resting.find((order) => isGoodEnough(order, quote));
  const staleOrders = resting.filter((order) => order !== unchanged);
  if (unchanged !== undefined) return staleOrders.length === 0 ? undefined : { side: quote.side, quote: undefined, staleOrders };
  return { side: quote.side, quote, staleOrders };
}

function isGoodEnough(order: RestingQuote, quote: Quote): boolean {
  return (
    Math.abs(order.priceAtoms - quote.priceAtoms) <= quote.toleranceAtoms &&
    order.remainingAtoms >= quote.quantityAtoms * REFILL_SHARE
  );
}

/** A wanted bid reaches a resting ask: the asks must move up first. */
function isRising(resting: readonly RestingQuote[], quotes: readonly Quote[]): boolean {
  const bestBid = Math.max(...quotes.filter(({ side }) => side === 'buy').map(({ priceAtoms }) => priceAtoms));
  return resting.some(({ side, priceAtoms }) => side === 'sell' && priceAtoms <= bestBid);
}
