/**
 * Runs deployments beside the writer: connects the runner with the venue's candles, action log, directory and states. It starts in
 * environments that admit agents, and ends before the journal closes.
 */
import { join } from 'node:path';
import type { RunMarket } from '#agents/runner/ports.ts';
import { runStateFiles } from '#agents/runner/run-state-files.ts';
import { AgentRunner } from '#agents/runner/runner.ts';
import { existsIn, PARTIAL_FEATURES } from '#contract/environments.ts';
import type { Ledger } from '#host/ledger.ts';
import type { DeploymentsReport } from '#operator/action.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import type { Time } from '#time/time.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { Command, Environment } from '#venue/command.ts';
import { recordsOfCommands } from '#writer/port/group-records.ts';
import { AGENTS_FOLDER } from './data-directory.ts';
import type { InternalErrors } from './internal-errors.ts';
import { recordedBars, runMarketOf } from './recorded-bars.ts';

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
  const states = runStateFiles(join(dataDirectory, AGENTS_FOLDER));
  const runner = new AgentRunner({
    directory: ledger.agents,
    submit: ledger.submit,
    bars: recordedBars(reads, runMarket),
    log: { actions: async (query) => parseRendered(await reads.agentLog(query)) },
    states,
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
  const open = new Set([...ledger.agents.openDeployments()].map(({ deployment }) => deployment));
  states.retain(open).catch((error) => log(`agents: states of ended deployments cannot be removed: ${String(error)}`));
  runner.deploymentsChanged();
  resources.defer(() => runner.close());
  return runner;
}

/** What the operator's status shows of deployments. */
export function deploymentsReport(runner: AgentRunner): DeploymentsReport {
  const { running, pending, behind, lagMs } = runner.counts();
  return { running, pending, behind, lagMs };
}
