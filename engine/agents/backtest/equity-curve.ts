/** The equity of a paper ledger at the close of each bar, from zero: its cash, less fees, and its position at the close. */
import type { QuoteAtoms } from '#units/money.ts';
import { minus, plus, ZERO_QUOTE } from '#units/money.ts';
import type { PaperLedger } from '#venue/agent/paper-ledger.ts';
import type { BacktestMarket } from './backtest-terms.ts';
import { notionalOf } from './fill.ts';

export interface Drawdown {
  /** The largest fall of the equity from a peak before; 0 if it never fell. */
  readonly amountAtoms: QuoteAtoms;
  /** The bars of that peak and of that low, as indexes. -1 is the start, before the first bar. */
  readonly peakIndex: number;
  readonly lowIndex: number;
}

export class EquityCurve {
  readonly #market: BacktestMarket;
  readonly #points: QuoteAtoms[] = [];
  #peakAtoms = ZERO_QUOTE;
  #peakIndex = -1;
  #drawdown: Drawdown = { amountAtoms: ZERO_QUOTE, peakIndex: -1, lowIndex: -1 };
  #barsInPosition = 0;

  constructor(market: BacktestMarket) {
    this.#market = market;
  }

  get points(): readonly QuoteAtoms[] {
    return this.#points;
  }

  get lastAtoms(): QuoteAtoms {
    return this.#points.at(-1) ?? ZERO_QUOTE;
  }

  get drawdown(): Drawdown {
    return this.#drawdown;
  }

  /** Bars after whose close a position was open. */
  get barsInPosition(): number {
    return this.#barsInPosition;
  }

  /** Adds a bar with the ledger after its fills. */
  add(ledger: PaperLedger, closeAtoms: number): void {
    const { cashQuoteAtoms, feesQuoteAtoms, positionBaseAtoms } = ledger;
    const equity = plus(minus(cashQuoteAtoms, feesQuoteAtoms), notionalOf(this.#market, closeAtoms, positionBaseAtoms));
    const index = this.#points.push(equity) - 1;
    if (positionBaseAtoms !== 0) this.#barsInPosition += 1;
    if (equity > this.#peakAtoms) {
      this.#peakAtoms = equity;
      this.#peakIndex = index;
    }
    const fall = minus(this.#peakAtoms, equity);
    if (fall > this.#drawdown.amountAtoms) {
      this.#drawdown = { amountAtoms: fall, peakIndex: this.#peakIndex, lowIndex: index };
    }
  }
}
