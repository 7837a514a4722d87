/** The resting order whose amendment is being planned: the checks of a placement count as if it were gone. Blank for a new order. */
import type { BaseAtoms, EpochMs, QuoteAtoms } from '#units/money.ts';
import { ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import type { VenueState } from '#venue/state.ts';
import type { Slot } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';

const NEVER = 0 as EpochMs;

export class ReplacedOrder {
  slot: Slot = NO_SLOT;
  filledAtoms: BaseAtoms = ZERO_BASE;
  expiresAtEpochMs: EpochMs = NEVER;
  /** Its reservation, and what it counts among the orders that may open. */
  reservedAtoms: QuoteAtoms = ZERO_QUOTE;
  openingBaseAtoms: BaseAtoms = ZERO_BASE;
  openingNotionalAtoms: QuoteAtoms = ZERO_QUOTE;

  get isBlank(): boolean {
    return this.slot === NO_SLOT;
  }

  read({ orders, expiries }: VenueState, market: Market, slot: Slot): void {
    const opens = orders.isReduceOnly(slot) ? ZERO_BASE : orders.remainingOf(slot);
    this.slot = slot;
    this.filledAtoms = orders.filledOf(slot);
    this.expiresAtEpochMs = expiries.timeOf(orders.orderOf(slot)) ?? NEVER;
    this.reservedAtoms = orders.reservedOf(slot);
    this.openingBaseAtoms = opens;
    this.openingNotionalAtoms = market.notional(orders.priceOf(slot), opens);
  }

  clear(): void {
    this.slot = NO_SLOT;
    this.filledAtoms = ZERO_BASE;
    this.expiresAtEpochMs = NEVER;
    this.reservedAtoms = ZERO_QUOTE;
    this.openingBaseAtoms = ZERO_BASE;
    this.openingNotionalAtoms = ZERO_QUOTE;
  }
}
