/**
 * Which resting orders an incoming order meets, in price-time priority, without touching any of them. The list that
 * comes out is bounded: an order that would meet more than `MAX_STEPS` ends there. So is the way past those that offer nothing.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { mulDivDown, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import type { Market } from '#venue/market/market.ts';
import { closableBy } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import { doubtAt, isBackedIn } from './backing.ts';
import { NO_PRICE } from './book.ts';
import type { Slot } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';

/**
 * How many resting orders one order may meet in its turn. Some of so many fill or leave, and whoever ends here gets further
 * the next time.
 */
export const MAX_STEPS = 1_000;

/**
 * How many it may pass over besides, where nobody may open: orders of accounts that hold nothing which they could reduce offer
 * nothing, and stay. Each costs a look and no more, so there may be many: as many as twenty accounts may have here. Whoever
 * ends behind them would end there again.
 */
export const MAX_PASSED_OVER = 10_000;

/** What an incoming order brings to the book. */
export class Incoming {
  account = 0 as AccountOrdinal;
  side: Side = 'buy';
  /** The worst price it takes. */
  limitPrice: PriceAtoms = NO_PRICE;
  quantity: BaseAtoms = ZERO_BASE;
  /** The most it spends, for an order by notional. */
  notional: QuoteAtoms | undefined;
  /** Whether what it meets may open a position. Where that is not permitted, any order offers only what it reduces. */
  mayOpen = true;
}

/** Why matching ended. */
export type MatchEnd = 'filled' | 'price' | 'empty' | 'steps' | 'passed_over';

/** What becomes of a resting order that is met: it fills, or is cancelled for one of two reasons. */
export const FILL = 0;
export const SELF_TRADE = 1;
export const UNBACKED = 2;
export type StepKind = typeof FILL | typeof SELF_TRADE | typeof UNBACKED;

/** The steps of a match, in the order in which resting orders are met. A step that cancels has quantity 0. */
export class MatchPlan {
  /** Slot, quantity and kind of every step, four words apart. */
  readonly #steps = new Int32Array(MAX_STEPS * 4);
  count = 0;
  /** Resting orders met. Those that steps before have left nothing to reduce make no step. */
  looks = 0;
  /** Resting orders that were there for nobody. */
  passedOver = 0;
  /** Steps that fill. */
  fillCount = 0;
  /** Steps that cancel what has lost its backing: it trades with nobody. */
  unbackedCount = 0;
  /** Something was met that stays in the book with what it may not open: nothing may rest across it. */
  leavesCrossing = false;
  /** The step of the last fill, −1 without any. */
  lastFill = -1;
  filledBase: BaseAtoms = ZERO_BASE;
  filledNotional: QuoteAtoms = ZERO_QUOTE;
  end: MatchEnd = 'empty';

  slotAt(step: number): Slot {
    return this.#steps[step << 2]! as Slot;
  }

  quantityAt(step: number): BaseAtoms {
    return this.#steps[(step << 2) | 1]! as BaseAtoms;
  }

  kindAt(step: number): StepKind {
    return this.#steps[(step << 2) | 2]! as StepKind;
  }

  /** Whether the order crosses anything that trades, or stays. */
  get isCrossing(): boolean {
    return this.count > this.unbackedCount || this.leavesCrossing;
  }

  clear(): void {
    this.count = 0;
    this.looks = 0;
    this.passedOver = 0;
    this.fillCount = 0;
    this.unbackedCount = 0;
    this.leavesCrossing = false;
    this.lastFill = -1;
    this.filledBase = ZERO_BASE;
    this.filledNotional = ZERO_QUOTE;
    this.end = 'empty';
  }

  addCancel(slot: Slot, kind: StepKind): void {
    if (kind === UNBACKED) this.unbackedCount += 1;
    this.#addStep(slot, 0, kind);
  }

  addFill(slot: Slot, quantity: BaseAtoms): void {
    this.lastFill = this.count;
    this.fillCount += 1;
    this.#addStep(slot, quantity, FILL);
  }

