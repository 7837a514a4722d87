/**
 * Orders and trades: every trade has two sides that differ, fills are at the maker's price and in price-time priority, an account
 * never trades with itself, and the book confirms the reason for which an order ends.
 */
import type { Command } from '#venue/command.ts';
import type {
  CancelReason,
  OrderAccepted,
  OrderAmended,
  OrderCancelled,
  OrderFilled,
  OrderOrigin,
  OrderReduced,
  OrderRested,
  TradeExecuted,
} from '#venue/event.ts';
import { acceptedAgain, checkAmendment } from './amendments.ts';
import { fail } from './audit-failed.ts';
import { type Books, BookView } from './book-view.ts';
import type { TurnOrders } from './cancel-reasons.ts';
import { checkCancelReason } from './cancel-reasons.ts';
import { IncomingOrder } from './incoming-order.ts';
import { liquidationLimitFor } from './liquidation-limit.ts';
import type { Markets } from './markets.ts';
import { permits } from './markets.ts';
import { openInterestIn } from './open-interest.ts';
import type { OpenOrder, OrderBooks } from './order-books.ts';
import type { OrderTerms } from './order-rules.ts';
import { feeFor } from './order-rules.ts';
import type { PositionBooks } from './position-books.ts';
import { bankruptcyPriceFor } from './position-rules.ts';

/** What a fill means for its account: whose order moved the position, and how much margin it may lock. */
export interface FillContext {
  readonly cause: OrderOrigin;
  /** What caused the trade. */
  readonly origin: OrderOrigin;
  readonly terms: OrderTerms;
  /** The remainder of a resting order before the fill; `undefined` for an incoming one, which locks what it needs. */
  readonly remainingBefore: number | undefined;
  /** The initial margin rate of what the fill opens, at the mark. */
  readonly initialRate: number;
  /** What the liquidated side gains compared with its bankruptcy price; otherwise 0. */
  readonly gain: number;
}

/** Reasons that end a resting order when an incoming order meets it. */
const MET_REASONS: readonly CancelReason[] = ['self_trade', 'margin_unbacked', 'expired'];

