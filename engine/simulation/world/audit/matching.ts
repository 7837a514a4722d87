/**
 * What must be true of orders and trades, told by their events: every trade has two sides that differ, fills are at the
 * maker's price and in price-time priority, nobody trades with itself, and quantities add up.
 */
import type { OrderAccepted, OrderCancelled, OrderFilled, OrderRested, TradeExecuted } from '#venue/event.ts';
import { demand, fail } from './audit-failed.ts';
import type { KeptOrder, OrderBooks } from './order-books.ts';
import type { PositionBooks } from './position-books.ts';
import { feeBounds, isWithinBand, tickLotOf } from './requirement.ts';

/** An order that was accepted in this turn. */
interface Incoming {
  readonly accepted: OrderAccepted;
  filled: number;
  spent: number;
  /** What rested or was cancelled of it; nothing while it is neither. */
  rest: number | undefined;
  isComplete: boolean;
}

export class MatchingAudit {
  readonly #orders: OrderBooks;
  readonly #positions: PositionBooks;
  readonly #incoming = new Map<number, Incoming>();
  #trade: TradeExecuted | undefined;
  #fills: OrderFilled[] = [];
  #lastOrder = 0;
  #lastTrade = 0;

  constructor(orders: OrderBooks, positions: PositionBooks) {
    this.#orders = orders;
    this.#positions = positions;
  }

  get lastOrder(): number {
    return this.#lastOrder;
  }

  beginTurn(): void {
    this.#incoming.clear();
    this.#trade = undefined;
  }

