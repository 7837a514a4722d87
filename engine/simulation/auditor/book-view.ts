/**
 * What an order meets in its book, what it may reduce, and the margin that it needs, as orders, positions and market say. Checks margin
 * that is removed.
 */
import { fail } from './audit-failed.ts';
import { initialRateOf, needsMarginAt } from './backing-rules.ts';
import type { AuditedTimers } from './cancel-timers.ts';
import { mayLiquidate } from './liquidations.ts';
import type { Listing } from './listing.ts';
import type { Markets } from './markets.ts';
import { permits } from './markets.ts';
import { isCrowded, openInterestIn } from './open-interest.ts';
import type { OpenOrder, OrderBooks } from './order-books.ts';
import type { Position, PositionBooks } from './position-books.ts';
import { equityAt } from './position-rules.ts';
import { excessOf, isMetLast, roomFor } from './reduce-only-rules.ts';
import { shareUp } from './rounding.ts';
import type { WaitingOrders } from './waiting-orders.ts';

/** An order may end at the limit on visited orders, so the orders far behind are not sure. */
const MAX_SURE_ORDERS = 500;

export interface Books {
  readonly orders: OrderBooks;
  readonly positions: PositionBooks;
  readonly markets: Markets;
  readonly waiting: WaitingOrders;
  readonly timers: AuditedTimers;
}

export class BookView {
  readonly #orders: OrderBooks;
  readonly #positions: PositionBooks;
  readonly #markets: Markets;
  readonly #waiting: WaitingOrders;
  readonly #timers: AuditedTimers;
  readonly #turn: { readonly epochMs: number };

  constructor({ orders, positions, markets, waiting, timers }: Books, turn: { readonly epochMs: number }) {
    this.#orders = orders;
    this.#positions = positions;
    this.#markets = markets;
    this.#waiting = waiting;
    this.#timers = timers;
    this.#turn = turn;
  }

  /** The best resting order on the opposite side of `side`. */
  bestAgainst(side: 'buy' | 'sell', market: number): OpenOrder | undefined {
    return this.#orders.queue(market, side === 'buy' ? 'sell' : 'buy')[0];
  }

  listingOf(market: number): Listing {
    return this.#markets.of(market).listing;
  }

  /** Whether resting orders may open positions. Against a client's order they may not while a liquidation is due. */
  mayRestingOpen(ordinal: number): 'yes' | 'no' | 'unless a liquidation is due' {
    const market = this.#markets.of(ordinal);
    if (!permits(market, 'open', this.#turn.epochMs)) return 'no';
    for (const position of this.#positions.in(ordinal)) if (mayLiquidate(market, position)) return 'unless a liquidation is due';
    return 'yes';
  }

  /**
   * What resting orders up to a price certainly offer to an account without a position: orders of others that nothing can end when they
   * are met.
   */
  sureQuantityAgainst(side: 'buy' | 'sell', ordinal: number, limit: number, account: number): number {
    const { mark, listing } = this.#markets.of(ordinal);
    if (isCrowded(openInterestIn(listing, this.#positions, mark), listing)) return 0;
    const isFlat = (of: number) => this.#positions.of(of, ordinal).signedBase === 0;
    if (this.mayRestingOpen(ordinal) !== 'yes' || !isFlat(account)) return 0;
    let sum = 0;
    for (const order of this.#orders.queue(ordinal, side === 'buy' ? 'sell' : 'buy').slice(0, MAX_SURE_ORDERS)) {
      const { priceAtoms, remaining, reduceOnly, expiresAtEpochMs } = order;
      const isWithin = side === 'buy' ? priceAtoms <= limit : priceAtoms >= limit;
      const isBehind = side === 'buy' ? priceAtoms < mark : priceAtoms > mark;
      if (!isWithin || isBehind || reduceOnly || expiresAtEpochMs > 0) continue;
      if (order.account !== account && isFlat(order.account)) sum += remaining;
    }
    return sum;
  }

  /** Whether a leg of an order is triggered next, which cancels the rest of the order. */
  cancelsEntry(order: number, market: number): boolean {
    return this.#waiting.cancelsEntry(order, market);
  }

  hasNothingToReduce({ side, account, market }: OpenOrder): boolean {
    return this.#positions.closableBy(side, account, market) === 0;
  }

  /** Whether a timer of its account has fired since it was placed. */
  wasFired(order: OpenOrder): boolean {
    return this.#timers.wasFired(order);
  }

  /** Whether it is reduce-only, is cut first, and offers no more than by what the account's orders exceed the position. */
  isExcessive(order: OpenOrder): boolean {
    return this.excessWith(order) >= order.remaining;
  }

  /** What the account's reduce-only orders that would be met before it leave an order to reduce. */
  roomFor(order: Pick<OpenOrder, 'order' | 'account' | 'market' | 'side' | 'priceAtoms'>): number {
    const { account, market, side } = order;
    // An order that does not rest yet arrives behind all others.
    const placed = { ...order, arrival: this.#orders.get(order.order)?.arrival ?? Number.POSITIVE_INFINITY };
    return roomFor(placed, this.#reduceOnlyOrders(account, market), this.#positions.closableBy(side, account, market));
  }

  /** The excess over the position that this order must make good; 0 if another one is cut before it. */
  excessWith(order: OpenOrder): number {
    const { account, market, side, reduceOnly } = order;
    const own = this.#reduceOnlyOrders(account, market);
    if (!reduceOnly || !isMetLast(order, own)) return 0;
    return excessOf(own, this.#positions.closableBy(side, account, market));
  }

  /**
   * The rate at the mark of what a resting order opens, at the open interest before the match; 0 if it has its margin from its placement.
   */
  initialRateOf(order: OpenOrder, openInterest: bigint): number {
    const { account, market } = order;
    const { listing, mark } = this.#markets.of(market);
    if (!needsMarginAt(mark, order, openInterest, listing)) return 0;
    const own = this.#ordersIn(account, market);
    return initialRateOf(this.#positions.of(account, market), own, openInterest, listing);
  }

  /** What stays in a position has its initial margin at the mark, without the unrealized profit and with the unrealized loss. */
  checkRemoval(position: Position, ordinal: number): void {
    const { listing, mark } = this.#markets.of(ordinal);
    const own = this.#ordersIn(position.account, ordinal);
    const notional = Math.abs(position.signedBase) * mark * listing.tickLot;
    const rate = initialRateOf(position, own, openInterestIn(listing, this.#positions, mark), listing);
    const needed = shareUp(notional, rate, 10_000);
    const left = Math.min(position.margin, equityAt(mark, position, listing));
    if (left < needed || !permits(this.#markets.of(ordinal), 'open', this.#turn.epochMs))
      fail('margin', `position ${position.ordinal} has ${left} after margin was removed, it needs ${needed}`);
  }

  #reduceOnlyOrders(account: number, market: number): readonly OpenOrder[] {
    return this.#ordersIn(account, market).filter(({ reduceOnly }) => reduceOnly);
  }

  #ordersIn(account: number, market: number): readonly OpenOrder[] {
    return [...this.#orders.of(account)].filter((order) => order.market === market);
  }
}
