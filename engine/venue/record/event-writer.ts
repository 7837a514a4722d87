/**
 * Writes events as bytes. `emit` writes any event by its layout. Frequent events have a method of their own, which writes the same
 * bytes without allocations.
 */
import { isWholeLeverage } from '#units/leverage.ts';
import type { VenueEvent } from '#venue/event.ts';
import { CANCEL_REASONS, LIQUIDITIES, ORDER_ORIGINS, POSTING_KINDS, VENUE_LEDGERS } from '#venue/event.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import { UNSTORED_REFUSALS } from '#venue/refusal.ts';
import type { ByteWriter } from './cursor.ts';
import { indexIn, wholeU32 } from './cursor.ts';
import { EVENT_FORMAT, EVENTS } from './event-layouts.ts';
import { SIDES, writeTerms } from './parts.ts';

/** The fields of an event without its type. */
export type Fields<Type extends VenueEvent['type']> = Omit<Extract<VenueEvent, { type: Type }>, 'type'>;
/** A reusable, mutable object for frequent events: a turn can emit thousands of them without allocating one for each. */
export type Draft<Type extends VenueEvent['type']> = { -readonly [Name in keyof Fields<Type>]: Fields<Type>[Name] };

/** Appends events to bytes and counts them. */
export class EventWriter {
  readonly #bytes: ByteWriter;
  #count = 0;
  /** The number of refusals among the events, and of refusals that are not stored. */
  #refusals = 0;
  #unstored = 0;

  constructor(bytes: ByteWriter) {
    this.#bytes = bytes;
  }

  /** The number of events since {@link restart}. */
  get count(): number {
    return this.#count;
  }

  /** True if all events since {@link restart} are refusals: the turn changed no state. */
  get isRefusal(): boolean {
    return this.#count > 0 && this.#refusals === this.#count;
  }

  /** True if all of them are refusals that are not stored. */
  get isUnstored(): boolean {
    return this.#count > 0 && this.#unstored === this.#count;
  }

  /** Resets the counts to zero. */
  restart(): void {
    this.#count = 0;
    this.#refusals = 0;
    this.#unstored = 0;
  }

