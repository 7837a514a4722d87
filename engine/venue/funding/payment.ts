/** What a position pays or gets for a funding period, and where the money comes from. */
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, mulDivUp, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import { MAX_EXPOSURE_ATOMS } from '#venue/market/specification.ts';
import type { Exposure } from '#venue/risk/position-risk.ts';

const MICRO = 1_000_000;
/** What funding may raise the entry of a long to: twice the largest exposure, so that every sum stays exact. */
const MAX_ENTRY_ATOMS = (MAX_EXPOSURE_ATOMS * 2) as QuoteAtoms;

/**
 * What a position pays for a period, below zero what it gets. Who pays rounds up and who gets rounds down, so that
 * payments never fall short; what they leave over, less than one atom a position, belongs to the insurance fund.
 * `perLotMicroAtoms` is what a long pays for a lot (`fundingPerLotOf`).
 */
export function fundingPaymentOf(signedBase: BaseAtoms, perLotMicroAtoms: number): QuoteAtoms {
  const lots = Math.abs(signedBase);
  const perLot = Math.abs(perLotMicroAtoms);
  if (signedBase > 0 === perLotMicroAtoms > 0) return mulDivUp(lots, perLot, MICRO) as QuoteAtoms;
  return minus(ZERO_QUOTE, mulDivDown(lots, perLot, MICRO) as QuoteAtoms);
}

/** Where a payment comes from. The three add up to it. */
export interface PaymentSplit {
  readonly fromMarginAtoms: QuoteAtoms;
  /** What the entry becomes worse by: higher for a long, lower for a short. */
  readonly onEntryAtoms: QuoteAtoms;
  /** What the position cannot carry. */
  readonly unpaidAtoms: QuoteAtoms;
}

/**
 * A payment above zero is taken from the position's margin, and what that does not hold is charged to its entry: it is
 * paid out of the profit that the position has, or else shows as a loss and leads to liquidation. An entry never falls
 * below one atom, nor rises beyond what is exact.
 */
export function splitPaymentOf(exposure: Exposure, paymentAtoms: QuoteAtoms): PaymentSplit {
  const { signedBaseAtoms, entryNotionalAtoms, marginAtoms } = exposure;
  const fromMarginAtoms = smallerOf(paymentAtoms, marginAtoms);
  const beyond = minus(paymentAtoms, fromMarginAtoms);
  const room = signedBaseAtoms > 0 ? minus(MAX_ENTRY_ATOMS, entryNotionalAtoms) : minus(entryNotionalAtoms, 1 as QuoteAtoms);
  const onEntryAtoms = smallerOf(beyond, largerOf(ZERO_QUOTE, room));
  return { fromMarginAtoms, onEntryAtoms, unpaidAtoms: minus(beyond, onEntryAtoms) };
}
