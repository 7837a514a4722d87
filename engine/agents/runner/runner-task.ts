/** A deployment in the runner: its run, and whether the runner works on it. */
import type { AccountOrdinal, AgentDeploymentOrdinal } from '#units/ids.ts';
import type { DeploymentRun } from './deployment-run.ts';
import type { RecentBars } from './recent-bars.ts';

export interface RunnerTask {
  readonly number: AgentDeploymentOrdinal;
  /** The account of the owner. */
  readonly account: AccountOrdinal;
  readonly bars: RecentBars;
  /** After a whole bar. Absent before it is opened, and after an error or the end: then it is opened again from its saved state. */
  run: DeploymentRun | undefined;
  isBusy: boolean;
  /** Whether there may be more to do than the current work has seen. */
  isNotified: boolean;
}

export interface RunnerCounts {
  readonly running: number;
  readonly pending: number;
  /** Deployments that the runner works on now. */
  readonly behind: number;
  /** How long ago the oldest bar closed that such a deployment has not taken. */
  readonly lagMs: number;
  readonly barsWorked: number;
  readonly ordersPlaced: number;
}

export function lagOf({ isBusy, run }: RunnerTask, nowEpochMs: number): number {
  if (!isBusy || run === undefined) return 0;
  return Math.max(0, nowEpochMs - run.nextBarEpochMs - run.deployment.timeframeMs);
}
