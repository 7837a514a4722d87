/**
 * Events as bytes: one tag, then the fields of that event in a fixed order; `event-reader.ts` takes them apart again. The
 * core tells what happened by calling these methods, so that a turn makes no object that outlives the call.
 */
import type { VenueEvent } from '#venue/event.ts';
import { CANCEL_REASONS, LIQUIDITIES, ORDER_ORIGINS, POSTING_KINDS, VENUE_LEDGERS } from '#venue/event.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import { REFUSAL_CODES, UNSTORED_REFUSALS } from '#venue/refusal.ts';
import type { ByteWriter } from './cursor.ts';
import { placeOf, wholeU32 } from './cursor.ts';
import { historyLayout, INDEX_STATUSES, MARKET_STATUSES, SIDES, scopeLayout, specificationLayout, writeTerms } from './parts.ts';

/** What an event says, without its name. */
export type Fields<Type extends VenueEvent['type']> = Omit<Extract<VenueEvent, { type: Type }>, 'type'>;
/** One that is filled in anew each time: what comes by the thousand in a turn makes no object for each. */
export type Draft<Type extends VenueEvent['type']> = { -readonly [Name in keyof Fields<Type>]: Fields<Type>[Name] };

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
  FavoriteSet: 25,
  LeaderboardListingSet: 26,
};
/** `ApiKeyIssued` of a key that expires: keys that never do are told as they were before there were others. */
export const EXPIRING_API_KEY_TAG = 27;
/** `MarketListed` of a market with a synthetic past, likewise. */
export const MARKET_WITH_HISTORY_TAG = 28;

/** Appends events to bytes and counts them. */
export class EventWriter {
  readonly #bytes: ByteWriter;
  #count = 0;
  /** How many of the events are refusals, and how many of these are not stored. */
  #refusals = 0;
  #unstored = 0;

  constructor(bytes: ByteWriter) {
    this.#bytes = bytes;
  }

  /** Events since {@link restart}. */
  get count(): number {
    return this.#count;
  }

  /** True if the events since {@link restart} are nothing but refusals: their turn has changed no state. */
  get isRefusal(): boolean {
    return this.#count > 0 && this.#refusals === this.#count;
  }

  /** True if they are nothing but refusals that are not stored. */
  get isUnstored(): boolean {
    return this.#count > 0 && this.#unstored === this.#count;
  }

  /** Counts from zero again. */
  restart(): void {
    this.#count = 0;
    this.#refusals = 0;
    this.#unstored = 0;
  }

