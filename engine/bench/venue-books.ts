/**
 * The venue's own book, order table and matching, driven as its turns drive them: plan, then settle step by step. What
 * happens is reported as numbers into a typed ring; accounts and money stay outside.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { Market } from '#venue/market/market.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { Incoming } from '#venue/order/matching.ts';
import { MatchPlan, planMatches } from '#venue/order/matching.ts';
import type { Slot } from '#venue/order/order-table.ts';
import { NO_SLOT } from '#venue/order/order-table.ts';
import { VenueState } from '#venue/state.ts';
import type { OrderFlow } from './order-flow.ts';
import { CANCEL, LIMIT } from './order-flow.ts';

const EVENT_FIELDS = 4;
const RING = 2 ** 16;

/** Events as their reader finds them: kind, orders, price, quantity; the oldest are overwritten. */
class EventRing {
  readonly #numbers = new Float64Array(RING);
  #next = 0;
  trades = 0;
  volume = 0;
  put(first: number, second: number, price: number, quantity: number): void {
    const at = this.#next;
    this.#numbers[at] = first;
    this.#numbers[at + 1] = second;
    this.#numbers[at + 2] = price;
    this.#numbers[at + 3] = quantity;
    this.#next = (at + EVENT_FIELDS) & (RING - 1);
  }
}

export class VenueBooks {
  readonly state = new VenueState();
  readonly #markets: Market[] = [];
  readonly #plan = new MatchPlan();
  readonly #incoming: { -readonly [K in keyof Incoming]: Incoming[K] } = {
    account: 0 as AccountOrdinal,
    side: 'buy',
    limitPrice: 0 as PriceAtoms,
    quantity: 0 as BaseAtoms,
    notional: undefined,
  };
  readonly events = new EventRing();
  readonly #marketOf: Int32Array;

  constructor(markets: number, highest: number, orders: number) {
    this.#marketOf = new Int32Array(orders + 1);
    for (let ordinal = 0; ordinal <= markets; ordinal += 1) {
      this.#markets.push(new Market(ordinal as MarketOrdinal, specification(highest), 'open', this.state.orders));
    }
  }

  run(flow: OrderFlow, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const order = flow.orders[at]!;
      if (flow.kinds[at] === CANCEL) this.cancel(order);
      else
        this.place(
          flow.kinds[at] === LIMIT,
          flow.markets[at]!,
          flow.accounts[at]!,
          flow.sells[at] === 1,
          flow.prices[at]!,
          flow.quantities[at]!,
          order,
        );
    }
  }

  get restingOrders(): number {
    return this.state.orders.count;
  }

  bestAgainst(market: number, sell: boolean): number {
    return this.#markets[market]!.book.bestAgainst(sell ? 'sell' : 'buy');
  }

  isOpen(order: number): boolean {
    return this.state.orders.slotOf(order as OrderOrdinal) !== NO_SLOT;
  }

  marketOf(order: number): number {
    return this.#marketOf[order]!;
  }

  meetsItself(market: number, account: number, sell: boolean, price: number, quantity: number): boolean {
    this.#plan_(market, account, sell, price, quantity);
    for (let step = 0; step < this.#plan.count; step += 1) if (this.#plan.quantityAt(step) === 0) return true;
    return false;
  }

  #plan_(market: number, account: number, sell: boolean, price: number, quantity: number): void {
    const incoming = this.#incoming;
    incoming.account = account as AccountOrdinal;
    incoming.side = sell ? 'sell' : 'buy';
    incoming.limitPrice = price as PriceAtoms;
    incoming.quantity = quantity as BaseAtoms;
    planMatches(this.state, this.#markets[market]!, incoming, this.#plan);
  }

  place(rests: boolean, market: number, account: number, sell: boolean, price: number, quantity: number, order: number): void {
    this.#plan_(market, account, sell, price, quantity);
    const { book } = this.#markets[market]!;
    const { orders } = this.state;
    const plan = this.#plan;
    for (let step = 0; step < plan.count; step += 1) {
      const slot = plan.slotAt(step);
      const filled = plan.quantityAt(step);
      if (filled === 0) {
        this.#cancelSlot(slot);
        continue;
      }
      this.events.put(order, orders.orderOf(slot), orders.priceOf(slot), filled);
      this.events.trades += 1;
      this.events.volume += filled;
      const left = orders.remainingOf(slot) - filled;
      if (left > 0) {
        orders.setRemaining(slot, left as BaseAtoms);
        continue;
      }
      book.remove(slot);
      orders.remove(slot);
    }
    const left = quantity - plan.filledBase;
    if (!rests || left === 0) return;
    this.#marketOf[order] = market;
    book.add(
      orders.add(
        order as OrderOrdinal,
        account as AccountOrdinal,
        market as MarketOrdinal,
        sell ? 'sell' : 'buy',
        price as PriceAtoms,
        left as BaseAtoms,
        false,
        0,
        price as PriceAtoms,
      ),
    );
    this.events.put(order, 0, price, left);
  }

  cancel(order: number): void {
    const slot = this.state.orders.slotOf(order as OrderOrdinal);
    if (slot !== NO_SLOT) this.#cancelSlot(slot);
  }

  #cancelSlot(slot: Slot): void {
    const { orders } = this.state;
    this.events.put(orders.orderOf(slot), -1, orders.priceOf(slot), orders.remainingOf(slot));
    this.#markets[orders.marketOf(slot)]!.book.remove(slot);
    orders.remove(slot);
  }
}

function specification(highest: number): MarketSpecification {
  return {
    marketId: 'BTC-USD-PERP',
    underlyingSymbol: 'BTC',
    priceScale: 1,
    quantityScale: 3,
    minPriceAtoms: 1 as PriceAtoms,
    maxPriceAtoms: highest as PriceAtoms,
    minQuantityAtoms: 1 as BaseAtoms,
    maxQuantityAtoms: 500_000 as BaseAtoms,
    initialMarginBps: 500 as Bps,
    maxLeverageX: 20,
    maintenanceMarginTiers: [{ notionalThresholdAtoms: 0 as QuoteAtoms, maintenanceMarginBps: 250 as Bps }],
    makerFeeBps: 2 as Bps,
    takerFeeBps: 5 as Bps,
    priceBandBps: 1_000 as Bps,
    markBandBps: 50 as Bps,
    liquidationFeeBps: 100 as Bps,
    autoDeleveraging: true,
    maxIndexAgeMs: 3_600_000,
    maxIndexJumpBps: 5_000 as Bps,
    indexConfirmations: 2,
    fundingPeriodMs: 3_600_000,
    fundingInterestPpb: 12_500 as Ppb,
    fundingCapPpb: 10_000_000 as Ppb,
    premiumSampleMs: 5_000,
    impactNotionalAtoms: 4_000_000_000 as QuoteAtoms,
  };
}
