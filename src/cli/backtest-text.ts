/** Formats a backtest for a terminal: the summary beside buying and holding, the equity as a row of blocks, the newest trades. */
import type { BacktestReport } from '#agents/backtest/backtest-report.ts';
import { renderIsoTime } from '#units/iso-time.ts';
import { textTable } from './text-table.ts';

const BLOCKS = '▁▂▃▄▅▆▇█';
const MAX_BLOCKS = 60;

/** @param equityAtoms the equity after each bar; the report has it as text */
export function backtestText(report: BacktestReport, equityAtoms: readonly number[], shownTrades: number): string {
  const { data, end, summary, trades, refusedEntries } = report;
  const open = trades.length - summary.closedTrades;
  const counts = `${summary.closedTrades} closed${open > 0 ? ', 1 open' : ''}`;
  const shown = trades.slice(Math.max(0, trades.length - shownTrades));
  return [
    `${printable(report.script.title)} on ${report.marketId}, ${report.timeframe}: ${data.bars} bars, ${timeText(data.openTimeEpochMs)} to ${timeText(data.closeTimeEpochMs)} UTC`,
    ...(end === null ? [] : [`ENDED at ${timeText(end.epochMs)} (${end.reason}): ${printable(end.detail)}`]),
    '',
    ...textTable(modelRows(report)),
    '',
    ...textTable(summaryRows(report), [1, 2]),
    '',
    `  equity  ${blocksOf(equityAtoms)}`,
    '',
    `Trades: ${counts}${shown.length < trades.length ? `; the newest ${shown.length}` : ''}`,
    ...(shown.length === 0 ? [] : textTable(tradeRows(report, trades.length - shown.length), [0, 3, 5, 7, 9])),
    ...(refusedEntries.length === 0
      ? []
      : ['', `${refusedEntries.length} entries were refused: their quantity is outside of the market's bounds`]),
  ].join('\n');
}

function modelRows({ parameters, model, data }: BacktestReport): string[][] {
  const values = Object.entries(parameters).map(([name, value]) => `${name}=${printable(String(value))}`);
  return [
    ['parameters', values.length === 0 ? 'none' : values.join(' ')],
    ['order size', model.orderSize],
    ['fills', `at the close of the bar; slippage ${model.slippageBps} bps, fee ${model.feeBps} bps`],
    ['bars', `${data.warmUpBars} before the first one without trading; ${data.missingBars} missing between`],
  ];
}

function summaryRows({ summary, buyAndHold }: BacktestReport): string[][] {
  return [
    ['', 'strategy', 'buy and hold'],
    ['net PnL', summary.netPnl, buyAndHold.netPnl],
    ['fees', summary.feesPaid, buyAndHold.feesPaid],
    ['slippage', summary.slippagePaid, ''],
    ['max drawdown', summary.maxDrawdown, buyAndHold.maxDrawdown],
    ['win rate', summary.winRatePercent === null ? '-' : `${summary.winRatePercent} %`, ''],
    ['exposure', summary.exposurePercent === null ? '-' : `${summary.exposurePercent} %`, ''],
    ['position', summary.position, ''],
  ];
}

function tradeRows({ trades }: BacktestReport, from: number): string[][] {
  const rows = trades
    .slice(from)
    .map((trade, index) => [
      String(from + index + 1),
      trade.direction,
      printable(trade.entryId),
      trade.quantity,
      timeText(trade.openedAtEpochMs),
      trade.entryPrice,
      timeText(trade.closedAtEpochMs),
      trade.exitPrice ?? '-',
      trade.cause ?? 'open',
      trade.netPnl,
    ]);
  return [['#', 'side', 'entry', 'quantity', 'opened', 'price', 'closed', 'price', 'cause', 'net PnL'], ...rows];
}

/** One block for each of at most 60 bars at equal distances, the last bar among them. */
function blocksOf(values: readonly number[]): string {
  const count = Math.min(MAX_BLOCKS, values.length);
  const sampled = Array.from({ length: count }, (_, index) => values[Math.floor(((index + 1) * values.length) / count) - 1]!);
  const [lowest, highest] = [Math.min(...sampled), Math.max(...sampled)];
  const range = highest - lowest;
  return sampled.map((value) => BLOCKS[range === 0 ? 0 : Math.round(((value - lowest) / range) * 7)]).join('');
}

function timeText(epochMs: number | null): string {
  return epochMs === null ? '-' : renderIsoTime(epochMs).slice(0, 16).replace('T', ' ');
}

/** Texts of a script can have control characters, which a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
