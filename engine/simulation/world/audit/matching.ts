/**
 * What must be true of orders and trades, told by their events: every trade has two sides that differ, fills are at the
 * maker's price and in price-time priority, nobody trades with itself, and orders end for a reason that can be seen.
 */
import type { Command } from '#venue/command.ts';
import type {
  CancelReason,
  OrderAccepted,
  OrderCancelled,
  OrderFilled,
  OrderOrigin,
  OrderRested,
  TradeExecuted,
} from '#venue/event.ts';
import { demand, fail } from './audit-failed.ts';
import { IncomingOrder } from './incoming-order.ts';
import type { Opening } from './market-books.ts';
import type { KeptOrder, OrderBooks } from './order-books.ts';
import type { PositionBooks } from './position-books.ts';
import { feeBounds, isWithinBand, tickLotOf } from './requirement.ts';

/** Reasons that end an order which came in. */
const INCOMING_REASONS: readonly CancelReason[] = [
  'reduce_only',
  'no_liquidity',
  'price_band',
  'fill_limit',
  'bankruptcy_price',
  'liquidation',
];

/** How many orders one order meets at the most. */
const MOST_MET = 1_000;

export class MatchingAudit {
  readonly #orders: OrderBooks;
  readonly #positions: PositionBooks;
  readonly #openingIn: (market: number) => Opening;
  readonly #incoming = new Map<number, IncomingOrder>();
  /** Accounts and markets in which this turn liquidates, and whether that has come to an order. */
  readonly #liquidating = new Map<string, boolean>();
  /** What the order that was accepted last has met: whom it filled with, and who left for it. */
  #met = 0;
  #command: Command | undefined;
  #trade: TradeExecuted | undefined;
  #fills: OrderFilled[] = [];
  #lastOrder = 0;
  #lastTrade = 0;

  constructor(orders: OrderBooks, positions: PositionBooks, openingIn: (market: number) => Opening) {
    this.#orders = orders;
    this.#positions = positions;
    this.#openingIn = openingIn;
  }

  get lastOrder(): number {
    return this.#lastOrder;
  }

  beginTurn(command: Command): void {
    this.#command = command;
    this.#incoming.clear();
    this.#liquidating.clear();
    this.#trade = undefined;
  }

  liquidate(account: number, market: number): void {
    this.#checkLiquidations();
    this.#liquidating.set(`${account}/${market}`, false);
  }

