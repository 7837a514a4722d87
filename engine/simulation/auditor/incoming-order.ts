/** An order from its acceptance to the end of its turn: filled, cut, resting and cancelled quantity add up to its own. */
import type { OrderAccepted, OrderCancelled, OrderFilled, OrderReduced, OrderRested } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { Listing } from './listing.ts';
import { isWithinBand } from './order-rules.ts';

type Ownership = Pick<OrderAccepted, 'account' | 'market' | 'side'>;

export class IncomingOrder {
  readonly accepted: OrderAccepted;
  readonly #listing: Listing;
  /** The worst permitted price: that of the terms, or the limit of a liquidation. */
  readonly #limit: number | undefined;
  #filled = 0;
  #spent = 0;
  /** What was cut because the position is too small for it. */
  #cut = 0;
  #isComplete = false;
  /** The quantity that rests or was cancelled; `undefined` before either. */
  #rest: number | undefined;

  constructor(accepted: OrderAccepted, listing: Listing, limit?: number) {
    this.accepted = accepted;
    this.#listing = listing;
    this.#limit = accepted.terms.kind === 'limit' ? accepted.terms.priceAtoms : limit;
  }

  get filled(): number {
    return this.#filled;
  }

  fill(fill: OrderFilled): void {
    const { order, terms, side } = this.accepted;
    this.#checkOwner(fill);
    if (this.#rest !== undefined || this.#isComplete || this.#cut > 0) fail('order', `order ${order} was filled after its end`);
    if (this.#isBeyondLimit(fill.priceAtoms))
      fail('matching', `order ${order} (${side}) was filled at ${fill.priceAtoms}, beyond its limit`);
    if (terms.kind === 'limit' && terms.postOnly) fail('matching', `order ${order} is post-only and took`);
    this.#filled += fill.quantityAtoms;
    this.#spent += fill.notionalAtoms;
    this.#isComplete = fill.isComplete;
    const left = terms.kind === 'market_notional' ? 0 : terms.quantityAtoms - this.#filled;
    if (fill.remainingAtoms !== left) fail('order', `order ${order} has ${left} left, the event says ${fill.remainingAtoms}`);
  }

  /** Follows the fills, and precedes the rest. */
  reduce(event: OrderReduced): void {
    const { order, terms } = this.accepted;
    this.#checkOwner(event);
    if (this.#rest !== undefined || this.#isComplete || this.#cut > 0) fail('order', `order ${order} was cut after its end`);
    if (terms.kind !== 'limit' || terms.priceAtoms !== event.priceAtoms)
      fail('order', `order ${order} was cut at ${event.priceAtoms}, which is not its limit`);
    this.#cut = event.cutAtoms;
  }

  rest(event: OrderRested): void {
    const { order, terms } = this.accepted;
    this.#checkOwner(event);
    if (terms.kind === 'limit' && (terms.timeInForce === 'IOC' || terms.timeInForce === 'FOK'))
      fail('order', `order ${order} is ${terms.timeInForce} and rests`);
    if (terms.kind !== 'limit' || terms.priceAtoms !== event.priceAtoms)
      fail('order', `order ${order} rests at ${event.priceAtoms}, which is not its limit`);
    this.#end(event.remainingAtoms);
  }

  cancel(event: OrderCancelled): void {
    const { order, terms } = this.accepted;
    this.#checkOwner(event);
    const limit = terms.kind === 'limit' ? terms.priceAtoms : 0;
    if (event.priceAtoms !== limit) fail('order', `order ${order} was cancelled at ${event.priceAtoms}, its limit is ${limit}`);
    this.#end(event.remainingAtoms);
  }

  /** Called at the end of the turn. */
  check(): void {
    const { order, terms } = this.accepted;
    if (this.#isComplete !== (this.#rest === undefined))
      fail('order', `order ${order} neither rests nor ends, or is complete and does`);
    if (terms.kind === 'market_notional') {
      if (this.#spent > terms.notionalAtoms) fail('order', `order ${order} spent ${this.#spent} of ${terms.notionalAtoms}`);
      if ((this.#rest ?? 0) !== 0) fail('order', `order ${order} is by notional, and ${this.#rest} of its quantity was left`);
      return;
    }
    const isFillOrKill = terms.kind === 'limit' && terms.timeInForce === 'FOK';
    if (isFillOrKill && this.#filled !== 0 && this.#filled !== terms.quantityAtoms)
      fail('order', `order ${order} is FOK and filled ${this.#filled} of ${terms.quantityAtoms}`);
    const notional = terms.kind === 'limit' ? terms.notionalAtoms : undefined;
    if (notional !== undefined && this.#spent > notional) fail('order', `order ${order} spent ${this.#spent} of ${notional}`);
    const sum = this.#filled + this.#cut + (this.#rest ?? 0);
    if (sum !== terms.quantityAtoms)
      fail('order', `order ${order} is for ${terms.quantityAtoms}, and ${sum} was filled, was cut, rests or was cancelled`);
  }

  #end(rest: number): void {
    if (this.#rest !== undefined || this.#isComplete) fail('order', `order ${this.accepted.order} ended twice`);
    this.#rest = rest;
  }

  #checkOwner({ account, market, side }: Ownership): void {
    const { accepted } = this;
    if (account !== accepted.account || market !== accepted.market || side !== accepted.side)
      fail('order', `order ${accepted.order} is of another account, market or side than the event says`);
  }

  /** The band around the mark price limits an order without a limit price. A deleveraging has no limit. */
  #isBeyondLimit(price: number): boolean {
    const { terms, side, markPriceAtoms, origin } = this.accepted;
    if (origin === 'auto_deleveraging') return false;
    const limit = this.#limit;
    if (limit !== undefined && (side === 'buy' ? price > limit : price < limit)) return true;
    return terms.kind !== 'limit' && !isWithinBand(side, price, markPriceAtoms, this.#listing);
  }
}
