/** The funding payment of a position for one period, and how it is split between margin and entry. */
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, mulDivUp, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import { MAX_EXPOSURE_ATOMS } from '#venue/market/specification.ts';
import type { Exposure } from '#venue/risk/position-risk.ts';

const MICRO = 1_000_000;
/** The highest entry to which funding may raise a long: twice the largest exposure, so that every sum stays exact. */
const MAX_ENTRY_ATOMS = (MAX_EXPOSURE_ATOMS * 2) as QuoteAtoms;

/**
 * The amount that a position pays for a period; negative if it receives. Payments are rounded up and receipts down, so that
 * payments cover receipts. The remainder, less than one atom per position, goes to the insurance fund.
 * `perLotMicroAtoms` is what a long pays per lot (`fundingPerLotOf`).
 */
export function fundingPaymentOf(signedBase: BaseAtoms, perLotMicroAtoms: number): QuoteAtoms {
  const lots = Math.abs(signedBase);
  const perLot = Math.abs(perLotMicroAtoms);
  if (signedBase > 0 === perLotMicroAtoms > 0) return mulDivUp(lots, perLot, MICRO) as QuoteAtoms;
  return minus(ZERO_QUOTE, mulDivDown(lots, perLot, MICRO) as QuoteAtoms);
}

/** The sources of a payment. The three amounts add up to the payment. */
export interface PaymentSplit {
  readonly fromMarginAtoms: QuoteAtoms;
  /** The amount by which the entry worsens: it rises for a long and falls for a short. */
  readonly onEntryAtoms: QuoteAtoms;
  /** The amount that the position cannot pay. */
  readonly unpaidAtoms: QuoteAtoms;
}

/**
 * Splits a positive payment. The margin pays first. The rest worsens the entry: it reduces the position's profit, or
 * becomes a loss that leads to liquidation. An entry never falls below one atom nor exceeds `MAX_ENTRY_ATOMS`.
 */
export function splitPaymentOf(exposure: Exposure, paymentAtoms: QuoteAtoms): PaymentSplit {
  const { signedBaseAtoms, entryNotionalAtoms, marginAtoms } = exposure;
  const fromMarginAtoms = smallerOf(paymentAtoms, marginAtoms);
  const rest = minus(paymentAtoms, fromMarginAtoms);
  const room = signedBaseAtoms > 0 ? minus(MAX_ENTRY_ATOMS, entryNotionalAtoms) : minus(entryNotionalAtoms, 1 as QuoteAtoms);
  const onEntryAtoms = smallerOf(rest, largerOf(ZERO_QUOTE, room));
  return { fromMarginAtoms, onEntryAtoms, unpaidAtoms: minus(rest, onEntryAtoms) };
}
