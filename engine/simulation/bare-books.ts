/**
 * The venue's books, order table and matching, without money. Reads commands as words and writes events as numbers. The accounts
 * exist and are empty, so that matching checks an order's backing as in a turn.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms } from '#units/money.ts';
import { ZERO_QUOTE } from '#units/money.ts';
import { Account } from '#venue/account/account.ts';
import type { Side } from '#venue/command.ts';
import { Market } from '#venue/market/market.ts';
import { FILL, Incoming, MatchPlan, SELF_TRADE } from '#venue/order/match-plan.ts';
import { planMatches } from '#venue/order/matching.ts';
import type { Slot } from '#venue/order/order-table.ts';
import { NO_SLOT, RestingOrder } from '#venue/order/order-table.ts';
import { RISK_RULES } from '#venue/risk/risk-rules.ts';
import { VenueState } from '#venue/state.ts';
import { Turn } from '#venue/turn.ts';
import type { BookCommands } from './book-commands.ts';
import { BookEvents } from './book-events.ts';
import { SCENARIO_MARKET } from './scenario.ts';

export class BareBooks {
  readonly events = new BookEvents();
  readonly state = new VenueState();
  /** Without margin: the accounts have no money. */
  readonly #turn = new Turn(this.state, { ...RISK_RULES, needsInitialMargin: false });
  readonly #plan = new MatchPlan();
  readonly #incoming = new Incoming();
  readonly #resting = new RestingOrder();

  constructor(markets: number, accounts: number) {
    const { state } = this;
    for (let ordinal = 1; ordinal <= markets; ordinal += 1) {
      state.markets.push(new Market(ordinal as MarketOrdinal, SCENARIO_MARKET, 'open', state));
    }
    for (let ordinal = 1; ordinal <= accounts; ordinal += 1) {
      const account = new Account(ordinal as AccountOrdinal, '', '', 0);
      for (let market = 1; market <= markets; market += 1) account.positionIn(market as MarketOrdinal);
      state.accounts.push(account);
    }
  }

  /** Executes the commands at the places `from` to `to - 1`. */
  run(commands: BookCommands, from: number, to: number): void {
    for (let place = from; place < to; place += 1) {
      if (commands.kindAt(place) === 'cancel') this.#cancel(commands.orderAt(place));
      else this.#place(commands, place);
    }
  }

  bestAgainst(side: Side, market: number): number {
    return this.state.market(market as MarketOrdinal)!.book.bestAgainst(side);
  }

  isOpen(order: number): boolean {
    return this.state.orders.slotOf(order as OrderOrdinal) !== NO_SLOT;
  }

  /** Whether an order would trade with an order of its own account. */
  wouldSelfTrade(commands: BookCommands, place: number): boolean {
    this.#planFor(commands, place);
    for (let step = 0; step < this.#plan.count; step += 1) if (this.#plan.kindAt(step) === SELF_TRADE) return true;
    return false;
  }

  #planFor(commands: BookCommands, place: number): Market {
    const market = this.state.market(commands.marketAt(place))!;
    const incoming = this.#incoming;
    market.markPriceAtoms = commands.markAt(place);
    incoming.account = commands.accountAt(place);
    incoming.side = commands.sideAt(place);
    incoming.limitPrice = commands.priceAt(place);
    incoming.quantity = commands.quantityAt(place);
    planMatches(this.#turn, market, incoming, this.#plan);
    return market;
  }

  #place(commands: BookCommands, place: number): void {
    const market = this.#planFor(commands, place);
    const plan = this.#plan;
    const order = commands.orderAt(place);
    for (let step = 0; step < plan.count; step += 1) {
      if (plan.kindAt(step) === FILL) this.#fill(market, order, plan.slotAt(step), plan.quantityAt(step));
      else this.#end(market, plan.slotAt(step));
    }
    const left = (this.#incoming.quantity - plan.filledBase) as BaseAtoms;
    if (left === 0) return;
    if (commands.kindAt(place) === 'limit' && plan.end !== 'steps') this.#rest(market, order, left);
    else this.events.cancelled(order, this.#incoming.limitPrice, left);
  }

  #fill(market: Market, taker: OrderOrdinal, maker: Slot, quantity: BaseAtoms): void {
    const { orders } = this.state;
    const left = orders.remainingOf(maker) - quantity;
    this.events.traded(taker, orders.orderOf(maker), orders.priceOf(maker), quantity);
    if (left > 0) {
      market.book.resize(maker, left as BaseAtoms);
      return;
    }
    market.book.remove(maker);
    orders.remove(maker);
  }

  #rest(market: Market, order: OrderOrdinal, left: BaseAtoms): void {
    const { account, side, limitPrice } = this.#incoming;
    const resting = this.#resting;
    resting.order = order;
    resting.account = account;
    resting.market = market.ordinal;
    resting.side = side;
    resting.priceAtoms = limitPrice;
    resting.remainingAtoms = left;
    resting.markPriceAtoms = market.markPriceAtoms;
    resting.initialMarginBps = market.specification.initialMarginBps;
    market.book.add(this.state.orders.add(resting, ZERO_QUOTE));
    this.events.rested(order, limitPrice, left);
  }

  /** Ignores an order that is not open. */
  #cancel(order: OrderOrdinal): void {
    const { orders } = this.state;
    const slot = orders.slotOf(order);
    if (slot !== NO_SLOT) this.#end(this.state.market(orders.marketOf(slot))!, slot);
  }

  #end(market: Market, slot: Slot): void {
    const { orders } = this.state;
    this.events.cancelled(orders.orderOf(slot), orders.priceOf(slot), orders.remainingOf(slot));
    market.book.remove(slot);
    orders.remove(slot);
  }
}
