/**
 * Events as bytes: one tag, then the fields of that event in a fixed order; `event-reader.ts` takes them apart again. The
 * core tells what happened by calling these methods, so that a turn makes no object that outlives the call.
 */
import type { VenueEvent } from '#venue/event.ts';
import { CANCEL_REASONS, LIQUIDITIES, ORDER_ORIGINS, POSTING_KINDS, VENUE_LEDGERS } from '#venue/event.ts';
import { REFUSAL_CODES } from '#venue/refusal.ts';
import type { ByteWriter } from './cursor.ts';
import { INDEX_STATUSES, MARKET_STATUSES, SIDES, scopeLayout, specificationLayout, writeTerms } from './parts.ts';

/** What an event says, without its name. */
type Fields<Type extends VenueEvent['type']> = Omit<Extract<VenueEvent, { type: Type }>, 'type'>;

/** Append only: a tag is part of every journal ever written. */
export const EVENT_TAGS: { readonly [Type in VenueEvent['type']]: number } = {
  CommandRefused: 0,
  MarketListed: 1,
  MarketStatusChanged: 2,
  MarketPriced: 3,
  AccountOpened: 4,
  AccountRetired: 5,
  ApiKeyIssued: 6,
  ApiKeyRevoked: 7,
  CashPosted: 8,
  LedgerPosted: 9,
  OrderAccepted: 10,
  OrderRested: 11,
  TradeExecuted: 12,
  OrderFilled: 13,
  PositionChanged: 14,
  OrderCancelled: 15,
  EntryRefused: 16,
  MarketWorkPending: 17,
  FundingSettled: 18,
  FundingPaid: 19,
  WithdrawalReserved: 20,
  WithdrawalReleased: 21,
  WithdrawalSettled: 22,
  CashTransferred: 23,
  LiquidationStarted: 24,
};

/** Appends events to bytes and counts them. */
export class EventWriter {
  readonly #bytes: ByteWriter;
  #count = 0;

  constructor(bytes: ByteWriter) {
    this.#bytes = bytes;
  }

  /** Events since {@link restart}. */
  get count(): number {
    return this.#count;
  }

  /** Counts from zero again. */
  restart(): void {
    this.#count = 0;
  }