  #addStep(slot: Slot, quantity: number, kind: StepKind): void {
    const at = this.count << 2;
    const steps = this.#steps;
    steps[at] = slot;
    steps[at | 1] = quantity;
    steps[at | 2] = kind;
    this.count += 1;
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
    const wanted = wantedAt(market, incoming, price, plan);
    const left = planLevel(state, market, incoming, price, wanted, plan);
    const filled = (wanted - left) as BaseAtoms;
    plan.filledBase = (plan.filledBase + filled) as BaseAtoms;
    plan.filledNotional = (plan.filledNotional + market.notional(price, filled)) as QuoteAtoms;
    // What is just enough ends here: then nothing further is met, whatever it costs.
    if (left === 0) plan.end = 'filled';
    if (plan.end !== 'empty') return;
  }
}

/** How much the order takes at a price, having filled what it could at better ones. */
function wantedAt(market: Market, { quantity, notional }: Incoming, price: PriceAtoms, plan: MatchPlan): number {
  const wanted = quantity - plan.filledBase;
  if (notional === undefined) return wanted;
  return Math.min(wanted, mulDivDown<number>(notional - plan.filledNotional, 1, market.lotPrice(price)));
}

/** Plans what the orders of one price give, and answers what is still wanted after them. */
function planLevel(
  state: VenueState,
  market: Market,
  { account, side, mayOpen }: Incoming,
  price: PriceAtoms,
  wanted: number,
  plan: MatchPlan,
): number {
  const { orders } = state;
  const doubt = doubtAt(market, side, price);
  let left = wanted;
  for (let slot = market.book.firstAt(price); slot !== NO_SLOT && left > 0; slot = orders.behind(slot)) {
    if (plan.looks === MAX_STEPS) {
      plan.end = 'steps';
      return left;
    }
    plan.looks += 1;
    if (orders.accountOf(slot) === account) {
      plan.addCancel(slot, SELF_TRADE);
      continue;
    }
    if (!isBackedIn(doubt, state, market, slot)) {
      plan.addCancel(slot, UNBACKED);
      continue;
    }
    if (!mayOpen && reducesNothing(state, market, slot)) {
      if (plan.passedOver === MAX_PASSED_OVER) {
        plan.end = 'passed_over';
        return left;
      }
      plan.looks -= 1;
      plan.passedOver += 1;
      plan.leavesCrossing = true;
      continue;
    }
    const reduceOnly = orders.isReduceOnly(slot);
    const offered = mayOpen && !reduceOnly ? orders.remainingOf(slot) : reducibleBy(state, market, slot, plan);
    const quantity = left < offered ? left : offered;
    if (quantity > 0) plan.addFill(slot, quantity as BaseAtoms);
    left -= quantity;
    // A reduce-only order that offers less than it is for ends with this turn.
    if (!mayOpen && !reduceOnly && left > 0 && offered < orders.remainingOf(slot)) plan.leavesCrossing = true;
  }
  return left;
}

/** Whether its account holds nothing that it could close. */
function reducesNothing({ orders, accounts }: VenueState, market: Market, slot: Slot): boolean {
  return closableBy(orders.sideOf(slot), accounts[orders.accountOf(slot)]!.holdingIn(market.ordinal)) === 0;
}

/** What an order offers that is only to reduce: what remains of it, and no more than its account still holds. */
function reducibleBy(state: VenueState, market: Market, slot: Slot, plan: MatchPlan): number {
  const { orders } = state;
  const account = orders.accountOf(slot);
  let closable: number = closableBy(orders.sideOf(slot), state.account(account)!.holdingIn(market.ordinal));
  // Steps before this one may have met other orders of the same account, all on the same side as this one.
  for (let step = 0; step < plan.count; step += 1) {
    if (orders.accountOf(plan.slotAt(step)) === account) closable -= plan.quantityAt(step);
  }
  return Math.max(0, Math.min(orders.remainingOf(slot), closable));
}
