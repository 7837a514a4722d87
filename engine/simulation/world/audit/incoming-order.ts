/** An order from its acceptance to the end of its turn: what was filled of it, rests and was cancelled is what it was for. */
import type { OrderAccepted, OrderCancelled, OrderFilled, OrderRested } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { demand } from './audit-failed.ts';
import { isWithinBand } from './requirement.ts';

type Ownership = Pick<OrderAccepted, 'account' | 'market' | 'side'>;

export class IncomingOrder {
  readonly accepted: OrderAccepted;
  #filled = 0;
  #spent = 0;
  #isComplete = false;
  /** What rests or was cancelled of it; nothing while it is neither. */
  #rest: number | undefined;

  constructor(accepted: OrderAccepted) {
    this.accepted = accepted;
  }

  fill(fill: OrderFilled, specification: MarketSpecification): void {
    const { order, terms, side } = this.accepted;
    this.#demandOwn(fill);
    demand(this.#rest === undefined && !this.#isComplete, `order ${order} was filled after its end`);
    demand(
      !this.#isBeyondLimit(fill.priceAtoms, specification),
      `order ${order} (${side}) was filled at ${fill.priceAtoms}, beyond its limit`,
    );
    demand(terms.kind !== 'limit' || !terms.postOnly, `order ${order} took, and was to rest alone`);
    this.#filled += fill.quantityAtoms;
    this.#spent += fill.notionalAtoms;
    this.#isComplete = fill.isComplete;
    const left = terms.kind === 'market_notional' ? 0 : terms.quantityAtoms - this.#filled;
    demand(fill.remainingAtoms === left, `order ${order} has ${left} left, was told ${fill.remainingAtoms}`);
  }

  rest({ remainingAtoms, priceAtoms, ...ownership }: OrderRested): void {
    const { order, terms } = this.accepted;
    this.#demandOwn(ownership);
    demand(terms.kind === 'limit' && terms.priceAtoms === priceAtoms, `order ${order} rests at ${priceAtoms}, not at its limit`);
    this.#end(remainingAtoms);
  }

  cancel({ remainingAtoms, priceAtoms, ...ownership }: OrderCancelled): void {
    const { order, terms } = this.accepted;
    this.#demandOwn(ownership);
    const limit = terms.kind === 'limit' ? terms.priceAtoms : 0;
    demand(priceAtoms === limit, `order ${order} was cancelled at ${priceAtoms}, its limit is ${limit}`);
    this.#end(remainingAtoms);
  }

  /** The turn is over. */
  check(): void {
    const { order, terms } = this.accepted;
    demand(this.#isComplete === (this.#rest === undefined), `order ${order} is told to be complete, and is not, or the reverse`);
    if (terms.kind === 'market_notional') {
      demand(this.#spent <= terms.notionalAtoms, `order ${order} spent ${this.#spent} of ${terms.notionalAtoms}`);
      demand((this.#rest ?? 0) === 0, `order ${order} has no quantity, and ${this.#rest} of it was left`);
      return;
    }
    const asked = terms.kind === 'limit' ? terms.notionalAtoms : undefined;
    demand(asked === undefined || this.#spent <= asked, `order ${order} spent ${this.#spent} of ${asked}`);
    const sum = this.#filled + (this.#rest ?? 0);
    demand(
      sum === terms.quantityAtoms,
      `order ${order} was for ${terms.quantityAtoms}; ${sum} was filled, rests or was cancelled`,
    );
  }

  #end(rest: number): void {
    demand(this.#rest === undefined && !this.#isComplete, `order ${this.accepted.order} ended twice`);
    this.#rest = rest;
  }

  #demandOwn({ account, market, side }: Ownership): void {
    const { accepted } = this;
    const isOwn = account === accepted.account && market === accepted.market && side === accepted.side;
    demand(isOwn, `order ${accepted.order} was told of as another than it is`);
  }

  /** Without a limit the band around the mark is one; whom the venue closes goes as far as it takes. */
  #isBeyondLimit(price: number, specification: MarketSpecification): boolean {
    const { terms, side, markPriceAtoms, origin } = this.accepted;
    if (terms.kind === 'limit') return side === 'buy' ? price > terms.priceAtoms : price < terms.priceAtoms;
    return origin !== 'auto_deleveraging' && !isWithinBand(side, price, markPriceAtoms, specification);
  }
}