  #countRefusal(code: RefusalCode): void {
    this.#refusals += 1;
    if (UNSTORED_REFUSALS.has(code)) this.#unstored += 1;
  }

  /** Appends any event by its layout. */
  emit(event: VenueEvent): void {
    this.#count += 1;
    EVENT_FORMAT.write(this.#bytes, event);
    if (event.type === 'CommandRefused' || event.type === 'EntryRefused') this.#countRefusal(event.code);
  }

  /** Writes the tag of an event of `length` bytes and returns its offset. The caller writes the bytes after the tag. */
  #claim(tag: number, length: number): number {
    this.#count += 1;
    const at = this.#bytes.claim(length);
    this.#bytes.view.setUint8(at, tag);
    return at;
  }

  cashPosted(it: Fields<'CashPosted'>): void {
    const at = this.#claim(EVENTS.CashPosted.tag, 22);
    const { view } = this.#bytes;
    view.setUint32(at + 1, wholeU32(it.account), true);
    view.setUint8(at + 5, indexIn(POSTING_KINDS, it.kind));
    view.setFloat64(at + 6, it.amountAtoms, true);
    view.setFloat64(at + 14, it.cashAtoms, true);
  }

  ledgerPosted(it: Fields<'LedgerPosted'>): void {
    const at = this.#claim(EVENTS.LedgerPosted.tag, 18);
    const { view } = this.#bytes;
    view.setUint8(at + 1, indexIn(VENUE_LEDGERS, it.ledger));
    view.setFloat64(at + 2, it.amountAtoms, true);
    view.setFloat64(at + 10, it.balanceAtoms, true);
  }

  orderAccepted(it: Fields<'OrderAccepted'>): void {
    if (!isWholeLeverage(it.leverageHundredths)) {
      this.emit({ type: 'OrderAccepted', ...it });
      return;
    }
    this.#count += 1;
    const bytes = this.#bytes;
    bytes.u8(EVENTS.OrderAccepted.tag);
    bytes.int(it.order);
    bytes.u32(it.account);
    bytes.u32(it.market);
    bytes.text(it.clientOrderId);
    bytes.text(it.idempotencyKey);
    bytes.oneOf(SIDES, it.side);
    writeTerms(bytes, it.terms);
    bytes.flag(it.reduceOnly);
    bytes.wholeLeverage(it.leverageHundredths);
    bytes.u32(it.initialMarginBps);
    bytes.oneOf(ORDER_ORIGINS, it.origin);
    bytes.u32(it.markPriceAtoms);
  }

  orderRested(it: Fields<'OrderRested'>): void {
    const at = this.#claim(EVENTS.OrderRested.tag, 34);
    const { view } = this.#bytes;
    view.setFloat64(at + 1, it.order, true);
    view.setUint32(at + 9, wholeU32(it.account), true);
    view.setUint32(at + 13, wholeU32(it.market), true);
    view.setUint8(at + 17, indexIn(SIDES, it.side));
    view.setUint32(at + 18, wholeU32(it.priceAtoms), true);
    view.setUint32(at + 22, wholeU32(it.remainingAtoms), true);
    view.setFloat64(at + 26, it.accountReservedAtoms, true);
  }

  tradeExecuted(it: Fields<'TradeExecuted'>): void {
    const at = this.#claim(EVENTS.TradeExecuted.tag, 31);
    const { view } = this.#bytes;
    view.setFloat64(at + 1, it.trade, true);
    view.setUint32(at + 9, wholeU32(it.market), true);
    view.setUint8(at + 13, indexIn(ORDER_ORIGINS, it.origin));
    view.setUint32(at + 14, wholeU32(it.priceAtoms), true);
    view.setUint32(at + 18, wholeU32(it.quantityAtoms), true);
    view.setFloat64(at + 22, it.notionalAtoms, true);
    view.setUint8(at + 30, indexIn(SIDES, it.takerSide));
  }

  orderFilled(it: Fields<'OrderFilled'>): void {
    if (it.insuranceCoveredAtoms !== undefined) {
      this.emit({ type: 'OrderFilled', ...it });
      return;
    }
    const at = this.#claim(EVENTS.OrderFilled.tag, 80);
    const { view } = this.#bytes;
    view.setFloat64(at + 1, it.order, true);
    view.setFloat64(at + 9, it.trade, true);
    view.setUint32(at + 17, wholeU32(it.account), true);
    view.setUint32(at + 21, wholeU32(it.market), true);
    view.setFloat64(at + 25, it.position, true);
    view.setUint8(at + 33, indexIn(SIDES, it.side));
    view.setUint8(at + 34, indexIn(LIQUIDITIES, it.liquidity));
    view.setUint32(at + 35, wholeU32(it.priceAtoms), true);
    view.setUint32(at + 39, wholeU32(it.quantityAtoms), true);
    view.setFloat64(at + 43, it.notionalAtoms, true);
    view.setFloat64(at + 51, it.feeAtoms, true);
    view.setFloat64(at + 59, it.realizedPnlAtoms, true);
    view.setUint32(at + 67, wholeU32(it.remainingAtoms), true);
    view.setUint8(at + 71, it.isComplete ? 1 : 0);
    view.setFloat64(at + 72, it.accountReservedAtoms, true);
  }

  positionChanged(it: Fields<'PositionChanged'>): void {
    if (it.insuranceCoveredAtoms !== undefined) {
      this.emit({ type: 'PositionChanged', ...it });
      return;
    }
    const at = this.#claim(EVENTS.PositionChanged.tag, 82);
    const { view } = this.#bytes;
    view.setFloat64(at + 1, it.position, true);
    view.setUint32(at + 9, wholeU32(it.account), true);
    view.setUint32(at + 13, wholeU32(it.market), true);
    view.setFloat64(at + 17, it.trade, true);
    view.setUint8(at + 25, indexIn(ORDER_ORIGINS, it.cause));
    view.setFloat64(at + 26, it.signedBaseAtoms, true);
    view.setFloat64(at + 34, it.entryNotionalAtoms, true);
    view.setFloat64(at + 42, it.marginAtoms, true);
    view.setFloat64(at + 50, it.changedBaseAtoms, true);
    view.setFloat64(at + 58, it.changedNotionalAtoms, true);
    view.setFloat64(at + 66, it.realizedPnlAtoms, true);
    view.setFloat64(at + 74, it.feeAtoms, true);
  }

  orderCancelled(it: Fields<'OrderCancelled'>): void {
    const at = this.#claim(EVENTS.OrderCancelled.tag, 36);
    const { view } = this.#bytes;
    view.setFloat64(at + 1, it.order, true);
    view.setUint32(at + 9, wholeU32(it.account), true);
    view.setUint32(at + 13, wholeU32(it.market), true);
    view.setUint8(at + 17, indexIn(SIDES, it.side));
    view.setUint8(at + 18, indexIn(CANCEL_REASONS, it.reason));
    view.setUint8(at + 19, it.wasResting ? 1 : 0);
    view.setUint32(at + 20, wholeU32(it.priceAtoms), true);
    view.setUint32(at + 24, wholeU32(it.remainingAtoms), true);
    view.setFloat64(at + 28, it.accountReservedAtoms, true);
  }
}
