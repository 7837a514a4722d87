/**
 * Which resting orders an incoming order meets, in price-time priority, without touching any of them. The list that
 * comes out is bounded: an order that would meet more than `MAX_STEPS` ends there.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, mulDivDown, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import type { Market } from '#venue/market/market.ts';
import { closableBy } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import { isBacked } from './backing.ts';
import { NO_PRICE } from './book.ts';
import type { Slot } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';

/** How many resting orders one order may look at in its turn, whether it fills with them or not. */
export const MAX_STEPS = 1_000;

/** What an incoming order brings to the book. */
export interface Incoming {
  readonly account: AccountOrdinal;
  readonly side: Side;
  /** The worst price it takes. */
  readonly limitPrice: PriceAtoms;
  readonly quantity: BaseAtoms;
  /** The most it spends, for an order by notional. */
  readonly notional: QuoteAtoms | undefined;
}

/** Why matching ended. */
export type MatchEnd = 'filled' | 'price' | 'empty' | 'steps';

/** What becomes of a resting order that is met: it fills, or is cancelled for one of two reasons. */
export const FILL = 0;
export const SELF_TRADE = 1;
export const UNBACKED = 2;
export type StepKind = typeof FILL | typeof SELF_TRADE | typeof UNBACKED;

/** The steps of a match. */
export class MatchPlan {
  readonly #kinds = new Uint8Array(MAX_STEPS);
  readonly #slots = new Int32Array(MAX_STEPS);
  readonly #quantities = new Int32Array(MAX_STEPS);
  count = 0;
  /** Resting orders looked at. */
  looks = 0;
  /** Steps that fill. */
  fillCount = 0;
  /** The step of the last fill, −1 without any. */
  lastFill = -1;
  filledBase: BaseAtoms = ZERO_BASE;
  filledNotional: QuoteAtoms = ZERO_QUOTE;
  end: MatchEnd = 'empty';

  slotAt(step: number): Slot {
    return this.#slots[step]! as Slot;
  }

  quantityAt(step: number): BaseAtoms {
    return this.#quantities[step]! as BaseAtoms;
  }

  clear(): void {
    this.count = 0;
    this.looks = 0;
    this.fillCount = 0;
    this.lastFill = -1;
    this.filledBase = ZERO_BASE;
    this.filledNotional = ZERO_QUOTE;
    this.end = 'empty';
  }

  kindAt(step: number): StepKind {
    return this.#kinds[step]! as StepKind;
  }

  addCancel(slot: Slot, kind: StepKind): void {
    this.#kinds[this.count] = kind;
    this.#slots[this.count] = slot;
    this.#quantities[this.count] = 0;
    this.count += 1;
  }

  addFill(slot: Slot, quantity: BaseAtoms, notional: QuoteAtoms): void {
    this.#kinds[this.count] = FILL;
    this.#slots[this.count] = slot;
    this.#quantities[this.count] = quantity;
    this.lastFill = this.count;
    this.fillCount += 1;
    this.count += 1;
    this.filledBase = (this.filledBase + quantity) as BaseAtoms;
    this.filledNotional = (this.filledNotional + notional) as QuoteAtoms;
  }
}

/** Fills `plan` with what the order meets. */
export function planMatches(state: VenueState, market: Market, incoming: Incoming, plan: MatchPlan): void {
  plan.clear();
  const { book } = market;
  const { side, limitPrice } = incoming;
  for (let price = book.bestAgainst(side); price !== NO_PRICE; price = book.nextAgainst(side, price)) {
    if (side === 'buy' ? price > limitPrice : price < limitPrice) {
      plan.end = 'price';
      return;
    }
    for (let slot = book.firstAt(price); slot !== NO_SLOT; slot = book.behind(slot)) {
      const wanted = wantedAt(market, incoming, price, plan);
      if (wanted === 0) {
        plan.end = 'filled';
        return;
      }
      plan.looks += 1;
      if (plan.looks > MAX_STEPS) {
        plan.end = 'steps';
        return;
      }
      planStep(state, market, incoming, slot, price, wanted, plan);
    }
    // The last order of this price may have been just enough: then nothing further is met, whatever it costs.
    if (wantedAt(market, incoming, price, plan) === 0) {
      plan.end = 'filled';
      return;
    }
  }
}

/** How much the order still takes at a price. */
function wantedAt(market: Market, incoming: Incoming, price: PriceAtoms, plan: MatchPlan): BaseAtoms {
  const wanted = minus(incoming.quantity, plan.filledBase);
  if (incoming.notional === undefined) return wanted;
  const affordable = mulDivDown(minus(incoming.notional, plan.filledNotional), 1, market.lotPrice(price));
  return smallerOf<number>(wanted, affordable) as BaseAtoms;
}

function planStep(
  state: VenueState,
  market: Market,
  incoming: Incoming,
  slot: Slot,
  price: PriceAtoms,
  wanted: BaseAtoms,
  plan: MatchPlan,
): void {
  if (state.orders.accountOf(slot) === incoming.account) {
    plan.addCancel(slot, SELF_TRADE);
    return;
  }
  if (!isBacked(state, market, slot)) {
    plan.addCancel(slot, UNBACKED);
    return;
  }
  const offered = offeredBy(state, market, slot, plan);
  const quantity = smallerOf(wanted, offered);
  if (quantity > 0) plan.addFill(slot, quantity, market.notional(price, quantity));
}

/** What a resting order offers: what remains of it, and for a reduce-only one no more than its account still holds. */
function offeredBy(state: VenueState, market: Market, slot: Slot, plan: MatchPlan): BaseAtoms {
  const { orders } = state;
  const remaining = orders.remainingOf(slot);
  if (!orders.isReduceOnly(slot)) return remaining;
  const account = orders.accountOf(slot);
  let closable: number = closableBy(orders.sideOf(slot), state.account(account)!.holdingIn(market.ordinal));
  // Steps before this one may have met other orders of the same account, all on the same side as this one.
  for (let step = 0; step < plan.count; step += 1) {
    if (orders.accountOf(plan.slotAt(step)) === account) closable -= plan.quantityAt(step);
  }
  return Math.max(0, Math.min(remaining, closable)) as BaseAtoms;
}
