/**
 * 1,000 deployments over three markets on one-minute candles: how much faster than real time one core works the bars, with the actions in a
 * journal on a real disk; and how long after a bar closes its orders are durable.
 */
import { AgentRunner } from '#agents/runner/runner.ts';
import { systemTime } from '#time/system-time.ts';
import { sleep } from '#time/timers.ts';
import type { EpochMs } from '#units/money.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import type { Submit } from '#writer/port/submit.ts';
import { AgentFollower, agentCommands, HISTORY_BARS, MINUTE_MS, WalkedBars } from './agent-venue.ts';
import { inBenchDirectory } from './bench-directory.ts';
import { FLOW_CLOCK, JOURNAL_FOLDER, openBareWriter, submissionsOf, submitAll } from './bench-journal.ts';
import type { BenchOptions } from './contender.ts';
import type { Part, Report } from './part.ts';
import { thousands } from './prose.ts';

const DEPLOYMENTS = 1_000;
const QUICK_DEPLOYMENTS = 40;
/** Bars that are worked without a pause, and bars with a pause between, as in real time. */
const BARS = 200;
const PACED_BARS = 60;
const QUICK_BARS = 10;
const PAUSE_MS = 50;
const JOURNAL_BYTES = 500_000_000;

export const agents: Part = {
  name: 'agents',
  run({ isQuick, seed }: BenchOptions): Promise<Report> {
    return inBenchDirectory(JOURNAL_BYTES, async (path) => {
      const lock = lockDirectory(path);
      const follower = new AgentFollower();
      const writer = await openBareWriter(await nodeFiles(lock, JOURNAL_FOLDER), { follow: follower.follow });
      const deployments = isQuick ? QUICK_DEPLOYMENTS : DEPLOYMENTS;
      await submitAll(writer, submissionsOf(agentCommands(deployments)));
      const now = FLOW_CLOCK.now();
      const bars = new WalkedBars(seed, (Math.floor(now / MINUTE_MS) - HISTORY_BARS) * MINUTE_MS);
      while (bars.closedUntilEpochMs <= now) bars.closeNext();
      let closedAtMs = 0;
      let latenciesMs: number[] = [];
      const submit: Submit = async (submission) => {
        const outcome = await writer.submit(submission);
        latenciesMs.push(performance.now() - closedAtMs);
        return outcome;
      };
      const runner = new AgentRunner({
        directory: follower.directory,
        submit,
        bars,
        log: {
          actions: async ({ deployment, after, limit }) =>
            follower
              .actionsOf(deployment)
              .filter(({ action }) => action > after)
              .slice(0, limit),
        },
        // The file of a state is written every 60 bars or less often, without a sync.
        states: { read: async () => undefined, write: async () => {}, remove: async () => {} },
        mayAct: () => true,
        runMarket: async () => ({ priceScale: 1, quantityScale: 3, minQuantityAtoms: 1, maxQuantityAtoms: 1_000_000 }),
        ...systemTime,
        // Bars close as fast as they are worked.
        clock: { now: () => bars.closedUntilEpochMs as EpochMs },
        logLine: (line) => console.error(line),
        onInternalError: (error) => {
          throw error;
        },
      });
      runner.deploymentsChanged();
      await runner.settled();
      const workBar = async () => {
        bars.closeNext();
        closedAtMs = performance.now();
        runner.timePassed();
        await runner.settled();
      };
      const before = runner.counts();
      const startedAtMs = performance.now();
      const startedCpu = process.cpuUsage();
      const barCount = isQuick ? QUICK_BARS : BARS;
      for (let bar = 0; bar < barCount; bar += 1) await workBar();
      const elapsedMs = performance.now() - startedAtMs;
      const { user, system } = process.cpuUsage(startedCpu);
      const { running, barsWorked, ordersPlaced } = runner.counts();
      latenciesMs = [];
      for (let bar = 0; bar < (isQuick ? QUICK_BARS : PACED_BARS); bar += 1) {
        await sleep(systemTime.timers, PAUSE_MS);
        await workBar();
      }
      await runner.close();
      await writer.close();
      lock.release();
      return reportOf({
        deployments: running,
        timesRealTime: (barCount * MINUTE_MS) / elapsedMs,
        cpuShare: (user + system) / 1_000 / elapsedMs,
        barsPerSecond: ((barsWorked - before.barsWorked) * 1_000) / elapsedMs,
        orders: ordersPlaced - before.ordersPlaced,
        ordersPerBar: latenciesMs.length / (isQuick ? QUICK_BARS : PACED_BARS),
        p50Ms: quantile(latenciesMs, 0.5),
        p99Ms: quantile(latenciesMs, 0.99),
      });
    });
  },
};

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

interface AgentFigures {
  readonly deployments: number;
  readonly timesRealTime: number;
  /** Of one core; more than 1 if the disk's threads add to it. */
  readonly cpuShare: number;
  readonly barsPerSecond: number;
  readonly orders: number;
  readonly ordersPerBar: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

function reportOf(figures: AgentFigures): Report {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const table = {
    title: 'Agents: deployments of the catalogue on one-minute candles of three markets, actions in a journal',
    notes: [`${thousands(figures.deployments)} deployments with ${HISTORY_BARS} bars of warm-up; every script of the catalogue`],
    columns: ['', ''],
    rows: [
      ['times real time', thousands(Math.round(figures.timesRealTime))],
      ['processor time, of one core', figures.cpuShare.toFixed(2)],
      ['bars per second', thousands(Math.round(figures.barsPerSecond))],
      ['paper orders in that time', thousands(figures.orders)],
      ['orders of a bar, with a pause before each bar', figures.ordersPerBar.toFixed(1)],
      ['from the closed bar to the durable order, median', ms(figures.p50Ms)],
      ['from the closed bar to the durable order, p99', ms(figures.p99Ms)],
    ],
  };
  return { tables: [table], figures: { agents: figures } };
}
