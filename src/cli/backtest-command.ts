/**
 * `agents backtest`: runs a script over candles of a file or of a venue. Reads everything and refuses what is wrong before the first bar; writes
 * nothing but the picture.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Backtest } from '#agents/backtest/backtest.ts';
import { reportOf } from '#agents/backtest/backtest-report.ts';
import type { BacktestTerms, TimedBar } from '#agents/backtest/backtest-terms.ts';
import { backtestChart } from '#agents/backtest/chart/backtest-chart.ts';
import { type TimeframeBars, timeframeBars } from '#agents/backtest/timeframe-bars.ts';
import { type ParameterValues, resolveParameters } from '#agents/script/parameters.ts';
import type { Program } from '#agents/script/program.ts';
import type { ScriptRefusal } from '#agents/script/refusal.ts';
import { reviewScript } from '#agents/script/review.ts';
import { INTERPRETER_VERSION } from '#agents/script/run.ts';
import { UsageFault } from '#app/config.ts';
import { TIMEFRAME_MS } from '#contract/markets.ts';
import { renderIsoTime } from '#units/iso-time.ts';
import { BACKTEST_HELP, BACKTEST_HELP_COMMAND } from './backtest-help.ts';
import { type BacktestPorts, candleInput, marketInput, scriptInput } from './backtest-input.ts';
import {
  type BacktestOptions,
  backtestMarketOf,
  chosenParameters,
  costsOf,
  historyBarsOf,
  orderSizeOf,
  parseOptions,
  type ScriptSource,
  shownTradesOf,
  timeframeOf,
  timeOf,
} from './backtest-options.ts';
import { backtestText, printable } from './backtest-text.ts';

export interface BacktestOutput {
  readonly text: string;
  /** 1 if the script ended before the last bar. */
  readonly status: 0 | 1;
}

const REPORT_INTERVAL_MS = 2_000;
/** Bars between two looks at the clock. */
const BARS_PER_SLICE = 256;

/** Rejects with a fault whose message says what to do. */
export async function runAgentsCommand(args: readonly string[], ports: BacktestPorts): Promise<BacktestOutput> {
  const { values, positionals } = parseOptions(args);
  const [name, ...files] = positionals;
  if (name !== undefined && name !== 'backtest') {
    throw new UsageFault(`unknown command: agents ${name}; see ${BACKTEST_HELP_COMMAND}`);
  }
  if (name === undefined || values.help === true) return { text: BACKTEST_HELP, status: 0 };
  return runBacktest(await scriptInput(files, values, ports), values, ports);
}

async function runBacktest(source: ScriptSource, options: BacktestOptions, ports: BacktestPorts): Promise<BacktestOutput> {
  const timeframe = timeframeOf(options.timeframe);
  const spanMs = TIMEFRAME_MS[timeframe];
  const specification = await marketInput(options, ports);
  const market = backtestMarketOf(specification);
  const orderSizeAtoms = orderSizeOf(options['order-size'], specification);
  const terms: BacktestTerms = { market, orderSizeAtoms, ...costsOf(options, specification), spanMs };
  const shownTrades = shownTradesOf(options);
  const { program, title } = reviewedScript(source);
  const { backtest, parameters } = openBacktest(source, program, options.param ?? [], terms);
  const candles = await candleInput(options, specification, timeframe, ports);
  const { bars, missingBars } = barsOf(candles.name, candles.bars, timeframe);
  const { warmUp, traded } = chosenBars(bars, options, spanMs);
  for (const bar of warmUp) backtest.warmUp(bar);
  runBars(backtest, traded, ports);
  const { result } = backtest;
  if (result.equity.points.length === 0) {
    throw new UsageFault(
      `the script ended before a bar was counted (${result.end?.reason}): ${printable(result.end?.detail ?? '')}`,
    );
  }
  const sha256 = createHash('sha256').update(source.text).digest('hex');
  const script = { strategyId: source.strategyId, title, sha256, interpreterVersion: INTERPRETER_VERSION };
  const inputs = { script, parameters, timeframe, bars: traded, warmUpBars: warmUp.length, missingBars };
  const made = reportOf(result, inputs, terms);
  if (options.svg !== undefined) saveText(options.svg, backtestChart(result, traded, title, terms));
  const text = options.json === true ? JSON.stringify(made, null, 2) : backtestText(made, result.equity.points, shownTrades);
  return { text, status: result.end === null ? 0 : 1 };
}

