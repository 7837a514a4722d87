/**
 * Runs deployments beside the writer: connects the runner with the venue's candles, action log, directory and states. It starts in
 * environments that admit agents, and ends before the journal closes.
 */
import { join } from 'node:path';
import type { BarPage, BarSeries, BarSource, ClosedBar, RunMarket } from '#agents/runner/ports.ts';
import { runStateFiles } from '#agents/runner/run-state-files.ts';
import { AgentRunner } from '#agents/runner/runner.ts';
import { existsIn, PARTIAL_FEATURES } from '#contract/environments.ts';
import { TIMEFRAME_MS, TIMEFRAMES, type Timeframe } from '#contract/markets.ts';
import type { Ledger } from '#host/ledger.ts';
import type { DeploymentsReport } from '#operator/action.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import type { Time } from '#time/time.ts';
import { parseDecimal } from '#units/decimal.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command, Environment } from '#venue/command.ts';
import { recordsOfCommands } from '#writer/port/group-records.ts';
import { AGENTS_FOLDER } from './data-directory.ts';
import type { InternalErrors } from './internal-errors.ts';

/** Commands that create deployments or change their state. */
const DEPLOYING: ReadonlySet<Command['type']> = new Set([
  'CreateAgentDeployment',
  'ChangeAgentDeployment',
  'RetireAccount',
] as const);

interface AgentRunnerParts extends Omit<Time, 'clock'> {
  readonly log: (line: string) => void;
  readonly internalErrors: Pick<InternalErrors, 'observing' | 'report'>;
}

export interface AgentRunnerOptions {
  readonly environment: Environment;
  readonly dataDirectory: string;
}

/** `undefined` in an environment without agents. */
export function startAgentRunner(
  { environment, dataDirectory }: AgentRunnerOptions,
  ledger: Ledger,
  { log, internalErrors, ...time }: AgentRunnerParts,
  resources: AsyncDisposableStack,
): AgentRunner | undefined {
  if (!existsIn(environment, PARTIAL_FEATURES.agentActionLog)) return undefined;
  const { directory, reads } = ledger.projection;
  const markets = new Map<MarketOrdinal, RunMarket>();
  // A listed market never changes what a run needs.
  const runMarket = async (market: MarketOrdinal) => {
    const known = markets.get(market) ?? runMarketOf(parseRendered(await reads.market(market)).market);
    markets.set(market, known);
    return known;
  };
  const runner = new AgentRunner({
    directory: ledger.agents,
    submit: ledger.submit,
    bars: recordedBars(reads, runMarket),
    log: { actions: async (query) => parseRendered(await reads.agentLog(query)) },
    states: runStateFiles(join(dataDirectory, AGENTS_FOLDER)),
    mayAct: () => directory.switches().capabilities.agents === true,
    runMarket,
    clock: ledger.writer.time,
    ...time,
    logLine: log,
    onInternalError: (error) => internalErrors.report(error, 'agents'),
  });
  ledger.addListener(
    internalErrors.observing(({ stored }) => {
      if (recordsOfCommands(stored!, DEPLOYING).length > 0) runner.deploymentsChanged();
      runner.timePassed();
    }),
  );
  runner.deploymentsChanged();
  resources.defer(() => runner.close());
  return runner;
}

/** What the operator's status shows of deployments. */
export function deploymentsReport(runner: AgentRunner): DeploymentsReport {
  const { running, pending, behind, lagMs } = runner.counts();
  return { running, pending, behind, lagMs };
}

type Quantities = Readonly<Record<'minQuantity' | 'maxQuantity', string>>;

function runMarketOf(market: Quantities & Record<'priceScale' | 'quantityScale', number>): RunMarket {
  const { priceScale, quantityScale } = market;
  const quantity = (text: string) => atomsOf(text, quantityScale);
  const bounds = { minQuantityAtoms: quantity(market.minQuantity), maxQuantityAtoms: quantity(market.maxQuantity) };
  return { priceScale, quantityScale, ...bounds };
}

/** Candles of trades, also the synthetic ones of before the venue's start. */
function recordedBars(reads: RenderedReads, runMarket: (market: MarketOrdinal) => Promise<RunMarket>): BarSource {
  return {
    hasTimeframe: (timeframeMs) => timeframeOf(timeframeMs) !== undefined,
    async barsSince({ market, timeframeMs }: BarSeries, sinceEpochMs: number, limit: number): Promise<BarPage> {
      const timeframe = timeframeOf(timeframeMs)!;
      const scale = await runMarket(market);
      const series = parseRendered(await reads.candles({ market, timeframe, series: 'trade', sinceEpochMs, limit }));
      // Journal time never goes back: no later record changes a candle that ends at or before the newest one.
      const closedUntilEpochMs = Math.floor(series.asOfEpochMs / timeframeMs) * timeframeMs;
      const closed = series.candles.filter(({ openTimeEpochMs }) => openTimeEpochMs < closedUntilEpochMs);
      return { bars: closed.map((candle) => barOf(candle, scale)), closedUntilEpochMs };
    },
  };
}

function timeframeOf(timeframeMs: number): Timeframe | undefined {
  return TIMEFRAMES.find((timeframe) => TIMEFRAME_MS[timeframe] === timeframeMs);
}

type Candle = Readonly<Record<'open' | 'high' | 'low' | 'close' | 'volume', string>> & { readonly openTimeEpochMs: number };

function barOf(candle: Candle, { priceScale, quantityScale }: RunMarket): ClosedBar {
  const price = (text: string) => atomsOf(text, priceScale);
  return {
    openTimeEpochMs: candle.openTimeEpochMs as EpochMs,
    openAtoms: price(candle.open),
    highAtoms: price(candle.high),
    lowAtoms: price(candle.low),
    closeAtoms: price(candle.close),
    volumeAtoms: atomsOf(candle.volume, quantityScale),
  };
}

/** A volume beyond the safe integers counts as the largest one. */
function atomsOf(text: string, scale: number): number {
  const parsed = parseDecimal(text, scale);
  if ('atoms' in parsed) return parsed.atoms;
  if (parsed.fault !== 'too_large') throw new Error(`a candle has the amount ${text}`);
  return Number.MAX_SAFE_INTEGER;
}
