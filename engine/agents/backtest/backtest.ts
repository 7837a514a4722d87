/**
 * Runs a script over bars of the past on a paper ledger, as a deployment runs it over bars as they close. Only the fills differ: `fill.ts`.
 * The same program, values, terms and bars give the same result.
 */
import type { ConstantValue } from '#agents/script/constant.ts';
import type { Direction, ScriptAction } from '#agents/script/order-desk.ts';
import type { Program } from '#agents/script/program.ts';
import type { ScriptRefusal } from '#agents/script/refusal.ts';
import { type ScriptPosition, ScriptRun } from '#agents/script/run.ts';
import type { RunEnd } from '#agents/script/run-fault.ts';
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import { baseAtoms, plus, ZERO_QUOTE } from '#units/money.ts';
import { afterFills, EMPTY_LEDGER, type PaperLedger } from '#venue/agent/paper-ledger.ts';
import type { BacktestTerms, TimedBar } from './backtest-terms.ts';
import { EquityCurve } from './equity-curve.ts';
import { type Fill, fillAtClose, notionalOf, type Side } from './fill.ts';
import { type Trade, type TradeCause, TradeLog } from './trade-log.ts';

/** Why a backtest ended before its last bar: the end of the script's run, or sums beyond {@link MAX_SUM_ATOMS}. */
export interface BacktestEnd {
  readonly reason: RunEnd['reason'] | 'paper_limit';
  readonly detail: string;
  /** The close of the bar. */
  readonly epochMs: number;
}

/** An entry outside of the market's quantities, which the venue would refuse too. */
export interface RefusedEntry {
  readonly entryId: string;
  readonly direction: Direction;
  readonly quantityAtoms: number;
  readonly epochMs: number;
}

export interface BacktestResult {
  readonly ledger: PaperLedger;
  /** In the order of their opening; only the last one can be open. */
  readonly trades: readonly Trade[];
  readonly refusedEntries: readonly RefusedEntry[];
  readonly slippageAtoms: QuoteAtoms;
  readonly equity: EquityCurve;
  /** A purchase of the order size at the close of the first bar, valued at each close. */
  readonly buyAndHold: { readonly ledger: PaperLedger; readonly equity: EquityCurve };
  readonly end: BacktestEnd | null;
}

/**
 * The limit of the ledger's cash and fees together, 2.25 billion USD.E. The largest position is worth less than half of it, so that every
 * equity and every fall of it is an exact integer.
 */
const MAX_SUM_ATOMS = 2 ** 51;
type ScriptEntry = Extract<ScriptAction, { kind: 'entry' }>;
const FLAT: ScriptPosition = { quantityAtoms: 0, averagePriceAtoms: null };

export class Backtest {
  readonly #run: ScriptRun;
  readonly #terms: BacktestTerms;
  readonly #trades = new TradeLog();
  readonly #refusedEntries: RefusedEntry[] = [];
  readonly #equity: EquityCurve;
  readonly #holdEquity: EquityCurve;
  #ledger = EMPTY_LEDGER;
  #holdLedger = EMPTY_LEDGER;
  #slippageAtoms = ZERO_QUOTE;
  #lastCloseAtoms = 0;
  #end: BacktestEnd | null = null;

  private constructor(run: ScriptRun, terms: BacktestTerms) {
    this.#run = run;
    this.#terms = terms;
    this.#equity = new EquityCurve(terms.market);
    this.#holdEquity = new EquityCurve(terms.market);
  }

  static open(
    program: Program,
    values: readonly ConstantValue[],
    terms: BacktestTerms,
  ): { readonly backtest: Backtest } | { readonly refusals: readonly ScriptRefusal[] } {
    const opened = ScriptRun.open(program, values, terms.market);
    return 'refusals' in opened ? opened : { backtest: new Backtest(opened.run, terms) };
  }

  /** Shows the script a bar before the first one that trades. It places no order, as with the history of a deployment. */
  warmUp(bar: TimedBar): void {
    const outcome = this.#run.onBar(bar, FLAT);
    if ('end' in outcome) this.#endRun(outcome.end.reason, outcome.end.detail, bar);
  }