  #begin(tag: number): ByteWriter {
    this.#count += 1;
    this.#bytes.u8(tag);
    return this.#bytes;
  }

  commandRefused(it: Fields<'CommandRefused'>): void {
    const bytes = this.#begin(EVENT_TAGS.CommandRefused);
    bytes.oneOf(REFUSAL_CODES, it.code);
    bytes.int(it.order);
    bytes.int(it.bound);
  }

  marketListed(it: Fields<'MarketListed'>): void {
    const bytes = this.#begin(EVENT_TAGS.MarketListed);
    bytes.u32(it.market);
    specificationLayout(bytes, it.specification);
    bytes.oneOf(MARKET_STATUSES, it.status);
  }

  marketStatusChanged(it: Fields<'MarketStatusChanged'>): void {
    const bytes = this.#begin(EVENT_TAGS.MarketStatusChanged);
    bytes.u32(it.market);
    bytes.oneOf(MARKET_STATUSES, it.status);
  }

  marketPriced(it: Fields<'MarketPriced'>): void {
    const bytes = this.#begin(EVENT_TAGS.MarketPriced);
    bytes.u32(it.market);
    bytes.u32(it.indexPriceAtoms);
    bytes.u32(it.markPriceAtoms);
    bytes.int(it.observedAtEpochMs);
    bytes.oneOf(INDEX_STATUSES, it.indexStatus);
    bytes.int(it.fundingEstimatePpb);
    bytes.int(it.nextFundingAtEpochMs);
  }

  accountOpened(it: Fields<'AccountOpened'>): void {
    const bytes = this.#begin(EVENT_TAGS.AccountOpened);
    bytes.u32(it.account);
    bytes.text(it.label);
    bytes.text(it.partyId);
  }

  accountRetired(it: Fields<'AccountRetired'>): void {
    const bytes = this.#begin(EVENT_TAGS.AccountRetired);
    bytes.u32(it.account);
  }

  apiKeyIssued(it: Fields<'ApiKeyIssued'>): void {
    const bytes = this.#begin(EVENT_TAGS.ApiKeyIssued);
    bytes.u32(it.account);
    bytes.text(it.keyId);
    bytes.text(it.digest);
    bytes.list(it.scopes, scopeLayout);
    bytes.text(it.label);
  }

  apiKeyRevoked(it: Fields<'ApiKeyRevoked'>): void {
    const bytes = this.#begin(EVENT_TAGS.ApiKeyRevoked);
    bytes.u32(it.account);
    bytes.text(it.keyId);
  }

  cashPosted(it: Fields<'CashPosted'>): void {
    const bytes = this.#begin(EVENT_TAGS.CashPosted);
    bytes.u32(it.account);
    bytes.oneOf(POSTING_KINDS, it.kind);
    bytes.int(it.amountAtoms);
    bytes.int(it.cashAtoms);
  }

  ledgerPosted(it: Fields<'LedgerPosted'>): void {
    const bytes = this.#begin(EVENT_TAGS.LedgerPosted);
    bytes.oneOf(VENUE_LEDGERS, it.ledger);
    bytes.int(it.amountAtoms);
    bytes.int(it.balanceAtoms);
  }

  orderAccepted(it: Fields<'OrderAccepted'>): void {
    const bytes = this.#begin(EVENT_TAGS.OrderAccepted);
    bytes.int(it.order);
    bytes.u32(it.account);
    bytes.u32(it.market);
    bytes.text(it.clientOrderId);
    bytes.text(it.idempotencyKey);
    bytes.oneOf(SIDES, it.side);
    writeTerms(bytes, it.terms);
    bytes.flag(it.reduceOnly);
    bytes.u32(it.leverageX);
    bytes.u32(it.initialMarginBps);
    bytes.oneOf(ORDER_ORIGINS, it.origin);
    bytes.u32(it.markPriceAtoms);
  }

  orderRested(it: Fields<'OrderRested'>): void {
    const bytes = this.#begin(EVENT_TAGS.OrderRested);
    bytes.int(it.order);
    bytes.u32(it.account);
    bytes.u32(it.market);
    bytes.oneOf(SIDES, it.side);
    bytes.u32(it.priceAtoms);
    bytes.u32(it.remainingAtoms);
    bytes.int(it.accountReservedAtoms);
  }

  tradeExecuted(it: Fields<'TradeExecuted'>): void {
    const bytes = this.#begin(EVENT_TAGS.TradeExecuted);
    bytes.int(it.trade);
    bytes.u32(it.market);
    bytes.oneOf(ORDER_ORIGINS, it.origin);
    bytes.u32(it.priceAtoms);
    bytes.u32(it.quantityAtoms);
    bytes.int(it.notionalAtoms);
    bytes.oneOf(SIDES, it.takerSide);
  }

  orderFilled(it: Fields<'OrderFilled'>): void {
    const bytes = this.#begin(EVENT_TAGS.OrderFilled);
    bytes.int(it.order);
    bytes.int(it.trade);
    bytes.u32(it.account);
    bytes.u32(it.market);
    bytes.int(it.position);
    bytes.oneOf(SIDES, it.side);
    bytes.oneOf(LIQUIDITIES, it.liquidity);
    bytes.u32(it.priceAtoms);
    bytes.u32(it.quantityAtoms);
    bytes.int(it.notionalAtoms);
    bytes.int(it.feeAtoms);
    bytes.int(it.realizedPnlAtoms);
    bytes.u32(it.remainingAtoms);
    bytes.flag(it.isComplete);
    bytes.int(it.accountReservedAtoms);
  }

  positionChanged(it: Fields<'PositionChanged'>): void {
    const bytes = this.#begin(EVENT_TAGS.PositionChanged);
    bytes.int(it.position);
    bytes.u32(it.account);
    bytes.u32(it.market);
    bytes.int(it.trade);
    bytes.oneOf(ORDER_ORIGINS, it.cause);
    bytes.int(it.signedBaseAtoms);
    bytes.int(it.entryNotionalAtoms);
    bytes.int(it.marginAtoms);
    bytes.int(it.changedBaseAtoms);
    bytes.int(it.changedNotionalAtoms);
    bytes.int(it.realizedPnlAtoms);
    bytes.int(it.feeAtoms);
  }

  orderCancelled(it: Fields<'OrderCancelled'>): void {
    const bytes = this.#begin(EVENT_TAGS.OrderCancelled);
    bytes.int(it.order);
    bytes.u32(it.account);
    bytes.u32(it.market);
    bytes.oneOf(SIDES, it.side);
    bytes.oneOf(CANCEL_REASONS, it.reason);
    bytes.flag(it.wasResting);
    bytes.u32(it.priceAtoms);
    bytes.u32(it.remainingAtoms);
    bytes.int(it.accountReservedAtoms);
  }

  entryRefused(it: Fields<'EntryRefused'>): void {
    const bytes = this.#begin(EVENT_TAGS.EntryRefused);
    bytes.u8(it.index);
    bytes.oneOf(REFUSAL_CODES, it.code);
    bytes.int(it.order);
    bytes.int(it.bound);
  }

  marketWorkPending(it: Fields<'MarketWorkPending'>): void {
    const bytes = this.#begin(EVENT_TAGS.MarketWorkPending);
    bytes.u32(it.market);
  }

  fundingSettled(it: Fields<'FundingSettled'>): void {
    const bytes = this.#begin(EVENT_TAGS.FundingSettled);
    bytes.u32(it.market);
    bytes.u32(it.period);
    bytes.int(it.ratePpb);
    bytes.u32(it.indexPriceAtoms);
    bytes.int(it.perLotMicroAtoms);
    bytes.int(it.settledAtEpochMs);
  }

  fundingPaid(it: Fields<'FundingPaid'>): void {
    const bytes = this.#begin(EVENT_TAGS.FundingPaid);
    bytes.int(it.position);
    bytes.u32(it.account);
    bytes.u32(it.market);
    bytes.u32(it.period);
    bytes.int(it.paidAtoms);
    bytes.int(it.marginAtoms);
    bytes.int(it.entryNotionalAtoms);
  }

  withdrawalReserved(it: Fields<'WithdrawalReserved'>): void {
    const bytes = this.#begin(EVENT_TAGS.WithdrawalReserved);
    bytes.int(it.withdrawal);
    bytes.u32(it.account);
    bytes.int(it.amountAtoms);
    bytes.text(it.destination);
  }

  withdrawalReleased(it: Fields<'WithdrawalReleased'>): void {
    const bytes = this.#begin(EVENT_TAGS.WithdrawalReleased);
    bytes.int(it.withdrawal);
    bytes.u32(it.account);
    bytes.int(it.amountAtoms);
  }

  withdrawalSettled(it: Fields<'WithdrawalSettled'>): void {
    const bytes = this.#begin(EVENT_TAGS.WithdrawalSettled);
    bytes.int(it.withdrawal);
    bytes.u32(it.account);
    bytes.int(it.amountAtoms);
  }

  cashTransferred(it: Fields<'CashTransferred'>): void {
    const bytes = this.#begin(EVENT_TAGS.CashTransferred);
    bytes.u32(it.from);
    bytes.u32(it.to);
    bytes.int(it.amountAtoms);
    bytes.text(it.reference);
  }

  liquidationStarted(it: Fields<'LiquidationStarted'>): void {
    const bytes = this.#begin(EVENT_TAGS.LiquidationStarted);
    bytes.int(it.position);
    bytes.u32(it.account);
    bytes.u32(it.market);
    bytes.u32(it.markPriceAtoms);
    bytes.int(it.equityAtoms);
    bytes.int(it.maintenanceRequirementAtoms);
    bytes.u32(it.bankruptcyPriceAtoms);
  }
}
