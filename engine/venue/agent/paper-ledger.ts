/**
 * The paper ledger of a deployment: the sums of its simulated fills, from zero. It is never a balance: no cash, position or ledger of the
 * venue changes with it.
 */
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, plus, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Cursor } from '#venue/record/cursor.ts';

export interface PaperLedger {
  /** Signed: below zero if short. */
  readonly positionBaseAtoms: BaseAtoms;
  /** The notional of all sales minus that of all purchases, without fees. */
  readonly cashQuoteAtoms: QuoteAtoms;
  readonly feesQuoteAtoms: QuoteAtoms;
  readonly fillCount: number;
}

/** The sums of the fills of one order. */
export interface PaperFills {
  readonly side: Side;
  readonly filledBaseAtoms: BaseAtoms;
  readonly filledNotionalAtoms: QuoteAtoms;
  readonly feeAtoms: QuoteAtoms;
  readonly fills: number;
}

export const EMPTY_LEDGER: PaperLedger = {
  positionBaseAtoms: ZERO_BASE,
  cashQuoteAtoms: ZERO_QUOTE,
  feesQuoteAtoms: ZERO_QUOTE,
  fillCount: 0,
};

/** Whether every sum stays an exact integer. The largest order is far below that range, so an inexact sum is not mistaken for an exact one. */
export function canTake(ledger: PaperLedger, { filledNotionalAtoms, feeAtoms, side }: PaperFills): boolean {
  const cash = side === 'buy' ? ledger.cashQuoteAtoms - filledNotionalAtoms : ledger.cashQuoteAtoms + filledNotionalAtoms;
  return Number.isSafeInteger(cash) && Number.isSafeInteger(ledger.feesQuoteAtoms + feeAtoms);
}

/** The ledger after the fills; the caller has checked {@link canTake}. */
export function afterFills(ledger: PaperLedger, fills: PaperFills): PaperLedger {
  const { side, filledBaseAtoms, filledNotionalAtoms, feeAtoms } = fills;
  const isBuy = side === 'buy';
  return {
    positionBaseAtoms: isBuy ? plus(ledger.positionBaseAtoms, filledBaseAtoms) : minus(ledger.positionBaseAtoms, filledBaseAtoms),
    cashQuoteAtoms: isBuy ? minus(ledger.cashQuoteAtoms, filledNotionalAtoms) : plus(ledger.cashQuoteAtoms, filledNotionalAtoms),
    feesQuoteAtoms: plus(ledger.feesQuoteAtoms, feeAtoms),
    fillCount: plus(ledger.fillCount, fills.fills),
  };
}

/** The layout in events and snapshots. */
export function ledgerLayout(io: Cursor, it: PaperLedger): PaperLedger {
  return {
    positionBaseAtoms: io.int(it.positionBaseAtoms),
    cashQuoteAtoms: io.int(it.cashQuoteAtoms),
    feesQuoteAtoms: io.int(it.feesQuoteAtoms),
    fillCount: io.int(it.fillCount),
  };
}