  /** Takes the next bar. Returns false once the backtest has ended: further bars have no effect. */
  onBar(bar: TimedBar): boolean {
    if (this.#end !== null) return false;
    const outcome = this.#run.onBar(bar, this.#position);
    if ('end' in outcome) return this.#endRun(outcome.end.reason, outcome.end.detail, bar);
    for (const action of outcome.actions) {
      if (action.kind === 'close') this.#close(action.cause, bar);
      else this.#enter(action, bar);
    }
    if (this.#lastCloseAtoms === 0) this.#buyToHold(bar);
    this.#lastCloseAtoms = bar.closeAtoms;
    this.#equity.add(this.#ledger, bar.closeAtoms);
    this.#holdEquity.add(this.#holdLedger, bar.closeAtoms);
    const { cashQuoteAtoms, feesQuoteAtoms } = this.#ledger;
    if (Math.abs(cashQuoteAtoms) + feesQuoteAtoms <= MAX_SUM_ATOMS) return true;
    return this.#endRun('paper_limit', 'the sums of the ledger are beyond 2.25 billion', bar);
  }

  get result(): BacktestResult {
    const size = baseAtoms(Math.abs(this.#ledger.positionBaseAtoms));
    const openTrade = this.#trades.openTrade(notionalOf(this.#terms.market, this.#lastCloseAtoms, size));
    return {
      ledger: this.#ledger,
      trades: openTrade === null ? this.#trades.closed : [...this.#trades.closed, openTrade],
      refusedEntries: this.#refusedEntries,
      slippageAtoms: this.#slippageAtoms,
      equity: this.#equity,
      buyAndHold: { ledger: this.#holdLedger, equity: this.#holdEquity },
      end: this.#end,
    };
  }

  get #position(): ScriptPosition {
    return { quantityAtoms: this.#ledger.positionBaseAtoms, averagePriceAtoms: this.#trades.entryPriceAtoms };
  }

  #enter({ id, direction, quantityAtoms }: ScriptEntry, bar: TimedBar): void {
    this.#close('reversal', bar);
    const { market, orderSizeAtoms } = this.#terms;
    const quantity = quantityAtoms ?? orderSizeAtoms;
    if (quantity < market.minQuantityAtoms || quantity > market.maxQuantityAtoms) {
      const epochMs = this.#closingTime(bar);
      this.#refusedEntries.push({ entryId: id, direction, quantityAtoms: quantity, epochMs });
      return;
    }
    const fill = this.#fill(direction === 'long' ? 'buy' : 'sell', baseAtoms(quantity), bar);
    this.#trades.open(direction, id, fill, this.#closingTime(bar));
  }

  /** Closes the whole position, if there is one. */
  #close(cause: TradeCause, bar: TimedBar): void {
    const { positionBaseAtoms } = this.#ledger;
    if (positionBaseAtoms === 0) return;
    const fill = this.#fill(positionBaseAtoms > 0 ? 'sell' : 'buy', baseAtoms(Math.abs(positionBaseAtoms)), bar);
    this.#trades.close(cause, fill, this.#closingTime(bar));
  }

  #fill(side: Side, quantityAtoms: BaseAtoms, bar: TimedBar): Fill {
    const fill = fillAtClose(this.#terms, side, quantityAtoms, bar.closeAtoms);
    this.#ledger = afterFills(this.#ledger, fill);
    this.#slippageAtoms = plus(this.#slippageAtoms, fill.slippageAtoms);
    return fill;
  }

  #buyToHold(bar: TimedBar): void {
    const fill = fillAtClose(this.#terms, 'buy', this.#terms.orderSizeAtoms, bar.closeAtoms);
    this.#holdLedger = afterFills(this.#holdLedger, fill);
  }

  #endRun(reason: BacktestEnd['reason'], detail: string, bar: TimedBar): false {
    this.#end ??= { reason, detail, epochMs: this.#closingTime(bar) };
    return false;
  }

  #closingTime(bar: TimedBar): number {
    return bar.openedAtEpochMs + this.#terms.spanMs;
  }
}