  accept(accepted: OrderAccepted): void {
    const { order, account, market, side, origin, terms } = accepted;
    demand(order === this.#lastOrder + 1, `order ${order} was accepted after order ${this.#lastOrder}`);
    this.#lastOrder = order;
    this.#incoming.set(order, new IncomingOrder(accepted));
    if (origin !== 'auto_deleveraging') this.#met = 0;
    if (origin === 'client') return;
    const isPlain = accepted.clientOrderId === '' && accepted.idempotencyKey === '' && accepted.leverageX === 0;
    const closable = this.#closableBy(side, account, market);
    const isClosing = terms.kind === 'market' && terms.quantityAtoms > 0 && terms.quantityAtoms <= closable;
    demand(isPlain && isClosing && accepted.reduceOnly, `order ${order} is the venue's own, and is to close more than there is`);
    demand(this.#liquidating.size > 0, `order ${order} is the venue's own, and nobody is liquidated`);
    if (origin !== 'liquidation') return;
    const where = `${account}/${market}`;
    demand(this.#liquidating.get(where) === false, `order ${order} liquidates (${where}) without saying so before`);
    this.#liquidating.set(where, true);
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

  /**
   * Answers what moves the position by it: its owner's order, or the venue. Whose position is closed for being bankrupt is
   * liquidated, also where that is against somebody who is deleveraged.
   */
  fill(fill: OrderFilled): OrderOrigin {
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
    this.#fills.push(fill);
    if (isTaker) this.#met += 1;
    const fees = this.#fills.reduce((sum, { feeAtoms }) => sum + feeAtoms, 0);
    demand(this.#fills.length < 2 || fees >= 0, `trade ${trade.trade} cost the venue ${-fees}`);
    demand(this.#fills.length <= 2, `trade ${trade.trade} has more than two sides`);
    if (!isTaker && trade.origin !== 'auto_deleveraging') {
      this.#fillResting(fill);
      return 'client';
    }
    const incoming = this.#incoming.get(fill.order) ?? fail(`order ${fill.order} took, and was not accepted in this turn`);
    incoming.fill(fill, this.#orders.specificationOf(fill.market));
    const { origin } = incoming.accepted;
    demand(trade.origin === origin, `trade ${trade.trade} is told to be of ${trade.origin}, order ${fill.order} is of ${origin}`);
    return origin === 'auto_deleveraging' && isTaker ? 'liquidation' : origin;
  }

  rest(event: OrderRested): void {
    const { order, account, market, side, priceAtoms, remainingAtoms } = event;
    const incoming = this.#incoming.get(order) ?? fail(`order ${order} rests without being accepted`);
    incoming.rest(event);
    const { reduceOnly, leverageX, initialMarginBps, markPriceAtoms } = incoming.accepted;
    const opening = { reduceOnly, leverageX, initialMarginBps, markPriceAtoms };
    this.#orders.add({ order, account, market, side, priceAtoms, remaining: remainingAtoms, ...opening });
  }

  cancel(event: OrderCancelled): void {
    const { order, wasResting, remainingAtoms, priceAtoms } = event;
    const resting = this.#orders.get(order);
    demand(wasResting === (resting !== undefined), `order ${order} was cancelled and was ${wasResting ? 'not ' : ''}in the book`);
    if (resting === undefined) {
      const incoming = this.#incoming.get(order) ?? fail(`order ${order} was cancelled and was never there`);
      incoming.cancel(event);
      this.#checkReasonOfIncoming(event, incoming.accepted);
      return;
    }
    const isItself = resting.account === event.account && resting.market === event.market && resting.side === event.side;
    const isWhole = resting.remaining === remainingAtoms && resting.priceAtoms === priceAtoms;
    demand(isItself && isWhole, `order ${order} was cancelled as another than it was`);
    demand(this.#isReasonOfResting(event, resting), `order ${order} was cancelled for ${event.reason}, which is not so`);
    if (event.reason === 'self_trade' || event.reason === 'margin_unbacked') this.#met += 1;
    this.#orders.shrink(resting, remainingAtoms);
  }

  checkTurn(): void {
    this.#checkTradeIsWhole();
    this.#checkLiquidations();
    for (const incoming of this.#incoming.values()) incoming.check();
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
    const opening = this.#openingIn(maker.market);
    const isByVenue = this.#trade!.origin !== 'client';
    const lines =
      opening === 'yes' || (opening === 'unless_due' && isByVenue) ? [true] : opening === 'no' ? [false] : [true, false];
    const firsts = lines.map((mayOpen) => this.#firstInLine(maker.market, maker.side, mayOpen)?.order);
    demand(firsts.includes(maker.order), `order ${maker.order} was filled before order ${firsts}, which was first in line`);
    const isClosing = fill.quantityAtoms <= this.#closableBy(maker.side, maker.account, maker.market);
    demand(isClosing || lines.includes(true), `order ${maker.order} opened where nobody may`);
    this.#orders.shrink(maker, fill.quantityAtoms);
    demand(
      maker.remaining === fill.remainingAtoms,
      `order ${fill.order} has ${maker.remaining}, was told ${fill.remainingAtoms}`,
    );
    demand(fill.isComplete === (maker.remaining === 0), `order ${fill.order} is told to be complete, or not to be`);
  }

  #checkLiquidations(): void {
    for (const [where, isOrdered] of this.#liquidating)
      demand(isOrdered, `a liquidation began (${where}), and no order came of it`);
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
  #checkReasonOfIncoming({ order, reason, market, side }: OrderCancelled, accepted: OrderAccepted): void {
    const { markPriceAtoms, reduceOnly, origin } = accepted;
    const isPossible = INCOMING_REASONS.includes(reason) && (reason === 'liquidation') === (origin !== 'client');
    demand(isPossible && (reason !== 'reduce_only' || reduceOnly), `order ${order} ended for ${reason}, which cannot be`);
    // Whoever is told that there were too many may come again: so something must have gone out of its way.
    if (reason === 'fill_limit')
      demand(this.#met > 0 && this.#met <= MOST_MET, `order ${order} ended for ${reason}, and met ${this.#met}`);
    if (reason !== 'no_liquidity' && reason !== 'price_band') return;
    const met = this.#orders.first(market, side === 'buy' ? 'sell' : 'buy');
    // Where nobody may open there may be orders that reduce nothing: they are there for nobody.
    const isForNobody = met !== undefined && this.#openingIn(market) !== 'yes';
    if (reason === 'no_liquidity')
      demand(met === undefined || isForNobody, `order ${order} found nothing, but order ${met?.order} is there`);
    else {
      const isBeyond =
        met !== undefined && !isWithinBand(side, met.priceAtoms, markPriceAtoms, this.#orders.specificationOf(market));
      demand(isBeyond, `order ${order} stopped at the price band, but order ${met?.order} is within it`);
    }
  }

  #isReasonOfResting({ order, reason, account, market, side }: OrderCancelled, resting: KeptOrder): boolean {
    const command = this.#command!;
    const isNamed =
      (command.type === 'CancelOrder' && command.order === order) ||
      (command.type === 'CancelOrders' && command.orders.includes(order));
    const isOf = 'account' in command && command.account === account;
    const incoming = [...this.#incoming.values()].filter(({ accepted }) => accepted.market === market && accepted.side !== side);
    switch (reason) {
      case 'user':
        return isNamed && isOf;
      case 'self_trade':
        return incoming.some(({ accepted }) => accepted.account === account);
      case 'margin_unbacked':
        return incoming.some(({ accepted }) => accepted.account !== account);
      case 'reduce_only':
        return this.#hasNothingToReduce(resting);
      case 'liquidation':
        return this.#liquidating.has(`${account}/${market}`);
      default:
        return false;
    }
  }

  /** Who would be met first, where all may open or only those are met that reduce something. */
  #firstInLine(market: number, side: 'buy' | 'sell', mayOpen: boolean): KeptOrder | undefined {
    return this.#orders.first(market, side, (order) => {
      if (mayOpen) return this.#hasNothingToReduce(order);
      return this.#closableBy(order.side, order.account, order.market) === 0;
    });
  }

  /** Reduce-only orders that have nothing left to reduce are passed over until the turn ends them. */
  #hasNothingToReduce({ reduceOnly, account, market, side }: KeptOrder): boolean {
    return reduceOnly && this.#closableBy(side, account, market) === 0;
  }

  #closableBy(side: 'buy' | 'sell', account: number, market: number): number {
    const { signedBase } = this.#positions.of(account, market);
    return Math.max(0, side === 'buy' ? -signedBase : signedBase);
  }
}
