/**
 * Order books, kept a second time and without any cleverness: a sorted list for each side. They know who is first in line,
 * what every order has left, and what it holds of its account's cash.
 */
import type { MarketSpecification } from '#venue/market/specification.ts';
import { demand, fail } from './audit-failed.ts';
import type { Quotes } from './mark-rules.ts';
import type { OrderDemand } from './requirement.ts';
import { reservationFor } from './requirement.ts';

export interface KeptOrder extends OrderDemand {
  readonly order: number;
  readonly account: number;
  readonly market: number;
  remaining: number;
}

/** Both sides of a market, the order that is met first at the beginning. */
interface Sides {
  readonly specification: MarketSpecification;
  readonly buy: KeptOrder[];
  readonly sell: KeptOrder[];
}

export class OrderBooks {
  readonly #markets = new Map<number, Sides>();
  readonly #orders = new Map<number, KeptOrder>();
  /** By account: what its open orders hold. */
  readonly #needs = new Map<number, number>();

  list(market: number, specification: MarketSpecification): void {
    demand(market === this.#markets.size + 1, `market ${market} was listed after ${this.#markets.size} others`);
    this.#markets.set(market, { specification, buy: [], sell: [] });
  }

  specificationOf(market: number): MarketSpecification {
    return this.#sides(market).specification;
  }

  hasMarket(market: number): boolean {
    return this.#markets.has(market);
  }

  get(order: number): KeptOrder | undefined {
    return this.#orders.get(order);
  }

  needOf(account: number): number {
    return this.#needs.get(account) ?? 0;
  }

  /** The first order of a side that is not passed over. */
  first(market: number, side: 'buy' | 'sell', isPassedOver: (order: KeptOrder) => boolean = () => false): KeptOrder | undefined {
    return this.#sides(market)[side].find((order) => !isPassedOver(order));
  }

  /** Both sides, the order that is met first at the beginning. */
  quotesIn(market: number): Quotes {
    const { buy, sell } = this.#sides(market);
    return { bids: buy, asks: sell };
  }

  /** Puts an order behind all that are as good. */
  add(order: KeptOrder): void {
    demand(order.remaining > 0, `order ${order.order} rests with nothing left`);
    const side = this.#sides(order.market)[order.side];
    let place = side.length;
    while (place > 0 && isBetter(order, side[place - 1]!)) place -= 1;
    side.splice(place, 0, order);
    this.#orders.set(order.order, order);
    this.#need(order, order.remaining, 0);
  }

  /** Takes a quantity off; an order with nothing left is gone. */
  shrink(order: KeptOrder, quantity: number): void {
    demand(quantity > 0 && quantity <= order.remaining, `order ${order.order} has ${order.remaining}, not ${quantity}`);
    this.#need(order, order.remaining - quantity, order.remaining);
    order.remaining -= quantity;
    if (order.remaining > 0) return;
    this.#orders.delete(order.order);
    const side = this.#sides(order.market)[order.side];
    side.splice(side.indexOf(order), 1);
  }

  /** A bid is never as high as an ask. */
  checkUncrossed(): void {
    for (const [market, { buy, sell }] of this.#markets) {
      const [bid, ask] = [buy[0], sell[0]];
      if (bid === undefined || ask === undefined) continue;
      demand(bid.priceAtoms < ask.priceAtoms, `market ${market} is crossed: ${bid.priceAtoms} is bid, ${ask.priceAtoms} asked`);
    }
  }

  #need(order: KeptOrder, remaining: number, before: number): void {
    const { specification } = this.#sides(order.market);
    const more = reservationFor(order, remaining, specification) - reservationFor(order, before, specification);
    this.#needs.set(order.account, this.needOf(order.account) + more);
  }

  #sides(market: number): Sides {
    return this.#markets.get(market) ?? fail(`market ${market} was never listed`);
  }
}

function isBetter(order: KeptOrder, than: KeptOrder): boolean {
  return order.side === 'buy' ? order.priceAtoms > than.priceAtoms : order.priceAtoms < than.priceAtoms;
}
