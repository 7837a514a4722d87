/** What an incoming order brings to the book, and the list of resting orders that it meets there. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Side } from '#venue/order/order-terms.ts';
import { NO_PRICE } from './book.ts';
import type { Slot } from './order-table.ts';

/**
 * How many resting orders one order may meet in its turn. Some of so many fill or leave, and whoever ends here gets further
 * the next time.
 */
export const MAX_MATCH_STEPS = 1_000;

/**
 * How many it may pass over besides, where nobody may open: orders of accounts that hold nothing which they could reduce offer
 * nothing, and stay. Each costs a look and no more, so there may be many: as many as twenty accounts may have here. Whoever
 * ends behind them would end there again.
 */
export const MAX_SKIPPED = 10_000;

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
  readonly #steps = new Int32Array(MAX_MATCH_STEPS * 4);
  count = 0;
  /** Resting orders met. Those that steps before have left nothing to reduce make no step. */
  visitedMakers = 0;
  /** Resting orders that were there for nobody. */
  skipped = 0;
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
    this.visitedMakers = 0;
    this.skipped = 0;
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
