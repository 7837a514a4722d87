/**
 * The steps from the resting orders to the wanted quotes, without ever emptying a side: places a new order before it cancels the
 * replaced one, and starts with the side that moves away, so that no order meets one of the maker's own: the venue would cancel
 * that one. Orders within tolerance stay, which saves commands.
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

/** The venue, as far as quotes need it. Each resolves to whether the order was accepted, or does not rest any more. */
export interface QuotingVenue {
  place(quote: Quote): Promise<boolean>;
  cancel(order: RestingQuote): Promise<boolean>;
}

/** An order with less than this share of its quantity left is replaced. */
const REFILL_SHARE = 0.5;

/**
 * Replaces what is not good enough. The venue may refuse any step: orders that then stay on the side that moves away are not met by
 * the quotes that follow. Those wait for the next round.
 */
export async function requote(resting: readonly RestingQuote[], quotes: readonly Quote[], venue: QuotingVenue): Promise<void> {
  const [leading, following] = planRequote(resting, quotes);
  const stayed = (await Promise.all(leading.map((replacement) => replace(replacement, venue)))).flat();
  const possible = following.filter(({ quote }) => quote === undefined || !stayed.some((order) => meets(quote, order)));
  await Promise.all(possible.map((replacement) => replace(replacement, venue)));
}

/** Places the new order first: if the venue refuses it, the old ones stay. Returns the stale orders that stay. */
async function replace({ quote, staleOrders }: Replacement, venue: QuotingVenue): Promise<readonly RestingQuote[]> {
  if (quote !== undefined && !(await venue.place(quote))) return staleOrders;
  const stayed: RestingQuote[] = [];
  for (const order of staleOrders) if (!(await venue.cancel(order))) stayed.push(order);
  return stayed;
}

function meets(quote: Quote, { side, priceAtoms }: RestingQuote): boolean {
  if (quote.side === side) return false;
  return side === 'buy' ? quote.priceAtoms <= priceAtoms : quote.priceAtoms >= priceAtoms;
}

/** The replacements per side, in the order of execution. */
export function planRequote(resting: readonly RestingQuote[], quotes: readonly Quote[]): [Replacement[], Replacement[]] {
  const bySlot = Map.groupBy(resting, (order) => order.slot);
  const replacements: Replacement[] = quotes.flatMap((quote) => replacementOf(quote, bySlot.get(quote.slot) ?? []) ?? []);
  const slots = new Set(quotes.map(({ slot }) => slot));
  const strays = resting.filter(({ slot }) => !slots.has(slot));
  for (const order of strays) replacements.push({ side: order.side, quote: undefined, staleOrders: [order] });
  const ofSide = (side: Side) => replacements.filter((replacement) => replacement.side === side);
  return isRising(resting, quotes) ? [ofSide('sell'), ofSide('buy')] : [ofSide('buy'), ofSide('sell')];
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
