/** What a backtest is run with beside the script: the market's scales and bounds, the size of an order, and what a fill costs. */
import type { ScriptBar, ScriptMarket } from '#agents/script/run.ts';
import type { BaseAtoms, Bps } from '#units/money.ts';

export interface BacktestMarket extends ScriptMarket {
  readonly marketId: string;
  /** `BTC` */
  readonly underlyingSymbol: string;
  /** Money atoms of one price atom of one quantity atom. */
  readonly tickLotAtoms: number;
  readonly minQuantityAtoms: BaseAtoms;
  readonly maxQuantityAtoms: BaseAtoms;
}

export interface BacktestTerms {
  readonly market: BacktestMarket;
  /** Of an entry without a quantity of its own. */
  readonly orderSizeAtoms: BaseAtoms;
  readonly feeBps: Bps;
  readonly slippageBps: Bps;
  /** The length of a bar. */
  readonly spanMs: number;
}

/** A closed bar with the time at which it opened. */
export interface TimedBar extends ScriptBar {
  readonly openedAtEpochMs: number;
}
