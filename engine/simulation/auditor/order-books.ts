/** Open orders: a sorted list for each side of each market, and the cash that they reserve of each account. */
import { fail } from './audit-failed.ts';
import type { Listing } from './listing.ts';
import type { Quotes } from './mark-rules.ts';
import type { OrderTerms } from './order-rules.ts';
import { reservationFor } from './order-rules.ts';

export interface OpenOrder extends OrderTerms {
  readonly order: number;
  readonly account: number;
  readonly market: number;
  remaining: number;
  /** What of it has filled. */
  filled: number;
  readonly postOnly: boolean;
  /** Its place among all orders that entered a book. */
  arrival: number;
  /** When it expires; 0 if it does not. */
  readonly expiresAtEpochMs: number;
  /** The cash that it reserves. */
  reserved: number;
}

/** Both sides of a market, the best order first. */
interface Sides extends Quotes {
  readonly listing: Listing;
  readonly bids: OpenOrder[];
  readonly asks: OpenOrder[];
}

export class OrderBooks {
  readonly #markets = new Map<number, Sides>();
  readonly #orders = new Map<number, OpenOrder>();
  /** By account: the cash that its open orders reserve, and those orders. */
  readonly #reserved = new Map<number, number>();
  readonly #byAccount = new Map<number, Set<OpenOrder>>();
  #arrivals = 0;
  /** The markets in which this turn added an order. */
  readonly #changed = new Set<Sides>();

  list(listing: Listing): void {
    this.#markets.set(listing.market, { listing, bids: [], asks: [] });
  }

  get(order: number): OpenOrder | undefined {
    return this.#orders.get(order);
  }

  /** All open orders. */
  all(): Iterable<OpenOrder> {
    return this.#orders.values();
  }

  of(account: number): ReadonlySet<OpenOrder> {
    return this.#byAccount.get(account) ?? NO_ORDERS;
  }

  reservedOf(account: number): number {
    return this.#reserved.get(account) ?? 0;
  }

  quotesIn(market: number): Quotes {
    return this.#sides(market);
  }

  /** The orders of a side in price-time priority. */
  queue(market: number, side: 'buy' | 'sell'): readonly OpenOrder[] {
    const { bids, asks } = this.#sides(market);
    return side === 'buy' ? bids : asks;
  }

  /** Adds an order behind all others at its price. */
  add(order: OpenOrder): void {
    if (order.remaining <= 0) fail('order', `order ${order.order} rests with ${order.remaining}`);
    this.#arrivals += 1;
    order.arrival = this.#arrivals;
    const sides = this.#sides(order.market);
    const queue = order.side === 'buy' ? sides.bids : sides.asks;
    let place = queue.length;
    while (place > 0 && isBetter(order, queue[place - 1]!)) place -= 1;
    queue.splice(place, 0, order);
    this.#orders.set(order.order, order);
    const own = this.#byAccount.get(order.account);
    if (own === undefined) this.#byAccount.set(order.account, new Set([order]));
    else own.add(order);
    this.#changed.add(sides);
    this.#reserve(order, sides.listing);
  }

  /** Takes a quantity off; an order with nothing left leaves the book. */
  shrink(order: OpenOrder, quantity: number): void {
    if (quantity <= 0 || quantity > order.remaining)
      fail('order', `order ${order.order} has ${order.remaining} left, ${quantity} was taken off`);
    order.remaining -= quantity;
    const sides = this.#sides(order.market);
    this.#reserve(order, sides.listing);
    if (order.remaining > 0) return;
    this.#orders.delete(order.order);
    this.#byAccount.get(order.account)!.delete(order);
    const queue = order.side === 'buy' ? sides.bids : sides.asks;
    queue.splice(queue.indexOf(order), 1);
  }

  /** A bid is never as high as an ask. */
  checkTurn(): void {
    if (this.#changed.size === 0) return;
    for (const { listing, bids, asks } of this.#changed) {
      const [bid, ask] = [bids[0], asks[0]];
      if (bid !== undefined && ask !== undefined && bid.priceAtoms >= ask.priceAtoms)
        fail('matching', `market ${listing.market} is crossed: bid ${bid.priceAtoms}, ask ${ask.priceAtoms}`);
    }
    this.#changed.clear();
  }

  #reserve(order: OpenOrder, listing: Listing): void {
    const before = order.reserved;
    order.reserved = reservationFor(order, order.remaining, listing);
    if (order.reserved !== before) this.#reserved.set(order.account, this.reservedOf(order.account) + order.reserved - before);
  }

  #sides(market: number): Sides {
    return this.#markets.get(market) ?? fail('market', `market ${market} was never listed`);
  }
}

const NO_ORDERS: ReadonlySet<OpenOrder> = new Set();

function isBetter(order: OpenOrder, than: OpenOrder): boolean {
  return order.side === 'buy' ? order.priceAtoms > than.priceAtoms : order.priceAtoms < than.priceAtoms;
}