export class Matching {
  readonly view: BookView;
  readonly #orders: OrderBooks;
  readonly #positions: PositionBooks;
  readonly #markets: Markets;
  readonly #turn: TurnOrders = {
    command: undefined as unknown as Command,
    epochMs: 0,
    incoming: new Map(),
    liquidating: new Map(),
    visitedMakers: 0,
    reduced: [],
    replaced: new Map(),
  };
  #trade: TradeExecuted | undefined;
  /** What the liquidated side of a trade gains compared with its bankruptcy price. */
  #gain = 0;
  /** Before the first match of the incoming order. */
  #openInterest = 0n;
  #first: OrderFilled | undefined;
  #second: OrderFilled | undefined;
  #liquidation: OrderAccepted | undefined;
  #lastOrder = 0;
  #lastTrade = 0;

  constructor(books: Books) {
    this.#orders = books.orders;
    this.#positions = books.positions;
    this.#markets = books.markets;
    this.view = new BookView(books, this.#turn);
  }

  get lastOrder(): number {
    return this.#lastOrder;
  }

  get trade(): TradeExecuted | undefined {
    return this.#trade;
  }

  beginTurn(command: Command, epochMs: number): void {
    this.#turn.command = command;
    this.#turn.epochMs = epochMs;
    if (this.#turn.incoming.size > 0) this.#turn.incoming.clear();
    if (this.#turn.liquidating.size > 0) this.#turn.liquidating.clear();
    if (this.#turn.replaced.size > 0) this.#turn.replaced.clear();
    this.#trade = undefined;
  }

  liquidate(account: number, market: number): void {
    this.#checkLiquidations();
    this.#turn.liquidating.set(`${account}/${market}`, false);
  }

  /** Takes the number of an order that was accepted. */
  number(order: number): void {
    if (order !== this.#lastOrder + 1) fail('order', `order ${order} was accepted after order ${this.#lastOrder}`);
    this.#lastOrder = order;
  }

  /** Takes an order that runs now: it was accepted, or its price was reached. */
  accept(accepted: OrderAccepted): void {
    const { order, account, market: ordinal, origin } = accepted;
    const market = this.#markets.of(ordinal);
    const { listing, mark } = market;
    const limit = origin === 'liquidation' ? liquidationLimitFor(market, this.#positions.of(account, ordinal)) : undefined;
    this.#turn.incoming.set(order, new IncomingOrder(accepted, listing, limit));
    if (origin !== 'auto_deleveraging') {
      this.#openInterest = openInterestIn(listing, this.#positions, mark);
      this.#turn.visitedMakers = 0;
      this.#turn.reduced.length = 0;
    }
    if (origin !== 'client') this.#checkVenueOrder(accepted);
  }

  execute(trade: TradeExecuted): void {
    const { quantityAtoms, priceAtoms, notionalAtoms } = trade;
    this.#checkTradeIsWhole();
    if (trade.trade !== this.#lastTrade + 1) fail('matching', `trade ${trade.trade} came after trade ${this.#lastTrade}`);
    const { listing } = this.#markets.of(trade.market);
    const notional = priceAtoms * quantityAtoms * listing.tickLot;
    if (quantityAtoms <= 0 || notionalAtoms !== notional)
      fail('matching', `trade ${trade.trade} is worth ${notional}, the event says ${notionalAtoms}`);
    this.#lastTrade = trade.trade;
    this.#trade = trade;
    this.#first = undefined;
    this.#second = undefined;
    if (trade.origin === 'client') return;
    const holding = this.#positions.of(this.#liquidation?.account ?? 0, trade.market);
    const ticks = (priceAtoms - bankruptcyPriceFor(holding, listing)) * (holding.signedBase > 0 ? 1 : -1);
    this.#gain = ticks * quantityAtoms * listing.tickLot;
  }

  /** Returns the cause `liquidation` for the liquidated side of a deleveraging. */
  fill(fill: OrderFilled): FillContext {
    const trade = this.#trade ?? fail('matching', `order ${fill.order} was filled without a trade`);
    this.#checkSide(fill, trade);
    if (this.#second !== undefined) fail('matching', `trade ${trade.trade} has more than two sides`);
    if (this.#first === undefined) this.#first = fill;
    else this.#second = fill;
    const isTaker = fill.liquidity === 'taker';
    if (isTaker) this.#turn.visitedMakers += 1;
    const closable = this.#positions.closableBy(fill.side, fill.account, fill.market);
    if (!isTaker && trade.origin !== 'auto_deleveraging') return this.#fillResting(fill, trade, closable);
    const incoming =
      this.#turn.incoming.get(fill.order) ?? fail('matching', `order ${fill.order} took, and was not accepted in this turn`);
    incoming.fill(fill);
    const { origin, reduceOnly, side, leverageHundredths, initialMarginBps, markPriceAtoms } = incoming.accepted;
    if (reduceOnly && fill.quantityAtoms > closable)
      fail('matching', `order ${fill.order} is reduce-only and opened: ${fill.quantityAtoms} of ${closable}`);
    if (trade.origin !== origin) fail('matching', `trade ${trade.trade} is of ${trade.origin}, order ${fill.order} of ${origin}`);
    const terms = { side, priceAtoms: fill.priceAtoms, reduceOnly, leverageHundredths, initialMarginBps, markPriceAtoms };
    const cause = origin === 'auto_deleveraging' && isTaker ? 'liquidation' : origin;
    const gain = cause === 'liquidation' ? Math.max(0, this.#gain) : 0;
    return { cause, origin, terms, remainingBefore: undefined, initialRate: initialMarginBps, gain };
  }

  rest(event: OrderRested): void {
    const { order, account, market, side, priceAtoms, remainingAtoms } = event;
    const incoming = this.#turn.incoming.get(order) ?? fail('order', `order ${order} rests without being accepted`);
    incoming.rest(event);
    const { reduceOnly, leverageHundredths, initialMarginBps, markPriceAtoms } = incoming.accepted;
    const terms = { side, priceAtoms, reduceOnly, leverageHundredths, initialMarginBps, markPriceAtoms };
    const replaced = this.#turn.replaced.get(order);
    const expiresAtEpochMs = replaced?.expiresAtEpochMs ?? this.#expiryOf(incoming.accepted);
    const filled = (replaced?.filled ?? 0) + incoming.filled;
    const accepted = incoming.accepted.terms;
    const postOnly = accepted.kind === 'limit' && accepted.postOnly;
    const life = { remaining: remainingAtoms, filled, postOnly, arrival: 0, expiresAtEpochMs };
    this.#orders.add({ order, account, market, ...terms, ...life, reserved: 0 });
  }

  /** Returns the order as if it were placed now; `undefined` if it keeps its place. */
  amend(event: OrderAmended): OrderAccepted | undefined {
    const { command, epochMs, incoming, replaced } = this.#turn;
    const { order, market, wasRemainingAtoms, remainingAtoms } = event;
    const resting = checkAmendment(event, this.#orders.get(order), command, epochMs);
    if (event.keepsPlace) {
      if (wasRemainingAtoms > remainingAtoms) this.#orders.shrink(resting, wasRemainingAtoms - remainingAtoms);
      return undefined;
    }
    this.#orders.shrink(resting, wasRemainingAtoms);
    const accepted = acceptedAgain(event, resting);
    incoming.get(order)?.check();
    const { listing, mark } = this.#markets.of(market);
    incoming.set(order, new IncomingOrder(accepted, listing));
    this.#openInterest = openInterestIn(listing, this.#positions, mark);
    replaced.set(order, resting);
    this.#turn.visitedMakers = 0;
    this.#turn.reduced.length = 0;
    return accepted;
  }

  reduce(event: OrderReduced): void {
    const { order, cutAtoms, remainingAtoms } = event;
    if (cutAtoms <= 0 || remainingAtoms <= 0) fail('order', `order ${order} was cut by ${cutAtoms} to ${remainingAtoms}`);
    const resting = this.#endingOrder(event, 'cut', cutAtoms + remainingAtoms);
    if (resting === undefined) {
      const incoming = this.#turn.incoming.get(order)!;
      incoming.reduce(event);
      const room = incoming.accepted.reduceOnly ? this.view.roomFor(event) : 0;
      if (remainingAtoms !== room) fail('order', `order ${order} was cut to ${remainingAtoms}, and may reduce ${room}`);
      return;
    }
    const excess = this.view.excessWith(resting);
    if (cutAtoms !== excess) fail('order', `order ${order} was cut by ${cutAtoms}, and its position is exceeded by ${excess}`);
    this.#orders.shrink(resting, cutAtoms);
  }

  cancel(event: OrderCancelled): void {
    const { remainingAtoms } = event;
    const resting = this.#endingOrder(event, 'cancelled', remainingAtoms);
    if (resting === undefined) this.#turn.incoming.get(event.order)!.cancel(event);
    checkCancelReason(event, resting, this.#turn, this.view);
    if (resting === undefined) return;
    if (MET_REASONS.includes(event.reason)) this.#turn.visitedMakers += 1;
    if (event.reason === 'reduce_only') this.#turn.reduced.push(resting);
    this.#orders.shrink(resting, remainingAtoms);
  }

  checkTurn(): void {
    this.#checkTradeIsWhole();
    this.#checkLiquidations();
    for (const incoming of this.#turn.incoming.values()) incoming.check();
    this.#orders.checkTurn();
  }

  /** When an accepted order expires, which is from 1 second to 90 days after its turn; 0 if never. */
  #expiryOf({ order, terms }: OrderAccepted): number {
    if (terms.kind !== 'limit' || terms.timeInForce !== 'GTD') return 0;
    const ahead = (terms.expiresAtEpochMs ?? 0) - this.#turn.epochMs;
    if (ahead < 1_000 || ahead > 90 * 86_400_000) fail('order', `order ${order} rests, and expires in ${ahead} ms`);
    return terms.expiresAtEpochMs!;
  }

  /** The resting order of an event that cuts or cancels it with the given remainder; `undefined` for an incoming one. */
  #endingOrder(event: OrderCancelled | OrderReduced, what: string, remaining: number): OpenOrder | undefined {
    const { order, account, market, side, wasResting, priceAtoms } = event;
    const resting = this.#orders.get(order);
    if (wasResting !== (resting !== undefined))
      fail('order', `order ${order} was ${what} and was ${wasResting ? 'not ' : ''}in the book`);
    if (resting === undefined) {
      if (!this.#turn.incoming.has(order)) fail('order', `order ${order} was ${what} and was never accepted`);
      return undefined;
    }
    const isItself = resting.account === account && resting.market === market && resting.side === side;
    if (!isItself || resting.remaining !== remaining || resting.priceAtoms !== priceAtoms)
      fail('order', `order ${order} was ${what} with other fields than it has`);
    return resting;
  }

  #checkVenueOrder(accepted: OrderAccepted): void {
    const { order, account, market, side, origin, terms, clientOrderId, idempotencyKey, leverageHundredths, reduceOnly } =
      accepted;
    const closable = this.#positions.closableBy(side, account, market);
    const isClosing = terms.kind === 'market' && terms.quantityAtoms > 0 && terms.quantityAtoms <= closable;
    if (!isClosing || !reduceOnly || clientOrderId !== '' || idempotencyKey !== '' || leverageHundredths !== 0)
      fail('liquidation', `order ${order} is the venue's own and closes ${JSON.stringify(terms)} of ${closable}`);
    const { liquidating } = this.#turn;
    if (liquidating.size === 0) fail('liquidation', `order ${order} is the venue's own, and nothing is liquidated`);
    if (origin !== 'liquidation') return;
    this.#liquidation = accepted;
    const place = `${account}/${market}`;
    if (liquidating.get(place) !== false) fail('liquidation', `order ${order} liquidates (${place}) without a start`);
    liquidating.set(place, true);
  }

  #checkSide(fill: OrderFilled, trade: TradeExecuted): void {
    const { order } = fill;
    if (fill.trade !== trade.trade || fill.market !== trade.market || fill.quantityAtoms !== trade.quantityAtoms)
      fail('matching', `a fill of order ${order} is not that of trade ${trade.trade}`);
    if (fill.priceAtoms !== trade.priceAtoms || fill.notionalAtoms !== trade.notionalAtoms)
      fail('matching', `order ${order} was filled at ${fill.priceAtoms}, its trade is at ${trade.priceAtoms}`);
    if ((fill.side === trade.takerSide) !== (fill.liquidity === 'taker'))
      fail('matching', `order ${order} is on the wrong side of trade ${trade.trade}`);
    const { listing } = this.#markets.of(fill.market);
    const fee = feeFor(trade.origin, fill.liquidity, fill.notionalAtoms, this.#gain, listing);
    if (fill.feeAtoms !== fee)
      fail('fee', `order ${order} (${fill.liquidity}, ${trade.origin}) paid a fee of ${fill.feeAtoms}, not ${fee}`);
  }

  #fillResting(fill: OrderFilled, trade: TradeExecuted, closable: number): FillContext {
    const maker = this.#orders.get(fill.order) ?? fail('matching', `order ${fill.order} was filled and was not in the book`);
    if (maker.account !== fill.account || maker.side !== fill.side || maker.market !== fill.market)
      fail('matching', `order ${fill.order} was filled for another account or side`);
    if (maker.priceAtoms !== fill.priceAtoms)
      fail('matching', `order ${fill.order} rests at ${maker.priceAtoms} and was filled at ${fill.priceAtoms}`);
    if (maker.expiresAtEpochMs > 0 && maker.expiresAtEpochMs <= this.#turn.epochMs)
      fail('matching', `order ${fill.order} was filled after its expiry at ${maker.expiresAtEpochMs}`);
    this.#checkPriority(maker, trade);
    const market = this.#markets.of(fill.market);
    if (fill.quantityAtoms > closable && (maker.reduceOnly || !permits(market, 'open', this.#turn.epochMs)))
      fail(
        'matching',
        `order ${fill.order} ${maker.reduceOnly ? 'is reduce-only and ' : ''}opened: ${fill.quantityAtoms} of ${closable}`,
      );
    const initialRate = this.view.initialRateOf(maker, this.#openInterest);
    const remainingBefore = maker.remaining;
    maker.filled += fill.quantityAtoms;
    this.#orders.shrink(maker, fill.quantityAtoms);
    if (maker.remaining !== fill.remainingAtoms)
      fail('order', `order ${fill.order} has ${maker.remaining} left, the event says ${fill.remainingAtoms}`);
    if (fill.isComplete !== (maker.remaining === 0)) fail('order', `order ${fill.order} is complete and rests, or neither`);
    return { cause: 'client', origin: trade.origin, terms: maker, remainingBefore, initialRate, gain: 0 };
  }

  /**
   * Skips orders that may not fill: reduce-only orders with nothing to reduce, and all orders with nothing to reduce in a market
   * that permits no opening.
   */
  #checkPriority(maker: OpenOrder, { origin }: TradeExecuted): void {
    const queue = this.#orders.queue(maker.market, maker.side);
    if (queue[0] === maker && !maker.reduceOnly && permits(this.#markets.of(maker.market), 'open', this.#turn.epochMs)) return;
    const opening = this.view.mayRestingOpen(maker.market);
    const first = (mayOpen: boolean) =>
      queue.find((order) => !((order.reduceOnly || !mayOpen) && this.view.hasNothingToReduce(order)));
    const isFirst =
      (opening !== 'no' && first(true) === maker) ||
      ((opening === 'no' || (opening !== 'yes' && origin === 'client')) && first(false) === maker);
    if (!isFirst)
      fail('matching', `order ${maker.order} was filled before order ${first(opening !== 'no')?.order}, which has priority`);
  }

  #checkLiquidations(): void {
    for (const [place, hasOrder] of this.#turn.liquidating)
      if (!hasOrder) fail('liquidation', `a liquidation began (${place}) without an order`);
  }

  #checkTradeIsWhole(): void {
    if (this.#trade === undefined) return;
    const { trade } = this.#trade;
    if (this.#first === undefined || this.#second === undefined) fail('matching', `trade ${trade} does not have two sides`);
    if (this.#first.side === this.#second.side) fail('matching', `both sides of trade ${trade} are the same`);
    if (this.#first.account === this.#second.account)
      fail('matching', `account ${this.#first.account} traded with itself in trade ${trade}`);
    this.#trade = undefined;
  }
}
