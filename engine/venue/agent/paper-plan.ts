/** The plan of a paper order. One object is reused for all turns: it is valid until the next planning. */
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Side } from '#venue/order/order-terms.ts';
import { EMPTY_LEDGER, type PaperFills, type PaperLedger } from './paper-ledger.ts';
import type { PaperOutcome, PaperReason } from './paper-outcome.ts';

const NO_PRICE = 0 as PriceAtoms;

export class PaperPlan implements PaperFills {
  side: Side = 'buy';
  outcome: PaperOutcome = 'refused';
  reason: PaperReason = 'none';
  filledBaseAtoms = ZERO_BASE;
  filledNotionalAtoms: QuoteAtoms = ZERO_QUOTE;
  feeAtoms: QuoteAtoms = ZERO_QUOTE;
  fills = 0;
  /** The price of the last fill; 0 without one. */
  worstPriceAtoms: PriceAtoms = NO_PRICE;
  /** The ledger after the order. */
  ledger: PaperLedger = EMPTY_LEDGER;

  /** Plans that nothing fills, and that the ledger stays as it is. */
  refuse(side: Side, reason: PaperReason, ledger: PaperLedger): void {
    this.side = side;
    this.outcome = 'refused';
    this.reason = reason;
    this.filledBaseAtoms = ZERO_BASE;
    this.filledNotionalAtoms = ZERO_QUOTE;
    this.feeAtoms = ZERO_QUOTE;
    this.fills = 0;
    this.worstPriceAtoms = NO_PRICE;
    this.ledger = ledger;
  }
}