function reviewedScript({ name, text }: ScriptSource): { readonly program: Program; readonly title: string } {
  const reviewed = reviewScript(text);
  if ('refusals' in reviewed) throw refusalFault(name, reviewed.refusals);
  return { program: reviewed.program, title: reviewed.review.title };
}

function openBacktest(
  { name }: ScriptSource,
  program: Program,
  texts: readonly string[],
  terms: BacktestTerms,
): { readonly backtest: Backtest; readonly parameters: ParameterValues } {
  const chosen = chosenParameters(texts, program.parameters);
  const resolved = resolveParameters(program.parameters, chosen);
  if ('faults' in resolved) {
    const faults = resolved.faults.map(({ parameter, reason }) => `--param ${printable(parameter)}: ${printable(reason)}`);
    const names = program.parameters.map((parameter) => parameter.name).join(', ');
    throw new UsageFault(`${faults.join('; ')}. The parameters of ${name} are ${names === '' ? 'none' : names}`);
  }
  const opened = Backtest.open(program, resolved.values, terms);
  if ('refusals' in opened) throw refusalFault(name, opened.refusals);
  const parameters = Object.fromEntries(
    program.parameters.map((parameter) => [parameter.name, chosen[parameter.name] ?? parameter.default]),
  );
  return { backtest: opened.backtest, parameters };
}

/** One line for each refusal, in the form that editors can follow to its place. */
function refusalFault(name: string, refusals: readonly ScriptRefusal[]): UsageFault {
  const lines = refusals.map(
    ({ line, column, reason, remedy }) => `  ${name}:${line}:${column}: ${printable(reason)}. ${printable(remedy)}`,
  );
  return new UsageFault(`the script ${name} is refused:\n${lines.join('\n')}`);
}

function barsOf(path: string, input: readonly TimedBar[], timeframe: string): TimeframeBars {
  const built = timeframeBars(input, TIMEFRAME_MS[timeframe as keyof typeof TIMEFRAME_MS]);
  if (!('fault' in built)) return built;
  const candles = `${path}: the candles are ${built.inputSpanMs / 1_000} seconds apart`;
  if (built.fault === 'coarser') throw new UsageFault(`${candles}: bars of ${timeframe} cannot be built from them`);
  const time = renderIsoTime(built.openedAtEpochMs);
  throw new UsageFault(`${candles}, but that of ${time} does not open at a multiple of it: is a row of it wrong?`);
}

function chosenBars(
  bars: readonly TimedBar[],
  options: BacktestOptions,
  spanMs: number,
): { readonly warmUp: readonly TimedBar[]; readonly traded: readonly TimedBar[] } {
  const from = timeOf('--from', options.from) ?? Number.NEGATIVE_INFINITY;
  const to = timeOf('--to', options.to) ?? Number.POSITIVE_INFINITY;
  const before = bars.filter(({ openedAtEpochMs }) => openedAtEpochMs < from);
  const traded = bars.filter(({ openedAtEpochMs }) => openedAtEpochMs >= from && openedAtEpochMs + spanMs <= to);
  const historyBars = historyBarsOf(options);
  if (traded.length > 0) return { warmUp: before.slice(Math.max(0, before.length - historyBars)), traded };
  const [first, last] = [bars[0], bars.at(-1)];
  const range =
    first === undefined || last === undefined
      ? 'there is no whole bar of the timeframe'
      : `there are bars from ${renderIsoTime(first.openedAtEpochMs)} to ${renderIsoTime(last.openedAtEpochMs + spanMs)}`;
  throw new UsageFault(`no bar to run on: ${range}`);
}

function runBars(backtest: Backtest, bars: readonly TimedBar[], { clock, report }: BacktestPorts): void {
  let reportedAtMs = clock.elapsedMs();
  for (const [index, bar] of bars.entries()) {
    if (!backtest.onBar(bar)) return;
    if (index % BARS_PER_SLICE !== 0 || clock.elapsedMs() < reportedAtMs + REPORT_INTERVAL_MS) continue;
    reportedAtMs = clock.elapsedMs();
    report(`backtest: ${index + 1} of ${bars.length} bars`);
  }
}

function saveText(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageFault(`--svg ${path}: cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
