/**
 * A second backtest, written without the first one's code: it replays the actions of a script on plain sums of bigints and values every bar
 * again from all fills so far. It is slow and simple.
 */

import type { BacktestTerms, TimedBar } from '#agents/backtest/backtest-terms.ts';
import type { ScriptRun } from '#agents/script/run.ts';

interface NaiveFill {
  readonly bar: number;
  /** Above zero bought, below zero sold. */
  readonly quantity: bigint;
  readonly price: bigint;
}

export interface NaiveResult {
  readonly fills: readonly NaiveFill[];
  readonly equity: readonly bigint[];
  readonly fees: bigint;
  readonly maxDrawdown: bigint;
  readonly closedTrades: number;
  readonly winningTrades: number;
}

export function naiveBacktest(run: ScriptRun, bars: readonly TimedBar[], terms: BacktestTerms): NaiveResult {
  const tickLot = BigInt(terms.market.tickLotAtoms);
  const fills: NaiveFill[] = [];
  const positionAt = (bar: number) => fills.filter((fill) => fill.bar <= bar).reduce((sum, { quantity }) => sum + quantity, 0n);
  bars.forEach((bar, index) => {
    const held = positionAt(index);
    const last = fills.at(-1);
    const outcome = run.onBar(bar, {
      quantityAtoms: Number(held),
      averagePriceAtoms: held === 0n || last === undefined ? null : Number(last.price),
    });
    if ('end' in outcome) throw new Error(outcome.end.detail);
    for (const action of outcome.actions) {
      const open = positionAt(index);
      if (open !== 0n) fills.push({ bar: index, quantity: -open, price: priceOf(bar, -open, terms) });
      if (action.kind === 'close') continue;
      const size = BigInt(action.quantityAtoms ?? terms.orderSizeAtoms);
      const quantity = action.direction === 'long' ? size : -size;
      fills.push({ bar: index, quantity, price: priceOf(bar, quantity, terms) });
    }
  });
  const feeOf = ({ quantity, price }: NaiveFill) =>
    ((quantity < 0n ? -quantity : quantity) * price * tickLot * BigInt(terms.feeBps)) / 10_000n;
  const equity = bars.map((bar, index) =>
    fills
      .filter((fill) => fill.bar <= index)
      .reduce((sum, fill) => sum + fill.quantity * (BigInt(bar.closeAtoms) - fill.price) * tickLot - feeOf(fill), 0n),
  );
  const trades = fills.flatMap((entry, index) => {
    const exit = fills[index + 1];
    // Entries and exits take turns, because no position is enlarged.
    if (index % 2 === 1 || exit === undefined) return [];
    return [entry.quantity * (exit.price - entry.price) * tickLot - feeOf(entry) - feeOf(exit)];
  });
  return {
    fills,
    equity,
    fees: fills.reduce((sum, fill) => sum + feeOf(fill), 0n),
    maxDrawdown: naiveDrawdown(equity),
    closedTrades: trades.length,
    winningTrades: trades.filter((pnl) => pnl > 0n).length,
  };
}

function priceOf(bar: TimedBar, quantity: bigint, { slippageBps }: BacktestTerms): bigint {
  const close = BigInt(bar.closeAtoms);
  const slippage = (close * BigInt(slippageBps) + 9_999n) / 10_000n;
  return quantity > 0n ? close + slippage : close - slippage;
}

/** Every pair of an earlier and a later value, also the start at zero. */
function naiveDrawdown(equity: readonly bigint[]): bigint {
  const values = [0n, ...equity];
  let largest = 0n;
  for (const [index, peak] of values.entries()) {
    for (const low of values.slice(index)) if (peak - low > largest) largest = peak - low;
  }
  return largest;
}
