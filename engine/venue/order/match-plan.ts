/** An incoming order's side of matching, and the list of resting orders that it meets. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Side } from '#venue/order/order-terms.ts';
import { NO_PRICE } from './book.ts';
import type { Slot } from './order-table.ts';

/**
 * The maximum number of resting orders that one order meets in its turn. Some of them fill or are cancelled, so a repeated
 * order gets further.
 */
export const MAX_MATCH_STEPS = 1_000;

/**
 * The maximum number of resting orders that it skips besides, while opening is not permitted: orders of accounts without a
 * position to reduce offer nothing, and stay in the book. Skipping is cheap, so the bound is high: all orders that twenty
 * accounts may have in a market. A repeated order would stop at the same place.
 */
export const MAX_SKIPPED = 10_000;

/** An incoming order, as far as matching needs it. */
export class Incoming {
  account = 0 as AccountOrdinal;
  side: Side = 'buy';
  /** The worst price at which it may fill. */
  limitPrice: PriceAtoms = NO_PRICE;
  quantity: BaseAtoms = ZERO_BASE;
  /** The maximum that an order by notional spends. */
  notional: QuoteAtoms | undefined;
  /** Whether resting orders may open positions. If not, each offers only what it reduces. */
  mayOpen = true;
}

/** Why matching ended. */
export type MatchEnd = 'filled' | 'price' | 'empty' | 'steps' | 'skips';

/** What happens to a resting order that is met: it fills, or is cancelled for one of three reasons. */
export const FILL = 0;
export const SELF_TRADE = 1;
export const UNBACKED = 2;
export const EXPIRED = 3;
export type StepKind = typeof FILL | typeof SELF_TRADE | typeof UNBACKED | typeof EXPIRED;

/** The steps of a match, in the order in which resting orders are met. A step that cancels has quantity 0. */
export class MatchPlan {
  /** Slot, quantity and kind of each step, and whether it is topped up, four words apart. */
  readonly #steps = new Int32Array(MAX_MATCH_STEPS * 4);
  /** What the cash of the order's account adds to the margin of a step that is topped up. */
  readonly #topUps = new Float64Array(MAX_MATCH_STEPS);
  count = 0;
  /** Resting orders met, including orders without a step because earlier steps leave them nothing to reduce. */
  visitedMakers = 0;
  /** Resting orders skipped: their accounts have no position to reduce. */
  skipped = 0;
  /** Steps that fill. */
  fillCount = 0;
  /** Steps that cancel an order that offers nothing: it is unbacked, or has expired. */
  unbackedCount = 0;
  /** Steps that fill with a margin that is topped up. */
  topUpCount = 0;
  /** Whether a met order stays in the book with a quantity that it may not open now. The incoming order must not rest across it. */
  leavesCrossing = false;
  /** The step of the last fill, or −1. */
  lastFill = -1;
  /** The open interest before the match, which the margin of what resting orders open depends on. */
  openInterestAtoms: QuoteAtoms = ZERO_QUOTE;
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

  /** Whether the account's available cash tops up the margin of what the step opens. */
  isToppedUp(step: number): boolean {
    return this.#steps[(step << 2) | 3] !== 0;
  }

  /** What a step adds to the margin at most. */
  topUpAt(step: number): QuoteAtoms {
    return (this.isToppedUp(step) ? this.#topUps[step] : ZERO_QUOTE) as QuoteAtoms;
  }

  /** Whether the incoming order crosses a resting order. Unbacked and expired orders do not count. */
  get isCrossing(): boolean {
    return this.count > this.unbackedCount || this.leavesCrossing;
  }

  clear(): void {
    this.count = 0;
    this.visitedMakers = 0;
    this.skipped = 0;
    this.fillCount = 0;
    this.unbackedCount = 0;
    this.topUpCount = 0;
    this.leavesCrossing = false;
    this.lastFill = -1;
    this.openInterestAtoms = ZERO_QUOTE;
    this.filledBase = ZERO_BASE;
    this.filledNotional = ZERO_QUOTE;
    this.end = 'empty';
  }

  addCancel(slot: Slot, kind: StepKind): void {
    if (kind !== SELF_TRADE) this.unbackedCount += 1;
    this.#addStep(slot, 0, kind, ZERO_QUOTE);
  }

  addFill(slot: Slot, quantity: BaseAtoms, topUpAtoms: QuoteAtoms): void {
    this.lastFill = this.count;
    this.fillCount += 1;
    this.#addStep(slot, quantity, FILL, topUpAtoms);
  }

  #addStep(slot: Slot, quantity: number, kind: StepKind, topUpAtoms: QuoteAtoms): void {
    const at = this.count << 2;
    const steps = this.#steps;
    steps[at] = slot;
    steps[at | 1] = quantity;
    steps[at | 2] = kind;
    steps[at | 3] = topUpAtoms > 0 ? 1 : 0;
    if (topUpAtoms > 0) {
      this.#topUps[this.count] = topUpAtoms;
      this.topUpCount += 1;
    }
    this.count += 1;
  }
}
