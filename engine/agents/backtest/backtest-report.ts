/**
 * The result of a backtest as JSON: amounts as decimal strings, times as integers. `docs/backtest.md` explains each field. A change of what
 * a field means changes {@link REPORT_VERSION}.
 */
import type { ParameterValues } from '#agents/script/parameters.ts';
import { renderDecimal } from '#units/decimal.ts';
import type { BaseAtoms, QuoteAtoms } from '#units/money.ts';
import { mulDivDown, SETTLEMENT_DECIMALS, WHOLE_BPS } from '#units/money.ts';
import type { BacktestResult } from './backtest.ts';
import type { BacktestTerms, TimedBar } from './backtest-terms.ts';
import type { EquityCurve } from './equity-curve.ts';
import type { Trade } from './trade-log.ts';

export const REPORT_VERSION = 'backtest/v1';

/** What the caller knows about the script and the bars. */
export interface BacktestInputs {
  readonly script: {
    /** Null for a script of one's own. */
    readonly strategyId: string | null;
    readonly title: string;
    readonly sha256: string;
    readonly interpreterVersion: string;
  };
  /** The values of all parameters, also of those at their defaults. */
  readonly parameters: ParameterValues;
  readonly timeframe: string;
  readonly bars: readonly TimedBar[];
  readonly warmUpBars: number;
  readonly missingBars: number;
}

export type BacktestReport = ReturnType<typeof reportOf>;

/** @param inputs its `bars` are those that the backtest has taken, without those of the warm-up */
export function reportOf(result: BacktestResult, inputs: BacktestInputs, terms: BacktestTerms) {
  const { script, parameters, timeframe, bars, warmUpBars, missingBars } = inputs;
  const { market, orderSizeAtoms, feeBps, slippageBps, spanMs } = terms;
  const { points } = result.equity;
  const closeTimes = bars.slice(0, points.length).map(({ openedAtEpochMs }) => openedAtEpochMs + spanMs);
  return {
    version: REPORT_VERSION,
    marketId: market.marketId,
    timeframe,
    script,
    parameters,
    model: { fill: 'bar_close', orderSize: quantityText(orderSizeAtoms, terms), feeBps, slippageBps },
    data: {
      bars: points.length,
      warmUpBars,
      missingBars,
      openTimeEpochMs: bars[0]?.openedAtEpochMs ?? null,
      closeTimeEpochMs: closeTimes.at(-1) ?? null,
    },
    end: result.end,
    summary: summaryOf(result, closeTimes, terms),
    buyAndHold: {
      netPnl: moneyText(result.buyAndHold.equity.lastAtoms),
      feesPaid: moneyText(result.buyAndHold.ledger.feesQuoteAtoms),
      ...drawdownOf(result.buyAndHold.equity, closeTimes),
    },
    trades: result.trades.map((trade) => tradeOf(trade, terms)),
    refusedEntries: result.refusedEntries.map(({ quantityAtoms, ...entry }) => ({
      ...entry,
      quantity: renderDecimal(quantityAtoms, market.quantityScale),
      reason: 'quantity_out_of_bounds',
    })),
    equity: { closeTimeEpochMs: closeTimes, equity: points.map(moneyText) },
  };
}

function summaryOf(result: BacktestResult, closeTimes: readonly number[], { market }: BacktestTerms) {
  const { equity, ledger, trades, slippageAtoms } = result;
  const closed = trades.filter(({ closedAtEpochMs }) => closedAtEpochMs !== null);
  const winning = closed.filter(({ pnlAtoms }) => pnlAtoms > 0).length;
  return {
    netPnl: moneyText(equity.lastAtoms),
    feesPaid: moneyText(ledger.feesQuoteAtoms),
    slippagePaid: moneyText(slippageAtoms),
    ...drawdownOf(equity, closeTimes),
    position: renderDecimal(ledger.positionBaseAtoms, market.quantityScale),
    fills: ledger.fillCount,
    closedTrades: closed.length,
    winningTrades: winning,
    winRatePercent: percentDown(winning, closed.length),
    barsInPosition: equity.barsInPosition,
    exposurePercent: percentDown(equity.barsInPosition, equity.points.length),
  };
}

function drawdownOf({ drawdown }: EquityCurve, closeTimes: readonly number[]) {
  return {
    maxDrawdown: moneyText(drawdown.amountAtoms),
    maxDrawdownFromEpochMs: closeTimes[drawdown.peakIndex] ?? null,
    maxDrawdownUntilEpochMs: closeTimes[drawdown.lowIndex] ?? null,
  };
}

function tradeOf(trade: Trade, terms: BacktestTerms) {
  const { priceScale } = terms.market;
  return {
    direction: trade.direction,
    entryId: trade.entryId,
    quantity: quantityText(trade.quantityAtoms, terms),
    openedAtEpochMs: trade.openedAtEpochMs,
    entryPrice: renderDecimal(trade.entryPriceAtoms, priceScale),
    closedAtEpochMs: trade.closedAtEpochMs,
    exitPrice: trade.exitPriceAtoms === null ? null : renderDecimal(trade.exitPriceAtoms, priceScale),
    cause: trade.cause,
    feesPaid: moneyText(trade.feesAtoms),
    netPnl: moneyText(trade.pnlAtoms),
  };
}

function moneyText(atoms: QuoteAtoms): string {
  return renderDecimal(atoms, SETTLEMENT_DECIMALS);
}

function quantityText(atoms: BaseAtoms, { market }: BacktestTerms): string {
  return renderDecimal(atoms, market.quantityScale);
}

/** With two decimals, rounded down; null if the whole is nothing. */
function percentDown(part: number, whole: number): string | null {
  return whole === 0 ? null : renderDecimal(mulDivDown(part, WHOLE_BPS, whole), 2);
}
