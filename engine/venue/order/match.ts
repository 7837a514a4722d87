/**
 * The match that is being settled. Only one exists at a time, so its object and those of its two sides are reused:
 * a turn of a thousand fills does not allocate them.
 */
import type { MarketOrdinal, OrderOrdinal, TradeOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import type { Liquidity, OrderOrigin } from '#venue/event.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Draft } from '#venue/record/event-writer.ts';
import { NO_PRICE } from './book.ts';
import type { OpeningTerms } from './reservation.ts';

/** No limit to the margin that a fill may lock. */
export const NO_LOCK_LIMIT = Number.MAX_SAFE_INTEGER as QuoteAtoms;

/** The trade of a match: the fields of its event. */
export class Match implements Draft<'TradeExecuted'> {
  trade = 0 as TradeOrdinal;
  market = 0 as MarketOrdinal;
  origin: OrderOrigin = 'client';
  takerSide: Side = 'buy';
  priceAtoms: PriceAtoms = NO_PRICE;
  quantityAtoms: BaseAtoms = ZERO_BASE;
  notionalAtoms: QuoteAtoms = ZERO_QUOTE;
}

/** The terms of one side's order, which determine the cost of opening. */
export class MatchTerms implements OpeningTerms {
  side: Side = 'buy';
  priceAtoms: PriceAtoms = NO_PRICE;
  markPriceAtoms: PriceAtoms = NO_PRICE;
  leverageHundredths = 0;
  initialMarginBps = 0 as Bps;
}

/** One side's view of a match. */
export class MatchSide {
  readonly terms = new MatchTerms();
  account!: Account;
  order = 0 as OrderOrdinal;
  side: Side = 'buy';
  liquidity: Liquidity = 'maker';
  /** What changes the position: its owner's order or the venue. */
  cause: OrderOrigin = 'client';
  feeAtoms: QuoteAtoms = ZERO_QUOTE;
  /** The quantity left to fill after this match. */
  remainingAtoms: BaseAtoms = ZERO_BASE;
  isComplete = false;
  /** The maximum margin that the opened quantity may lock. */
  lockLimitAtoms: QuoteAtoms = NO_LOCK_LIMIT;
  /** The account's available cash tops that margin up to the initial margin at the mark. */
  isToppedUp = false;
  /** Before the match: that margin depends on it. */
  openInterestAtoms: QuoteAtoms = ZERO_QUOTE;
}

/** The incoming order, as far as settling its fills needs it. */
export class Taker {
  account!: Account;
  order = 0 as OrderOrdinal;
  side: Side = 'buy';
  leverageHundredths = 0;
  initialMarginBps = 0 as Bps;
}