  accept(accepted: OrderAccepted): void {
    demand(accepted.order === this.#lastOrder + 1, `order ${accepted.order} was accepted after order ${this.#lastOrder}`);
    this.#lastOrder = accepted.order;
    this.#incoming.set(accepted.order, { accepted, filled: 0, spent: 0, rest: undefined, isComplete: false });
  }

  execute(trade: TradeExecuted): void {
    const { quantityAtoms, priceAtoms, notionalAtoms } = trade;
    this.#checkTradeIsWhole();
    demand(trade.trade === this.#lastTrade + 1, `trade ${trade.trade} came after trade ${this.#lastTrade}`);
    const worth = priceAtoms * quantityAtoms * tickLotOf(this.#orders.specificationOf(trade.market));
    demand(quantityAtoms > 0 && notionalAtoms === worth, `trade ${trade.trade} is worth ${worth}, was told ${notionalAtoms}`);
    this.#lastTrade = trade.trade;
    this.#trade = trade;
    this.#fills = [];
  }

  fill(fill: OrderFilled): void {
    const trade = this.#trade ?? fail(`order ${fill.order} was filled without a trade`);
    const isOfTrade = fill.trade === trade.trade && fill.market === trade.market && fill.quantityAtoms === trade.quantityAtoms;
    demand(isOfTrade && fill.notionalAtoms === trade.notionalAtoms, `a fill of order ${fill.order} is not that of its trade`);
    demand(
      fill.priceAtoms === trade.priceAtoms,
      `order ${fill.order} was filled at ${fill.priceAtoms}, not at its trade's price`,
    );
    const isTaker = fill.liquidity === 'taker';
    demand((fill.side === trade.takerSide) === isTaker, `order ${fill.order} was filled on the wrong side of its trade`);
    const [least, most] = feeBounds(trade.origin, fill.liquidity, fill.notionalAtoms, this.#orders.specificationOf(fill.market));
    demand(fill.feeAtoms >= least && fill.feeAtoms <= most, `order ${fill.order} paid a fee of ${fill.feeAtoms}, not ${most}`);
    const isOfBook = !isTaker && trade.origin !== 'auto_deleveraging';
    if (isOfBook) this.#fillResting(fill);
    else this.#fillIncoming(fill);
    this.#fills.push(fill);
    demand(this.#fills.length <= 2, `trade ${trade.trade} has more than two sides`);
  }

  rest(event: OrderRested): void {
    const { order, account, market, side, priceAtoms, remainingAtoms } = event;
    const incoming = this.#incoming.get(order) ?? fail(`order ${order} rests without being accepted`);
    const { accepted } = incoming;
    const { terms } = accepted;
    const isItself = accepted.account === account && accepted.market === market && accepted.side === side;
    demand(isItself && terms.kind === 'limit' && terms.priceAtoms === priceAtoms, `order ${order} rests as another than it was`);
    demand(incoming.rest === undefined, `order ${order} rests twice`);
    incoming.rest = remainingAtoms;
    const { reduceOnly, leverageX, initialMarginBps, markPriceAtoms } = accepted;
    const opening = { reduceOnly, leverageX, initialMarginBps, markPriceAtoms };
    this.#orders.add({ order, account, market, side, priceAtoms, remaining: remainingAtoms, ...opening });
  }

  cancel(event: OrderCancelled): void {
    const { order, wasResting, remainingAtoms, priceAtoms } = event;
    const resting = this.#orders.get(order);
    demand(wasResting === (resting !== undefined), `order ${order} was cancelled and was ${wasResting ? 'not ' : ''}in the book`);
    if (resting !== undefined) {
      const isItself = resting.account === event.account && resting.market === event.market && resting.side === event.side;
      const isWhole = resting.remaining === remainingAtoms && resting.priceAtoms === priceAtoms;
      demand(isItself && isWhole, `order ${order} was cancelled as another than it was`);
      this.#orders.shrink(resting, remainingAtoms);
      return;
    }
    const incoming = this.#incoming.get(order) ?? fail(`order ${order} was cancelled and was never there`);
    demand(incoming.rest === undefined, `order ${order} ended twice`);
    incoming.rest = remainingAtoms;
    this.#checkReason(event, incoming.accepted);
  }

  checkTurn(): void {
    this.#checkTradeIsWhole();
    for (const incoming of this.#incoming.values()) checkQuantity(incoming);
    this.#orders.checkUncrossed();
  }

  /** The maker is first in line. */
  #fillResting(fill: OrderFilled): void {
    const maker = this.#orders.get(fill.order) ?? fail(`order ${fill.order} was filled and was not in the book`);
    demand(maker.account === fill.account && maker.side === fill.side, `order ${fill.order} was filled for another`);
    demand(
      maker.priceAtoms === fill.priceAtoms,
      `order ${fill.order} rests at ${maker.priceAtoms}, filled at ${fill.priceAtoms}`,
    );
    const first = this.#orders.first(maker.market, maker.side, (order) => this.#hasNothingToReduce(order))!;
    demand(first.order === maker.order, `order ${maker.order} was filled before order ${first.order}, which was first in line`);
    this.#orders.shrink(maker, fill.quantityAtoms);
    demand(
      maker.remaining === fill.remainingAtoms,
      `order ${fill.order} has ${maker.remaining}, was told ${fill.remainingAtoms}`,
    );
    demand(fill.isComplete === (maker.remaining === 0), `order ${fill.order} is told to be complete, or not to be`);
  }

  #fillIncoming(fill: OrderFilled): void {
    const incoming = this.#incoming.get(fill.order) ?? fail(`order ${fill.order} took, and was not accepted in this turn`);
    const { accepted } = incoming;
    const { terms, side, markPriceAtoms } = accepted;
    const isItself = accepted.account === fill.account && accepted.market === fill.market && side === fill.side;
    demand(
      isItself && incoming.rest === undefined && !incoming.isComplete,
      `order ${fill.order} was filled as another, or after its end`,
    );
    const isBeyond =
      terms.kind === 'limit'
        ? side === 'buy'
          ? fill.priceAtoms > terms.priceAtoms
          : fill.priceAtoms < terms.priceAtoms
        : accepted.origin === 'client' &&
          !isWithinBand(side, fill.priceAtoms, markPriceAtoms, this.#orders.specificationOf(fill.market));
    demand(!isBeyond, `order ${fill.order} was filled at ${fill.priceAtoms}, beyond its limit`);
    demand(terms.kind !== 'limit' || !terms.postOnly, `order ${fill.order} took, and was to rest alone`);
    incoming.filled += fill.quantityAtoms;
    incoming.spent += fill.notionalAtoms;
    incoming.isComplete = fill.isComplete;
  }

  #checkTradeIsWhole(): void {
    if (this.#trade === undefined) return;
    const [first, second] = this.#fills;
    if (first === undefined || second === undefined) fail(`trade ${this.#trade.trade} does not have two sides`);
    demand(first.side !== second.side, `both sides of trade ${this.#trade.trade} are the same`);
    demand(first.account !== second.account, `account ${first.account} traded with itself in trade ${this.#trade.trade}`);
    this.#trade = undefined;
  }

  /** Why the rest of an order was cancelled can be seen in the book. */
  #checkReason({ order, reason, market, side }: OrderCancelled, { markPriceAtoms }: OrderAccepted): void {
    if (reason !== 'no_liquidity' && reason !== 'price_band') return;
    const met = this.#orders.first(market, side === 'buy' ? 'sell' : 'buy');
    if (reason === 'no_liquidity') demand(met === undefined, `order ${order} found nothing, but order ${met?.order} is there`);
    else {
      const isBeyond =
        met !== undefined && !isWithinBand(side, met.priceAtoms, markPriceAtoms, this.#orders.specificationOf(market));
      demand(isBeyond, `order ${order} stopped at the price band, but order ${met?.order} is within it`);
    }
  }

  /** Reduce-only orders that have nothing left to reduce are passed over until the turn ends them. */
  #hasNothingToReduce({ reduceOnly, account, market, side }: KeptOrder): boolean {
    if (!reduceOnly) return false;
    const { signedBase } = this.#positions.of(account, market);
    return side === 'buy' ? signedBase >= 0 : signedBase <= 0;
  }
}

/** What was asked for is what was filled, rests and was cancelled. */
function checkQuantity({ accepted, filled, spent, rest, isComplete }: Incoming): void {
  const { order, terms } = accepted;
  demand(!isComplete || rest === undefined, `order ${order} was complete, and yet something of it was left`);
  if (terms.kind === 'market_notional') {
    demand(spent <= terms.notionalAtoms, `order ${order} spent ${spent} of ${terms.notionalAtoms}`);
    demand(isComplete || rest !== undefined, `order ${order} did not end`);
    return;
  }
  const sum = filled + (rest ?? 0);
  demand(sum === terms.quantityAtoms, `order ${order} was for ${terms.quantityAtoms}; ${sum} was filled, rests or was cancelled`);
}
