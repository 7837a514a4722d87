/** All orders of the venue that wait for a price: by number, by account and market, and by entry order. */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { WaitingTrigger } from './waiting-trigger.ts';

/**
 * The maximum number of an account's waiting orders in a market, with the legs of entry orders. A position that ends cancels all that
 * reduce it in one turn, as with reduce-only orders.
 */
export const MAX_WAITING_TRIGGERS = 20;

/** More than markets can be listed. */
const MARKETS = 65_536;
const NO_TRIGGERS: readonly WaitingTrigger[] = [];

export class Triggers {
  /** By order; orders are numbered by age, so the oldest comes first. */
  readonly byOrder = new Map<OrderOrdinal, WaitingTrigger>();
  readonly #own = new Map<number, WaitingTrigger[]>();
  /** Open entry order → its legs. */
  readonly #legs = new Map<OrderOrdinal, WaitingTrigger[]>();
  /** How many orders have begun to wait for a price. */
  lastLive = 0;

  get isEmpty(): boolean {
    return this.byOrder.size === 0;
  }

  get hasLegs(): boolean {
    return this.#legs.size > 0;
  }

  /** Whether the state equals that of a venue that never had one. */
  get isInitial(): boolean {
    return this.lastLive === 0 && this.isEmpty;
  }

  find(order: OrderOrdinal): WaitingTrigger | undefined {
    return this.byOrder.get(order);
  }

  /** Those of an account in a market, oldest first. */
  of(account: AccountOrdinal, market: MarketOrdinal): readonly WaitingTrigger[] {
    return this.#own.get(account * MARKETS + market) ?? NO_TRIGGERS;
  }

  legsOf(entry: OrderOrdinal): readonly WaitingTrigger[] {
    return this.#legs.get(entry) ?? NO_TRIGGERS;
  }

  add(trigger: WaitingTrigger): void {
    this.byOrder.set(trigger.order, trigger);
    addTo(this.#own, trigger.account * MARKETS + trigger.market, trigger);
    if (trigger.entry > 0) addTo(this.#legs, trigger.entry, trigger);
  }

  remove(trigger: WaitingTrigger): void {
    this.byOrder.delete(trigger.order);
    removeFrom(this.#own, trigger.account * MARKETS + trigger.market, trigger);
    if (trigger.entry > 0) removeFrom(this.#legs, trigger.entry, trigger);
  }

  /** The leg no longer follows its entry order, which has ended. */
  detach(leg: WaitingTrigger): void {
    removeFrom(this.#legs, leg.entry, leg);
    leg.entry = 0 as OrderOrdinal;
  }

  nextLive(): number {
    this.lastLive += 1;
    return this.lastLive;
  }
}

function addTo<Key>(lists: Map<Key, WaitingTrigger[]>, key: Key, trigger: WaitingTrigger): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [trigger]);
  else list.push(trigger);
}

function removeFrom<Key>(lists: Map<Key, WaitingTrigger[]>, key: Key, trigger: WaitingTrigger): void {
  const list = lists.get(key)!;
  list.splice(list.indexOf(trigger), 1);
  if (list.length === 0) lists.delete(key);
}