  #countRefusal(code: RefusalCode): void {
    this.#refusals += 1;
    if (UNSTORED_REFUSALS.has(code)) this.#unstored += 1;
  }

  #begin(tag: number): ByteWriter {
    this.#count += 1;
    this.#bytes.u8(tag);
    return this.#bytes;
  }

  /** Begins one of a fixed length, which the caller writes behind the tag. Answers where it begins. */
  #claim(tag: number, length: number): number {
    this.#count += 1;
    const at = this.#bytes.claim(length);
    this.#bytes.view.setUint8(at, tag);
    return at;
  }

  commandRefused(it: Fields<'CommandRefused'>): void {
    const bytes = this.#begin(EVENT_TAGS.CommandRefused);
    bytes.oneOf(REFUSAL_CODES, it.code);
    bytes.int(it.order);
    bytes.int(it.bound);
    this.#countRefusal(it.code);
  }

  marketListed(it: Fields<'MarketListed'>): void {
    const bytes = this.#begin(it.history === undefined ? EVENT_TAGS.MarketListed : MARKET_WITH_HISTORY_TAG);
    bytes.u32(it.market);
    specificationLayout(bytes, it.specification);
    bytes.oneOf(MARKET_STATUSES, it.status);
    if (it.history !== undefined) historyLayout(bytes, it.history);
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
    const expires = it.expiresAtEpochMs !== 0;
    const bytes = this.#begin(expires ? EXPIRING_API_KEY_TAG : EVENT_TAGS.ApiKeyIssued);
    bytes.u32(it.account);
    bytes.text(it.keyId);
    bytes.text(it.digest);
    bytes.list(it.scopes, scopeLayout);
    bytes.text(it.label);
    if (expires) bytes.int(it.expiresAtEpochMs);
  }

  apiKeyRevoked(it: Fields<'ApiKeyRevoked'>): void {
    const bytes = this.#begin(EVENT_TAGS.ApiKeyRevoked);
    bytes.u32(it.account);
    bytes.text(it.keyId);
  }

  cashPosted(it: Fields<'CashPosted'>): void {
    const at = this.#claim(EVENT_TAGS.CashPosted, 22);
    const { view } = this.#bytes;
    view.setUint32(at + 1, wholeU32(it.account), true);
    view.setUint8(at + 5, placeOf(POSTING_KINDS, it.kind));
    view.setFloat64(at + 6, it.amountAtoms, true);
    view.setFloat64(at + 14, it.cashAtoms, true);
  }

  ledgerPosted(it: Fields<'LedgerPosted'>): void {
    const at = this.#claim(EVENT_TAGS.LedgerPosted, 18);
    const { view } = this.#bytes;
    view.setUint8(at + 1, placeOf(VENUE_LEDGERS, it.ledger));
    view.setFloat64(at + 2, it.amountAtoms, true);
    view.setFloat64(at + 10, it.balanceAtoms, true);
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
    const at = this.#claim(EVENT_TAGS.OrderRested, 34);
    const { view } = this.#bytes;
    view.setFloat64(at + 1, it.order, true);
    view.setUint32(at + 9, wholeU32(it.account), true);
    view.setUint32(at + 13, wholeU32(it.market), true);
    view.setUint8(at + 17, placeOf(SIDES, it.side));
    view.setUint32(at + 18, wholeU32(it.priceAtoms), true);
    view.setUint32(at + 22, wholeU32(it.remainingAtoms), true);
    view.setFloat64(at + 26, it.accountReservedAtoms, true);
  }

  tradeExecuted(it: Fields<'TradeExecuted'>): void {
    const at = this.#claim(EVENT_TAGS.TradeExecuted, 31);
    const { view } = this.#bytes;
    view.setFloat64(at + 1, it.trade, true);
    view.setUint32(at + 9, wholeU32(it.market), true);
    view.setUint8(at + 13, placeOf(ORDER_ORIGINS, it.origin));
    view.setUint32(at + 14, wholeU32(it.priceAtoms), true);
    view.setUint32(at + 18, wholeU32(it.quantityAtoms), true);
    view.setFloat64(at + 22, it.notionalAtoms, true);
    view.setUint8(at + 30, placeOf(SIDES, it.takerSide));
  }

  orderFilled(it: Fields<'OrderFilled'>): void {
    const at = this.#claim(EVENT_TAGS.OrderFilled, 80);
    const { view } = this.#bytes;
    view.setFloat64(at + 1, it.order, true);
    view.setFloat64(at + 9, it.trade, true);
    view.setUint32(at + 17, wholeU32(it.account), true);
    view.setUint32(at + 21, wholeU32(it.market), true);
    view.setFloat64(at + 25, it.position, true);
    view.setUint8(at + 33, placeOf(SIDES, it.side));
    view.setUint8(at + 34, placeOf(LIQUIDITIES, it.liquidity));
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
    const at = this.#claim(EVENT_TAGS.PositionChanged, 82);
    const { view } = this.#bytes;
    view.setFloat64(at + 1, it.position, true);
    view.setUint32(at + 9, wholeU32(it.account), true);
    view.setUint32(at + 13, wholeU32(it.market), true);
    view.setFloat64(at + 17, it.trade, true);
    view.setUint8(at + 25, placeOf(ORDER_ORIGINS, it.cause));
    view.setFloat64(at + 26, it.signedBaseAtoms, true);
    view.setFloat64(at + 34, it.entryNotionalAtoms, true);
    view.setFloat64(at + 42, it.marginAtoms, true);
    view.setFloat64(at + 50, it.changedBaseAtoms, true);
    view.setFloat64(at + 58, it.changedNotionalAtoms, true);
    view.setFloat64(at + 66, it.realizedPnlAtoms, true);
    view.setFloat64(at + 74, it.feeAtoms, true);
  }

  orderCancelled(it: Fields<'OrderCancelled'>): void {
    const at = this.#claim(EVENT_TAGS.OrderCancelled, 36);
    const { view } = this.#bytes;
    view.setFloat64(at + 1, it.order, true);
    view.setUint32(at + 9, wholeU32(it.account), true);
    view.setUint32(at + 13, wholeU32(it.market), true);
    view.setUint8(at + 17, placeOf(SIDES, it.side));
    view.setUint8(at + 18, placeOf(CANCEL_REASONS, it.reason));
    view.setUint8(at + 19, it.wasResting ? 1 : 0);
    view.setUint32(at + 20, wholeU32(it.priceAtoms), true);
    view.setUint32(at + 24, wholeU32(it.remainingAtoms), true);
    view.setFloat64(at + 28, it.accountReservedAtoms, true);
  }

  entryRefused(it: Fields<'EntryRefused'>): void {
    const bytes = this.#begin(EVENT_TAGS.EntryRefused);
    bytes.u8(it.index);
    bytes.oneOf(REFUSAL_CODES, it.code);
    bytes.int(it.order);
    bytes.int(it.bound);
    this.#countRefusal(it.code);
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

  favoriteSet(it: Fields<'FavoriteSet'>): void {
    const bytes = this.#begin(EVENT_TAGS.FavoriteSet);
    bytes.u32(it.account);
    bytes.u32(it.market);
    bytes.flag(it.favorite);
  }

  leaderboardListingSet(it: Fields<'LeaderboardListingSet'>): void {
    const bytes = this.#begin(EVENT_TAGS.LeaderboardListingSet);
    bytes.u32(it.account);
    bytes.flag(it.shown);
    bytes.text(it.displayName);
    bytes.text(it.handle);
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
